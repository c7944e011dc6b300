"""The stopping point of a refinement, chosen by held-out words."""

import json
from itertools import pairwise

import numpy as np
import pytest

import lexalign
from lexalign.errors import LexalignError
from lexalign.procrustes import SOLVERS, RefinementPath, path_to_minimum
from lexalign.refinement import Refiner
from lexalign.refinement.stopping import (
    HeldOutWords,
    PointScore,
    fitted_words,
    selections,
    stopping_point,
)
from lexalign.vectors import Embeddings, Lexicon
from tests.conftest import exit_code, planted_pair, random_rotation


@pytest.fixture(scope="module")
def tilted():
    return planted_pair(words=1200, dimension=24, noise=0.16, tilt=2.5)


@pytest.fixture(scope="module")
def aligned():
    return planted_pair(words=1200, dimension=24, noise=0.16, tilt=0.0)


def scored(source, target, pairs, loss="l1"):
    """Score the path by rare words, none with the same spelling."""
    path = path_to_minimum(source[pairs[:, 0]], target[pairs[:, 1]], loss=loss)
    return HeldOutWords(named(source, "s"), named(target, "t"), 800).score(source, path)


def at(share, dimension):
    """A path of one point, the identity."""
    return RefinementPath("descent", (share,), np.eye(dimension)[None])


def named(matrix, prefix=""):
    return Embeddings([f"{prefix}{number}" for number in range(len(matrix))], matrix)


def test_it_follows_a_path_that_helps(tilted):
    source, target, rotation = tilted
    alignment = lexalign.refine(source, target, horizon="auto")
    (entry,) = alignment.history
    assert entry["outcome"] == "chosen"
    chosen = entry["path"][entry["chosen"]]
    assert chosen["accuracy"] == max(point["accuracy"] for point in entry["path"])
    assert chosen["accuracy"] > 1.1 * entry["path"][0]["accuracy"]
    found = alignment.map.source.matrix
    assert np.linalg.norm(found - rotation) < 0.5 * np.linalg.norm(np.eye(24) - rotation)


@pytest.mark.parametrize("loss", ["l1", "l2"])
def test_an_input_that_nothing_beats_is_returned_unchanged(aligned, loss):
    source, target, _ = aligned
    alignment = lexalign.refine(source, target, loss=loss, horizon="auto", rounds=3)
    np.testing.assert_array_equal(alignment.map.source.matrix, np.eye(24))
    (entry,) = alignment.history  # nothing would change in a second round
    assert entry["outcome"] == "unchanged"
    assert "The output is the input" in entry["message"]
    assert entry["chosen"] == 0
    assert entry["l1_before"] == entry["l1_after"]


def test_every_round_is_compared_with_the_input(tilted):
    source, target, rotation = tilted
    once, often = (
        lexalign.refine(source, target, loss="l2", horizon="auto", rounds=number)
        for number in (1, 2)
    )
    entries = often.history
    assert [entry["outcome"] for entry in entries] == ["chosen"] * 2
    assert entries[0]["path"] == once.history[0]["path"]
    for before, entry in pairwise(entries):
        reached, start = before["path"][before["chosen"]], entry["path"][0]
        assert start["share"] == 0.0
        assert start["z"] == pytest.approx(reached["z"], abs=0.2)
        assert start["accuracy"] == pytest.approx(reached["accuracy"], abs=0.005)
    apart = [np.linalg.norm(one.map.source.matrix - rotation) for one in (once, often)]
    assert apart[1] < apart[0]


def test_a_round_that_was_rejected_leaves_no_trace(tilted, monkeypatch):
    source, target, _ = tilted
    kept = lexalign.refine(source, target, horizon="auto", rounds=2)
    choices = iter([entry["chosen"] for entry in kept.history] + [0])
    monkeypatch.setattr("lexalign.refinement.refiner.stopping_point", lambda points: next(choices))
    longer = lexalign.refine(source, target, horizon="auto", rounds=6)
    assert [entry["outcome"] for entry in longer.history] == ["chosen", "chosen", "kept"]
    np.testing.assert_array_equal(kept.map.source.matrix, longer.map.source.matrix)
    assert kept.lexicon.pairs == longer.lexicon.pairs


def test_hardly_anything_happens_where_nothing_is_to_be_gained():
    changed = 0
    for seed in range(20):
        source, target, _ = planted_pair(words=600, dimension=16, noise=0.25, tilt=0.0, seed=seed)
        (entry,) = lexalign.refine(source, target, loss="l2", horizon="auto").history
        changed += entry["outcome"] != "unchanged"
    assert changed == 0


