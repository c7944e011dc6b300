"""Word similarity: how well cosines agree with human judgements.

Files follow SemEval-2017 Task 2 (Camacho-Collados et al. 2017): two words and a score per line,
separated by tabs. The scores can be in a second file, line by line. Both words belong to one
language. In the cross-lingual task, the first word belongs to the source and the second to the
target.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from lexalign.errors import InputError
from lexalign.vectors import Embeddings
from lexalign.vectors.word_lists import read_columns

EQUAL_COSINES = 1e-9


class Judgement(NamedTuple):
    """Two words and their similarity in the judgement of people."""

    first: str
    second: str
    score: float


@dataclass(frozen=True)
class SimilarityResult:
    """The rank correlation over pairs with vectors; ``pairs`` counts all pairs.

    ``spearman`` is the usual figure. The shared task reports ``pearson`` and the harmonic mean
    ``semeval`` of both.
    """

    spearman: float
    pearson: float
    queries: int
    pairs: int

    @property
    def coverage(self) -> float:
        """The share of pairs with a vector for both words."""
        return self.queries / self.pairs

    @property
    def semeval(self) -> float:
        """The harmonic mean of both correlations, 0 if one of them is not positive."""
        if self.spearman <= 0 or self.pearson <= 0:
            return 0.0
        return 2 * self.spearman * self.pearson / (self.spearman + self.pearson)

    def as_dict(self) -> dict[str, Any]:
        """All figures as JSON."""
        return {
            "spearman": self.spearman,
            "pearson": self.pearson,
            "semeval": self.semeval,
            "coverage": self.coverage,
            "queries": self.queries,
            "pairs": self.pairs,
        }


def word_similarity(
    source: Embeddings, target: Embeddings, judgements: list[Judgement], *, lowercase: bool = False
) -> SimilarityResult:
    """Correlate cosines with ``judgements``; for one language, pass it as source and target.

    A term of several words is looked up as it is, then with underscores; otherwise it gets the mean
    of the unit vectors of its words. Pairs with an unknown or zero vector are left out and lower
    the coverage. ``lowercase`` looks words up in lower case.
    """
    cosines, scores = [], []
    for first, second, score in judgements:
        x = _vector(source, first.lower() if lowercase else first)
        y = _vector(target, second.lower() if lowercase else second)
        if x is not None and y is not None:
            cosines.append(float(x @ y))
            scores.append(score)
    if len(scores) < 3:
        raise InputError(
            f"only {len(scores)} of the {len(judgements)} pairs have vectors for both words, but "
            "a correlation needs 3",
            remedy="check the languages, their order and the case of the words",
        )
    if np.ptp(scores) == 0 or np.ptp(cosines) < EQUAL_COSINES:
        raise InputError(
            "all scores or all cosines are equal, so there is no correlation",
            remedy="check the column of scores",
        )
    from scipy.stats import pearsonr, spearmanr

    return SimilarityResult(
        spearman=float(spearmanr(cosines, scores).statistic),
        pearson=float(pearsonr(cosines, scores).statistic),
        queries=len(scores),
        pairs=len(judgements),
    )


def read_judgements(path: str | Path, gold: str | Path | None = None) -> list[Judgement]:
    """Read the pairs of ``path``, with scores in a third column or, line by line, in ``gold``."""
    path, rows = Path(path), read_columns(Path(path))
    if gold is None:
        return [
            Judgement(*_words(fields, 3, path, line), _score(fields[2], path, line))
            for line, fields in rows
        ]
    gold, scores = Path(gold), read_columns(Path(gold))
    if len(scores) != len(rows):
        raise InputError(
            f"it has {len(scores)} scores for the {len(rows)} pairs of {path}",
            path=gold,
            remedy="name the file of scores that belongs to these pairs",
        )
    return [
        Judgement(*_words(fields, 2, path, line), _score(score.fields[0], gold, score.line))
        for (line, fields), score in zip(rows, scores, strict=True)
    ]


def _words(fields: list[str], columns: int, path: Path, line: int) -> tuple[str, str]:
    if len(fields) != columns or not all(fields):
        score = " and a score" if columns == 3 else ""
        remedy = "correct the line" + (", or name a file of scores" if columns == 3 else "")
        raise InputError(
            f"expected 2 words{score} with tabs between", path=path, line=line, remedy=remedy
        )
    return fields[0], fields[1]


def _vector(embeddings: Embeddings, term: str) -> np.ndarray | None:
    for name in (term, term.replace(" ", "_")):
        if name in embeddings:
            return _unit(embeddings[name])
    parts = [_unit(embeddings[word]) for word in term.split(" ") if word in embeddings]
    if len(parts) < len(term.split(" ")) or any(part is None for part in parts):
        return None
    return _unit(np.mean([part for part in parts if part is not None], axis=0))


def _unit(vector: np.ndarray) -> np.ndarray | None:
    vector = vector.astype(np.float64)
    length = float(np.linalg.norm(vector))
    return vector / length if length > 0 else None


def _score(field: str, path: Path, line: int) -> float:
    try:
        score = float(field)
    except ValueError:
        score = math.nan
    if not math.isfinite(score):
        raise InputError(
            f"the score {field!r} is not a finite number",
            path=path,
            line=line,
            remedy="correct the line",
        )
    return score
