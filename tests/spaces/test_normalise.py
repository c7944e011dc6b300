import numpy as np
import pytest

from lexalign.errors import LexalignError
from lexalign.spaces import normalise
from lexalign.vectors import Embeddings

WORDS = Embeddings(
    ["a", "b", "c"], np.array([[3, 4], [0, 0], [-6, 8]], dtype=np.float32), language="en"
)


def test_unit_gives_length_one_and_leaves_zero_alone():
    result, *_ = normalise(WORDS, "unit")
    np.testing.assert_allclose(result.matrix, [[0.6, 0.8], [0, 0], [-0.6, 0.8]], atol=1e-7)
    assert result.normalisation == ("unit",)
    assert result.language == "en"
    np.testing.assert_array_equal(WORDS.matrix[0], [3, 4])


def test_centre_gives_mean_zero_and_keeps_the_mean():
    result, kept, _ = normalise(WORDS, "centre")
    np.testing.assert_allclose(result.matrix.mean(axis=0), 0, atol=1e-6)
    np.testing.assert_allclose(kept.means[0], [-1, 4])


@pytest.mark.parametrize("steps", ["none", "unit", "centre", "unit,centre,unit"])
def test_what_was_kept_repeats_it(steps):
    generator = np.random.default_rng(0)
    words = Embeddings(
        [str(i) for i in range(40)], generator.standard_normal((40, 6)).astype(np.float32)
    )
    result, kept, _ = normalise(words, steps)
    np.testing.assert_allclose(kept.apply(words.matrix), result.matrix, atol=1e-6)
    np.testing.assert_array_equal(kept.apply(words.matrix[7:9]), kept.apply(words.matrix)[7:9])


def test_none_does_not_copy():
    result, kept, _ = normalise(WORDS, "none")
    assert result is WORDS
    assert kept.steps == ()


@pytest.mark.parametrize("steps", ["", "unit,", "UNIT", "unit centre", "none,unit"])
def test_unknown_steps_are_refused(steps):
    with pytest.raises(LexalignError, match="joined by commas. Got"):
        normalise(WORDS, steps)


@pytest.mark.parametrize("size", [1e-45, 1e-42, 1e-35, 1e37, 3.4e38])
def test_very_short_and_very_long_vectors_get_unit_length(size):
    matrix = np.full((2, 4), size, dtype=np.float32)
    words = normalise(Embeddings(["a", "b"], matrix), "unit").words
    np.testing.assert_allclose(words.matrix, 0.5, rtol=1e-6)
