import csv
import json

import numpy as np
import pytest

from lexalign.demo import demo_embeddings
from lexalign.errors import LexalignError
from lexalign.procrustes import LOSSES, Outcome, Solution
from lexalign.refinement import Refiner
from lexalign.report import Change, DistanceChange, Misfit, distance_changes, distances
from lexalign.spaces import unit_length
from lexalign.vectors import Embeddings
from tests.conftest import planted_pair
from tests.report.samples import OUTLIERS, WORDS, bent_pair


@pytest.fixture(scope="module")
def changes():
    return distance_changes(*bent_pair())


def test_l1_serves_the_many_and_l2_the_outliers(changes):
    """The planted rotation is 0.048 away: l1 finds it, l2 gives most of it up for the outliers."""
    assert len(changes) == WORDS
    assert {source for source, _ in changes.pairs[-OUTLIERS:]} == {
        f"s{number}" for number in range(WORDS - OUTLIERS, WORDS)
    }
    inliers, outliers = (
        {loss: float(change.values[part].mean()) for loss, change in changes.changes.items()}
        for part in (slice(-OUTLIERS), slice(-OUTLIERS, None))
    )
    assert inliers["l1"] < -0.04 < inliers["l2"]
    assert outliers["l2"] < -0.05 < outliers["l1"]
    l1, l2 = changes.changes["l1"], changes.changes["l2"]
    assert l2.closer < 0.8 < 0.95 < l1.closer
    assert l1.quarters[0] < -0.03
    assert l2.quarters[0] > 0
    assert list(l2.quarters) == sorted(l2.quarters, reverse=True)
    assert l1.misfit.l1 < l2.misfit.l1 < changes.before.l1
    assert l2.misfit.l2 < l1.misfit.l2 < changes.before.l2


@pytest.mark.parametrize(
    "more", [*({"loss": loss} for loss in LOSSES), {"horizon": "auto"}, {"weights": "inlier"}]
)
def test_pairs_and_changes_are_those_of_the_refiner(more):
    source, target = bent_pair()
    if stops_by_itself := more.get("horizon") == "auto":
        source, target, _ = planted_pair(words=1200, dimension=24, noise=0.16, tilt=2.5)
    rules = {"max_rank": 800 if stops_by_itself else 250, "neighbours": 5}
    refiner = Refiner(**{"horizon": 5e-3, **rules, **more}, normalise="unit,centre,unit")
    loss = refiner.loss
    refined = refiner.fit(source, target)
    learned = refiner.fit(source, target)
    entry = learned.history[0]
    assert entry["l1_after"] < entry["l1_before"]
    changes = distance_changes(source, target, refiner, losses=[loss])
    assert sorted(changes.pairs) == sorted(refined.lexicon.pairs)
    rows, columns = (
        [side.index[pair[place]] for pair in changes.pairs]
        for place, side in enumerate((refined.source, refined.target))
    )
    after = np.linalg.norm(refined.source.matrix[rows] - refined.target.matrix[columns], axis=1)
    change = changes.changes[loss]
    np.testing.assert_allclose(changes.distances + change.values, after, atol=1e-5)
    assert changes.before.l1 == pytest.approx(entry["l1_before"], rel=1e-5)
    assert change.misfit.l1 == pytest.approx(entry["l1_after"], rel=1e-4)
    assert change.message == refined.history[0]["message"]


def test_pairs_come_in_the_order_of_their_original_distance(changes):
    assert (np.diff(changes.distances) >= 0).all()
    source, target = (unit_length(side) for side in bent_pair())
    for row in (0, 150, 299):
        left, right = changes.pairs[row]
        assert changes.distances[row] == pytest.approx(
            np.linalg.norm(source[left] - target[right]), abs=1e-6
        )


def test_a_summary_by_hand():
    values = np.array([-1.0, -3.0, 2.0, 4.0, -6.0, 0.0, -2.0, -10.0])
    change = Change(values, Misfit(1.0, 2.0), "done")
    assert change.closer == 5 / 8
    assert change.mean == -2.0
    assert change.median == -1.5
    assert change.quarters == (-2.0, 3.0, -3.0, -6.0)
    assert Change(values[:2], Misfit(1.0, 2.0), "done").quarters == (-1.0, -3.0, None, None)


def test_the_csv_holds_every_pair_exactly(changes):
    header, *rows = csv.reader(changes.csv().splitlines())
    assert header == ["source", "target", "distance", "l1_change", "l2_change"]
    assert [tuple(row[:2]) for row in rows] == list(changes.pairs)
    numbers = np.array([row[2:] for row in rows], dtype=float).T
    np.testing.assert_array_equal(numbers[0], changes.distances)
    np.testing.assert_array_equal(numbers[2], changes.changes["l2"].values)


def test_words_with_commas_and_quotes_survive_the_csv():
    pairs = [('a,"b"', "straße")]
    odd = DistanceChange(pairs, np.array([0.5]), Misfit(1.0, 1.0), {})
    assert list(csv.reader(odd.csv().splitlines()))[1] == ['a,"b"', "straße", "0.5"]


def test_the_summary_is_json(changes):
    summary = json.loads(json.dumps(changes.as_dict(), allow_nan=False))
    assert summary["pairs"] == WORDS
    assert list(summary["losses"]) == ["l1", "l2"]
    assert summary["losses"]["l2"]["quarters"] == list(changes.changes["l2"].quarters)
    assert summary["distance"]["quarters"] == sorted(summary["distance"]["quarters"])
    assert summary["warning"] is None


def test_the_trend_is_a_median_then_a_mean():
    values = np.array([0.0, 0.0, 90.0, 3.0, 3.0])
    np.testing.assert_allclose(distances.trend(values, 3), [0, 1, 2, 3, 3])
    np.testing.assert_array_equal(distances.trend(values, 1), values)


def test_spaces_that_are_not_aligned_are_doubted():
    raw = (demo_embeddings(language).top(1_000) for language in ("en", "de"))
    assert "do not look aligned. Align them first" in distance_changes(*raw, losses=["l2"]).warning


@pytest.mark.parametrize(
    ("parameters", "losses", "problem"),
    [
        ({}, [], "`losses` must be one or more different names"),
        ({}, ["l1", "l1"], r"Got \['l1', 'l1'\] instead"),
        ({}, ["l3"], "`loss` parameter of refinement must be one of"),
        ({"rounds": 2}, ["l1"], "`rounds` must be 1 here"),
        ({"solver": "vode"}, ["l1", "l2"], "solver 'vode' supports only"),
    ],
)
def test_what_cannot_be_shown_is_refused(parameters, losses, problem):
    with pytest.raises(LexalignError, match=problem):
        distance_changes(*bent_pair(), Refiner(**parameters), losses=losses)


def test_no_mutual_pair_is_said_plainly():
    """A zero vector has no translation."""
    source = Embeddings(["a", "b"], np.zeros((2, 2)))
    with pytest.raises(LexalignError, match="nothing to refine; check that both files"):
        distance_changes(source, source, Refiner(retrieval="nn", horizon=5e-3))


def test_a_solver_that_failed_shows_nothing(monkeypatch):
    failed = Solution(np.eye(20), Outcome.NOT_FINITE, ())
    monkeypatch.setattr("lexalign.refinement.refiner.solve", lambda *_, **__: failed)
    with pytest.raises(LexalignError, match=failed.message[:20]):
        distance_changes(*bent_pair())
