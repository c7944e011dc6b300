"""Evaluation of files: pairs of vectors and lexicons in, one result for each combination out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from lexalign.errors import InputError, LexalignError
from lexalign.evaluate.induction import Evaluator, Induction
from lexalign.evaluate.outliers import Outliers, find_outliers, refit
from lexalign.evaluate.protocols import PROTOCOLS, Protocol
from lexalign.evaluate.similarity import SimilarityResult, read_judgements, word_similarity
from lexalign.files import sha256
from lexalign.progress import Progress
from lexalign.runs import RECORD, vectors_of_run
from lexalign.spaces.normalise import unit_rows
from lexalign.vectors import Embeddings, Lexicon, Policy, read
from lexalign.vectors.lexicon import SkippedLine


@dataclass(frozen=True)
class AlignedPair:
    """Two files of vectors in one space, and the ``folder`` of the run that wrote them, if any."""

    source: Path
    target: Path
    folder: Path | None = None

    @property
    def paths(self) -> tuple[Path, ...]:
        """What the user called the pair by."""
        return (self.source, self.target) if self.folder is None else (self.folder,)


@dataclass(frozen=True)
class Evaluated:
    """One pair on one lexicon."""

    pair: AlignedPair
    lexicon: Path
    result: Induction
    skipped: tuple[SkippedLine, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """The result as JSON, with what it was measured on."""
        return {
            "source": str(self.pair.source),
            "target": str(self.pair.target),
            "lexicon": str(self.lexicon),
            "lexicon_sha256": sha256(self.lexicon),
            "skipped_lines": [list(line) for line in self.skipped],
            **self.result.as_dict(),
        }


def aligned_pairs(paths: Sequence[Path], *, monolingual: bool = False) -> list[AlignedPair]:
    """The pairs that a list of paths stands for: a folder of a run is one, two files are one.

    With ``monolingual`` a file left alone is paired with itself.
    """
    pairs, rest = [], list(paths)
    while rest:
        first = rest.pop(0)
        if (first / RECORD).is_file():
            pairs.append(AlignedPair(*vectors_of_run(first), folder=first))
            continue
        if not rest and monolingual:
            rest.append(first)
        if not rest:
            raise InputError(
                "it has no partner",
                path=first,
                remedy="name a source and a target, or a folder written by Lexalign",
            )
        pairs.append(AlignedPair(first, rest.pop(0)))
    return pairs


def evaluate_files(
    pairs: Sequence[AlignedPair],
    lexicons: Sequence[Path],
    protocol: Protocol,
    *,
    match: bool = False,
    limit: int = 200_000,
    malformed: Literal["error", "skip"] = "error",
    device: str = "cpu",
    progress: Progress | None = None,
) -> list[Evaluated]:
    """Evaluate every pair on every lexicon, or with ``match`` the first on the first and so on."""
    if not lexicons:
        return []
    if match and len(pairs) != len(lexicons):
        raise LexalignError(
            f"Matching needs one lexicon for each pair, but there are {len(pairs)} pairs and "
            f"{len(lexicons)} lexicons; name as many of both."
        )
    progress = progress or Progress()
    read_lexicons = {path: Lexicon.read(path, malformed=malformed) for path in lexicons}
    results = []
    for number, pair in enumerate(pairs):
        source, target = read_pair(pair, protocol, limit=limit, progress=progress)
        evaluator = Evaluator(source, target, protocol, device=device, progress=progress)
        del source, target
        for path in [lexicons[number]] if match else lexicons:
            try:
                result = evaluator.evaluate(read_lexicons[path])
            except InputError as error:
                raise InputError(error.problem, path=path, remedy=error.remedy) from error
            results.append(Evaluated(pair, path, result, read_lexicons[path].skipped))
    return results


def read_pair(
    pair: AlignedPair,
    protocol: Protocol,
    *,
    limit: int = 200_000,
    progress: Progress | None = None,
) -> tuple[Embeddings, Embeddings]:
    """Both sides as ``protocol`` wants them read: their case, repeated words, unit length."""
    progress = progress or Progress()
    policy = Policy(
        lowercase=protocol.case == "lower",
        duplicates="first" if protocol.duplicates == "first" else "keep",
    )
    sides = []
    for name, path in (("source", pair.source), ("target", pair.target)):
        with progress.stage(f"reading {name}"):
            side = read(path, limit=limit, policy=policy)
            if protocol.similarity == "cosine":
                side = side.with_matrix(unit_rows(side.matrix))
            sides.append(side)
    source, target = sides
    if source.dimension != target.dimension:
        raise InputError(
            f"its vectors have {source.dimension} dimensions and those of {pair.target} "
            f"{target.dimension}",
            path=pair.source,
            remedy="name two files that were aligned into one space",
        )
    return source, target


@dataclass(frozen=True)
class SimilarityEvaluated:
    """One pair on one file of judgements."""

    pair: AlignedPair
    judgements: Path
    result: SimilarityResult

    def as_dict(self) -> dict[str, Any]:
        """The result as JSON, with what it was measured on."""
        return {
            "source": str(self.pair.source),
            "target": str(self.pair.target),
            "similarity": str(self.judgements),
            **self.result.as_dict(),
        }


def similarity_files(
    pairs: Sequence[AlignedPair],
    path: Path,
    gold: Path | None,
    protocol: Protocol,
    *,
    limit: int = 200_000,
    progress: Progress | None = None,
) -> list[SimilarityEvaluated]:
    """Word similarity of every pair on the judgements of ``path``."""
    judgements = read_judgements(path, gold)
    results = []
    for pair in pairs:
        source, target = read_pair(pair, protocol, limit=limit, progress=progress)
        try:
            result = word_similarity(source, target, judgements, lowercase=protocol.case != "as-is")
        except InputError as error:
            raise InputError(error.problem, path=path, remedy=error.remedy) from error
        results.append(SimilarityEvaluated(pair, path, result))
    return results


@dataclass(frozen=True)
class OutlierView:
    """The outliers of a lexicon, and accuracy as it is, refitted to all pairs and without them."""

    outliers: Outliers
    accuracy: dict[str, Induction]

    def as_dict(self) -> dict[str, Any]:
        """Everything as JSON."""
        found = self.outliers
        distances = found.outliers.weights
        listed = zip(found.outliers, [] if distances is None else distances.tolist(), strict=True)
        return {
            "pairs": len(found.outliers) + len(found.inliers),
            "unknown": found.unknown,
            "q1": found.lower_quartile,
            "q3": found.upper_quartile,
            "threshold": found.threshold,
            "outliers": [[*pair, distance] for pair, distance in listed],
            "accuracy": {name: result.scores() for name, result in self.accuracy.items()},
        }


def outlier_files(
    pair: AlignedPair,
    lexicon: Path,
    *,
    test: Path | None = None,
    inliers: Path | None = None,
    overwrite: bool = False,
    limit: int = 200_000,
    lowercase: bool = True,
    progress: Progress | None = None,
) -> OutlierView:
    """Find the outliers of ``lexicon``; measure a fit with and without them on ``test``.

    ``inliers`` names a file for the pairs that are none.
    """
    rules = PROTOCOLS["muse"].but(case="lower" if lowercase else "as-is")
    pairs = Lexicon.read(lexicon, lowercase=lowercase)
    test_pairs = None if test is None else Lexicon.read(test)
    source, target = read_pair(pair, rules, limit=limit, progress=progress)
    try:
        found = find_outliers(source, target, pairs)
    except InputError as error:
        raise InputError(error.problem, path=lexicon, remedy=error.remedy) from error
    accuracy = {}
    if test_pairs is not None:
        for name, fitted in (
            ("as it is", source),
            ("fitted to all pairs", refit(source, target, pairs)),
            ("fitted without outliers", refit(source, target, found.inliers)),
        ):
            evaluator = Evaluator(fitted, target, rules, progress=progress)
            accuracy[name] = evaluator.evaluate(test_pairs)
    if inliers is not None:
        found.inliers.write(inliers, overwrite=overwrite)
    return OutlierView(found, accuracy)
