"""What induction computes and records, on small cases derived in another way."""

import json
import time
from itertools import pairwise

import numpy as np
import pytest
from scipy.optimize import minimize

from lexalign.aligners.pairs import NO_SEEDS, Pairs
from lexalign.errors import LexalignError
from lexalign.induction import selection
from lexalign.induction.agreement import OwnNeighbours
from lexalign.induction.calibration import (
    Calibration,
    ReliabilityBin,
    _evidence,
    _logistic,
    expected_calibration_error,
    reliability,
)
from lexalign.induction.candidates import Candidates
from lexalign.induction.cross_fitting import SeedFolds, _table
from lexalign.induction.dictionary import Dictionary
from lexalign.induction.endings import Endings
from lexalign.induction.exports import export
from lexalign.induction.features import GROUPS, OF_A_VIEW, Evidence
from lexalign.induction.inducer import Inducer
from lexalign.induction.label_coverage import LabelCoverage
from lexalign.induction.labels import Labels
from lexalign.induction.language_pair import LanguagePair
from lexalign.induction.learned_ranking import LearnedRanking, RankedCandidates, csls_scores
from lexalign.induction.letters import Alphabet, LetterModel
from lexalign.induction.methods import (
    FittingWords,
    Method,
    methods_to_try,
    named_method,
    refined_methods,
)
from lexalign.induction.ranker import Boosting
from lexalign.induction.ranking_model import _calibrated, _importance, _learn_direction
from lexalign.induction.selection import Choice, Selection, Trial, _chosen, _Race, _reason
from lexalign.induction.spelling import SpellingIndex
from lexalign.induction.start import HealthTrial
from lexalign.induction.view import AlignedView, ViewMaps
from lexalign.progress import Progress
from tests.induction.samples import made_up_words, noisy_pair, some_of, unit_rows


@pytest.fixture(scope="module")
def evidence():
    """Two views of 60 words a side, the second turned a little."""
    source, target = unit_rows(60, 5), unit_rows(50, 5, seed=1)
    turn = np.linalg.qr(np.eye(5) + 0.3 * unit_rows(5, 5, seed=2))[0]
    words = made_up_words(110, np.random.default_rng(3))
    views = (
        AlignedView(source, target, ViewMaps(None, None)),
        AlignedView(source, target, ViewMaps(turn, None)),
    )
    pairs = np.arange(30), np.arange(30)
    return Evidence(
        views,
        SpellingIndex(words[:60], words[60:]),
        OwnNeighbours(source, target),
        LetterModel(words[:60], words[60:]).fit(*pairs),
        Endings(words[:60], words[60:]).fit(*pairs),
    )


def paths(x, y):
    """All ways to write two words by replacing, dropping and inserting letters."""
    if not x and not y:
        yield ()
    if x and y:
        yield from (((x[0], y[0]), *rest) for rest in paths(x[1:], y[1:]))
    if x:
        yield from (((x[0], None), *rest) for rest in paths(x[1:], y))
    if y:
        yield from (((None, y[0]), *rest) for rest in paths(x, y[1:]))


def test_the_odds_of_letters_sum_over_all_ways_to_write_a_pair():
    source, target = ["abc", "ba", "a", "ccab"], ["ab", "bca", "cc", "b"]
    model = LetterModel(source, target).fit(np.arange(4), np.arange(4))
    tables = model.tables
    one, other = (alphabet.numbers for alphabet in tables.alphabets)

    def probability(a, b):
        if a is None:
            return tables.insert[other[b]]
        return tables.drop[one[a]] if b is None else tables.replace[one[a], other[b]]

    for row, key in ((0, 0), (1, 2), (3, 1)):
        x, y = source[row], target[key]
        joint = sum(np.prod([probability(*step) for step in way]) for way in paths(x, y))
        chance = np.prod([tables.shares[0][one[a]] for a in x])
        chance *= np.prod([tables.shares[1][other[b]] for b in y])
        expected = np.log(joint / chance) / (1 + len(x) + len(y))
        assert model.log_odds(np.array([row]), np.array([key])) == pytest.approx(expected, rel=1e-5)