def test_sides_of_different_size_and_words_without_a_vector(tilted):
    source, target, _ = tilted
    (entry,) = lexalign.refine(source, target.top(700), horizon="auto").history
    assert entry["fitted_words"] == 466
    matrix, pairs = source.matrix.copy(), np.column_stack((np.arange(600), np.arange(600)))
    matrix[800:1000] = 0
    assert 0 < max(point.accuracy for point in scored(matrix, target.matrix, pairs)) <= 0.5
    matrix[800:] = 0
    assert max(point.accuracy for point in scored(matrix, target.matrix, pairs)) == 0


def test_too_few_held_out_words_are_refused():
    source, target, _ = planted_pair(words=299, dimension=8)
    with pytest.raises(LexalignError, match=r"needs 300 words per side, but one side has 299"):
        lexalign.refine(source, target, horizon="auto")


@pytest.mark.parametrize("loss", ["l1", "l2", "welsch"])
def test_neither_length_nor_number_nor_a_common_rotation_changes_the_choice(tilted, loss):
    source, target, _ = tilted
    x, z = source.matrix, target.matrix
    pairs = np.column_stack((np.arange(600), np.arange(600)))
    one = scored(x, z, pairs, loss)
    for other in (
        scored(50 * x, 50 * z, pairs, loss),
        scored(x, z, np.concatenate((pairs,) * 3), loss),
    ):
        assert stopping_point(one) == stopping_point(other)
        np.testing.assert_allclose(
            [point.accuracy for point in one], [point.accuracy for point in other], atol=0.01
        )
    if loss != "l1":  # which sees the axes
        common = random_rotation(24, np.random.default_rng(3)).astype(np.float32)
        turned = scored(x @ common, z @ common, pairs, loss)
        assert abs(stopping_point(turned) - stopping_point(one)) <= 1


def test_held_out_words_take_no_part_in_the_fit(tilted):
    source, target, _ = tilted
    x, z = source.matrix, target.matrix.copy()
    pairs = Refiner(horizon="auto").mutual(x, z).pairs
    fitted = fitted_words(x, z, 10_000)
    assert fitted == 800
    assert pairs.max() < fitted
    usual = scored(x, z, pairs)
    spoiled = z.copy()
    spoiled[np.setdiff1d(np.arange(fitted), pairs[:, 1])] = 0
    for one, other in zip(usual, scored(x, spoiled, pairs), strict=True):
        assert one.as_dict() == other.as_dict()
    spoiled[fitted:] = np.random.default_rng(0).standard_normal((400, 24)) / 5
    assert stopping_point(scored(x, spoiled, pairs)) == 0
    assert stopping_point(usual) > 0


def test_words_with_the_same_spelling_are_held_out_if_there_are_enough():
    source, target, _ = planted_pair(words=2400, dimension=24, noise=0.16, tilt=2.5)
    x, z = source.matrix, target.matrix
    path = path_to_minimum(x[:600], z[:600])
    names = [f"t{i}" if i % 2 == 0 else f"s{i}" for i in range(2400)]  # half are spelled alike
    held_out = HeldOutWords(Embeddings(names, x), target, 1400)
    assert held_out.spelled_alike
    assert len(held_out) == 500  # the even ones from 1,400 on
    points = held_out.score(x, path)
    rows = np.arange(1400, 2400, 2)
    right = [way == np.arange(500) for both in selections(x[rows], z[rows], 10) for way in both]
    assert points[0].accuracy == pytest.approx(np.mean(right))
    assert points[stopping_point(points)].share > 0.5
    few = HeldOutWords(Embeddings(names, x), target, 1402)
    assert not few.spelled_alike
    assert len(few) == 998
    (entry,) = lexalign.refine(Embeddings(names, x), target, max_rank=1400, horizon="auto").history
    assert entry["spelled_alike"]
    assert entry["held_out_words"] == 500


def test_words_spelled_alike_see_what_words_attached_to_wrong_pairs_do_not():
    """An aligner may have fitted the held-out words to wrong ones, as self-learning does."""
    source, target, _ = planted_pair(words=3000, dimension=24, noise=0.3, tilt=0.0)
    x, z = source.matrix, target.matrix
    right, wrong = np.arange(1500), np.random.default_rng(1).permutation(np.arange(1500, 3000))
    rows = np.concatenate((right, np.arange(1500, 3000), np.arange(1500, 3000)))
    learned = path_to_minimum(x[rows], z[np.concatenate((right, wrong, wrong))], loss="l2")
    moved = x @ learned.rotations[-1].astype(np.float32)
    path = path_to_minimum(moved[right], z[right], loss="l2")
    alike, apart = (HeldOutWords(named(moved, prefix), named(z), 1500) for prefix in ("", "s"))
    assert path.shares[stopping_point(alike.score(moved, path))] > 0.5
    assert stopping_point(apart.score(moved, path)) == 0


