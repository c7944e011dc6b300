import json

import numpy as np
import pytest

import lexalign
from lexalign.errors import LexalignError
from lexalign.procrustes import LOSSES
from lexalign.procrustes.quasi_newton import QuasiNewton
from lexalign.refinement import Refiner
from lexalign.vectors import Embeddings
from tests.conftest import planted_pair


def misfit(source, target):
    return float(np.abs(source.matrix - target.matrix).sum())


@pytest.fixture(scope="module")
def pair():
    source, target, _ = planted_pair(words=600, dimension=16, noise=0.02, tilt=0.3)
    return source, target


@pytest.mark.parametrize("loss", list(LOSSES))
def test_every_loss_brings_translations_closer(pair, loss):
    source, target = pair
    alignment = lexalign.refine(source, target, loss=loss, horizon=0.02)
    before = lexalign.refine(source, target, horizon=1e-9)
    assert misfit(alignment.source, alignment.target) < misfit(before.source, before.target)


def test_the_planted_rotation_is_found():
    source, target, rotation = planted_pair(noise=0.01, tilt=0.3)
    alignment = lexalign.refine(source, target, solver="minimum")
    np.testing.assert_allclose(alignment.map.source.matrix, rotation, atol=0.01)


def test_the_result_is_what_its_map_does(pair):
    source, target = pair
    alignment = lexalign.refine(source, target, horizon=5e-3)
    mapped = alignment.map.apply(source.matrix, "source")
    np.testing.assert_allclose(alignment.source.matrix, mapped, atol=1e-6)
    np.testing.assert_allclose(
        alignment.target.matrix, alignment.map.apply(target.matrix, "target"), atol=1e-6
    )
    assert alignment.source.words == source.words
    np.testing.assert_allclose(np.linalg.norm(alignment.source.matrix, axis=1), 1, atol=1e-5)


def test_rounds_go_on_where_the_last_one_stopped(pair):
    source, target = pair
    once, twice = (
        lexalign.refine(source, target, horizon=5e-3, rounds=rounds) for rounds in (1, 2)
    )
    again = lexalign.refine(once.source, once.target, horizon=5e-3)
    np.testing.assert_allclose(twice.source.matrix, again.source.matrix, atol=1e-4)
    assert [entry["round"] for entry in twice.history] == [1, 2]
    assert twice.history[1]["l1_after"] < once.history[0]["l1_after"]


def test_the_history_tells_all_and_is_json(pair):
    history = json.loads(json.dumps(lexalign.refine(*pair, horizon=1e-3).history))
    entry = history[0]
    assert entry["l1_after"] < entry["l1_before"]
    assert entry["orthogonality_error"] <= 1e-6
    assert entry["pairs"] > 500
    assert entry["outcome"] == "horizon"
    assert entry["steps"][-1]["loss"] == pytest.approx(entry["l1_after"], rel=1e-5)


def test_the_lexicon_holds_the_pairs_with_margins(pair):
    alignment = lexalign.refine(*pair, horizon=5e-3)
    assert len(alignment.lexicon.pairs) == alignment.history[-1]["pairs"]
    right = sum(source[1:] == target[1:] for source, target in alignment.lexicon.pairs)
    assert right / len(alignment.lexicon.pairs) > 0.95
    assert alignment.lexicon.weights is not None
    assert (alignment.lexicon.weights >= 0).all()


def test_an_aligned_input_is_not_centred_unless_asked(pair):
    source, target = pair
    shifted = Embeddings(source.words, source.matrix + np.float32(0.5))
    plain = lexalign.refine(shifted, target, horizon=5e-3)
    asked = lexalign.refine(shifted, target, horizon=5e-3, normalise="unit,centre,unit")
    assert plain.map.source.normalisation.means == ()
    assert len(asked.map.source.normalisation.means) == 1


def test_the_same_input_gives_the_same_bytes(pair):
    first, second = (lexalign.refine(*pair, horizon=5e-3).source.matrix.tobytes() for _ in range(2))
    assert first == second


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"loss": "l3"}, "`loss` parameter of refinement must be one of"),
        ({"solver": "magic"}, "`solver` parameter of refinement must be one of"),
        ({"retrieval": "magic"}, "`retrieval` parameter of refinement must be one of"),
        (
            {"rounds": 0},
            "`rounds` parameter of refinement must be a whole number, at least 1. Got 0",
        ),
        ({"horizon": -1.0}, "`horizon` parameter of refinement must be a finite number, above 0"),
        ({"neighbours": 0}, "`neighbours` parameter of refinement must be a whole"),
        ({"max_rank": -5}, "`max_rank` parameter of refinement must be a whole"),
        ({"normalise": "magic"}, "joined by commas"),
        ({"device": "tpu"}, "`device` parameter of refinement must be one of"),
        ({"solver": "vode", "loss": "l2"}, 'otherwise use `solver="flow"`'),
    ],
)
def test_bad_parameters_are_refused_before_any_work(change, sentence):
    with pytest.raises(LexalignError, match=sentence):
        Refiner(**change)


def test_different_dimensions_are_refused(pair):
    narrow = Embeddings(pair[1].words, pair[1].matrix[:, :7])
    with pytest.raises(LexalignError, match="16 dimensions and the target vectors 7"):
        lexalign.refine(pair[0], narrow)


def test_no_mutual_pair_is_said_plainly(monkeypatch, pair):
    from lexalign.refinement import refiner
    from lexalign.retrieval import MutualPairs

    nothing = MutualPairs(np.empty((0, 2), dtype=np.int64), np.empty(0))
    monkeypatch.setattr(refiner, "mutual_pairs", lambda *_, **__: nothing)
    with pytest.raises(LexalignError, match="nothing to refine; check that both files come from"):
        lexalign.refine(*pair, horizon=5e-3)


def test_a_loss_that_has_not_settled_is_a_warning(monkeypatch, pair):
    from lexalign.procrustes import solvers

    assert lexalign.refine(*pair, solver="minimum").warning is None
    monkeypatch.setattr(solvers, "QuasiNewton", lambda: QuasiNewton(max_steps=2))
    refined = lexalign.refine(*pair, solver="minimum", rounds=2)
    assert [entry["outcome"] for entry in refined.history] == ["step_limit"] * 2
    assert refined.warning == (
        'The loss did not converge in these rounds: 1, 2; use `solver="flow"`, or compare with the '
        "input on a test dictionary."
    )


@pytest.mark.gpu
def test_the_gpu_agrees_with_the_cpu(pair):
    cpu, gpu = (lexalign.refine(*pair, horizon=5e-3, device=device) for device in ("cpu", "cuda"))
    assert cpu.lexicon.pairs == gpu.lexicon.pairs
    np.testing.assert_allclose(gpu.source.matrix, cpu.source.matrix, atol=1e-4)
