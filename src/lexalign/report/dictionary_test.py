"""The test of a run on a dictionary: accuracy by every retrieval, before and after."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lexalign.errors import LexalignError, about
from lexalign.evaluation import (
    Accuracy,
    Bootstrap,
    Evaluator,
    Leakage,
    bootstrap,
    by_frequency,
)
from lexalign.evaluation.accuracy import contributions
from lexalign.evaluation.breakdown import by_spelling
from lexalign.evaluation.protocols import Protocol
from lexalign.report.before_after import BeforeAfter
from lexalign.report.ranked_run import RankedRun
from lexalign.vectors import Lexicon

RESAMPLES = 2_000
RETRIEVALS = ("csls", "nn")
SPELLED = {"same spelling": "spelled alike", "other spelling": "spelled differently"}


@dataclass(frozen=True, eq=False)
class MetricScore:
    """One metric of a test with its interval; ``gain`` is what "after" adds to "before"."""

    metric: str
    before: Bootstrap | None
    after: Bootstrap
    gain: Bootstrap | None


@dataclass(frozen=True, eq=False)
class RetrievalResult:
    """Translation by one retrieval, before and after; ``before`` is None if nothing came before.

    Of a learned ranking, "before" is CSLS.
    """

    retrieval: str
    before: Accuracy | None
    after: Accuracy

    def score(self, metric: str) -> MetricScore:
        """A metric with intervals of 95 %, by bootstrap over the words."""
        after = contributions(self.after.ranks, metric)
        before = None if self.before is None else contributions(self.before.ranks, metric)
        return MetricScore(
            metric,
            None if before is None else interval(before),
            interval(after),
            None if before is None else interval(after - before),
        )

    def without_seeds(self, leakage: Leakage) -> RetrievalResult:
        """The result of the queries that are not seeds."""
        before = None if self.before is None else leakage.without_seeds(self.before)
        return RetrievalResult(self.retrieval, before, leakage.without_seeds(self.after))

    def parts(self) -> dict[str, RetrievalResult]:
        """The result by frequency of the word, then by whether it is spelled like a translation."""
        found = dict[str, RetrievalResult]()
        for divide, names in ((by_frequency, {}), (by_spelling, SPELLED)):
            before = {} if self.before is None else divide(self.before)
            for name, part in divide(self.after).items():
                title = names.get(name, name if name[0].isalpha() else f"rank {name}")
                found[title] = RetrievalResult(self.retrieval, before.get(name), part)
        return found


@dataclass(frozen=True, eq=False)
class DictionaryTest:
    """Translation of the words of a lexicon.

    ``results`` has the retrieval to look at first: the learned ranking of a run that has one, else
    that of the protocol. ``leakage`` is None if the seeds are unknown. With ``without_seeds`` the
    queries that are seeds are left out of all results.
    """

    __test__ = False  # for pytest, which takes it for one of its own

    lexicon: Path
    results: tuple[RetrievalResult, ...]
    leakage: Leakage | None = None
    without_seeds: bool = False

    @property
    def main(self) -> RetrievalResult:
        """The result to look at first."""
        return self.results[0]

    @property
    def before(self) -> Accuracy | None:
        """The main result before; None if nothing came before."""
        return self.main.before

    @property
    def after(self) -> Accuracy:
        """The main result."""
        return self.main.after

    def scores(self, metrics: Sequence[str] = ("p@1", "p@5", "mrr")) -> list[MetricScore]:
        """Metrics of the main result."""
        return [self.main.score(metric) for metric in metrics]


def interval(values: np.ndarray) -> Bootstrap:
    """The mean over words with its interval of 95 %."""
    return bootstrap([values], resamples=RESAMPLES)


def difference(first: Accuracy, other: Accuracy) -> tuple[Bootstrap, int] | None:
    """What ``other`` adds to P@1 of ``first`` on the words of both, and how many these are.

    Of pairs, all translations of a word are compared. None if there is no common word.
    """
    one, two = (dict(zip(part.words, part.ranks, strict=True)) for part in _words(first, other))
    common = [word for word in one if word in two]
    if not common:
        return None
    ranks = (np.array([side[word] for word in common]) for side in (one, two))
    before, after = (contributions(values, "p@1") for values in ranks)
    return interval(after - before), len(common)


def _words(*results: Accuracy) -> list[Accuracy]:
    return [one.by_word() if one.protocol.unit == "pair" else one for one in results]


def tested(
    run: BeforeAfter,
    ranked: RankedRun | None,
    path: Path,
    lexicon: Lexicon,
    protocol: Protocol,
    *,
    exclude_seeds: bool,
) -> DictionaryTest:
    """Test a run on a lexicon, by its learned ranking, by CSLS and by nearest neighbours."""
    with about(path):
        results = _results(run, ranked, lexicon, protocol)
    after = results[0].after
    leakage = None if run.run.seeds is None else Leakage.of(after, run.run.seeds)
    if exclude_seeds:
        if leakage is None:
            raise LexalignError(
                f"The run {run.name} does not record its seeds, so they cannot be left out; "
                "repeat it, or report without `exclude_seeds=True`."
            )
        with about(path):
            results = tuple(one.without_seeds(leakage) for one in results)
    return DictionaryTest(path, results, leakage, exclude_seeds)


def _results(
    run: BeforeAfter, ranked: RankedRun | None, lexicon: Lexicon, protocol: Protocol
) -> tuple[RetrievalResult, ...]:
    own = protocol.retrieval
    retrievals = tuple(dict.fromkeys((own, *RETRIEVALS)))
    if ranked is not None:
        by_csls, learned = ranked.test(lexicon)
        others = (RetrievalResult("nn", None, ranked.evaluate(lexicon, "nn")),)
        return (
            RetrievalResult("learned", by_csls, learned),
            RetrievalResult("csls", None, by_csls),
            *others,
        )
    after = Evaluator(run.source, run.target, protocol)
    before = None if run.before is None else Evaluator(run.before, run.target, protocol)
    return tuple(
        RetrievalResult(
            name,
            None if before is None else before.evaluate(lexicon, retrieval=name),
            after.evaluate(lexicon, retrieval=name),
        )
        for name in retrievals
    )