def test_one_round_of_learning_counts_the_expected_operations(monkeypatch):
    monkeypatch.setattr("lexalign.induction.letters.ROUNDS", 1)
    source, target = ["ab", "b", "aab"], ["ba", "b", "a"]
    first = LetterModel(source, target)
    tables = first.tables
    one, other = (alphabet.numbers for alphabet in tables.alphabets)
    replace, drop, insert = (
        np.zeros_like(part) for part in (tables.replace, tables.drop, tables.insert)
    )
    related = []
    for x, y in zip(source, target, strict=True):
        ways = []
        for way in paths(x, y):
            chances = [
                tables.insert[other[b]] if a is None
                else tables.drop[one[a]] if b is None
                else tables.replace[one[a], other[b]]
                for a, b in way
            ]  # fmt: skip
            ways.append((way, np.prod(chances)))
        joint = sum(chance for _, chance in ways)
        alone = np.prod([tables.shares[0][one[a]] for a in x])
        alone *= np.prod([tables.shares[1][other[b]] for b in y])
        odds = 0.3 * joint / (0.3 * joint + 0.7 * alone)
        related.append(odds)
        for way, chance in ways:
            for a, b in way:
                share = odds * chance / joint
                if a is None:
                    insert[other[b]] += share
                elif b is None:
                    drop[one[a]] += share
                else:
                    replace[one[a], other[b]] += share
    learned = first.fit(np.arange(3), np.arange(3)).tables
    shares = tables.shares
    for found, counts, prior, mass in (
        (learned.replace, replace, np.outer(*shares), 0.8),
        (learned.drop, drop, shares[0], 0.1),
        (learned.insert, insert, shares[1], 0.1),
    ):
        expected = counts + 20 * prior
        np.testing.assert_allclose(found, mass * expected / expected.sum(), rtol=1e-9)
    assert learned.related == pytest.approx(np.mean(related))


def test_an_alphabet_counts_and_encodes_letters():
    alphabet = Alphabet.of(["abb", "b", "c"])
    assert alphabet.numbers == {"b": 1, "a": 2, "c": 3}
    letters, lengths = alphabet.encoded(["cab", "bx", "b" * 30])
    assert letters[0, :4].tolist() == [3, 2, 1, 0]
    assert letters[1, :2].tolist() == [1, 0]
    assert lengths.tolist() == [3, 2, 24]
    # Letters b, a, c and the rare one occur 3, 1, 1 and 0 times, each half a time more.
    np.testing.assert_allclose(
        alphabet.shares(["abb", "b", "c"]), np.array([0.5, 3.5, 1.5, 1.5]) / 7
    )


def test_the_evidence_of_scores_by_hand():
    scores, groups = np.array([1.0, 3.0, 0.0, 2.0]), np.array([5, 5, 5, 8])
    found, places = _evidence(scores, groups)
    assert places.tolist() == [1, 0, 2, 0]
    weights = np.exp(scores)
    others = weights[:3].sum() - weights[:3]
    share = [*np.log(weights[:3] / others), -np.log(1e-6)]
    expected = np.column_stack((np.ones(4), share, scores, np.log([2, 1, 3, 1])))
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_the_logistic_regression_is_that_of_an_independent_solver():
    generator = np.random.default_rng(0)
    evidence = np.column_stack((np.ones(300), generator.standard_normal((300, 3))))
    labels = generator.random(300) < 1 / (1 + np.exp(-evidence @ [0.5, 1, -1, 0.2]))
    counts = generator.random(300) + 0.5
    ridge = 1e-2 * 300 * 1e-2

    def loss(w):
        z = evidence @ w
        return (counts * (np.logaddexp(0, z) - labels * z)).sum() + ridge / 2 * (w[1:] ** 2).sum()

    expected = minimize(loss, np.zeros(4), tol=1e-10).x
    np.testing.assert_allclose(_logistic(evidence, labels, counts), expected, atol=1e-4)


def test_probabilities_are_those_of_the_weights_and_never_rise():
    calibration = Calibration(np.array([-1.0, 0.5, 0.2, -0.3]))
    scores, groups = np.array([2.0, 1.0, 0.5, 4.0]), np.array([1, 1, 1, 2])
    evidence, _ = _evidence(scores, groups)
    plain = 1 / (1 + np.exp(-evidence @ calibration.weights))
    assert calibration.probabilities(scores, groups) == pytest.approx(
        [plain[0], min(plain[:2]), min(plain[:3]), plain[3]]
    )
    rising = Calibration(np.array([0.0, 0.0, -2.0, 0.0])).probabilities(scores[:3], groups[:3])
    assert rising.tolist() == [rising[0]] * 3  # a worse candidate is never more probable


def test_calibration_is_fitted_to_the_first_five_candidates():
    generator = np.random.default_rng(1)
    groups = np.repeat(np.arange(80), 8)
    scores, labels = generator.standard_normal(640), generator.random(640) < 0.3
    evidence, places = _evidence(scores, groups)
    first = places < 5
    expected = _logistic(evidence[first], labels[first], np.ones(first.sum()))
    np.testing.assert_allclose(Calibration.fit(scores, groups, labels).weights, expected)
    weights = generator.random(640) + 0.1
    expected = _logistic(evidence[first], labels[first], weights[first])
    found = Calibration.fit(scores, groups, labels, weights).weights
    np.testing.assert_allclose(found, expected)


