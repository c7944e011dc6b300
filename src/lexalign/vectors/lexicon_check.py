"""A check of a lexicon: repeated pairs, several translations, and words without vectors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from lexalign.vectors.case_folding import CaseLookup
from lexalign.vectors.lexicon import Lexicon
from lexalign.vectors.lexicon_indices import seems_swapped

EXAMPLES = 5


@dataclass(frozen=True)
class Finding:
    """A number of pairs or words, with the first examples."""

    count: int
    examples: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """The finding in JSON types."""
        return {"count": self.count, "examples": list(self.examples)}


@dataclass(frozen=True)
class LexiconCheck:
    """Count the pairs and words of a lexicon, and the words that two vocabularies lack.

    ``findings`` has by name:

    - ``pairs``, ``source_words`` and ``target_words``: their numbers; each word counts once.
    - ``repeated_pairs``: lines that repeat an earlier pair. ``repeated_ignoring_case``: lines that
      repeat an earlier pair in another case.
    - ``one_to_many``: source words with several translations. ``many_to_one``: target words that
      translate several words.
    - ``identical_pairs``: both words are identical. ``identical_ignoring_case``: they differ only
      in case.

    With vocabularies, also:

    - ``known_pairs``: both words have vectors. ``known_ignoring_case``: more pairs, with a word
      that has a vector only in another case. ``known_swapped``: pairs whose words have vectors in
      the other language each, as in a lexicon of the wrong direction.
    - ``unknown_source`` and ``unknown_target``: words without a vector. ``unknown_source_by_case``
      and ``unknown_target_by_case``: those with a vector in another case.

    Examples
    --------
    >>> from lexalign import Lexicon
    >>> lexicon = Lexicon([("dog", "Hund"), ("dog", "Rüde"), ("Berlin", "Berlin"), ("dog", "Hund")])
    >>> check = LexiconCheck.of(lexicon)
    >>> check.findings["repeated_pairs"]
    Finding(count=1, examples=('dog → Hund',))
    >>> check = LexiconCheck.of(lexicon, (["dog", "berlin"], ["hund", "berlin"]))
    >>> check.findings["unknown_source"], check.findings["unknown_source_by_case"].count
    (Finding(count=1, examples=('Berlin',)), 1)
    """

    findings: dict[str, Finding]

    @classmethod
    def of(
        cls, lexicon: Lexicon, vocabularies: tuple[Sequence[str], Sequence[str]] | None = None
    ) -> LexiconCheck:
        """Check a lexicon, alone or against the words of source and target."""
        findings = _own_findings(lexicon)
        if vocabularies is not None:
            findings |= _findings_among(lexicon, vocabularies)
        return cls(findings)

    @property
    def seems_swapped(self) -> bool:
        """Whether the lexicon has the wrong direction, by the words that have vectors."""
        known, swapped = (self.findings.get(name) for name in ("known_pairs", "known_swapped"))
        return bool(known and swapped and seems_swapped(known.count, swapped.count))

    def as_dict(self) -> dict[str, Any]:
        """All findings in JSON types: a number, or a number with examples."""
        return {
            name: found.count if name in WITHOUT_EXAMPLES else found.as_dict()
            for name, found in self.findings.items()
        }


WITHOUT_EXAMPLES = ("pairs", "source_words", "target_words", "known_pairs")
"""Findings without examples."""


def _own_findings(lexicon: Lexicon) -> dict[str, Finding]:
    pairs = list(lexicon)
    distinct = list(dict.fromkeys(pairs))
    sources, targets = ([pair[side] for pair in distinct] for side in (0, 1))
    alike = [(one, other) for one, other in pairs if one.lower() == other.lower()]
    return {
        "pairs": Finding(len(pairs)),
        "source_words": Finding(len(set(sources))),
        "target_words": Finding(len(set(targets))),
        "repeated_pairs": _pairs(_repeated(pairs, pairs)),
        "repeated_ignoring_case": _pairs(_repeated(distinct, map(_lower, distinct))),
        "one_to_many": _words(_repeated(sources, sources)),
        "many_to_one": _words(_repeated(targets, targets)),
        "identical_pairs": _pairs(pair for pair in alike if pair[0] == pair[1]),
        "identical_ignoring_case": _pairs(pair for pair in alike if pair[0] != pair[1]),
    }


def _findings_among(
    lexicon: Lexicon, vocabularies: tuple[Sequence[str], Sequence[str]]
) -> dict[str, Finding]:
    sides = [
        CaseLookup(words, {word: row for row, word in enumerate(words)}) for words in vocabularies
    ]
    source, target = sides
    known = [one in source.index and other in target.index for one, other in lexicon]
    folded = [
        pair
        for pair, is_known in zip(lexicon, known, strict=True)
        if not is_known and pair[0] in source and pair[1] in target
    ]
    findings = {
        "known_pairs": Finding(sum(known)),
        "known_ignoring_case": _pairs(folded),
        "known_swapped": _pairs(
            pair for pair in lexicon if pair[0] in target.index and pair[1] in source.index
        ),
    }
    for place, (name, side) in enumerate(zip(("source", "target"), sides, strict=True)):
        unknown = [pair[place] for pair in lexicon if pair[place] not in side.index]
        findings[f"unknown_{name}"] = _words(unknown)
        findings[f"unknown_{name}_by_case"] = _words(word for word in unknown if word in side)
    return findings


def _repeated(items: Iterable[Any], keys: Iterable[Any]) -> list[Any]:
    """The items whose key occurred before."""
    seen, found = set[Any](), list[Any]()
    for item, key in zip(items, keys, strict=True):
        if key in seen:
            found.append(item)
        seen.add(key)
    return found


def _lower(pair: tuple[str, str]) -> tuple[str, str]:
    return pair[0].lower(), pair[1].lower()


def _words(words: Iterable[str]) -> Finding:
    """Distinct words, and the first of them."""
    found = list(dict.fromkeys(words))
    return Finding(len(found), tuple(found[:EXAMPLES]))


def _pairs(pairs: Iterable[tuple[str, str]]) -> Finding:
    """The number of pairs, and the first distinct ones."""
    found = list(pairs)
    examples = list(dict.fromkeys(" → ".join(pair) for pair in found))
    return Finding(len(found), tuple(examples[:EXAMPLES]))
