"""How to treat irregular rows of real files, and a count of what was done."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import ClassVar, Literal

import attrs
import numpy as np

from lexalign.parameters import parameter
from lexalign.vectors.block import Block, first_non_finite_row

_SURROGATE = re.compile("[\ud800-\udfff]")


@attrs.frozen(kw_only=True)
class Policy:
    """How ``read`` treats irregular rows.

    The steps have a fixed order:

    1. ``undecodable``: replace every byte that is not UTF-8 by U+FFFD.
    2. ``lowercase``: change the words to lower case.
    3. ``zero_rows``: keep or drop rows of zeros.
    4. ``duplicates``: keep the first of equal words, or all of them ("keep"). Keep all to compare
       with a program that evaluates all rows.

    The value "error" of steps 1, 3 and 4 raises an InputError instead.

    Raises
    ------
    ParameterError
        If a value is not one of the choices.

    Examples
    --------
    >>> import tempfile, lexalign
    >>> from pathlib import Path
    >>> from lexalign.vectors import Policy
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "en.vec"
    ...     lexalign.write(lexalign.Embeddings(["Dog", "dog", "cat"], [[1], [2], [0]]), path)
    ...     lexalign.read(path, policy=Policy(lowercase=True, zero_rows="drop")).words
    ('dog',)
    """

    role: ClassVar[str] = "the policy"

    lowercase: bool = parameter(False, help="Change all words to lower case.")
    duplicates: Literal["first", "keep", "error"] = parameter(
        "first",
        choices=("first", "keep", "error"),
        help="Repeated words: use the first row, keep all rows, or stop with an error.",
    )
    zero_rows: Literal["keep", "drop", "error"] = parameter(
        "keep",
        choices=("keep", "drop", "error"),
        help="Words with a zero vector: keep them, drop them, or stop with an error.",
    )
    undecodable: Literal["replace", "error"] = parameter(
        "replace",
        choices=("replace", "error"),
        help="Words that are not valid UTF-8: replace the bad bytes, or stop with an error.",
    )


DEFAULT_POLICY = Policy()


@dataclass
class Census:
    """Counts of the rows that a policy kept, changed and dropped in a file.

    Examples
    --------
    >>> census = Census(rows_read=5, duplicates_dropped=2)
    >>> census.rows_kept
    3
    >>> print(census)
    Rows read: 5, kept: 3. Rows that repeat an earlier word, dropped: 2.
    """

    rows_read: int = 0
    undecodable_replaced: int = 0
    lowercased: int = 0
    zero_rows_kept: int = 0
    zero_rows_dropped: int = 0
    duplicates_dropped: int = 0

    @property
    def rows_kept(self) -> int:
        """The number of kept rows."""
        return self.rows_read - self.zero_rows_dropped - self.duplicates_dropped

    def as_dict(self) -> dict[str, int]:
        """The counts by name, in JSON types."""
        return {**asdict(self), "rows_kept": self.rows_kept}

    def sentences(self) -> list[str]:
        """The counts in words: the total first, then only counts above 0."""
        happened = {
            "Words with bytes that are not UTF-8, replaced by U+FFFD": self.undecodable_replaced,
            "Words changed to lower case": self.lowercased,
            "Rows of zeros, kept": self.zero_rows_kept,
            "Rows of zeros, dropped": self.zero_rows_dropped,
            "Rows that repeat an earlier word, dropped": self.duplicates_dropped,
        }
        return [
            f"Rows read: {self.rows_read}, kept: {self.rows_kept}.",
            *(f"{what}: {count}." for what, count in happened.items() if count),
        ]

    def __str__(self) -> str:
        return " ".join(self.sentences())


def apply_policy(
    blocks: Iterable[Block], policy: Policy, census: Census, path: Path
) -> Iterator[Block]:
    """The rows of ``blocks`` that pass ``policy``; ``census`` counts them.

    The resulting words are distinct (unless the policy keeps duplicates), not empty and valid
    Unicode; the numbers are finite. Any other row is an error that names its place in ``path``.
    """
    seen: set[str] = set()
    for block in blocks:
        census.rows_read += len(block)
        kept = _decode(block, policy, census, path)
        kept = _lowercase(kept, policy, census)
        _require_word_and_finite_numbers(kept, path)
        kept = _treat_zero_rows(kept, policy, census, path)
        kept = _treat_duplicates(kept, policy, census, path, seen)
        if len(kept):
            yield kept


def _decode(block: Block, policy: Policy, census: Census, path: Path) -> Block:
    if not _SURROGATE.search("".join(block.words)):
        return block
    words = [_SURROGATE.sub("\ufffd", word) for word in block.words]
    changed = [row for row, word in enumerate(block.words) if word != words[row]]
    if policy.undecodable == "error":
        raise block.error(
            changed[0],
            f"the word {block.words[changed[0]]!a} is not valid UTF-8",
            path=path,
            remedy='save the file as UTF-8, or set `undecodable="replace"`',
        )
    census.undecodable_replaced += len(changed)
    return block.with_words(words)


def _lowercase(block: Block, policy: Policy, census: Census) -> Block:
    if not policy.lowercase:
        return block
    words = [word.lower() for word in block.words]
    census.lowercased += sum(map(str.__ne__, words, block.words))
    return block.with_words(words)


def _require_word_and_finite_numbers(block: Block, path: Path) -> None:
    if "" in block.words:
        raise block.error(
            block.words.index(""),
            "the word is missing",
            path=path,
            remedy="add the word or remove the row",
        )
    if (row := first_non_finite_row(block.matrix)) is not None:
        raise block.error(
            row,
            f"the vector of {block.words[row]!r} contains a number that is not finite",
            path=path,
            remedy="correct the row or remove it",
        )


def _treat_zero_rows(block: Block, policy: Policy, census: Census, path: Path) -> Block:
    nonzero = np.asarray(block.matrix.any(axis=1))
    count = len(block) - int(np.count_nonzero(nonzero))
    if not count:
        return block
    if policy.zero_rows == "keep":
        census.zero_rows_kept += count
        return block
    if policy.zero_rows == "error":
        row = int(np.argmin(nonzero))
        raise block.error(
            row,
            f"the vector of {block.words[row]!r} is all zeros",
            path=path,
            remedy='remove the row, or set `zero_rows="keep"` or `zero_rows="drop"`',
        )
    census.zero_rows_dropped += count
    return block.keep(nonzero)


def _treat_duplicates(
    block: Block, policy: Policy, census: Census, path: Path, seen: set[str]
) -> Block:
    if policy.duplicates == "keep":
        return block
    words = set(block.words)
    if len(words) == len(block) and seen.isdisjoint(words):
        seen |= words
        return block
    fresh = np.ones(len(block), dtype=bool)
    for row, word in enumerate(block.words):
        fresh[row] = word not in seen
        seen.add(word)
    count = len(block) - int(np.count_nonzero(fresh))
    if policy.duplicates == "error":
        row = int(np.argmin(fresh))
        raise block.error(
            row,
            f"the word {block.words[row]!r} appears a second time",
            path=path,
            remedy='remove one of the rows, or set `duplicates="first"`',
        )
    census.duplicates_dropped += count
    return block.keep(fresh)