def test_reliability_has_ten_bins():
    bins = reliability(np.array([0.05, 0.09, 0.95, 1.0, 0.3]), np.array([0, 1, 1, 1, 0]))
    assert [one.words for one in bins] == [2, 1, 2]
    assert [one.probability for one in bins] == pytest.approx([0.07, 0.3, 0.975])
    assert [one.right for one in bins] == [0.5, 0.0, 1.0]
    error = expected_calibration_error(bins)
    assert error == pytest.approx((2 * 0.43 + 0.3 + 2 * 0.025) / 5)
    assert expected_calibration_error([]) == 0.0
    assert expected_calibration_error([ReliabilityBin(3, 0.5, 0.5)]) == 0.0


def test_the_features_of_candidates_are_those_of_their_definitions(evidence):
    words = np.array([3, 17, 40])
    found = evidence.candidates(words)
    table = evidence.features(found)
    column = dict(zip(table.names, table.values.T, strict=True))
    assert tuple(dict.fromkeys(name.partition(":")[0] for name in table.names)) == GROUPS
    assert table.values.dtype == np.float32
    rows, keys = found.rows, found.keys
    below = 0
    for number, view in enumerate(evidence.views, start=1):
        cosine = (view.source @ view.target.T).astype(float)
        densities = [np.sort(side, axis=1)[:, -10:].mean(axis=1) for side in (cosine, cosine.T)]
        csls = 2 * cosine - densities[0][:, None] - densities[1]
        mine, near = csls[rows, keys], cosine[rows, keys]
        nearest = np.argsort(np.argsort(-cosine[:, keys], axis=0), axis=0) < 50
        seen = np.where(nearest, csls[:, keys], -np.inf)  # 50 of the 60 words are looked at
        own = seen[rows, np.arange(len(rows))]
        best = np.array([mine[rows == row].max() for row in rows])
        others = [np.sort(mine[rows == row])[::-1] for row in rows]
        lead = [
            one - (two[1] if one == two[0] else two[0])
            for one, two in zip(mine, others, strict=True)
        ]
        expected = {
            "cosine": near,
            "csls": mine,
            "csls below best": best - mine,
            "csls lead": lead,
            "place": [
                np.log1p((mine[rows == row] > one).sum())
                for row, one in zip(rows, mine, strict=True)
            ],
            "cosine below best": [
                near[rows == row].max() - one for row, one in zip(rows, near, strict=True)
            ],
            "csls below backward best": seen.max(axis=0) - mine,
            "backward place": np.log1p(np.where(np.isfinite(own), (seen > own).sum(axis=0), 50)),
            "source density": densities[0][rows],
            "target density": densities[1][keys],
        }
        assert set(expected) == set(OF_A_VIEW)
        for name, values in expected.items():
            np.testing.assert_allclose(column[f"vectors: {name} {number}"], values, atol=1e-4)
        below = below + best - mine
    np.testing.assert_allclose(column["vectors: below best"], below, atol=1e-4)
    place = [
        np.log1p((below[rows == row] < one).sum()) for row, one in zip(rows, below, strict=True)
    ]
    np.testing.assert_allclose(column["vectors: place"], place, atol=1e-4)
    np.testing.assert_allclose(column["frequency: source"], np.log1p(rows), rtol=1e-5)
    np.testing.assert_allclose(column["frequency: target"], np.log1p(keys), rtol=1e-5)
    difference = np.log1p(keys) - np.log1p(rows)
    np.testing.assert_allclose(column["relative frequency: difference"], difference, atol=1e-5)
    odds = evidence.letters.log_odds(rows, keys)
    np.testing.assert_allclose(column["letters: odds"], odds)
    top = [odds[rows == row].max() - one for row, one in zip(rows, odds, strict=True)]
    np.testing.assert_allclose(column["letters: below best"], top, atol=1e-6)
    ranks = [np.log1p((odds[rows == row] > one).sum()) for row, one in zip(rows, odds, strict=True)]
    np.testing.assert_allclose(column["letters: place"], ranks, atol=1e-6)
    near = column["neighbours: agreement"]
    close = np.expm1(column["vectors: place"]).round() < 12
    assert np.isnan(near[~close]).all()
    assert np.isfinite(near[close]).all()
    best = [np.nanmax(near[rows == row]) - one for row, one in zip(rows, near, strict=True)]
    np.testing.assert_allclose(column["neighbours: below best"], best, atol=1e-6)


def test_features_of_some_groups(evidence):
    table = evidence.features(evidence.candidates(np.array([1])))
    some = table.only(("frequency", "endings"))
    assert some.names == ("frequency: source", "frequency: target", "endings: last 1",
                          "endings: last 2", "endings: last 3")  # fmt: skip
    assert some.values.shape == (len(table.values), 5)


