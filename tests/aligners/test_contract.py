"""What every registered aligner promises."""

import json

import numpy as np
import pytest

from lexalign.aligners import ALIGNERS, align
from lexalign.errors import LexalignError
from lexalign.evaluate import bli
from lexalign.spaces import Alignment, LinearMap
from lexalign.vectors import Embeddings, Lexicon
from tests.conftest import planted_pair, random_rotation

ROTATIONS = {"procrustes", "procb", "dlv"}


def translations(numbers):
    return Lexicon([(f"s{i}", f"t{i}") for i in numbers])


@pytest.fixture(scope="module")
def pair():
    source, target, _ = planted_pair(words=400, dimension=16, noise=0.05)
    rotation = random_rotation(16, np.random.default_rng(5)).astype(np.float32)
    return Embeddings(source.words, source.matrix @ rotation), target


@pytest.fixture(params=list(ALIGNERS))
def name(request):
    return request.param


def test_it_recovers_a_planted_rotation_under_noise(name, pair):
    alignment = align(name, *pair, translations(range(60)))
    score = bli(alignment.source, alignment.target, translations(range(100, 400)))
    assert score.precision(1) > 0.97


def test_it_returns_an_alignment_that_explains_itself(name, pair):
    alignment = align(name, *pair, translations(range(60)))
    assert isinstance(alignment, Alignment)
    assert isinstance(alignment.map, LinearMap)
    assert alignment.map.provenance["method"] == name
    assert alignment.citation.endswith(".")
    assert len(alignment.history) >= 1
    json.dumps(alignment.history)
    json.dumps(dict(alignment.map.provenance))
    assert len(alignment.lexicon) >= 60
    for side, mapped in (("source", alignment.source), ("target", alignment.target)):
        raw = pair[0] if side == "source" else pair[1]
        np.testing.assert_allclose(alignment.map.apply(raw.matrix, side), mapped.matrix, atol=1e-5)


def test_it_gives_the_same_bits_twice(name, pair):
    one, other = (align(name, *pair, translations(range(60))) for _ in range(2))
    np.testing.assert_array_equal(one.source.matrix, other.source.matrix)
    np.testing.assert_array_equal(one.target.matrix, other.target.matrix)


def test_it_does_not_matter_how_the_source_was_turned(name, pair):
    turned = random_rotation(16, np.random.default_rng(9)).astype(np.float32)
    one = align(name, *pair, translations(range(60)))
    other = align(
        name, Embeddings(pair[0].words, pair[0].matrix @ turned), pair[1], translations(range(60))
    )
    similarities = [found.source.matrix @ found.target.matrix.T for found in (one, other)]
    np.testing.assert_allclose(*similarities, atol=2e-3)


def test_a_promised_rotation_is_orthogonal(name, pair):
    alignment = align(name, *pair, translations(range(60)))
    matrix = alignment.map.source.matrix
    drift = np.abs(matrix.T @ matrix - np.eye(16)).max()
    assert (drift < 1e-6) == (name in ROTATIONS)
    assert (alignment.map.target.matrix is None) == (name != "vecmap")


@pytest.mark.parametrize("loss", ["l1", "l21", "welsch"])
def test_a_robust_loss_withstands_wrong_seeds(name, pair, loss):
    """A fifth of the seeds is wrong; the map of the right ones is met better than by l2."""
    if name == "vecmap":
        with pytest.raises(LexalignError, match="only the loss l2 is defined"):
            align(name, *pair, translations(range(60)), loss=loss)
        return
    right = [(f"s{i}", f"t{i}") for i in range(80)]
    wrong = [(f"s{i}", f"t{i + 137}") for i in range(100, 120)]
    parameters = {"rcsls": {"iterations": 1}, "dlv": {"max_iterations": 1}}.get(name, {})
    if name == "procb":
        parameters = {"max_pairs": 100}
    misfit = {}
    for chosen in ("l2", loss):
        alignment = align(name, *pair, Lexicon(right + wrong), loss=chosen, **parameters)
        apart = alignment.source.matrix - alignment.target.matrix
        misfit[chosen] = np.linalg.norm(apart, axis=1).mean()
    if name == "dlv":  # its matching replaces the seeds at once
        assert misfit[loss] <= 1.02 * misfit["l2"]
    else:
        assert misfit[loss] < misfit["l2"]


def test_bad_input_gets_one_sentence(name, pair):
    with pytest.raises(LexalignError, match="know none of the 1 pairs of the seed lexicon; check"):
        align(name, *pair, Lexicon([("t1", "s1")]))
    narrow = Embeddings(pair[1].words, pair[1].matrix[:, :5])
    with pytest.raises(LexalignError, match="16 dimensions and the target vectors 5"):
        align(name, pair[0], narrow, translations(range(60)))
    with pytest.raises(LexalignError, match="'loss' must be one of"):
        align(name, *pair, translations(range(60)), loss="l3")
    with pytest.raises(LexalignError, match="'normalise' steps must be"):
        align(name, *pair, translations(range(60)), normalise="center")
    with pytest.raises(LexalignError, match="'target' must be Embeddings. Got str instead"):
        align(name, pair[0], "t.vec", translations(range(60)))
    with pytest.raises(LexalignError, match="'lexicon' must be a Lexicon. Got list instead"):
        align(name, *pair, [("s1", "t1")])


def test_an_unknown_method_is_refused(pair):
    with pytest.raises(LexalignError, match="aligner must be one of .*'procrustes'"):
        align("magic", *pair, translations(range(9)))


def test_words_spelled_the_same_are_seeds():
    source, target, _ = planted_pair(words=300, dimension=8, noise=0.02)
    shared = [str(number) if number % 3 else f"w{number}" for number in range(300)]
    same = Embeddings(shared, source.matrix), Embeddings(shared, target.matrix)
    for kind, count in (("identical", 300), ("numerals", 200)):
        alignment = align("procrustes", *same, kind)
        assert len(alignment.lexicon) == count
    with pytest.raises(LexalignError, match="no identical words in common"):
        align("procrustes", source, target, "identical")
    with pytest.raises(LexalignError, match="seeds must be one of"):
        align("procrustes", *same, "cognates")
