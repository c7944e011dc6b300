"""Ideas beyond the ranking of ``lexalign induce``: P@1 on test words with and without each.

The settings of ``benchmarks.settings``, a fixed aligner.

matching   The source words compete for targets. Scores are the log-odds of the forward ranking,
           plus a share of the log-odds of the backward ranking; or an assignment of all words at
           once, so that no two of them share a translation.
lemmas     Two more features: whether the source word and the candidate are lemmas, by the library
           simplemma.
pooled     One ranker that also learns from the seeds of the other settings.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import min_weight_full_bipartite_matching

from benchmarks.measure import heading
from benchmarks.ranking_problems import METHOD, RankingProblem, ranking_problems
from benchmarks.settings import Setting
from lexalign.induction import Inducer
from lexalign.induction.learned_ranking import RankedCandidates
from lexalign.induction.ranker import Boosting

SHARES = (0.25, 0.5, 1.0)
PER_WORD = 10
UNLIKELY = 1e-4


def main() -> None:
    """Print one row a setting and direction."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("idea", choices=("matching", "lemmas", "pooled"))
    parser.add_argument("settings", nargs="+")
    arguments = parser.parse_args()
    heading(f"Ideas for ranking: {arguments.idea}")
    settings = [Setting(arguments.data, name) for name in arguments.settings]
    if arguments.idea == "matching":
        print("| setting | ranking |", *(f"+ {share} backward |" for share in SHARES), "matched |")
        for setting in settings:
            matching(setting)
        return
    problems = [(one, problem) for one in settings for problem in ranking_problems(one)]
    print(f"| setting | ranking | {arguments.idea} |")
    for number, (setting, problem) in enumerate(problems):
        if arguments.idea == "lemmas":
            other = with_lemmas(setting, problem, turned=bool(number % 2))
        else:
            step = slice(number % 2, None, 2)  # the same direction of the other settings
            other = pooled(problem, [one for _, one in problems[step] if one is not problem])
        show(problem.name, [alone(problem), other])


def show(name: str, figures: Sequence[float]) -> None:
    """One row."""
    print(f"| {name} | {' | '.join(f'{100 * figure:.1f}' for figure in figures)} |", flush=True)


def matching(setting: Setting) -> None:
    """Both directions of a setting with the backward ranking, and with an assignment."""
    source, target = setting.embeddings()
    induced = Inducer(method=METHOD).fit(source, target, setting.seeds())
    sides = induced.pair.source, induced.pair.target
    ranked = {
        name: induced.rankings[name].rank(np.arange(len(side)), PER_WORD)
        for name, side in zip(("forward", "backward"), sides, strict=True)
    }
    for turned in (False, True):
        one, other = sides[::-1] if turned else sides
        there, back = (ranked[name] for name in ("forward", "backward")[:: -1 if turned else 1])
        gold = setting.gold(one, other, turned)
        chances, against = there.probabilities, looked_up(back, there, len(one))
        orders = [logit(chances) + share * logit(against) for share in (0.0, *SHARES)]
        figures = [precision(there, scores, gold) for scores in orders]
        for scores in (orders[0], orders[2]):
            figures.append(precision(there, matched(there, scores, len(other)), gold))
        show(f"{setting.title(turned)}, {setting.kind}", figures)


def looked_up(back: RankedCandidates, there: RankedCandidates, words: int) -> np.ndarray:
    """The backward probability of each forward candidate, ``UNLIKELY`` if it is no candidate."""
    known = back.rows * words + back.keys
    order = np.argsort(known)
    wanted = there.keys * words + there.rows
    places = np.minimum(np.searchsorted(known[order], wanted), len(order) - 1)
    found = known[order][places] == wanted
    return np.where(found, back.probabilities[order][places], UNLIKELY)


def logit(chances: np.ndarray) -> np.ndarray:
    """The log-odds of probabilities."""
    bounded = np.clip(chances, UNLIKELY, 1 - UNLIKELY)
    return np.asarray(np.log(bounded / (1 - bounded)))


def matched(there: RankedCandidates, scores: np.ndarray, targets: int) -> np.ndarray:
    """Scores that put the candidate first that an assignment of all words gives to a word.

    The assignment has the greatest total probability. Every word may also stay alone, at a cost.
    """
    words = int(there.rows.max()) + 1
    costs = 1 + np.log1p(np.exp(-scores))  # minus log probability; zeros would be no edges
    alone = np.arange(words)
    graph = csr_array(
        (
            np.r_[costs, np.full(words, 2 + np.log(1 / UNLIKELY))],
            (np.r_[there.rows, alone], np.r_[there.keys, targets + alone]),
        ),
        shape=(words, targets + words),
    )
    rows, keys = min_weight_full_bipartite_matching(graph)
    chosen = np.full(words, -1)
    chosen[rows] = keys
    return np.where(chosen[there.rows] == there.keys, scores + 1e3, scores)


def precision(there: RankedCandidates, scores: np.ndarray, gold: dict[int, set[int]]) -> float:
    """P@1 of the test words."""
    order = np.lexsort((-scores, there.rows))
    first = order[np.r_[True, np.diff(there.rows[order]) > 0]]
    best = dict(zip(there.rows[first].tolist(), there.keys[first].tolist(), strict=True))
    return float(np.mean([best.get(word) in keys for word, keys in gold.items()]))


def alone(problem: RankingProblem) -> float:
    """P@1 of the ranking of ``lexalign induce``."""
    return learned(problem, problem.table.features.values, problem.test.features.values)


def learned(problem: RankingProblem, values: np.ndarray, test: np.ndarray) -> float:
    """P@1 of a ranker that learns from other features."""
    table = problem.table
    offsets = problem.offsets() if problem.target_selected else None
    ranker, _ = Boosting().fit(values, table.right, table.candidates.rows, table.folds, offsets)
    return problem.test.precision(ranker.scores(test))


def with_lemmas(setting: Setting, problem: RankingProblem, *, turned: bool) -> float:
    """P@1 with features that tell lemmas from other forms."""
    import simplemma

    sides = []
    for side, name in zip(setting.embeddings(), setting.files, strict=True):
        language = name.rpartition(".")[2]
        sides.append(
            np.array([simplemma.lemmatize(w, lang=language).lower() == w for w in side.words])
        )
    one, other = sides[::-1] if turned else sides

    def more(values: np.ndarray, rows: np.ndarray, keys: np.ndarray) -> np.ndarray:
        return np.column_stack((values, one[rows], other[keys])).astype(np.float32)

    table, test = problem.table, problem.test
    return learned(
        problem,
        more(table.features.values, table.candidates.rows, table.candidates.keys),
        more(test.features.values, test.found.rows, test.found.keys),
    )


def pooled(problem: RankingProblem, others: Sequence[RankingProblem]) -> float:
    """P@1 of a ranker that learns from the seeds of several settings."""
    tables = [one.table for one in (problem, *others)]
    width = 1 + max(int(table.candidates.rows.max()) for table in tables)
    offsets = [
        one.offsets() if one.target_selected else np.zeros(len(one.table.right))
        for one in (problem, *others)
    ]
    ranker, _ = Boosting().fit(
        np.concatenate([table.features.values for table in tables]),
        np.concatenate([table.right for table in tables]),
        np.concatenate([at * width + table.candidates.rows for at, table in enumerate(tables)]),
        np.concatenate([table.folds for table in tables]),
        np.concatenate(offsets),
    )
    return problem.test.precision(ranker.scores(problem.test.features.values))


if __name__ == "__main__":
    main()