def test_spelling_is_compared_by_shares():
    index = SpellingIndex(["Straße", "abc"], ["strass", "abd", "xyz", "zbc"])
    edit, jaro, prefix, suffix, dice, same, longer, length = index.features(
        np.array([0, 1, 1, 1]), np.array([0, 1, 2, 3])
    ).T
    assert edit == pytest.approx([1 - 1 / 7, 2 / 3, 0, 2 / 3])  # strasse and strass
    assert prefix == pytest.approx([1, 2 / 3, 0, 0])
    assert suffix == pytest.approx([0, 0, 0, 2 / 3])
    assert same.tolist() == [0, 0, 0, 0]
    assert longer.tolist() == [-1, 0, 0, 0]
    assert length.tolist() == [7, 3, 3, 3]
    assert 0 < jaro[1] < jaro[0] < 1
    assert dice[2] == 0 < dice[1] < dice[0] < 1


def test_the_words_that_share_most_letters_come_first():
    index = SpellingIndex(["hello"], ["world", "hallo", "hello", "help", "zzz"])
    assert index.best(np.array([0]), 3).tolist() == [[2, 1, 3]]
    assert index.best(np.array([0]), 5)[0].tolist()[:3] == [2, 1, 3]
    assert index.best(np.array([0]), 5)[0, -1] == -1  # zzz shares nothing


def test_a_ranking_lists_the_best_of_every_word(evidence):
    calibration = Calibration(np.array([0.0, 1.0, 0.0, 0.0]))
    ranking = LearnedRanking(evidence, None, calibration, GROUPS)
    told = []
    found = ranking.rank(np.array([7, 2]), 3, told.append)
    assert found.rows.tolist() == [2, 2, 2, 7, 7, 7]
    assert found.places.tolist() == [1, 2, 3] * 2
    assert told == [2]
    for start in (0, 3):
        assert all(a >= b for a, b in pairwise(found.probabilities[start : start + 3]))
        view = evidence.views[-1]
        assert found.keys[start] == view.best(found.rows[start : start + 1], 1)[0, 0]
    everything = ranking.rank(np.array([2]))
    assert len(everything.rows) == len(evidence.candidates(np.array([2])))
    pairs = evidence.candidates(np.array([2]))
    csls = evidence.views[-1].csls(pairs.rows, pairs.keys)
    np.testing.assert_allclose(csls_scores(evidence, pairs), 20 * csls)
    nothing = RankedCandidates.joined([])
    assert len(nothing.rows) == len(nothing.probabilities) == 0


def test_a_table_has_the_candidates_of_held_out_words(evidence):
    table = _table(evidence, np.array([[4, 1], [4, 2], [9, 9]]), 2)
    assert table.candidates.words.tolist() == [4, 9]
    assert set(table.folds) == {2}
    right = {(4, 1), (4, 2), (9, 9)}
    pairs = zip(table.candidates.rows.tolist(), table.candidates.keys.tolist(), strict=True)
    assert table.right.tolist() == [pair in right for pair in pairs]


def test_folds_by_hand():
    folds = SeedFolds(np.array([[0, 5], [1, 5], [2, 6], [2, 7]]), np.array([0, 1, 1, 1]))
    assert folds.count == 2
    assert folds.known(0).tolist() == [[2, 6], [2, 7]]  # the word 5 is held out
    assert folds.known(1).tolist() == []
    assert folds.held_out_backward(0).tolist() == [[5, 0], [5, 1]]
    assert folds.held_out_backward(1).tolist() == [[6, 2], [7, 2]]
    assert folds.share_of(np.array([[0, 5], [2, 7], [9, 9]])) == 0.5
    assert folds.share_of(np.empty((0, 2), dtype=int)) == 0.0


def test_a_ranking_is_judged_calibrated_and_recorded(evidence):
    folds = SeedFolds.drawn(np.column_stack((np.arange(40), np.arange(40))), 2, 0)
    parts = [_table(evidence, folds.held_out(fold), fold) for fold in (0, 1)]
    table = type(parts[0]).joined(parts)
    model = _learn_direction(table, Boosting(), "csls", (60, 50), Labels(folds), 0)
    found = table.candidates
    csls = 20 * table.features.values[:, list(table.features.names).index("vectors: csls 2")]
    first = found.places(csls) == 0
    assert (model.kind, model.ranker, model.groups) == ("csls", None, GROUPS)
    assert model.record["label_words"] == model.record["seed_words"] == 40
    assert model.record["weak_labels"] is False
    assert model.record["selected_by"] == "source"
    assert model.record["csls"] == {"p@1": pytest.approx(table.right[first].mean())}
    assert "learned" not in model.record
    expected = Calibration.fit(csls, found.rows, table.right)
    np.testing.assert_allclose(model.calibration.weights, expected.weights)
    chances = np.empty(len(csls))
    for fold in (0, 1):
        inside = table.folds == fold
        part = Calibration.fit(csls[~inside], found.rows[~inside], table.right[~inside])
        chances[inside] = part.probabilities(csls[inside], found.rows[inside])
    bins = reliability(chances[first], table.right[first])
    assert model.record["reliability"] == [one._asdict() for one in bins]
    assert model.record["calibration_error"] == expected_calibration_error(bins)
    weights = np.linspace(1, 2, 40)
    heavy = _calibrated(None, table, csls, np.ones(40, dtype=bool), weights, {"a": 1})
    assert heavy.record["a"] == 1
    assert np.abs(heavy.calibration.weights - expected.weights).max() > 1e-6
    few = _learn_direction(table, Boosting(), "auto", (60, 50), Labels(folds), 0)
    assert few.kind == "csls"  # 40 words are too few to learn from
    assert "learned" not in few.record


