"""Split, swap and check files of word pairs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lexalign.atomic import Claim, atomic_files, claim_file, resolved
from lexalign.errors import OutputError, about
from lexalign.progress import Progress
from lexalign.runs import AlignedPair
from lexalign.vectors import FREQUENT_WORDS, Lexicon, read_stream
from lexalign.vectors.lexicon_check import LexiconCheck
from lexalign.vectors.lexicon_columns import third_column
from lexalign.vectors.lexicon_lines import write_lines
from lexalign.vectors.lexicon_split import LexiconSplit


def split_lexicon(
    lexicon: Path,
    train: Path,
    test: Path,
    split: LexiconSplit,
    *,
    overwrite: bool = False,
) -> dict[str, Any]:
    """Write both parts of a lexicon in its format, or neither; return what each part holds."""
    _require_different({"the lexicon": lexicon, "`train`": train, "`test`": test})
    claims = [claim_file(path, overwrite=overwrite) for path in (train, test)]
    pairs = Lexicon.read(lexicon)
    with about(lexicon):
        parts = pairs.split(test_share=split.test_share, seed=split.seed)
    _write(claims, parts)
    return {
        name: _described(claim.path, part)
        for name, claim, part in zip(("train", "test"), claims, parts, strict=True)
    }


def swap_lexicon(lexicon: Path, output: Path, *, overwrite: bool = False) -> dict[str, Any]:
    """Write a lexicon in the other direction, in its format; return what it holds."""
    _require_different({"the lexicon": lexicon, "the output": output})
    claim = claim_file(output, overwrite=overwrite)
    swapped = Lexicon.read(lexicon).swapped()
    _write([claim], [swapped])
    return _described(output, swapped)


def check_lexicon(
    lexicon: Path,
    vectors: AlignedPair | None = None,
    *,
    limit: int = FREQUENT_WORDS,
    progress: Progress | None = None,
) -> LexiconCheck:
    """Check a lexicon, alone or against the most frequent words of two files of vectors."""
    pairs, progress = Lexicon.read(lexicon), progress or Progress()
    if vectors is None:
        return LexiconCheck.of(pairs)
    words = []
    for name, path in (("source", vectors.source), ("target", vectors.target)):
        with progress.stage(f"reading {name}", unit="words") as stage:
            blocks = read_stream(path, limit=limit, stage=stage)
            words.append([word for block in blocks for word in block.words])
    return LexiconCheck.of(pairs, (words[0], words[1]))


def _write(claims: Sequence[Claim], lexicons: Sequence[Lexicon]) -> None:
    """Write several lexicons, each in its format; all or none."""
    with atomic_files(claims) as temporaries:
        for temporary, lexicon in zip(temporaries, lexicons, strict=True):
            third = third_column(lexicon.weights, lexicon.classes)
            write_lines(temporary, lexicon.pairs, third, lexicon.format)


def _described(path: Path, lexicon: Lexicon) -> dict[str, Any]:
    sources = {source for source, _ in lexicon}
    return {"path": str(path), "pairs": len(lexicon), "source_words": len(sources)}


def _require_different(paths: dict[str, Path]) -> None:
    """Raise if two outputs are one file, or an output is the input."""
    seen = dict[Path, str]()
    for name, path in paths.items():
        other = seen.setdefault(resolved(path), name)
        if other != name:
            raise OutputError(f"{path} is both {other} and {name}; name different files.")
