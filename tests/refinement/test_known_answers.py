"""What a refinement records and how it chooses, on cases worked by hand."""

from contextlib import nullcontext
from itertools import pairwise

import numpy as np
import pytest

import lexalign
from lexalign.errors import LexalignError
from lexalign.procrustes import Outcome, RefinementPath, solve
from lexalign.progress import Progress
from lexalign.refinement import CITATION, Refiner, stopping
from lexalign.refinement.round_record import RefinementRound, l1_misfit, round_entry
from lexalign.refinement.stopping import (
    Decision,
    HeldOutWords,
    PointScore,
    _spelled_alike,
    fitted_words,
    selections,
)
from lexalign.refinement.weights import inlier_probabilities, pair_weights
from lexalign.retrieval import MutualPairs, mutual_pairs
from lexalign.vectors import Embeddings
from tests.conftest import planted_pair


@pytest.fixture
def pair():
    source, target, _ = planted_pair(words=120, dimension=6, noise=0.3, tilt=0.5)
    return source, target


def unit(matrix):
    return matrix / np.linalg.norm(matrix, axis=1, keepdims=True)


@pytest.mark.parametrize(
    "options",
    [
        {"retrieval": "nn"},
        {"retrieval": "csls", "neighbours": 3},
        {"retrieval": "invsoftmax", "beta": 2.0},
        {"max_rank": 40},
    ],
)
def test_a_round_solves_the_problem_of_its_mutual_pairs(pair, options):
    x, z = (unit(side.matrix) for side in pair)
    found = mutual_pairs(x, z, **options)
    rotation = solve(x[found.pairs[:, 0]], z[found.pairs[:, 1]], horizon=0.02).rotation
    aligned = Refiner(horizon=0.02, **options).fit(*pair)
    np.testing.assert_allclose(aligned.map.source.matrix, rotation, atol=1e-5)
    np.testing.assert_allclose(aligned.lexicon.weights, found.margins, atol=1e-5)
    assert aligned.map.target.matrix is None
    assert aligned.citation == CITATION
    assert aligned.map.provenance["method"] == "refine"
    assert aligned.map.provenance["parameters"]["horizon"] == 0.02
    (entry,) = aligned.history
    after = x[found.pairs[:, 0]] @ rotation
    assert entry["round"] == 1
    assert entry["pairs"] == len(found)
    assert entry["l1_before"] == pytest.approx(
        np.abs(x[found.pairs[:, 0]] - z[found.pairs[:, 1]]).sum(), rel=1e-4
    )
    assert entry["l1_after"] == pytest.approx(np.abs(after - z[found.pairs[:, 1]]).sum(), rel=1e-4)
    assert entry["message"] == Outcome.HORIZON.value
    assert set(entry["seconds"]) == {"dictionary", "solve"}
    assert all(0 < seconds < 60 for seconds in entry["seconds"].values())
    assert [step["step"] for step in entry["steps"]] == list(range(len(entry["steps"])))


@pytest.mark.parametrize("loss", ["l2", "l21"])
@pytest.mark.parametrize("weights", ["margin", "inlier"])
def test_a_round_weighs_its_pairs(pair, loss, weights):
    x, z = (unit(side.matrix) for side in pair)
    found = mutual_pairs(x, z)
    a, b = x[found.pairs[:, 0]], z[found.pairs[:, 1]]
    values = pair_weights(weights, found, a, b)
    expected = solve(a, b, loss=loss, weights=values, solver="minimum").rotation
    aligned = lexalign.refine(*pair, loss=loss, weights=weights, solver="minimum")
    np.testing.assert_allclose(aligned.map.source.matrix, expected, atol=1e-4)


def test_the_parameters_name_the_solver_that_is_used():
    assert Refiner().parameters["solver"] == "path"
    assert Refiner(horizon=0.1).parameters["solver"] == "flow"
    assert Refiner(horizon=0.1, loss="l2").parameters["solver"] == "closed form"
    assert Refiner(solver="minimum").parameters["solver"] == "minimum"
    assert Refiner(solver="minimum").horizon == 5e-3
    assert Refiner(max_rank=7).parameters["max_rank"] == 7
    assert Refiner(max_rank=7, horizon=1.0).fitted([0] * 50, [0] * 60) == 7


def test_stages_and_steps_are_told(pair):
    seen = []

    class Counting(Progress):
        def stage(self, name, *facts, **more):
            seen.append(name)
            return super().stage(name, *facts, **more)

    progress = Counting()
    Refiner(horizon=0.01, rounds=2).fit(*pair, progress)
    assert seen == ["finding mutual pairs", "solving"] * 2
    assert set(progress.seconds) == {"finding mutual pairs", "solving"}
    steps = []

    class Listening(Progress):
        def shown(self, stage):
            stage.listener = steps.append
            return nullcontext()

    x, z = (unit(side.matrix) for side in pair)
    turn = Refiner(horizon=0.01).turn(x, z, mutual_pairs(x, z), Listening())
    assert steps == [1] * len(turn.record["steps"])