def test_importance_adds_up_by_group():
    class Known:
        @staticmethod
        def importance():
            return np.array([0.5, 0.25, 0.25])

    found = _importance(Known, ["vectors: a", "vectors: b", "endings: c"])
    assert found == {**dict.fromkeys(GROUPS, 0.0), "vectors": 0.75, "endings": 0.25}


def trial(name, right, folds=1, words=None):
    numbers = np.arange(len(right)) if words is None else np.array(words)
    made = Trial(Method(name, None, 0), maps=[ViewMaps(None, None)] * folds)
    made.add(numbers, np.array(right, dtype=bool), 1.239)
    return made


def test_a_trial_as_json():
    found = trial("procrustes", [1, 1, 0, 0]).as_dict()
    # Wilson: centre (0.5 + 0.4802) / 1.9604, half 1.96·√(0.0625 + 0.06002) / 1.9604.
    assert found == {
        "method": "procrustes",
        "p@1": 0.5,
        "interval": pytest.approx([0.15004, 0.84996], abs=1e-4),
        "words": 4,
        "folds": 1,
        "seconds": 1.24,
        "remark": "",
    }
    untried = Trial(Method("dlv", None, 0), remark="out of time").as_dict()
    assert (untried["p@1"], untried["interval"], untried["folds"]) == (None, None, 0)
    assert untried["remark"] == "out of time"
    assert Trial(Method("dlv", None, 0)).interval == (0.0, 1.0)
    assert Trial(Method("dlv", None, 0)).accuracy == 0.0


def test_words_of_several_folds_are_kept_in_order():
    made = trial("a", [1, 0], words=[5, 9])
    made.add(np.array([7, 2]), np.array([True, False]), 2.0)
    assert made.words.tolist() == [2, 5, 7, 9]
    assert made.right.tolist() == [False, True, True, False]
    assert made.seconds == pytest.approx(3.239)


def test_the_choice_says_why():
    good, same, bad = (
        trial("good", [1] * 8 + [0] * 2),
        trial("same", [0] + [1] * 8 + [0]),
        trial("bad", [0] * 10),
    )
    assert _chosen([bad, good, same]) is good
    assert _chosen([same, good]) is same
    assert _chosen([good, trial("half", [1] * 10, folds=0)]) is good
    score = "P@1 80.0 % (49.0–94.3) on 10 held-out seed words"
    assert _reason(good, [good]) == f"good was chosen: {score}; no other method is as good."
    assert _reason(good, [good, same]) == (
        f"good was chosen: {score}, as good as same (80.0 %) and simpler."
    )
    assert _reason(good, [same, good]) == f"good was chosen: {score}, slightly above same (80.0 %)."
    assert _reason(good, [bad, good]) == (
        f"good was chosen: {score}; the next best on the same words is bad with 0.0 % (z = 2.8)."
    )
    with pytest.raises(LexalignError, match="No method could be fitted"):
        _chosen([trial("none", [], folds=0)])
    choice = Choice(good.method, (bad, good), "because")
    assert choice.as_dict() == {
        "method": "good",
        "reason": "because",
        "tried": [bad.as_dict(), good.as_dict()],
    }
    assert choice.fold_maps() == good.maps
    assert Choice(good.method).fold_maps() == []


def test_a_race_drops_what_is_behind_or_too_slow():
    race = _Race(Selection(budget=10.0), np.zeros((4, 2)), np.zeros((4, 2)), None, True, "cpu")
    best, behind, close = (
        trial("best", [1] * 9),
        trial("behind", [0] * 9),
        trial("close", [1] * 6 + [0] * 3),
    )
    trials = [best, behind, close]
    assert race.goes_on(best, trials)
    assert race.goes_on(close, trials)
    assert not race.goes_on(behind, trials)
    assert behind.remark == "dropped after fold 1"
    slow = trial("slow", [1] * 9)
    slow.seconds = 11.0
    assert not race.goes_on(slow, trials)
    assert slow.remark == "out of time after fold 1"
    race._product = 1.0
    dear = Trial(Method("dear", None, 20))
    assert not race.goes_on(dear, trials)
    assert dear.remark == "out of time"
    assert race.goes_on(Trial(Method("cheap", None, 5)), trials)
    assert race.goes_on(Trial(Method("first", None, 20)), [Trial(Method("first", None, 20))])
    assert not race.goes_on(Trial(Method("failed", None, 0), remark="failed: x"), trials)