def test_held_out_words_are_frequent_in_both_languages_rather_than_in_one(monkeypatch):
    monkeypatch.setattr("lexalign.refinement.stopping.MAX_HELD_OUT_WORDS", 2)
    monkeypatch.setattr("lexalign.refinement.stopping.MIN_SPELLED_ALIKE", 2)
    generator = np.random.default_rng(0)
    matrix = generator.standard_normal((8, 4)).astype(np.float32)
    source = Embeddings(list("abcdefgh"), matrix)
    target = Embeddings(list("bxyedzca"), matrix)
    held_out = HeldOutWords(source, target, 3, neighbours=2)
    assert held_out.spelled_alike  # e and d lie at 4, 3 and at 3, 4; a at 0 and 7, c at 2 and 6
    asked = [3, 4]
    right = selections(matrix[asked], matrix[[4, 3]], 2)
    expected = np.mean([way == np.arange(2) for both in right for way in both])
    assert held_out.score(matrix, at(0.0, 4))[0].accuracy == pytest.approx(expected)


def test_the_points_are_those_of_the_path(tilted):
    source, target, _ = tilted
    x, z = source.matrix, target.matrix
    pairs = np.column_stack((np.arange(600), np.arange(600)))
    points = scored(x, z, pairs)
    path = path_to_minimum(x[:600], z[:600])
    for point, (share, rotation) in zip(points, path, strict=True):
        assert point.share == share
        np.testing.assert_array_equal(point.rotation, rotation)
    assert points[0].z == 0.0


def test_selections_are_those_of_the_definition():
    generator = np.random.default_rng(0)
    x, z = generator.standard_normal((2, 60, 5)).astype(np.float32)
    cosine = x @ z.T
    of_x = np.sort(cosine, axis=1)[:, -4:].mean(1)
    of_z = np.sort(cosine, axis=0)[-4:].mean(0)
    csls = 2 * cosine - of_x[:, None] - of_z[None]
    for (forward, backward), scores in zip(selections(x, z, 4), (csls, cosine), strict=True):
        np.testing.assert_array_equal(forward, scores.argmax(1))
        np.testing.assert_array_equal(backward, scores.argmax(0))


@pytest.mark.parametrize("prefix", ["s", "t"])  # of rarer words, and of words spelled alike
@pytest.mark.parametrize(
    ("before", "after", "z"),
    [((100, 200), (200, 184), -4.0), ((200, 100), (184, 200), -4.0), ((100, 100), (116, 200), 4.0)],
)
def test_what_one_measure_gains_does_not_make_up_for_the_other(
    monkeypatch, before, after, z, prefix
):
    def choosing(*right):
        """Of 200 words, as many as told choose their partner, the others their neighbour."""
        own = np.arange(200)
        ways = [np.where(own < number, own, np.roll(own, 1)) for number in right]
        return tuple((way, way) for way in ways)

    right = iter([before, after])  # by CSLS and by cosine
    monkeypatch.setattr(
        "lexalign.refinement.stopping.selections", lambda *sides: choosing(*next(right))
    )
    monkeypatch.setattr("lexalign.refinement.stopping.MIN_SPELLED_ALIKE", 200)
    source, target, _ = planted_pair(words=300, dimension=8)
    held_out = HeldOutWords(named(source.matrix, prefix), target, 100)
    assert held_out.spelled_alike == (prefix == "t")
    (point,) = held_out.score(source.matrix, at(0.5, 8))
    assert point.z == pytest.approx(z)
    assert point.accuracy == pytest.approx(sum(after) / 400)


