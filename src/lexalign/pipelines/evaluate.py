"""Evaluate files: pairs of vectors, lexicons and judgements give one result each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, Literal, TypeVar

from lexalign.atomic import claim_file
from lexalign.errors import LexalignError, about
from lexalign.evaluation.accuracy import Accuracy
from lexalign.evaluation.evaluator import Evaluator
from lexalign.evaluation.leakage import Leakage
from lexalign.evaluation.outliers import Outliers, find_outliers, refit
from lexalign.evaluation.protocols import PROTOCOLS, Protocol
from lexalign.evaluation.similarity import SimilarityResult, read_judgements, word_similarity
from lexalign.pipelines.ranked_accuracy import ranked_accuracy
from lexalign.pipelines.translate import ranked_run
from lexalign.progress import Progress
from lexalign.runs import AlignedPair
from lexalign.vectors import FREQUENT_WORDS, Lexicon, Policy
from lexalign.vectors.lexicon_lines import SkippedLine

Result = TypeVar("Result", Accuracy, SimilarityResult)


@dataclass(frozen=True)
class FileEvaluation(Generic[Result]):
    """The evaluation of one pair on one file: a lexicon or judgements, with skipped lines.

    ``unknown_by_case`` counts the pairs that are unknown only because of their case.
    """

    pair: AlignedPair
    file: Path
    result: Result
    skipped: tuple[SkippedLine, ...] = ()
    unknown_by_case: int = 0

    def as_dict(self) -> dict[str, Any]:
        """The result in JSON types, with the names of its files."""
        kind = "lexicon" if isinstance(self.result, Accuracy) else "similarity"
        return {
            "source": str(self.pair.source),
            "target": str(self.pair.target),
            kind: str(self.file),
            "skipped_lines": [line._asdict() for line in self.skipped],
            "unknown_by_case": self.unknown_by_case,
            **self.result.as_dict(),
        }


@dataclass(frozen=True)
class LexiconEvaluation(FileEvaluation[Accuracy]):
    """The evaluation of one pair on one lexicon; ``leakage`` is None if the seeds are unknown.

    With ``without_seeds``, the result leaves out queries that are seeds.
    """

    leakage: Leakage | None = None
    without_seeds: bool = False

    def as_dict(self) -> dict[str, Any]:
        """The result in JSON types, with the names of its files and its leakage."""
        found = None if self.leakage is None else self.leakage.as_dict()
        if found is not None and self.without_seeds:
            found["leaked"] = []
        return {**super().as_dict(), "leakage": found, "exclude_seeds": self.without_seeds}


def evaluate_files(
    pairs: Sequence[AlignedPair],
    lexicons: Sequence[Path],
    protocol: Protocol,
    *,
    retrievals: Sequence[str] = (),
    ranking: str = "csls",
    similarities: Sequence[Path] = (),
    gold: Path | None = None,
    match: bool = False,
    limit: int = FREQUENT_WORDS,
    malformed: Literal["error", "skip"] = "error",
    seeds: Path | None = None,
    exclude_seeds: bool = False,
    device: str = "cpu",
    progress: Progress | None = None,
) -> tuple[list[LexiconEvaluation], list[FileEvaluation[SimilarityResult]]]:
    """Evaluate every pair on every lexicon, and on every file of judgements.

    With ``match``, the first pair is evaluated on the first lexicon, and so on. A lexicon has one
    result for each of the ``retrievals``; the default is the retrieval of the protocol. For
    judgements, only the case of the protocol counts. Their scores are in ``gold`` if they have a
    separate file.

    With the ``ranking`` "auto", the learned ranking of a run gives one more result. With "learned",
    it gives the only result.

    Queries that are seeds of an alignment are counted, and ``exclude_seeds`` leaves them out. A run
    records its seeds; ``seeds`` names a file with more seeds, or with the seeds of other pairs.
    """
    if match and len(pairs) != len(lexicons):
        raise LexalignError(
            f"Matching needs one lexicon per pair, found {len(pairs)} pairs and {len(lexicons)} "
            "lexicons; name the same number of both."
        )
    progress = progress or Progress()
    words = {path: Lexicon.read(path, malformed=malformed) for path in lexicons}
    given = None if seeds is None else Lexicon.read(seeds)
    learned_from = [_seeds_of(pair, given, exclude_seeds) for pair in pairs if lexicons]
    judged = {path: read_judgements(path, gold) for path in similarities}
    translated = list[LexiconEvaluation]()
    alike = list[FileEvaluation[SimilarityResult]]()
    for number, pair in enumerate(pairs):
        policy = Policy(
            lowercase=protocol.case == "lower",
            duplicates="first" if protocol.duplicates == "first" else "keep",
        )
        unit = protocol.similarity == "cosine"
        sides = pair.read(policy, limit=limit, unit=unit, progress=progress)
        for path, judgements in judged.items():
            with about(path):
                lowercase = protocol.case != "as-is"
                found = word_similarity(*sides, judgements, lowercase=lowercase)
            alike.append(FileEvaluation(pair, path, found))
        evaluator = Evaluator(*sides, protocol, device=device, progress=progress)
        run = ranked_run(pair, ranking) if lexicons else None
        learned = None if run is None else run.rankings(*sides, device)["forward"]
        if learned is not None and learned.ranker is None and ranking == "auto":
            learned = None
        wanted = retrievals or (protocol.retrieval,)
        if learned is not None:
            wanted = ("learned",) if ranking == "learned" else (*wanted, "learned")
        source, target = sides
        for path in [lexicons[number]] if match else lexicons:
            by_case = evaluator.unknown_by_case(words[path])
            for retrieval in wanted:
                with about(path):
                    if learned is not None and retrieval == "learned":
                        by_csls = evaluator.evaluate(words[path], retrieval="csls")
                        result = ranked_accuracy(by_csls, learned, source, target)
                    else:
                        result = evaluator.evaluate(words[path], retrieval=retrieval)
                    known = learned_from[number]
                    leakage = None if known is None else Leakage.of(result, known)
                    if exclude_seeds and leakage is not None:
                        result = leakage.clean
                translated.append(
                    LexiconEvaluation(
                        pair,
                        path,
                        result,
                        words[path].skipped,
                        by_case,
                        leakage=leakage,
                        without_seeds=exclude_seeds,
                    )
                )
    return translated, alike


def _seeds_of(pair: AlignedPair, given: Lexicon | None, required: bool) -> Lexicon | None:
    """The seeds that a run recorded, and the given seeds."""
    known = [lexicon for lexicon in (pair.seeds(), given) if lexicon is not None]
    if not known and required:
        raise LexalignError(
            f"No run records the seeds of {' and '.join(map(str, pair.paths))}, so they cannot "
            "be left out; name their file with `seeds`."
        )
    return Lexicon([one for lexicon in known for one in lexicon]) if known else None


@dataclass(frozen=True)
class OutlierView:
    """The outliers of a lexicon, and the accuracy of three fits: none, all pairs, inliers."""

    outliers: Outliers
    accuracy: dict[str, Accuracy]

    def as_dict(self) -> dict[str, Any]:
        """Everything as JSON."""
        found = self.outliers
        listed = zip(found.outliers, found.distances.tolist(), strict=True)
        return {
            "pairs": len(found.outliers) + len(found.inliers),
            "unknown": found.unknown,
            "q1": found.lower_quartile,
            "q3": found.upper_quartile,
            "threshold": found.threshold,
            "outliers": [[*pair, distance] for pair, distance in listed],
            "accuracy": {name: result.summary() for name, result in self.accuracy.items()},
        }


def outlier_files(
    pair: AlignedPair,
    lexicon: Path,
    *,
    test: Path | None = None,
    inliers: Path | None = None,
    overwrite: bool = False,
    limit: int = FREQUENT_WORDS,
    lowercase: bool = True,
    device: str = "cpu",
    progress: Progress | None = None,
) -> OutlierView:
    """Find the outliers of ``lexicon``; measure a fit with and without them on ``test``.

    ``inliers`` names an output file for the other pairs.
    """
    claim = None if inliers is None else claim_file(inliers, overwrite=overwrite)
    pairs = Lexicon.read(lexicon, lowercase=lowercase)
    test_pairs = None if test is None else Lexicon.read(test, lowercase=lowercase)
    source, target = pair.read(Policy(lowercase=lowercase), limit=limit, progress=progress)
    with about(lexicon):
        found = find_outliers(source, target, pairs)
    accuracy = dict[str, Accuracy]()
    if test is not None and test_pairs is not None:
        rules = PROTOCOLS["muse"].but(case=None if lowercase else "as-is")
        for name, fit in (
            ("unchanged vectors", None),
            ("fitted to all pairs", pairs),
            ("fitted without outliers", found.inliers),
        ):
            fitted = source if fit is None else refit(source, target, fit)
            with about(test):
                evaluator = Evaluator(fitted, target, rules, device=device, progress=progress)
                accuracy[name] = evaluator.evaluate(test_pairs)
    if claim is not None:
        found.inliers.write(claim.path, claim=claim)
    return OutlierView(found, accuracy)