def test_a_race_times_and_records_a_fold(monkeypatch):
    source = target = np.eye(30, dtype=np.float32)
    folds = SeedFolds(np.column_stack((np.arange(10), np.arange(10))), np.arange(10) % 2)
    race = _Race(Selection(), source, target, folds, True, "cpu")

    class Quick(Method):
        def fit(self, source, target, seeds, progress=None):
            assert seeds.rows.tolist() == folds.known(1).tolist()
            return ViewMaps(None, None)

    tried = Trial(Quick("quick", None, 0), directions=2)
    began = time.perf_counter()
    race.run(tried, 1)
    assert 0 < tried.seconds <= time.perf_counter() - began
    assert tried.words.tolist() == [1, 3, 5, 7, 9, 31, 33, 35, 37, 39]
    assert tried.right.all()  # both sides are the same vectors
    assert tried.folds == 1
    assert 0 < race._product < 1

    class Fails(Method):
        def fit(self, *arguments):
            raise LexalignError("no way")

    failed = Trial(Fails("fails", None, 0))
    race.run(failed, 0)
    assert (failed.remark, failed.folds) == ("failed: no way", 0)
    one_way = Trial(Quick("quick", None, 0))
    _Race(Selection(), source, target, folds, False, "cpu").run(one_way, 1)
    assert one_way.words.tolist() == [1, 3, 5, 7, 9]


def test_the_choice_advances_once_a_method_and_fold(monkeypatch):
    source, target, _ = noisy_pair(words=150, dimension=10, noise=0.3)
    methods = [named_method(name, "cpu", 0) for name in ("procrustes", "procb --variant once")]
    monkeypatch.setattr(selection, "methods_to_try", lambda device, seed: methods)
    monkeypatch.setattr(selection, "refined_methods", lambda method, device: [])
    steps = []

    class Counting(Progress):
        def shown(self, stage):
            from contextlib import nullcontext

            assert stage.name == "choosing a method"
            stage.listener = steps.append
            return nullcontext()

    folds = SeedFolds.drawn(np.column_stack((np.arange(90), np.arange(90))), 3, 0)
    found = Selection().choose(source.matrix, target.matrix, folds, progress=Counting())
    assert steps == [1] * 6
    assert [one.folds for one in found.trials] == [3, 3]
    assert found.trials[0].directions == 2
    assert (
        Selection().choose(source.matrix, target.matrix, folds, both=False).trials[0].directions
        == 1
    )


def test_the_methods_and_what_they_cost():
    methods = {method.name: method for method in methods_to_try("cpu", 7)}
    assert methods["procb --variant once"].aligner.variant == "once"
    assert methods["procb --variant once --final vecmap"].aligner.final == "vecmap"
    assert methods["contrastive --rounds 1"].aligner.rounds == 1
    assert methods["contrastive"].aligner.rounds == 2
    assert methods["contrastive"].aligner.seed == 7
    assert methods["contrastive"].aligner.held_out == 0
    self_learning = methods["vecmap --preset semi-supervised"].aligner
    assert (self_learning.keep, self_learning.patience, self_learning.seed) == (1.0, 3, 7)
    assert [method.products for method in methods.values()] == [
        0,
        0,
        2,
        2,
        4,
        16,
        16,
        24,
        16,
        20,
        60,
    ]
    refined = refined_methods(methods["procb"], "cpu")
    assert [one.name for one in refined] == [
        f"procb, refined by {loss}" for loss in ("l1", "l2", "welsch")
    ]
    assert [(one.refiner.loss, one.refiner.solver, one.refiner.rounds) for one in refined] == [
        ("l1", "flow", 1),
        ("l2", "minimum", 3),
        ("welsch", "minimum", 3),
    ]
    assert {one.products for one in refined} == {6}
    unsupervised = named_method("vecmap --preset unsupervised", "cpu", 3)
    assert (unsupervised.aligner.preset, unsupervised.aligner.seed) == ("unsupervised", 3)
    assert named_method("given", "cpu", 0).aligner is None


def test_fitting_words_are_frequent_words_and_seeds(monkeypatch):
    monkeypatch.setattr("lexalign.induction.methods.FITTED_WORDS", 3)
    seeds = Pairs(np.array([[7, 0], [1, 9]]), np.array([1.0, 2.0]))
    words = FittingWords.of(seeds, 20, 2)
    assert words.source.tolist() == [0, 1, 2, 7]
    assert words.target.tolist() == [0, 1, 9]
    inside = words.pairs(seeds)
    assert inside.rows.tolist() == [[3, 0], [1, 2]]
    assert inside.weights.tolist() == [1.0, 2.0]


