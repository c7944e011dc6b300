import numpy as np
import pytest

from lexalign import Embeddings, LinearMap
from lexalign.errors import InputError
from lexalign.spaces import Normalisation, Side, Stage, normalise
from lexalign.spaces.probes import MOST_PROBES, Probe, ProbeCheck, probes_of
from tests.conftest import random_rotation

WORDS = [f"w{number}" for number in range(500)]


@pytest.fixture
def words():
    return Embeddings(WORDS, np.random.default_rng(0).standard_normal((500, 20)))


def test_probes_are_few_words_of_all_frequencies(words):
    probes = probes_of(words)
    assert 16 < len(probes) <= MOST_PROBES
    assert (probes[0].word, probes[-1].word) == ("w0", "w499")
    assert probes[0].length == pytest.approx(np.linalg.norm(words["w0"]), rel=1e-5)


def test_words_without_a_vector_are_no_probes():
    assert probes_of(Embeddings(["a", "b"], [[0.0, 0.0], [1.0, -1.0]]))[0].word == "b"


@pytest.mark.parametrize("decimals", [2, 4])
def test_rounded_vectors_fit(words, decimals):
    for probe in probes_of(words):
        assert probe.fits(words[probe.word].round(decimals))


def test_scaled_rotated_and_cut_vectors_do_not_fit(words):
    rotation = random_rotation(20, np.random.default_rng(1)).astype(np.float32)
    probe = probes_of(words)[3]
    vector = words[probe.word]
    assert probe.fits(vector)
    assert not probe.fits(1.1 * vector)
    assert not probe.fits(vector @ rotation)
    assert not probe.fits(np.concatenate((vector, vector)))


def test_a_small_rotation_is_noticed(words):
    skew = np.random.default_rng(3).standard_normal((20, 20))
    skew = 0.02 * (skew - skew.T)
    turned = words.matrix @ np.linalg.solve(np.eye(20) + skew, np.eye(20) - skew)
    assert 0.05 < np.linalg.norm(turned - words.matrix) / np.linalg.norm(words.matrix) < 0.3
    check = ProbeCheck(probes_of(words))
    with pytest.raises(InputError, match="learned for other vectors"):
        check.look(WORDS, turned)


def test_other_vectors_are_refused_as_soon_as_they_are_met(words):
    check = ProbeCheck(probes_of(words))
    with pytest.raises(
        InputError, match=r"\d+ of \d+ probe words have other vectors, such as 'w0'"
    ):
        check.look(WORDS[:100], 2 * words.matrix[:100])


def test_a_few_other_vectors_are_no_proof(words):
    matrix = np.array(words.matrix)
    matrix[0] *= 3
    check = ProbeCheck(probes_of(words))
    check.look(WORDS, matrix)
    check.require_fit()
    assert len(check.misfits) == 1


def test_without_any_probe_word_nothing_is_known(words):
    check = ProbeCheck(probes_of(words))
    check.look(["x", "y"], np.ones((2, 20), dtype=np.float32))
    check.require_fit()
    assert check.is_blind


def test_a_map_knows_its_vectors(words, tmp_path):
    space = normalise(words, "unit")
    rotation = random_rotation(20, np.random.default_rng(1))
    LinearMap(Side.of(space, rotation), Side()).save(tmp_path / "map.safetensors")
    loaded = LinearMap.load(tmp_path / "map.safetensors")
    mapped = loaded.apply(words, "source")
    np.testing.assert_allclose(mapped.matrix, space.words.matrix @ rotation, atol=1e-6)
    assert mapped.normalisation == ("unit",)
    with pytest.raises(InputError, match="the map was learned for other vectors"):
        loaded.apply(mapped, "source")
    forced = loaded.apply(mapped, "source", force=True)
    np.testing.assert_allclose(forced.matrix, mapped.matrix @ rotation, atol=1e-6)


def test_stages_that_cannot_be_merged_stay(words):
    generator = np.random.default_rng(2)
    skewed = generator.standard_normal((20, 20))
    rotation = random_rotation(20, generator)
    unit = Normalisation(("unit",))
    first, second = Side((Stage(unit, skewed),)), Side((Stage(unit, rotation),))
    whole = first.followed_by(second)
    assert len(whole.stages) == 2
    expected = second.apply(first.apply(words.matrix))
    np.testing.assert_array_equal(whole.apply(words.matrix), expected)
    with pytest.raises(Exception, match="2 stages has no single matrix"):
        _ = whole.matrix


def test_a_damaged_probe_is_no_map(words, tmp_path):
    bad = Probe("w0", 1.0, (1.0, 2.0))
    LinearMap(Side((), (bad,)), Side()).save(tmp_path / "map.safetensors")
    with pytest.raises(InputError, match="not a map of Lexalign"):
        LinearMap.load(tmp_path / "map.safetensors")
