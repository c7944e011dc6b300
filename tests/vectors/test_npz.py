from __future__ import annotations

import zipfile

import numpy as np
import pytest

from lexalign.errors import InputError, OutputError
from lexalign.vectors import Embeddings, read, write

from .samples import MATRIX, WORDS, assert_same, tiny


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
@pytest.mark.parametrize("dtype", ["<f2", "<f4", "<f8", ">f4"])
def test_what_numpy_saved(tmp_path, save, dtype):
    vectors = np.array([[0.5, 1], [2, -0.25]], dtype=dtype)
    save(tmp_path / "a.npz", words=np.array(["a", "ß"]), vectors=vectors)
    assert_same(read(tmp_path / "a.npz"), Embeddings(["a", "ß"], vectors))


def test_numpy_loads_what_we_write(tmp_path):
    write(tiny(), tmp_path / "a.npz")
    with np.load(tmp_path / "a.npz", allow_pickle=False) as archive:
        assert archive["words"].tolist() == WORDS
        np.testing.assert_array_equal(archive["vectors"], MATRIX)


def test_the_same_vectors_give_the_same_bytes(tmp_path):
    write(tiny(), tmp_path / "a.npz")
    write(tiny(), tmp_path / "b.npz")
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"vocab": ["a"], "matrix": [[1.0]]}, "holds 'vocab', 'matrix'; save two arrays: 'words'"),
        ({"words": ["a"]}, "holds 'words'"),
        ({"words": ["a", "b"], "vectors": [[1.0]]}, "'words' has 2 entries, but 'vectors' has 1"),
        ({"words": ["a"], "vectors": [1.0]}, r"'vectors' is of type float64 and shape \(1,\)"),
        ({"words": ["a"], "vectors": [[1]]}, "'vectors' is of type int64"),
        ({"words": [b"a"], "vectors": [[1.0]]}, r"'words' is of type \|S1"),
        ({"words": np.array(["a"], object), "vectors": [[1.0]]}, "'words' is of type object"),
        ({"words": ["a"], "vectors": np.ones((1, 0))}, r"shape \(1, 0\)"),
        ({"words": [""], "vectors": [[1.0]]}, "row 1: the word is missing"),
        ({"words": ["a"], "vectors": [[np.inf]]}, "row 1: the vector of 'a'"),
        ({"words": ["a"], "vectors": [[1e300]]}, "row 1: the vector of 'a'"),
        ({"words": ["a", "b"], "vectors": np.ones((2, 2), order="F")}, "column by column"),
    ],
)
def test_other_layouts(tmp_path, arrays, message):
    np.savez(tmp_path / "a.npz", **arrays)
    with pytest.raises(InputError, match=message) as caught:
        read(tmp_path / "a.npz")
    assert caught.value.remedy


def test_archive_of_other_things(tmp_path):
    with zipfile.ZipFile(tmp_path / "glove.zip", "w") as archive:
        archive.writestr("glove.txt", "a 1 2\n")
    with pytest.raises(InputError, match=r"holds glove\.txt, but no NumPy arrays; unzip it"):
        read(tmp_path / "glove.zip")


def test_cut_off(tmp_path):
    write(tiny(), tmp_path / "a.npz")
    content = (tmp_path / "a.npz").read_bytes()
    (tmp_path / "a.npz").write_bytes(content[:200])
    with pytest.raises(InputError, match="damaged"):
        read(tmp_path / "a.npz")


def test_header_that_promises_too_much(tmp_path):
    write(tiny(), tmp_path / "a.npz")
    content = (tmp_path / "a.npz").read_bytes().replace(b"(5, 2), }", b"(5,2**9)}")
    (tmp_path / "a.npz").write_bytes(content)
    with pytest.raises(InputError, match="damaged"):
        read(tmp_path / "a.npz")
    with zipfile.ZipFile(tmp_path / "b.npz", "w") as archive:
        for name, dtype, shape in (("words", "<U1", (1,)), ("vectors", "<f4", (1, 10**15))):
            with archive.open(f"{name}.npy", "w") as file:
                header = {"descr": dtype, "fortran_order": False, "shape": shape}
                np.lib.format.write_array_header_1_0(file, header)
                file.write(b"a\0\0\0")
    with pytest.raises(InputError, match="an array ends early"):
        read(tmp_path / "b.npz")


def test_word_with_a_trailing_nul(tmp_path):
    with pytest.raises(OutputError, match="NUL"):
        write(Embeddings(["a\0"], [[1]]), tmp_path / "a.npz")


def test_limit(tmp_path):
    write(tiny(), tmp_path / "a.npz")
    assert list(read(tmp_path / "a.npz", limit=3).words) == WORDS[:3]