def test_a_trial_of_the_health_check_as_json():
    method = named_method("procb", "cpu", 0)
    assert HealthTrial(method, "identical", 60, 0.614, 1.239).as_dict() == {
        "method": "procb, from identical words",
        "p@1": None,
        "interval": None,
        "words": 60,
        "folds": 0,
        "seconds": 1.24,
        "remark": "mutual pairs found again: 61 %",
    }
    assert HealthTrial(method, "nothing", 0, None, 0).as_dict()["remark"].endswith(": unknown")


def test_labels_that_cover_the_target_weigh_rare_words_more():
    """Ranks below 50 are one band, all labelled: (50 + 5·0.5) / 55; the next have none."""
    coverage = LabelCoverage.of(np.arange(50), 100)
    assert coverage.edges[:2].tolist() == [0, 50]
    assert coverage.edges[-1] == 100
    assert coverage.at(np.array([0, 49])) == pytest.approx([52.5 / 55] * 2)
    after = 2.5 / (np.diff(coverage.edges)[1] + 5)
    assert coverage.at(np.array([50])) == pytest.approx([after])
    labels = np.array([[0, 10], [0, 60], [1, 50]])
    weights = coverage.weights(np.array([0, 1]), labels)
    raw = np.array([55 / 52.5, 1 / after])
    raw = np.minimum(raw, 20 * np.median(raw))
    assert weights == pytest.approx(raw / raw.mean())


def test_a_dictionary_in_other_formats(tmp_path):
    found = Dictionary(("a&b", "c"), ("x", "y<"), np.array([0.87654, 0.25]), np.array([1, 1]))
    export(found, tmp_path / "d.tmx", "tmx", languages=("en", "de"))
    assert (tmp_path / "d.tmx").read_text(encoding="utf-8") == (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<tmx version="1.4">\n'
        '<header creationtool="Lexalign" creationtoolversion="0" segtype="phrase" o-tmf="tsv" '
        'adminlang="en" srclang="en" datatype="plaintext"/>\n'
        "<body>\n"
        '<tu><prop type="probability">0.8765</prop><tuv xml:lang="en"><seg>a&amp;b</seg></tuv>'
        '<tuv xml:lang="de"><seg>x</seg></tuv></tu>\n'
        '<tu><prop type="probability">0.2500</prop><tuv xml:lang="en"><seg>c</seg></tuv>'
        '<tuv xml:lang="de"><seg>y&lt;</seg></tuv></tu>\n'
        "</body>\n</tmx>\n"
    )
    export(found, tmp_path / "d.tbx", "tbx")
    assert (tmp_path / "d.tbx").read_text(encoding="utf-8") == (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<martif type="TBX-Basic" xml:lang="und">\n'
        "<martifHeader><fileDesc><sourceDesc>\n<p>Lexalign</p>\n"
        "</sourceDesc></fileDesc></martifHeader>\n<text><body>\n"
        '<termEntry><descrip type="reliabilityCode">9</descrip><langSet xml:lang="und"><tig>'
        '<term>a&amp;b</term></tig></langSet><langSet xml:lang="und"><tig><term>x</term></tig>'
        "</langSet></termEntry>\n"
        '<termEntry><descrip type="reliabilityCode">2</descrip><langSet xml:lang="und"><tig>'
        '<term>c</term></tig></langSet><langSet xml:lang="und"><tig><term>y&lt;</term></tig>'
        "</langSet></termEntry>\n"
        "</body></text>\n</martif>\n"
    )


def test_an_induction_is_recorded_and_its_stages_are_timed():
    source, target, lexicon = noisy_pair(words=200, dimension=12, noise=0.3)
    seeds, _ = some_of(lexicon, 3)
    progress = Progress()
    inducer = Inducer(method="procrustes", ranking="csls", both_directions=False, limit=150)
    found = inducer.fit(source, target, seeds, progress)
    assert json.loads(json.dumps(found.record))["start"] == "seeds"
    assert found.record["seeds"] == len(found.seeds) == 100
    assert found.record["choice"]["method"] == "procrustes"
    assert found.record["choice"]["reason"] == "You chose the method procrustes."
    assert list(found.record["ranking"]) == ["forward"]
    assert found.record["ranking"]["forward"]["kind"] == "csls"
    assert set(found.seed_lexicon.pairs) == {
        pair for pair in seeds.pairs if pair[0] in set(source.words[:150])
    }
    assert found.lexicon is found.alignment.lexicon
    whole = found.dictionary(top=2, max_rank=10)
    assert "ranking" in progress.seconds
    assert len(set(whole.source)) == 10
    assert whole.source[0] == source.words[0]
    assert whole.rank.tolist()[:2] == [1, 2]
    assert whole.record == found.record
    sure = found.dictionary(top=2, max_rank=10, min_probability=0.5)
    assert sure.pairs == whole.at_least(0.5).pairs
    assert len(set(found.dictionary(top=1).source)) == 200  # rare words are translated, too
    assert found.predict([source.words[3], "unknown"])[1] is None
    with pytest.raises(LexalignError, match=r"must be one of \('forward',\). Got 'backward'"):
        found.dictionary(direction="backward")


