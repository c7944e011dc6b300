"""Word counts of a corpus: counted in bounded memory, read and written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from lexalign.atomic import Claim, atomic_file
from lexalign.errors import InputError, about
from lexalign.progress import Progress
from lexalign.vectors.compression import open_decompressed

MOST_TYPES = 2_000_000
MOST_DIGITS = 18


@dataclass(frozen=True, eq=False)
class Counts:
    """The ``words`` with positive counts; ``tokens`` also counts dropped words.

    ``forgotten`` tells whether rare words were dropped to save memory.
    """

    words: Mapping[str, int]
    tokens: int
    forgotten: bool = False

    def __post_init__(self) -> None:
        """Raise if there are no words."""
        if not self.words or min(self.words.values()) < 1:
            raise InputError("there are no words in it", remedy="use more or other text")

    def most_frequent(self, vocabulary: int, minimum: float) -> dict[str, int]:
        """The words that occur at least ``minimum`` times, most frequent first.

        Words of equal count are in alphabetical order.
        """
        enough = (entry for entry in self.words.items() if entry[1] >= minimum)
        order = sorted(enough, key=lambda entry: (-entry[1], entry[0]))
        if not order:
            raise InputError(
                f"none of its {len(self.words):,} words occurs {minimum:g} times",
                remedy="lower the minimum count, or use more text",
            )
        return dict(order[:vocabulary])

    @classmethod
    def of(
        cls,
        corpus: Iterable[list[str]],
        progress: Progress | None = None,
        *,
        name: str = "counting words",
        most_types: int = MOST_TYPES,
    ) -> Counts:
        """Count a corpus.

        If there are more than ``most_types`` different words, the rarer half is dropped, which
        bounds memory. A dropped word that occurs again is counted from 0, so counts of rare words
        can be too low.
        """
        counts, tokens, forgotten = Counter[str](), 0, False
        with (progress or Progress()).stage(name, unit="tokens") as advance:
            for piece in corpus:
                counts.update(piece)
                tokens += len(piece)
                advance(len(piece))
                if len(counts) > most_types:
                    counts, forgotten = Counter(dict(counts.most_common(most_types // 2))), True
        return cls(counts, tokens, forgotten)

    @classmethod
    def read(cls, path: str | Path) -> Counts:
        """Read a file with a word and its count per line, separated by a tab or a blank."""
        counts = dict[str, int]()
        path = Path(path)
        with open_decompressed(path) as file:
            for number, line in enumerate(file, 1):
                text = line.decode("utf-8", errors="replace").strip()
                word, _, count = text.rpartition("\t" if "\t" in text else " ")
                is_number = count.isdecimal() and len(count) <= MOST_DIGITS
                if not word or not is_number or int(count) < 1:
                    raise InputError(
                        "expected a word and its count with a tab between them",
                        path=path,
                        line=number,
                        remedy="correct the line or remove it",
                    )
                counts[word] = counts.get(word, 0) + int(count)
        with about(path):
            return cls(counts, sum(counts.values()))

    def write(self, path: Path, *, claim: Claim | None = None) -> None:
        """Write a file of counts, most frequent words first."""
        with (
            atomic_file(path, claim=claim) as temporary,
            temporary.open("w", encoding="utf-8", newline="\n") as file,
        ):
            for word, count in self.most_frequent(len(self.words), 0).items():
                file.write(f"{word}\t{count}\n")
