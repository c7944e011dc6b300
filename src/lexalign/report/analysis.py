"""What there is to say about a run: how well it translates, what changed, and what stands out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lexalign.aligners.health import Health, examine
from lexalign.errors import LexalignError, about
from lexalign.evaluation import (
    Accuracy,
    Bootstrap,
    Evaluator,
    Leakage,
    bootstrap,
    by_frequency,
    find_outliers,
)
from lexalign.evaluation.accuracy import contributions
from lexalign.evaluation.protocols import Protocol
from lexalign.procrustes import solve
from lexalign.progress import Progress
from lexalign.refinement import Refiner
from lexalign.report.before_after import BeforeAfter
from lexalign.report.distances import DistanceChange, changes_of_pairs
from lexalign.report.ranked_run import RankedRun
from lexalign.retrieval import mutual_pairs
from lexalign.retrieval.translator import Translator
from lexalign.vectors import Embeddings, Lexicon

RESAMPLES = 2_000
MOST_CHANGED = 25
MOST_OUTLIERS = 30
WATCHED_WORDS = 2_000
FEWEST_PAIRS = 10


@dataclass(frozen=True, eq=False)
class MetricScore:
    """One metric of a test with its interval; ``gain`` is what "after" adds to "before"."""

    metric: str
    before: Bootstrap | None
    after: Bootstrap
    gain: Bootstrap | None


@dataclass(frozen=True, eq=False)
class DictionaryTest:
    """Translation of the words of a lexicon, before and after refinement.

    Of a run with a learned ranking, "before" is CSLS and "after" that ranking. ``leakage`` is that
    of ``after``, None if the seeds are unknown. With ``without_seeds`` the queries that are seeds
    are left out of both results.
    """

    __test__ = False  # for pytest, which takes it for one of its own

    lexicon: Path
    before: Accuracy | None
    after: Accuracy
    leakage: Leakage | None = None
    without_seeds: bool = False

    def scores(self, metrics: Sequence[str] = ("p@1", "p@5", "mrr")) -> list[MetricScore]:
        """Metrics with intervals of 95 %, by bootstrap over the words."""
        found = []
        for metric in metrics:
            after = contributions(self.after.ranks, metric)
            before = None if self.before is None else contributions(self.before.ranks, metric)
            found.append(
                MetricScore(
                    metric,
                    None if before is None else _interval(before),
                    _interval(after),
                    None if before is None else _interval(after - before),
                )
            )
        return found

    def bands(self) -> list[tuple[str, int, MetricScore]]:
        """P@1 by frequency: the ranks of the band, its words, and the score."""
        before = {} if self.before is None else by_frequency(self.before)
        return [
            (
                name,
                part.queries,
                DictionaryTest(self.lexicon, before.get(name), part).scores(["p@1"])[0],
            )
            for name, part in by_frequency(self.after).items()
        ]


@dataclass(frozen=True)
class TranslationChange:
    """A word whose best translation is another one now; ``references`` if they are known."""

    word: str
    before: str
    after: str
    references: tuple[str, ...]

    @property
    def verdict(self) -> str:
        """Better, worse, or neither by what the references say."""
        was, is_right = self.before in self.references, self.after in self.references
        return "other" if was == is_right else "better" if is_right else "worse"


@dataclass(frozen=True, eq=False)
class Analysis:
    """All of it.

    ``distances`` are those of the pairs that a refinement was fitted to, or would be; ``outliers``
    are among the pairs that the run was fitted to, ``watched`` the words whose translations were
    compared. ``ranked`` is None unless a learned ranking is compared with CSLS.
    """

    run: BeforeAfter
    health: Mapping[str, Any] | None
    distances: DistanceChange | None
    outliers: tuple[tuple[str, str, float], ...]
    outlier_count: int
    tests: tuple[DictionaryTest, ...]
    watched: int
    changed: tuple[TranslationChange, ...]
    ranked: RankedRun | None = None

    @property
    def compared(self) -> tuple[str, str] | None:
        """What "before" and "after" are called, None if there is no "before"."""
        if self.ranked is not None:
            return "CSLS", "learned ranking"
        return None if self.run.before is None else ("before", "after")


def analyse(
    run: BeforeAfter,
    lexicons: Mapping[Path, Lexicon],
    protocol: Protocol,
    progress: Progress | None = None,
    *,
    exclude_seeds: bool = False,
    ranking: str = "auto",
) -> Analysis:
    """Look into a run; its translations are tested on ``lexicons`` by the rules of ``protocol``.

    With ``exclude_seeds`` queries that are seeds of the run are left out. A learned ranking is
    compared with CSLS if the ``ranking`` is "learned", or if it is "auto" and the run has one.
    """
    progress = progress or Progress()
    ranked = RankedRun.of(run, protocol, ranking)
    with progress.stage("looking at pairs"):
        distances = _distances(run)
        outliers = _outliers(run)
    with progress.stage("testing translations"):
        tests = tuple(
            _test(run, ranked, path, words, protocol, exclude_seeds=exclude_seeds)
            for path, words in lexicons.items()
        )
    watched, changed = 0, tuple[TranslationChange, ...]()
    if run.before is not None or ranked is not None:
        with progress.stage("comparing translations"):
            watched, changed = _changed(run, ranked, list(lexicons.values()), protocol)
    return Analysis(run, _health(run), distances, *outliers, tests, watched, changed, ranked)


def _interval(values: np.ndarray) -> Bootstrap:
    return bootstrap([values], resamples=RESAMPLES)


def _health(run: BeforeAfter) -> Mapping[str, Any] | None:
    """That of the record, or one made now."""
    if (known := run.record.get("health")) is not None:
        found: Mapping[str, Any] = known
        return found
    made: Health | None = examine(
        (run.unrefined.matrix, run.target.matrix),
        (run.source.matrix, run.target.matrix),
        (run.source.index, run.target.index),
    )
    return None if made is None else made.as_dict()


def _pairs(run: BeforeAfter) -> np.ndarray:
    return run.lexicon.indices(run.source, run.target).pairs


def _distances(run: BeforeAfter) -> DistanceChange | None:
    """What the run's rotation changed, beside least squares; or what that of the paper would.

    The latter is of the pairs that it would find, not of those that the run was fitted to.
    """
    if run.rotation is None:
        pairs = mutual_pairs(
            run.source.matrix, run.target.matrix, max_rank=Refiner().max_rank
        ).pairs
    else:
        pairs = _pairs(run)
    if len(pairs) < FEWEST_PAIRS:
        return None
    a, b = run.unrefined.matrix[pairs[:, 0]], run.target.matrix[pairs[:, 1]]
    rotations = dict[str, tuple[np.ndarray, str]]()
    if run.rotation is not None:
        loss = str(run.record["parameters"]["loss"])
        rotations[f"this run, {loss}"] = run.rotation.astype(np.float64), ""
    else:
        flow = solve(a, b, loss="l1")
        rotations["l1"] = flow.rotation, flow.message
    least = solve(a, b, loss="l2")
    rotations["l2"] = least.rotation, least.message
    words = [(run.source.words[i], run.target.words[j]) for i, j in pairs.tolist()]
    return changes_of_pairs(words, a, b, rotations)


def _outliers(run: BeforeAfter) -> tuple[tuple[tuple[str, str, float], ...], int]:
    if len(_pairs(run)) < FEWEST_PAIRS:
        return (), 0
    found = find_outliers(run.source, run.target, run.lexicon)
    listed = zip(found.outliers.pairs, found.distances.tolist(), strict=True)
    worst = [(source, target, distance) for (source, target), distance in listed]
    return tuple(worst[:MOST_OUTLIERS]), len(worst)


def _test(
    run: BeforeAfter,
    ranked: RankedRun | None,
    path: Path,
    lexicon: Lexicon,
    protocol: Protocol,
    *,
    exclude_seeds: bool,
) -> DictionaryTest:
    def measured(source: Embeddings) -> Accuracy:
        return Evaluator(source, run.target, protocol).evaluate(lexicon)

    before: Accuracy | None
    with about(path):
        if ranked is not None:
            before, after = ranked.test(lexicon)
        else:
            before = None if run.before is None else measured(run.before)
            after = measured(run.source)
    leakage = None if run.run.seeds is None else Leakage.of(after, run.run.seeds)
    if exclude_seeds:
        if leakage is None:
            raise LexalignError(
                f"The run {run.name} does not record its seeds, so they cannot be left out; repeat "
                "it, or report without `exclude_seeds=True`."
            )
        with about(path):
            before = None if before is None else leakage.without_seeds(before)
            after = leakage.clean
    return DictionaryTest(path, before, after, leakage, exclude_seeds)


def _references(lexicons: Sequence[Lexicon]) -> dict[str, dict[str, None]]:
    """The translations that the lexicons give for each word, in order."""
    references = dict[str, dict[str, None]]()
    for word, translation in (pair for lexicon in lexicons for pair in lexicon):
        references.setdefault(word, {})[translation] = None
    return references


def _changed(
    run: BeforeAfter, ranked: RankedRun | None, lexicons: Sequence[Lexicon], protocol: Protocol
) -> tuple[int, tuple[TranslationChange, ...]]:
    """How many words were looked at, and those with another best translation.

    The most frequent come first, but the better and worse ones lead.
    """
    source = run.source if ranked is None else ranked.source
    references = _references(lexicons)
    words = [word for word in references if word in source]
    words = words or list(source.words[:WATCHED_WORDS])
    words.sort(key=source.index.__getitem__)
    before, after = ranked.best(words) if ranked is not None else _best(run, words, protocol)
    found = [
        TranslationChange(word, old, new, tuple(references.get(word, ())))
        for word, old, new in zip(words, before, after, strict=True)
        if old != new
    ]
    order = {"better": 0, "worse": 1, "other": 2}
    return len(words), tuple(sorted(found, key=lambda change: order[change.verdict]))


def _best(
    run: BeforeAfter, words: Sequence[str], protocol: Protocol
) -> tuple[list[str], list[str]]:
    """The best translations of known words before refinement, and after it."""
    retrieval = protocol.retrieval if protocol.retrieval in ("nn", "csls") else "csls"
    before, after = (
        [
            found[0].word
            for found in Translator(source=side, target=run.target, retrieval=retrieval).translate(
                words, 1
            )
            if found
        ]
        for side in (run.unrefined, run.source)
    )
    return before, after