def test_unaligned_spaces_and_losses_that_do_not_settle_are_both_said(monkeypatch):
    from lexalign.procrustes import solvers
    from lexalign.procrustes.quasi_newton import QuasiNewton

    generator = np.random.default_rng(0)
    twins = np.repeat(generator.standard_normal((150, 80)), 2, axis=0)
    matrices = (
        twins + 0.1 * generator.standard_normal((300, 80)),
        generator.standard_normal((300, 80)),
    )
    sides = [
        Embeddings([f"{name}{i}" for i in range(300)], matrix)
        for name, matrix in zip("st", matrices, strict=True)
    ]
    monkeypatch.setattr(solvers, "QuasiNewton", lambda: QuasiNewton(max_steps=1))
    warning = lexalign.refine(*sides, solver="minimum", rounds=2).warning
    assert warning.startswith("The mutual pairs have a mean similarity of ")
    assert warning.endswith(
        'did not converge in these rounds: 1, 2; use `solver="flow"`, or compare with the '
        "input on a test dictionary."
    )


def test_the_figures_of_a_round():
    a, b = np.float32([[1, 0], [0, 2]]), np.float32([[0, 1], [0, 0]])
    assert l1_misfit(a, b) == 4.0
    quarter = np.array([[0.0, 1.0], [-1.0, 0.0]])
    turn = RefinementRound(quarter, Decision.CHOSEN, {"chosen": 3})
    assert round_entry(2, a, b, turn, {"solve": 1.5}) == {
        "round": 2,
        "pairs": 2,
        "l1_before": 4.0,
        "l1_after": 2.0,  # (0, 1) is met, and (−2, 0) lies 2 from 0
        "orthogonality_error": 0.0,
        "outcome": "chosen",
        "message": Decision.CHOSEN.value,
        "seconds": {"solve": 1.5},
        "chosen": 3,
    }


def test_a_point_as_json():
    point = PointScore(0.3, np.eye(2), 0.7, 4.5)
    assert point.as_dict() == {"share": 0.3, "accuracy": 0.7, "z": 4.5}


def test_two_thirds_of_the_words_are_fitted_at_most():
    assert fitted_words([0] * 300, [0] * 400, 1000) == 200
    assert fitted_words([0] * 400, [0] * 300, 150) == 150
    with pytest.raises(LexalignError, match="needs 300 words per side, but one side has 299"):
        fitted_words([0] * 299, [0] * 400, 1000)


def test_the_z_score_by_hand():
    """By CSLS words gain 1, 1, 1 and lose 1: 2/√4. By cosine one gains 2, one loses 1: 1/√5."""
    before = np.array([[[0, 0, 0, 1]] * 2, [[0, 1, 0, 0]] * 2], dtype=bool)
    after = before.copy()
    after[0] = [[1, 1, 1, 0], [0, 0, 0, 1]]
    after[1] = [[1, 0, 0, 0], [1, 1, 0, 0]]
    assert stopping._z_score(before, after) == pytest.approx(min(2 / 2, 1 / 5**0.5))
    assert stopping._z_score(before, before) == 0.0


def test_selections_by_csls_and_cosine():
    generator = np.random.default_rng(2)
    x, z = (unit(generator.standard_normal((n, 4))).astype(np.float32) for n in (30, 25))
    cosine = x @ z.T
    r_x, r_z = (-np.sort(-table, axis=1)[:, :5].mean(axis=1) for table in (cosine, cosine.T))
    csls = 2 * cosine - r_x[:, None] - r_z
    (forward, backward), (nearest, nearest_back) = selections(x, z, 5)
    assert forward.tolist() == csls.argmax(axis=1).tolist()
    assert backward.tolist() == csls.argmax(axis=0).tolist()
    assert nearest.tolist() == cosine.argmax(axis=1).tolist()
    assert nearest_back.tolist() == cosine.argmax(axis=0).tolist()


def test_shared_words_are_held_out_from_the_first_row_on(monkeypatch):
    """Rows of a: 0 and 3, of b: 1 and 0, of d: 3 and 2; b lies before row 2 on both sides."""
    source = Embeddings(["a", "b", "c", "d"], np.eye(4))
    target = Embeddings(["b", "x", "d", "a"], np.eye(4))
    rows = _spelled_alike(source, target, 2)
    assert [side.tolist() for side in rows] == [[0, 3], [3, 2]]
    assert [side.tolist() for side in _spelled_alike(source, target, 1)] == [[1, 0, 3], [0, 3, 2]]
    monkeypatch.setattr(stopping, "MAX_HELD_OUT_WORDS", 1)
    assert [side.tolist() for side in _spelled_alike(source, target, 1)] == [[1], [0]]
    nothing = _spelled_alike(source, Embeddings(["y"], np.eye(4)[:1]), 0)
    assert [side.shape for side in nothing] == [(0,), (0,)]


