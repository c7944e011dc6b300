"""A health check without a dictionary: whether the two spaces match.

Mutual pairs exist between any two clouds of points, even unrelated ones, and self-learning makes
such chance pairs similar. A true alignment generalises: a rotation fitted to a few of the pairs,
two for each dimension, finds the others. In few dimensions, this also holds for a false alignment,
so the check gives no result there. Sometimes a false alignment is consistent in itself. So if there
are many identical words, they count, too: in any two languages, some of them mean the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from lexalign.aligners.nearest_in_sample import best_others, densities, neighbourhoods
from lexalign.aligners.pairs import Pairs
from lexalign.arrays import Array, to_device
from lexalign.retrieval import MutualPairs, neighbourhood, top_k
from lexalign.retrieval.search import similarities
from lexalign.spaces.normalise import unit_rows
from lexalign.threads import single_threaded_products

WORDS = 5000
GRAPH_WORDS = 500
NEIGHBOURS = 10
MATCHED = 0.5
MATCHED_IN_FEW_DIMENSIONS = 0.3
MANY_DIMENSIONS = 200
FEWEST_DIMENSIONS = 50
MATCHED_IDENTICAL = 0.05
FEWEST_IDENTICAL = 100
FITTED_A_DIMENSION = 2
PAIRS_A_DIMENSION = 4
FEWEST_WORDS = 2 * NEIGHBOURS
PAIRS_COMPARED = 500
SUSPICIOUS_RATIO = 0.5


@dataclass(frozen=True)
class Agreement:
    """Identical words of both sides, and the share that are each other's best match."""

    words: int
    share: float


@dataclass(frozen=True)
class Health:
    """The figures of the health check, from the most frequent words.

    Attributes
    ----------
    found_again
        The share of mutual pairs that a rotation fitted to other pairs finds again. In 300
        dimensions, it is above 0.6 if the spaces match, and below 0.4 if they do not; in 50
        dimensions, above 0.35 and below 0.3. None in fewer dimensions, or if there are too few
        pairs.
    mutual
        The share of source words in mutual pairs, by CSLS.
    mean_csls, mean_cosine
        The means over the source words and their best matches by CSLS.
    hubness
        The skewness of how often a target word is among the ten nearest of a source word. It is
        large if few words are near to all others (Radovanović et al. 2010).
    singular_value_gap
        Σ (log σᵢ(X) − log σᵢ(Y))², a distance of the two spaces before any map (Dubossarsky et al.
        2020).
    eigenvalue_gap
        Σ (λᵢ − μᵢ)² over the largest Laplacian eigenvalues of the two graphs of nearest
        neighbours (Søgaard, Ruder & Vulić 2018).
    identical, numerals
        The agreement of identical words with letters, and with only digits; None if there are none.
    """

    words: int
    dimension: int
    found_again: float | None
    mutual: float
    mean_csls: float
    mean_cosine: float
    hubness: float
    singular_value_gap: float
    eigenvalue_gap: float
    identical: Agreement | None
    numerals: Agreement | None

    @property
    def matched(self) -> bool | None:
        """Whether the two spaces match; None if there are too few words or dimensions."""
        return None if self.found_again is None else self._objection is None

    @property
    def verdict(self) -> str:
        """One sentence about the result."""
        if self.found_again is None:
            return "There are too few words or dimensions to check whether the two spaces match."
        if self._objection is not None:
            return f"The two spaces do not match: {self._objection}."
        share = _percent(self.found_again)
        return f"The two spaces match: {share} of the mutual pairs are found again by others."

    def as_dict(self) -> dict[str, Any]:
        """Everything in JSON types."""
        return {"matched": self.matched, "verdict": self.verdict, **asdict(self)}

    @property
    def _objection(self) -> str | None:
        """The reason against a match."""
        many = self.dimension >= MANY_DIMENSIONS
        limit = MATCHED if many else MATCHED_IN_FEW_DIMENSIONS
        if self.found_again is not None and self.found_again < limit:
            return (
                f"only {_percent(self.found_again)} of the mutual pairs are found again by a "
                f"rotation that was fitted to others (spaces that match: {_percent(limit)} or "
                "more)"
            )
        alike = self.identical
        if alike and alike.words >= FEWEST_IDENTICAL and alike.share < MATCHED_IDENTICAL:
            return (
                f"only {_percent(alike.share)} of the {alike.words:,} identical words are each "
                f"other's best match (spaces that match: {_percent(MATCHED_IDENTICAL)} or more)"
            )
        return None


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


@single_threaded_products()
def examine(
    normalised: tuple[np.ndarray, np.ndarray],
    mapped: tuple[np.ndarray, np.ndarray],
    names: tuple[Mapping[str, int], Mapping[str, int]],
) -> Health | None:
    """Examine an alignment by its most frequent words; None where there are hardly any.

    ``normalised`` are source and target before the map, of one dimension, ``mapped`` after it, and
    ``names`` give the rank of each word. The time does not depend on the size of the vocabularies:
    it is that of six products of at most 5,000 × 5,000 words.
    """
    count = min(WORDS, *(len(side) for side in mapped))
    if count < FEWEST_WORDS:
        return None
    x, z = (unit_rows(np.ascontiguousarray(side[:count])) for side in mapped)
    of_target = densities(z, x, NEIGHBOURS)
    of_source, near, forward = neighbourhoods(x, z, of_target, NEIGHBOURS)
    # Only words that some word chose can choose back.
    chosen, place = np.unique(forward, return_inverse=True)
    ranks = np.arange(count)
    mutual = ranks[best_others(z[chosen], x, of_source)[place] == ranks]
    cosine = np.einsum("ij,ij->i", x, z[forward], dtype=np.float64)
    before = normalised[0][:count], normalised[1][:count]
    return Health(
        words=count,
        dimension=before[0].shape[1],
        found_again=_found_again(*before, np.column_stack((mutual, forward[mutual]))),
        mutual=len(mutual) / count,
        mean_csls=float((2 * cosine - of_source - of_target[forward]).mean()),
        mean_cosine=float(cosine.mean()),
        hubness=_skewness(near),
        singular_value_gap=_singular_value_gap(*before),
        eigenvalue_gap=_eigenvalue_gap(*before),
        identical=_agreement(names, forward, digits=False),
        numerals=_agreement(names, forward, digits=True),
    )


