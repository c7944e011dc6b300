"""Translations word by word: right before and after, gained, lost, wrong both times, untestable."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from lexalign.evaluation.protocols import Protocol
from lexalign.report.before_after import BeforeAfter
from lexalign.report.dictionary_test import DictionaryTest
from lexalign.report.ranked_run import RankedRun, as_seen
from lexalign.retrieval.translator import Translator
from lexalign.vectors import Embeddings, Lexicon

WATCHED_WORDS = 2_000
GAINED, LOST, BOTH_RIGHT, BOTH_WRONG = "gained", "lost", "both right", "both wrong"
RIGHT, WRONG = "right", "wrong"
NOT_TESTABLE = "not testable"
GROUPS = (GAINED, LOST, BOTH_RIGHT, BOTH_WRONG, NOT_TESTABLE)


@dataclass(frozen=True)
class Answer:
    """The best translation of a word, before and after.

    Parameters
    ----------
    word : str
        The source word.
    before, after : str or None
        Its best translations; None if the word has no vector, or nothing came before.
    references : tuple of str
        All accepted translations, of all test dictionaries; none if the word is in none of them.
    testable : bool
        Whether the word and at least one of its accepted translations have vectors. Otherwise no
        method can be right.
    """

    word: str
    before: str | None
    after: str | None
    references: tuple[str, ...] = ()
    testable: bool = False

    @property
    def was_right(self) -> bool:
        """Whether the translation before is accepted."""
        return self.before in self.references

    @property
    def is_right(self) -> bool:
        """Whether the translation after is accepted."""
        return self.after in self.references

    @property
    def changed(self) -> bool:
        """Whether the best translation is another one now."""
        return self.before != self.after

    @property
    def group(self) -> str:
        """One of ``GROUPS``."""
        if not self.testable:
            return NOT_TESTABLE
        if self.is_right:
            return BOTH_RIGHT if self.was_right else GAINED
        return LOST if self.was_right else BOTH_WRONG


@dataclass(frozen=True)
class Answers:
    """Answers, most frequent words first, words without a vector last.

    ``judged`` is whether a test dictionary says which are right; ``compared`` whether there are
    translations from before.
    """

    listed: tuple[Answer, ...]
    judged: bool
    compared: bool

    def of(self, group: str) -> list[Answer]:
        """The answers of a group."""
        return [answer for answer in self.listed if answer.group == group]

    def counts(self) -> dict[str, int]:
        """The number of words of every group."""
        return {group: len(self.of(group)) for group in GROUPS}

    @property
    def changed(self) -> list[Answer]:
        """Words whose best translation is another one now."""
        return [answer for answer in self.listed if answer.changed]

    def against(self, first: Answers) -> Answers:
        """The answers of this run with those of another run as what came before.

        A word is testable if it is so in both.
        """
        others = {answer.word: answer for answer in first.listed}
        both = ((answer, others[answer.word]) for answer in self.listed if answer.word in others)
        listed = tuple(
            Answer(
                answer.word,
                other.after,
                answer.after,
                answer.references,
                answer.testable and other.testable,
            )
            for answer, other in both
        )
        return Answers(listed, self.judged and first.judged, compared=True)


def answers_of(
    run: BeforeAfter,
    ranked: RankedRun | None,
    lexicons: Sequence[Lexicon],
    tests: Sequence[DictionaryTest],
    protocol: Protocol,
) -> Answers:
    """Translate the words of the lexicons, or without one the most frequent words.

    Seeds that the ``tests`` leave out are left out here, too.
    """
    references = _references(lexicons, _left_out(tests))
    if ranked is not None:
        source, target = ranked.source, ranked.target
    else:
        source, target = (as_seen(side, protocol) for side in (run.source, run.target))
    words = list(references) or list(source.words[:WATCHED_WORDS])
    known = [word for word in words if word in source]
    known.sort(key=source.index.__getitem__)
    compared = ranked is not None or run.before is not None
    if ranked is not None:
        before, after = ranked.best(known)
    else:
        after = _best(source, target, known, protocol)
        before = after
        if run.before is not None:
            before = _best(as_seen(run.before, protocol), target, known, protocol)
    listed = [
        Answer(
            word,
            old if compared else None,
            new,
            tuple(references.get(word, ())),
            any(one in target for one in references.get(word, ())),
        )
        for word, old, new in zip(known, before, after, strict=True)
    ]
    unknown = (word for word in words if word not in source)
    listed += [Answer(word, None, None, tuple(references[word])) for word in unknown]
    return Answers(tuple(listed), bool(references), compared)


def _left_out(tests: Iterable[DictionaryTest]) -> set[str]:
    """The words of the queries that were left out as seeds."""
    return {
        word
        for test in tests
        if test.without_seeds and test.leakage is not None
        for word, seed in zip(test.leakage.whole.words, test.leakage.is_seed, strict=True)
        if seed
    }


def _references(lexicons: Sequence[Lexicon], left_out: set[str]) -> Mapping[str, dict[str, None]]:
    """The translations that the lexicons accept for each word, in order."""
    references = dict[str, dict[str, None]]()
    for word, translation in (pair for lexicon in lexicons for pair in lexicon):
        if word not in left_out:
            references.setdefault(word, {})[translation] = None
    return references


def _best(
    source: Embeddings, target: Embeddings, words: Sequence[str], protocol: Protocol
) -> list[str]:
    """The best translation of every known word."""
    retrieval = protocol.retrieval if protocol.retrieval in ("nn", "csls") else "csls"
    translator = Translator(source=source, target=target, retrieval=retrieval)
    return [found[0].word for found in translator.translate(words, 1) if found]