def test_held_out_words_are_those_after_the_fitted_ones(monkeypatch):
    source, target, _ = planted_pair(words=60, dimension=5, noise=0.2, tilt=0.4)
    held_out = HeldOutWords(source, target, 40, neighbours=3)
    assert (len(held_out), held_out.spelled_alike) == (20, False)
    monkeypatch.setattr(stopping, "MAX_HELD_OUT_WORDS", 15)
    assert len(HeldOutWords(source, target, 40)) == 15
    assert len(HeldOutWords(source, target.top(50), 40)) == 10
    monkeypatch.undo()
    path = RefinementPath("ends", (0.0, 1.0), np.stack((np.eye(5), -np.eye(5))))
    told = []
    start, end = held_out.score(source.matrix, path, told.append)
    assert told == [1, 1]
    assert (start.share, end.share, start.z) == (0.0, 1.0, 0.0)
    x, z = source.matrix[40:], target.matrix[40:]
    for point, sign in ((start, 1), (end, -1)):
        right = [
            backward[forward] == np.arange(20) for forward, backward in selections(sign * x, z, 3)
        ]
        assert point.accuracy == pytest.approx(np.mean(right))
        np.testing.assert_array_equal(point.rotation, sign * np.eye(5))
    assert end.z < 0


def test_words_spelled_alike_are_right_if_they_choose_themselves(monkeypatch):
    monkeypatch.setattr(stopping, "MIN_SPELLED_ALIKE", 20)
    source, target, _ = planted_pair(words=60, dimension=5, noise=0.5)
    alike = Embeddings([f"s{number}" for number in range(60)], target.matrix)
    held_out = HeldOutWords(source, alike, 40)
    assert held_out.spelled_alike
    path = RefinementPath("none", (0.0,), np.eye(5)[None])
    (point,) = held_out.score(source.matrix, path)
    chosen = selections(source.matrix[40:], target.matrix[40:], 10)
    right = [[way == np.arange(20) for way in ways] for ways in chosen]
    assert 0 < np.mean(right) < 1
    assert point.accuracy == pytest.approx(np.mean(right))
    monkeypatch.setattr(stopping, "MIN_SPELLED_ALIKE", 21)
    assert not HeldOutWords(source, alike, 40).spelled_alike


def test_the_record_of_a_chosen_point():
    source, target, _ = planted_pair(words=900, dimension=24, noise=0.16, tilt=2.5)
    aligned = lexalign.refine(source, target)
    (entry,) = aligned.history
    assert (entry["fitted_words"], entry["held_out_words"]) == (600, 300)
    assert entry["spelled_alike"] is False
    assert entry["outcome"] == "chosen"
    shares = [point["share"] for point in entry["path"]]
    assert all(one < other for one, other in pairwise(shares))
    assert entry["path"][entry["chosen"]]["z"] >= 3
    assert entry["path"][0] == {"share": 0.0, "accuracy": entry["path"][0]["accuracy"], "z": 0.0}


def test_weights_by_margin_and_by_distance():
    mutual = MutualPairs(np.array([[0, 0], [1, 1]]), np.array([1.0, 3.0]))
    a, b = np.zeros((2, 2), np.float32), np.array([[3, 4], [0, 1]], np.float32)
    assert pair_weights("equal", mutual, a, b) is None
    assert pair_weights("margin", mutual, a, b).tolist() == [0.5, 1.5]
    assert pair_weights("inlier", mutual, a, b) == pytest.approx([0.0, 2.0], abs=1e-5)


def test_the_mixture_of_distances_is_that_of_its_fixed_point():
    """Probabilities, shares, means and the one variance agree with each other at the end."""
    generator = np.random.default_rng(0)
    distances = np.concatenate((generator.normal(1, 0.3, 300), generator.normal(2, 0.3, 100)))
    found = inlier_probabilities(distances)
    share = found.mean()
    near, far = (np.average(distances, weights=w) for w in (found, 1 - found))
    variance = (found * (distances - near) ** 2 + (1 - found) * (distances - far) ** 2).mean()
    density = [
        part * np.exp(-((distances - mean) ** 2) / (2 * variance))
        for part, mean in ((share, near), (1 - share, far))
    ]
    np.testing.assert_allclose(found, density[0] / sum(density), atol=1e-3)
    assert (share, near, far) == pytest.approx((0.75, 1, 2), abs=0.05)
    assert inlier_probabilities(np.ones(3)).tolist() == [1, 1, 1]


def test_one_word_more_in_one_direction_is_one_standard_error():
    before = np.zeros((1, 2, 3), dtype=bool)
    after = before.copy()
    after[0, 0, 0] = True
    assert stopping._z_score(before, after) == 1.0
    assert stopping._z_score(before, before) == 0.0
