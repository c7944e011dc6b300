"""Arrays that the explorer keeps."""

import numpy as np
import pytest

from lexalign.errors import InputError
from lexalign.explore.cached_array import load_array, save_array


def test_an_array_is_read_as_it_was_written(tmp_path):
    file, values = tmp_path / "new" / "a.npy", np.arange(6, dtype=np.uint16).reshape(3, 2)
    save_array(values, file)
    np.testing.assert_array_equal(np.load(file), values)
    np.testing.assert_array_equal(load_array(file, np.uint16, (3, 2), "numbers"), values)


@pytest.mark.parametrize(
    "values",
    [
        np.zeros(3, np.float64),
        np.zeros(4, np.float32),
        np.zeros((3, 1), np.float32),
        np.array([0, np.nan, 1], np.float32),
    ],
)
def test_another_array_is_refused(tmp_path, values):
    save_array(values, tmp_path / "a.npy")
    with pytest.raises(InputError, match=r"a\.npy: this does not hold the sums; delete it"):
        load_array(tmp_path / "a.npy", np.float32, (3,), "the sums")


def test_nothing_of_a_damaged_header_is_parsed(tmp_path):
    """NumPy would read it as Python, and allocate what it promises."""
    file = tmp_path / "a.npy"
    save_array(np.zeros(3, np.float32), file)
    file.write_bytes(file.read_bytes().replace(b"(3,)", b"(9,)"))
    with pytest.raises(InputError, match="does not hold the sums"):
        load_array(file, np.float32, (3,), "the sums")
    file.unlink()
    with pytest.raises(InputError, match="does not hold the sums"):
        load_array(file, np.float32, (3,), "the sums")
