"""The learned ranking of a run beside CSLS, on the words as a protocol sees them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from lexalign.evaluation import Accuracy, Evaluator
from lexalign.evaluation.protocols import Protocol
from lexalign.evaluation.queries import vocabulary
from lexalign.induction.learned_ranking import LearnedRanking
from lexalign.induction.learned_translator import LearnedTranslator
from lexalign.pipelines.ranked_accuracy import ranked_accuracy
from lexalign.pipelines.translate import ranked_run
from lexalign.report.before_after import BeforeAfter
from lexalign.retrieval.translator import Translator
from lexalign.runs import AlignedPair
from lexalign.vectors import Embeddings, Lexicon


@dataclass(frozen=True, eq=False)
class RankedRun:
    """A run whose candidates a learned ranking orders, from source to target.

    Case and repeated words are as in the protocol, so that figures are those of ``evaluate``.
    """

    source: Embeddings
    target: Embeddings
    ranking: LearnedRanking
    protocol: Protocol

    @classmethod
    def of(cls, run: BeforeAfter, protocol: Protocol, ranking: str) -> RankedRun | None:
        """The learned ranking of a run, None for CSLS.

        With the ``ranking`` "auto" it is also None if CSLS orders the candidates of the run.

        Raises
        ------
        InputError
            If a learned ranking is wanted and the run has none, or its files are damaged.
        """
        found = ranked_run(AlignedPair(*run.run.files, folder=run.run.path), ranking)
        if found is None:
            return None
        source, target = (as_seen(side, protocol) for side in (run.source, run.target))
        forward = found.rankings(source, target)["forward"]
        if ranking == "auto" and forward.ranker is None:
            return None
        return cls(source, target, forward, protocol)

    @cached_property
    def _evaluator(self) -> Evaluator:
        return Evaluator(self.source, self.target, self.protocol)

    def evaluate(self, lexicon: Lexicon, retrieval: str) -> Accuracy:
        """The accuracy of a retrieval without the ranking."""
        return self._evaluator.evaluate(lexicon, retrieval=retrieval)

    def test(self, lexicon: Lexicon) -> tuple[Accuracy, Accuracy]:
        """The accuracy of CSLS, and that of the learned ranking."""
        by_csls = self.evaluate(lexicon, "csls")
        return by_csls, ranked_accuracy(by_csls, self.ranking, self.source, self.target)

    def best(self, words: Sequence[str]) -> tuple[list[str], list[str]]:
        """The best translations of known words by CSLS, and by the learned ranking."""
        rankings = {"forward": self.ranking}
        plain = Translator(source=self.source, target=self.target)
        learned = LearnedTranslator(self.source, self.target, rankings)
        by_csls, by_ranking = (
            [found[0].word for found in translator.translate(words, 1) if found]
            for translator in (plain, learned)
        )
        return by_csls, by_ranking


def as_seen(side: Embeddings, protocol: Protocol) -> Embeddings:
    """The same words where the protocol leaves them alone, else in its case and without repeats."""
    seen = vocabulary(side, protocol)
    if seen.words == tuple(side.words):
        return side
    return Embeddings(seen.words, seen.matrix, repeats=True)
