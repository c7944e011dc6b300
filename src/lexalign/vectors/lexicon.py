"""``Lexicon``: pairs of words that translate each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt

from lexalign.atomic import atomic_file
from lexalign.errors import InputError
from lexalign.vectors.embeddings import Embeddings
from lexalign.vectors.lexicon_indices import LexiconIndices, missing_words
from lexalign.vectors.lexicon_lines import (
    BYTE_ORDER_MARK,
    UNWRITABLE,
    SkippedLine,
    parse_lines,
    require_writable_word,
    separator_of,
)


@dataclass(frozen=True, eq=False, repr=False)
class Lexicon:
    """Hold pairs (source word, target word); a word may have several translations.

    Parameters
    ----------
    pairs : sequence of (str, str), length n
        Source word and target word.
    weights : array-like, shape (n,), optional
        Finite numbers, stored as float64: the weight or the confidence of each pair.
    skipped : tuple of SkippedLine
        Lines of the parsed text that are not pairs.
    lines : tuple of int
        Line numbers of the parsed pairs, counted from 1.
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
    classes: Sequence[str] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "pairs", tuple((source, target) for source, target in self.pairs))
        if self.classes is not None:
            object.__setattr__(self, "classes", tuple(self.classes))
            if len(self.classes) != len(self.pairs) or self.weights is not None:
                raise InputError(
                    f"a lexicon of {len(self.pairs)} pairs needs as many classes, and no weights "
                    f"beside them, but there are {len(self.classes)}"
                )
        if self.weights is None:
            return
        weights = np.array(self.weights, dtype=np.float64)
        weights.flags.writeable = False
        if weights.shape != (len(self.pairs),) or not np.isfinite(weights).all():
            raise InputError(
                f"a lexicon of {len(self.pairs)} pairs needs as many finite weights, but these "
                f"have shape {weights.shape}"
            )
        object.__setattr__(self, "weights", weights)

    def __len__(self) -> int:
        return len(self.pairs)

    def __repr__(self) -> str:
        more = " with weights" if self.weights is not None else ""
        return f"Lexicon({len(self)} pairs{more if self.classes is None else ' with classes'})"

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(self.pairs)

    def swapped(self) -> Lexicon:
        """Return the pairs in the other direction, with their weights or classes."""
        swapped = [(two, one) for one, two in self.pairs]
        return Lexicon(swapped, self.weights, classes=self.classes)

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
            None if self.weights is None else self.weights[rows],
            classes=None if self.classes is None else [self.classes[row] for row in rows],
        )

    def indices(self, source: Embeddings, target: Embeddings) -> LexiconIndices:
        """Return the pairs with two known words as rows of ``source`` and ``target``.

        Parameters
        ----------
        source, target : Embeddings
            The two vocabularies.

        Returns
        -------
        LexiconIndices
            ``pairs``, shape (m, 2), with their weights, and the words that were not found.
        """
        found = [
            (source.index[left], target.index[right], row)
            for row, (left, right) in enumerate(self.pairs)
            if left in source.index and right in target.index
        ]
        table = np.array(found, dtype=np.int64).reshape(-1, 3)
        rows = table[:, 2]
        return LexiconIndices(
            pairs=np.ascontiguousarray(table[:, :2]),
            rows=rows,
            weights=None if self.weights is None else self.weights[rows],
            missing_source=missing_words((left for left, _ in self.pairs), source),
            missing_target=missing_words((right for _, right in self.pairs), target),
        )

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
        try:
            content = path.read_bytes()
        except OSError as error:
            raise InputError(
                f"it cannot be read ({error.strerror})", path=path, remedy="check the name"
            ) from error
        lexicon = cls.parse(content, lowercase=lowercase, malformed=malformed, path=path)
        if not len(lexicon):
            raise InputError(
                "the file holds no pairs",
                path=path,
                remedy="name a dictionary with two words a line",
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
        r"""Parse one pair a line, as ``read`` does; there may be none.

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
        >>> lexicon.pairs, lexicon.lines
        ((('dog', 'Hund'), ('cat', 'Katze')), (1, 4))
        >>> lexicon.skipped
        (SkippedLine(line=3, problem='expected 2 words, found 1'),)
        """
        if malformed not in ("error", "skip"):
            raise InputError(
                f"The 'malformed' must be one of 'error', 'skip'. Got {malformed!r} instead"
            )
        content = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
        found = parse_lines(content, skip=malformed == "skip", path=path)
        return cls(
            [(one.lower(), other.lower()) for one, other in found.pairs]
            if lowercase
            else found.pairs,
            np.array(found.weights) if found.weights else None,
            tuple(found.skipped),
            tuple(found.lines),
            found.classes or None,
        )

    def writable(self, format: str = "tsv") -> Lexicon:
        """Return the pairs that a file of this format can hold; "muse" allows no blanks.

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

        Raises
        ------
        OutputError
            If the file exists already or cannot be written, or if the format cannot hold a word.

        Examples
        --------
        >>> import tempfile
        >>> from pathlib import Path
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     Lexicon([("dog", "Hund")], [0.5]).write(Path(folder) / "en-de.tsv")
        ...     Lexicon.read(Path(folder) / "en-de.tsv")
        Lexicon(1 pairs with weights)
        """
        separator = separator_of(format)
        third = self.classes if self.weights is None else [*map(repr, self.weights.tolist())]
        third = third if format == "tsv" else None
        with (
            atomic_file(Path(path), overwrite=overwrite) as temporary,
            temporary.open("wb") as file,
        ):
            if self.pairs and self.pairs[0][0].startswith(BYTE_ORDER_MARK):
                # A reader takes the first mark of a file for no part of its text.
                file.write(BYTE_ORDER_MARK.encode())
            for row, pair in enumerate(self.pairs):
                fields = pair if third is None else (*pair, third[row])
                for text in fields:
                    require_writable_word(text, format)
                file.write(f"{separator.join(fields)}\n".encode())


def require_lexicon(lexicon: Lexicon) -> None:
    """Refuse what is no lexicon, such as the name of a file."""
    if not isinstance(lexicon, Lexicon):
        raise InputError(
            f"The `lexicon` must be a Lexicon. Got {type(lexicon).__name__} instead",
            remedy="read a file with Lexicon.read, or make one with Lexicon(pairs)",
        )