def _found_again(source: np.ndarray, target: np.ndarray, pairs: np.ndarray) -> float | None:
    """Fit to some pairs, look for the others, twice."""
    dimension = source.shape[1]
    if dimension < FEWEST_DIMENSIONS or len(pairs) < PAIRS_A_DIMENSION * dimension:
        return None
    keys, shares = unit_rows(target), []
    order = np.arange(len(pairs)) % (len(pairs) // (FITTED_A_DIMENSION * dimension))
    for turn in (0, 1):
        fitted, asked = pairs[order == turn], pairs[order != turn]
        matrix = Pairs(fitted).rotation(source, target).astype(np.float32)
        moved = unit_rows(source @ matrix)
        density = densities(keys, moved, NEIGHBOURS)
        answers = best_others(moved[asked[:, 0]], keys, density)
        shares.append((answers == asked[:, 1]).mean())
    return float(np.mean(shares))


def _skewness(counts: np.ndarray) -> float:
    centred = counts - counts.mean()
    spread = float((centred**2).mean())
    return float((centred**3).mean() / spread**1.5) if spread else 0.0


def _singular_value_gap(source: np.ndarray, target: np.ndarray) -> float:
    """Between the singular values of both that are not zero, of equally many rows."""
    logarithms = []
    for side in (source, target):
        values = np.linalg.eigvalsh((side.T @ side).astype(np.float64))[::-1]
        logarithms.append(0.5 * np.log(values[values > 1e-9 * values[0]]))
    size = min(len(side) for side in logarithms)
    return float(((logarithms[0][:size] - logarithms[1][:size]) ** 2).sum())


def _eigenvalue_gap(source: np.ndarray, target: np.ndarray) -> float:
    """Over as many eigenvalues as make nine tenths of the smaller sum."""
    first, second = (_laplacian_eigenvalues(side[:GRAPH_WORDS]) for side in (source, target))
    tenths = [np.searchsorted(np.cumsum(one), 0.9 * one.sum()) + 1 for one in (first, second)]
    size = int(min(tenths))
    return float(((first[:size] - second[:size]) ** 2).sum())


def _laplacian_eigenvalues(vectors: np.ndarray) -> np.ndarray:
    """Of the graph that joins a word with its nearest neighbours, the largest first."""
    rows, count = unit_rows(np.ascontiguousarray(vectors)), len(vectors)
    nearest = top_k(rows, rows, min(NEIGHBOURS + 1, count)).indices
    joined = np.zeros((count, count))
    joined[np.arange(count)[:, None], nearest] = 1
    joined = np.maximum(joined, joined.T)
    np.fill_diagonal(joined, 0)
    return np.linalg.eigvalsh(np.diag(joined.sum(axis=1)) - joined)[::-1]


def _agreement(
    names: tuple[Mapping[str, int], Mapping[str, int]], forward: np.ndarray, *, digits: bool
) -> Agreement | None:
    """Among words spelled alike on both sides: of digits alone, or with a letter in them."""
    source, target = names
    count = len(forward)
    shared = [
        (rank, target[word])
        for word, rank in source.items()
        if rank < count
        and target.get(word, count) < count
        and (word.isdecimal() if digits else any(letter.isalpha() for letter in word))
    ]
    if not shared:
        return None
    rows = np.array(shared)
    return Agreement(len(rows), float((forward[rows[:, 0]] == rows[:, 1]).mean()))


def matching_similarity(
    source: np.ndarray,
    target: np.ndarray,
    *,
    words: int = 10_000,
    neighbours: int = 10,
    device: str = "cpu",
) -> float:
    """The mean cosine of the ``words`` most frequent source words and their best matches by CSLS.

    What unsupervised methods select by, the validation criterion of Conneau et al. 2018.
    ``source`` (n, d) is mapped; the matches are sought among as many targets (m, d).
    """
    x, z = (to_device(unit_rows(side[:words]), device) for side in (source, target))
    k = min(neighbours, len(x), len(z))
    matches = top_k(x, z, 1, 0.5 * neighbourhood(z, x, k)).indices
    return float(similarities(x, z, matches).mean())


def misalignment_warning(
    source: Array, target: Array, mutual: MutualPairs, max_rank: int
) -> str | None:
    """A sentence if the best pairs are less than half as similar as words of one language.

    Mutual pairs exist between any two clouds of points, even unrelated ones. In a common space, a
    word is about as near to its translation as to the nearest word of its own language. In
    unrelated spaces, the pairs are much farther apart.
    """
    pairs = mutual.pairs[:PAIRS_COMPARED]
    words = source[pairs[:, 0]]
    across = float(similarities(words, target, pairs[:, 1:]).mean())
    frequent = source[:max_rank]
    if len(pairs) < 10 or int(frequent.shape[0]) < 2:
        return None
    within = float(np.mean(top_k(words, frequent, 2).scores[:, 1]))
    if across >= SUSPICIOUS_RATIO * within:
        return None
    return (
        f"The mutual pairs have a mean similarity of {across:.2f}, but words of one language "
        f"{within:.2f} to their nearest neighbour: the spaces do not look aligned. Align them "
        "first, or check the result with 'lexalign evaluate'."
    )