@pytest.mark.parametrize(
    ("points", "chosen"),
    [
        ([(0.5, 0.0), (0.6, 2.9)], 0),  # may be chance
        ([(0.5, 0.0), (0.6, 3.1), (0.7, 3.0), (0.8, 2.9)], 2),
        ([(0.5, 0.0), (0.7, 4.0), (0.6, 3.5)], 1),
        ([(0.5, 0.0), (0.7, 4.0), (0.7, 5.0)], 1),
        ([(0.7, 4.0), (0.6, 3.5)], 0),  # a later round, whose start is better than the input
        ([(0.7, 2.9), (0.6, 3.5)], 0),
        ([(0.6, 4.0), (0.7, 3.5)], 1),
        ([(0.5, 0.0)], 0),
    ],
)
def test_the_best_of_the_points_that_are_clearly_better_is_taken(points, chosen):
    scores = [PointScore(0.1 * number, np.eye(2), *point) for number, point in enumerate(points)]
    assert stopping_point(tuple(scores)) == chosen


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"horizon": "soon"}, "`horizon` .* a finite number, above 0, or 'auto'. Got 'soon'"),
        ({"horizon": True}, "`horizon` .* Got True"),
        ({"horizon": float("nan")}, "`horizon` .* Got nan"),
        ({"beta": "auto"}, "`beta` parameter of refinement must be a finite number, .* Got 'auto'"),
        ({"horizon": "auto", "solver": "minimum"}, "whole path .* leave `solver` out"),
        (
            {"rounds": "auto"},
            "`rounds` parameter of refinement must be a whole number, at least 1. Got 'auto'",
        ),
        ({"rounds": 1.5}, "`rounds` .* whole number, at least 1. Got 1.5"),
    ],
)
def test_what_cannot_be_is_refused(parameters, sentence):
    with pytest.raises(LexalignError, match=sentence):
        Refiner(**parameters)


def test_a_refinement_stops_by_itself_unless_it_is_told_how_to_go(tilted):
    source, target, _ = tilted
    (by_default,) = lexalign.refine(source, target).history
    (asked,) = lexalign.refine(source, target, horizon="auto").history
    assert (by_default["outcome"], by_default["chosen"]) == ("chosen", asked["chosen"])
    assert {Refiner(solver=name).horizon for name in SOLVERS} == {5e-3}
    assert Refiner().parameters["solver"] == "path"


def test_the_command_tells_where_it_stopped(tmp_path, tilted, aligned, capsys, monkeypatch):
    for name, side in (("s", tilted[0]), ("t", tilted[1]), ("u", aligned[0]), ("v", aligned[1])):
        lexalign.write(side, tmp_path / f"{name}.vec")
    paths = [tmp_path / f"{name}.vec" for name in "stuv"]
    output = tmp_path / "out"
    assert exit_code("refine", *paths[:2], "--output", output, "--horizon", "auto") == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "with the most right choices of held-out words" in shown
    assert "of the path │" in shown
    assert "right choices, held-out words" in shown
    record = json.loads((output / "run.json").read_text())
    assert record["parameters"]["horizon"] == "auto"
    assert record["parameters"]["solver"] == "path"
    assert record["history"][0]["path"][0]["share"] == 0.0
    with monkeypatch.context() as patched:
        choices = iter([7, 1, 0])
        patched.setattr("lexalign.refinement.refiner.stopping_point", lambda points: next(choices))
        several = ["--horizon", "auto", "--rounds", 6, "--overwrite"]
        assert exit_code("refine", *paths[:2], "--output", output, *several) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "the previous round was the last" in shown
    assert "unchanged" not in shown
    record = json.loads((output / "run.json").read_text())
    pairs = record["history"][-2]["pairs"]
    assert f"│ {pairs} │" in shown
    assert len(Lexicon.read(output / "lexicon.tsv")) == pairs
    same = tmp_path / "same"
    assert exit_code("refine", *paths[2:], "--output", same, "--horizon", "auto") == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "The output is the input, normalised" in shown
    assert "refine again with --solver minimum" in shown
    record = json.loads((same / "run.json").read_text())
    highest = max(point["z"] for point in record["history"][0]["path"][1:])
    assert highest < 3
    assert f"z = {highest:.1f} (needs ≥ 3)" in shown
    assert "0 % of the path (input kept)" in shown
    assert exit_code("refine", *paths[:2], "--output", tmp_path / "x", "--horizon", "nix") == 2
    assert "'nix' is neither a number nor 'auto'" in capsys.readouterr().err


@pytest.mark.gpu
def test_the_gpu_chooses_alike(tilted):
    source, target, _ = tilted
    one, other = (
        lexalign.refine(source, target, horizon="auto", device=device).history[0]
        for device in ("cpu", "cuda")
    )
    assert one["chosen"] == other["chosen"]
    for here, there in zip(one["path"], other["path"], strict=True):
        assert here["accuracy"] == pytest.approx(there["accuracy"], abs=0.01)
