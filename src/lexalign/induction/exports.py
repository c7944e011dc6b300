"""A dictionary in the formats of other programs.

muse    one pair per line, separated by a blank
xling   one pair per line, separated by a tab
tmx     Translation Memory eXchange 1.4, one unit per pair, the probability as a property
tbx     TermBase eXchange (TBX-Basic), one entry per pair
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

from lexalign.atomic import atomic_file
from lexalign.errors import LexalignError
from lexalign.induction.dictionary import Dictionary

EXPORTS = {"muse": ".muse.txt", "xling": ".xling.tsv", "tmx": ".tmx", "tbx": ".tbx"}
"""The formats, and their file suffixes."""

UNKNOWN_LANGUAGE = "und"


def export(
    dictionary: Dictionary,
    path: Path,
    format: str,
    *,
    languages: tuple[str, str] = (UNKNOWN_LANGUAGE, UNKNOWN_LANGUAGE),
    overwrite: bool = False,
) -> None:
    """Write a dictionary for another program, atomically.

    Parameters
    ----------
    dictionary : Dictionary
        The translations.
    path : Path
        The file.
    format : {"muse", "xling", "tmx", "tbx"}
        The format. Pairs with words that muse or xling cannot hold are left out.
    languages : pair of str
        Codes of source and target language, such as "en"; "und" means unknown.
    overwrite : bool
        Whether to replace an existing file.
    """
    if format not in EXPORTS:
        raise LexalignError(
            f"The `export` format must be one of {tuple(EXPORTS)}. Got {format!r} instead."
        )
    if format in ("muse", "xling"):
        dictionary.lexicon.writable(format).write(path, format=format, overwrite=overwrite)
        return
    lines = _tmx(dictionary, *languages) if format == "tmx" else _tbx(dictionary, *languages)
    with (
        atomic_file(path, overwrite=overwrite) as temporary,
        temporary.open("w", encoding="utf-8", newline="\n") as file,
    ):
        file.writelines(f"{line}\n" for line in lines)


def _tmx(dictionary: Dictionary, source: str, target: str) -> Iterator[str]:
    one, other = quoteattr(source), quoteattr(target)
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield '<tmx version="1.4">'
    yield (
        '<header creationtool="Lexalign" creationtoolversion="0" segtype="phrase" o-tmf="tsv" '
        f'adminlang="en" srclang={one} datatype="plaintext"/>'
    )
    yield "<body>"
    for (word, translation), chance in zip(dictionary.pairs, dictionary.probability, strict=True):
        yield (
            f'<tu><prop type="probability">{chance:.4f}</prop>'
            f"<tuv xml:lang={one}><seg>{_text(word)}</seg></tuv>"
            f"<tuv xml:lang={other}><seg>{_text(translation)}</seg></tuv></tu>"
        )
    yield "</body>"
    yield "</tmx>"


def _tbx(dictionary: Dictionary, source: str, target: str) -> Iterator[str]:
    one, other = quoteattr(source), quoteattr(target)
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield f'<martif type="TBX-Basic" xml:lang={one}>'
    yield "<martifHeader><fileDesc><sourceDesc>"
    yield "<p>Lexalign</p>"
    yield "</sourceDesc></fileDesc></martifHeader>"
    yield "<text><body>"
    for (word, translation), chance in zip(dictionary.pairs, dictionary.probability, strict=True):
        yield (
            f'<termEntry><descrip type="reliabilityCode">{round(10 * chance)}</descrip>'
            f"<langSet xml:lang={one}><tig><term>{_text(word)}</term></tig></langSet>"
            f"<langSet xml:lang={other}><tig><term>{_text(translation)}</term></tig></langSet>"
            "</termEntry>"
        )
    yield "</body></text>"
    yield "</martif>"


def _text(word: str) -> str:
    """A word as XML, without control characters, which XML forbids."""
    return escape("".join(letter for letter in word if letter.isprintable()))