def test_evidence_of_a_pair_uses_known_tables_and_densities():
    source, target, _ = noisy_pair(words=80, dimension=8)
    pair = LanguagePair(source, target, "cpu")
    seeds = np.column_stack((np.arange(40), np.arange(40)))
    fitted = pair.fit_views(seeds)
    fresh = pair.evidence(fitted)
    assert len(fresh.views) == len(fitted.maps)
    tables = fresh.letters.tables
    ones = [(np.full(80, 0.5), np.full(80, 0.25))] * len(fitted.maps)
    known = pair.evidence(fitted, tables, ones)
    assert known.letters.tables is tables
    assert known.views[0].source_density.tolist() == [0.5] * 80
    assert known.views[-1].target_density.tolist() == [0.25] * 80
    swapped = known.swapped
    assert swapped.views[0].source_density.tolist() == [0.25] * 80
    assert swapped.spelling.source == known.spelling.target


def test_weak_labels_are_judged_by_their_seeds_alone():
    folds = SeedFolds.drawn(np.column_stack((np.arange(100), np.arange(100))), 2, 0)
    labels = Labels(folds, np.column_stack((np.arange(60), np.arange(60) + 40)))
    assert labels.weak
    assert labels.judging(np.arange(100), 0).tolist() == [True] * 60 + [False] * 40
    assert labels.judging(np.arange(100), 1).tolist() == [False] * 40 + [True] * 60
    assert labels.judging(np.arange(50), 0).all()
    assert not labels.judging(np.arange(49), 0).any()
    assert Labels(folds).judging(np.arange(100), 0) is None
    assert not Labels(folds).weak


def test_no_seeds_are_no_candidates():
    assert len(NO_SEEDS) == 0
    found = Candidates(np.array([2, 2, 5]), np.array([1, 4, 0]))
    assert found.words.tolist() == [2, 5]
    assert found.counts.tolist() == [2, 1]
    assert found.right(np.array([[2, 4], [5, 1]])).tolist() == [False, True, False]
    assert found.lead(np.array([0.5, 0.7, 0.3])) == pytest.approx([-0.2, 0.2, 0.0])


def test_a_refinement_is_tried_from_given_maps():
    source = target = np.eye(30, dtype=np.float32)
    folds = SeedFolds(np.column_stack((np.arange(10), np.arange(10))), np.arange(10) % 2)
    given = ViewMaps(np.eye(30), None)

    class Refined(Method):
        def refine(self, one, other, seeds, maps):
            assert one is source
            assert other is target
            assert seeds.rows.tolist() == folds.known(0).tolist()
            assert maps is given
            return maps

    tried = Trial(Refined("refined", None, 6))
    _Race(Selection(), source, target, folds, False, "cpu").run(tried, 0, aligned=given)
    assert tried.maps == [given]
    assert tried.right.all()


def test_a_small_lead_is_called_level():
    one, other = trial("one", [1] * 50 + [0] * 50), trial("other", [0] + [1] * 49 + [0] * 50)
    assert "; the next best on the same words is other with 49.0 % (z = 1.0)." in _reason(
        one, [one, other]
    )
    wide = trial("wide", [1] * 48 + [0] * 3 + [1] + [0] * 48)  # 2 against 1: z = 0.58
    assert "; the next best on the same words is wide with 49.0 % (z = 0.6)." in _reason(
        one, [one, wide]
    )
    mixed = trial("mixed", [1] * 40 + [0] * 10 + [1] * 9 + [0] * 41)  # 10 against 9: z = 0.23
    assert ", as good as mixed (49.0 %) and simpler." in _reason(one, [one, mixed])
    assert ", slightly above mixed (49.0 %)." in _reason(one, [mixed, one])


def test_boosting_grows_the_given_number_of_trees():
    generator = np.random.default_rng(0)
    groups = np.repeat(np.arange(60), 10)
    features = generator.standard_normal((600, 3))
    labels = np.zeros(600, dtype=bool)
    labels[np.arange(60) * 10 + features[:, 0].reshape(60, 10).argmax(axis=1)] = True
    ranker, scores = Boosting(trees=7, leaves=4).fit(features, labels, groups, groups % 2)
    assert [booster.num_trees() for booster in ranker.boosters] == [7, 7]
    expected = [booster.predict(features) for booster in ranker.boosters]
    np.testing.assert_allclose(ranker.scores(features), np.mean(expected, axis=0))
    np.testing.assert_allclose(scores, np.where(groups % 2 == 0, *expected))
    assert ranker.importance().sum() == pytest.approx(1.0)
    assert ranker.importance().argmax() == 0


def test_cosines_are_single_precision(evidence):
    found = evidence.views[0].cosines(np.arange(5), np.arange(5))
    assert found.dtype == np.float32
