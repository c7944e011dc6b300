"""``Lexicon``: pairs of words that are translations of each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt

from lexalign.atomic import Claim, atomic_file
from lexalign.errors import InputError
from lexalign.vectors.case_folding import CaseLookup
from lexalign.vectors.embeddings import Embeddings
from lexalign.vectors.lexicon_columns import checked_classes, checked_weights, third_column
from lexalign.vectors.lexicon_indices import LexiconIndices, find_pairs
from lexalign.vectors.lexicon_lines import (
    UNWRITABLE,
    SkippedLine,
    parse_lines,
    read_content,
    separator_of,
    write_lines,
)
from lexalign.vectors.lexicon_split import LexiconSplit


@dataclass(frozen=True, eq=False, repr=False)
class Lexicon:
    """Word pairs (source, target); a word can have several translations.

    Parameters
    ----------
    pairs : sequence of (str, str), length n
        Source word and target word.
    weights : array-like, shape (n,), optional
        Finite numbers, stored as float64: the weight or score of each pair. Weights of seeds must
        be above 0.
    skipped : tuple of SkippedLine
        Lines of the parsed text that are not pairs.
    lines : tuple of int
        Line numbers of the parsed pairs, counted from 1.
    format : str
        The format of the parsed text: "muse" if it has no tabs, otherwise "tsv".
    classes : sequence of str, length n, optional
        The word class of each pair, such as "noun". A lexicon has weights or classes.

    Raises
    ------
    InputError
        If the weights are not n finite numbers, or the classes not n texts.

    Examples
    --------
    >>> from lexalign import Embeddings, Lexicon
    >>> lexicon = Lexicon([("dog", "Hund"), ("cat", "Katze"), ("cat", "Kater")])
    >>> len(lexicon), lexicon.swapped().pairs[0]
    (3, ('Hund', 'dog'))
    >>> english = Embeddings(["dog", "cat"], [[1, 0], [0, 1]])
    >>> german = Embeddings(["Katze", "Hund"], [[0, 1], [1, 0]])
    >>> found = lexicon.indices(english, german)
    >>> found.pairs.tolist(), found.missing_target
    ([[0, 1], [1, 0]], ['Kater'])
    """

    pairs: Sequence[tuple[str, str]]
    weights: npt.NDArray[np.float64] | None = None
    skipped: tuple[SkippedLine, ...] = ()
    lines: tuple[int, ...] = ()
    format: str = "tsv"
    classes: Sequence[str] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "pairs", tuple((source, target) for source, target in self.pairs))
        classes = checked_classes(self.classes, self.weights, self.pairs)
        object.__setattr__(self, "classes", classes)
        object.__setattr__(self, "weights", checked_weights(self.weights, self.pairs))

    def __len__(self) -> int:
        return len(self.pairs)

    def __repr__(self) -> str:
        more = " with weights" if self.weights is not None else ""
        return f"Lexicon({len(self)} pairs{more if self.classes is None else ' with classes'})"

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(self.pairs)

    def swapped(self) -> Lexicon:
        """Return the pairs in the other direction, with their weights or classes."""
        turned = [(two, one) for one, two in self.pairs]
        return Lexicon(turned, self.weights, format=self.format, classes=self.classes)

    def take(self, rows: Sequence[int] | npt.NDArray[np.int64]) -> Lexicon:
        """Return some pairs with their weights or classes.

        Parameters
        ----------
        rows : sequence of int
            The numbers of the pairs, counted from 0.

        Examples
        --------
        >>> Lexicon([("dog", "Hund"), ("cat", "Katze")], [1, 2]).take([1]).pairs
        (('cat', 'Katze'),)
        """
        return Lexicon(
            [self.pairs[row] for row in rows],
            None if self.weights is None else self.weights[np.asarray(rows, dtype=np.int64)],
            format=self.format,
            classes=None if self.classes is None else [self.classes[row] for row in rows],
        )

    def split(self, *, test_share: float = 0.2, seed: int = 0) -> tuple[Lexicon, Lexicon]:
        """Split into a training and a test lexicon without a common source word.

        Source words that differ only in case count as one word.

        Parameters
        ----------
        test_share : float
            Share of the source words in the test lexicon, between 0 and 1.
        seed : int
            Seed of the random numbers that draw these words.

        Returns
        -------
        train, test : Lexicon
            At least one source word each, in the order of this lexicon.

        Raises
        ------
        InputError
            If the lexicon has fewer than two source words.
        ParameterError
            If ``test_share`` or ``seed`` is not valid.

        Examples
        --------
        >>> lexicon = Lexicon([("dog", "Hund"), ("cat", "Katze"), ("dog", "Rüde")])
        >>> train, test = lexicon.split(test_share=0.5)
        >>> train.pairs, test.pairs
        ((('cat', 'Katze'),), (('dog', 'Hund'), ('dog', 'Rüde')))
        """
        train, test = LexiconSplit(test_share=test_share, seed=seed).rows(self.pairs)
        return self.take(train), self.take(test)

    def indices(
        self, source: Embeddings, target: Embeddings, *, case: str = "as-is"
    ) -> LexiconIndices:
        """Return the pairs whose words are both known, as rows of ``source`` and ``target``.

        Parameters
        ----------
        source, target : Embeddings
            The two vocabularies.
        case : {"as-is", "auto", "lower-lexicon"}
            How to look up words. "auto" looks up a word as it is, then the most frequent word that
            differs only in case.

        Returns
        -------
        LexiconIndices
            ``pairs``, shape (m, 2), with their weights, the missing words, and the number of
            ``folded`` pairs, which were found by ignoring case.

        Examples
        --------
        >>> vectors = Embeddings(["haus", "hund"], [[1, 0], [0, 1]])
        >>> lexicon = Lexicon([("Haus", "haus"), ("hund", "hund")])
        >>> len(lexicon.indices(vectors, vectors))
        1
        >>> found = lexicon.indices(vectors, vectors, case="auto")
        >>> len(found), found.folded
        (2, 1)
        """
        lookups = (CaseLookup(side.words, side.index, case) for side in (source, target))
        return find_pairs(self.pairs, self.weights, *lookups)

    @classmethod
    def read(
        cls,
        path: str | Path,
        *,
        lowercase: bool = False,
        malformed: Literal["error", "skip"] = "error",
    ) -> Lexicon:
        r"""Read a dictionary file with one pair per line.

        A line with tabs is split at the tabs, so its words may contain blanks ("xling"). A third
        column, if there is one, holds a number on every line, the weight, or a text on every line,
        the word class ("tsv"). A line without tabs holds two words with blanks between them
        ("muse", "vecmap"). Empty lines are skipped.

        Parameters
        ----------
        path : str or Path
            A text file in UTF-8.
        lowercase : bool
            Whether to change the words to lower case.
        malformed : {"error", "skip"}
            Whether a line that is not a pair is an error or is listed in ``skipped``.

        Returns
        -------
        Lexicon
            At least one pair, in the order of the file.

        Raises
        ------
        InputError
            If the file cannot be read or holds no pairs, or if a line is not a pair and
            ``malformed`` is "error".

        Examples
        --------
        >>> import tempfile
        >>> from pathlib import Path
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = Path(folder) / "en-de.txt"
        ...     _ = path.write_text("dog Hund\nice cream\tEis\n")
        ...     Lexicon.read(path).pairs
        (('dog', 'Hund'), ('ice cream', 'Eis'))
        """
        path = Path(path)
        content = read_content(path)
        lexicon = cls.parse(content, lowercase=lowercase, malformed=malformed, path=path)
        if not len(lexicon):
            raise InputError(
                "the file holds no pairs",
                path=path,
                remedy="name a dictionary with two words per line",
            )
        return lexicon

    @classmethod
    def parse(
        cls,
        text: str | bytes,
        *,
        lowercase: bool = False,
        malformed: Literal["error", "skip"] = "error",
        path: Path | None = None,
    ) -> Lexicon:
        r"""Parse one pair per line, as ``read`` does; there may be none.

        Parameters
        ----------
        text : str or bytes
            Bytes are UTF-8. Lines end at "\n" only.
        lowercase : bool
            Whether to change the words to lower case.
        malformed : {"error", "skip"}
            Whether a line that is not a pair is an error or is listed in ``skipped``.
        path : Path, optional
            The file to name in an error.

        Raises
        ------
        InputError
            If a line is not a pair and ``malformed`` is "error".

        Examples
        --------
        >>> lexicon = Lexicon.parse("dog Hund\n\nlonely\ncat\tKatze", malformed="skip")
        >>> lexicon.lines, lexicon.skipped
        ((1, 4), (SkippedLine(line=3, problem='expected 2 words, found 1'),))
        """
        found = parse_lines(text, malformed=malformed, path=path)
        lowered = [(source.lower(), target.lower()) for source, target in found.pairs]
        return cls(
            lowered if lowercase else found.pairs,
            np.array(found.weights) if found.weights else None,
            tuple(found.skipped),
            tuple(found.lines),
            found.format,
            found.classes or None,
        )

    def writable(self, format: str = "tsv") -> Lexicon:
        """Return the pairs that a file of this format can hold; words in "muse" have no blanks.

        Parameters
        ----------
        format : {"tsv", "xling", "muse", "vecmap"}
            The format, as in ``write``.

        Raises
        ------
        InputError
            If the format is unknown.

        Examples
        --------
        >>> Lexicon([("dog", "Hund"), ("ice cream", "Eis")]).writable("muse").pairs
        (('dog', 'Hund'),)
        """
        unwritable = UNWRITABLE[separator_of(format)]
        rows = [row for row, pair in enumerate(self.pairs) if not any(map(unwritable.search, pair))]
        return self.take(rows)

    def write(
        self,
        path: str | Path,
        *,
        format: str = "tsv",
        overwrite: bool = False,
        claim: Claim | None = None,
    ) -> None:
        """Write one pair per line.

        Parameters
        ----------
        path : str or Path
            The file. It appears only when it is complete.
        format : {"tsv", "xling", "muse", "vecmap"}
            "tsv" and "xling" put a tab between the words, "muse" and "vecmap" a blank. Only "tsv"
            keeps the weights or classes.
        overwrite : bool
            Whether to replace an existing file.
        claim : Claim, optional
            The file, claimed before long work.

        Raises
        ------
        OutputError
            If the file already exists or cannot be written, or if the format cannot hold a word.

        Examples
        --------
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     Lexicon([("dog", "Hund")], [0.5]).write(f"{folder}/en-de.tsv")
        ...     Lexicon.read(f"{folder}/en-de.tsv")
        Lexicon(1 pairs with weights)
        """
        third = third_column(self.weights, self.classes)
        with atomic_file(Path(path), overwrite=overwrite, claim=claim) as temporary:
            write_lines(temporary, self.pairs, third, format)


def require_lexicon(lexicon: Lexicon) -> None:
    """Raise unless this is a Lexicon; it is often the name of a file."""
    if not isinstance(lexicon, Lexicon):
        raise InputError(
            f"The `lexicon` must be a Lexicon. Got {type(lexicon).__name__} instead",
            remedy="read a file with Lexicon.read, or create one with Lexicon(pairs)",
        )
