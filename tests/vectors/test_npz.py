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
        for name, dtype, shape in (("words", "<U1", (1,)), ("vectors", "<f4", (1, 10**4))):
            with archive.open(f"{name}.npy", "w") as file:
                header = {"descr": dtype, "fortran_order": False, "shape": shape}
                np.lib.format.write_array_header_1_0(file, header)
                file.write(b"a\0\0\0")
    with pytest.raises(InputError, match="an array ends too early"):
        read(tmp_path / "b.npz")


def npz(path, words, vectors, compression=zipfile.ZIP_DEFLATED):
    """An archive whose arrays are (dtype, shape, content)."""
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, (dtype, shape, content) in (("words", words), ("vectors", vectors)):
            with archive.open(f"{name}.npy", "w") as file:
                header = {"descr": dtype, "fortran_order": False, "shape": shape}
                np.lib.format.write_array_header_1_0(file, header)
                for part in content:
                    file.write(part)
    return path


@pytest.mark.parametrize(
    ("words", "vectors", "message"),
    [
        (("<U1", (1,), [b"a\0\0\0"]), ("<f4", (1, 1 << 20), [bytes(1 << 22)]), "1,048,576 columns"),
        (("<U99999", (1,), [bytes(399_996)]), ("<f4", (1, 1), [bytes(4)]), "99,999 letters"),
        (
            ("<U1", (1 << 20,), [b"a\0\0\0" * (1 << 20)]),
            ("<f4", (1 << 20, 64), [bytes(1 << 20)] * 256),
            "'vectors' would grow from .* to 268,435,584 bytes, which is not plausible",
        ),
    ],
)
def test_small_files_that_would_fill_the_memory(tmp_path, words, vectors, message):
    path = npz(tmp_path / "bomb.npz", words, vectors)
    assert path.stat().st_size < 2 << 20
    with pytest.raises(InputError, match=message):
        read(path)


@pytest.mark.parametrize("order", ["<", ">"])
def test_numbers_that_are_no_characters(tmp_path, order):
    codes = np.array([0x61, 0x10FFFF, 0x110000], dtype=f"{order}u4")
    vectors = ("<f4", (3, 1), [bytes(12)])
    good = npz(
        tmp_path / "good.npz",
        (f"{order}U1", (2,), [codes[:2].tobytes()]),
        ("<f4", (2, 1), [bytes(8)]),
    )
    assert list(read(good).words) == ["a", "\U0010ffff"]
    bad = npz(tmp_path / "bad.npz", (f"{order}U1", (3,), [codes.tobytes()]), vectors)
    with pytest.raises(
        InputError, match="row 3: the word contains a code that is not a Unicode character"
    ):
        read(bad)


@pytest.mark.parametrize(
    "header",
    [b"{'descr': '<f4'", b"(" * 100, b"{'descr': 7, 'fortran_order': 1, 'shape': ()}", b"\xff"],
)
def test_headers_that_numpy_fails_on(tmp_path, header):
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        for name in ("words", "vectors"):
            content = header.ljust(117) + b"\n"
            archive.writestr(f"{name}.npy", b"\x93NUMPY\x01\x00\x76\x00" + content)
    with pytest.raises(InputError, match="the archive is damaged or not NumPy's"):
        read(tmp_path / "a.npz")


def test_nobody_is_advised_to_allow_pickles(tmp_path):
    np.savez(tmp_path / "a.npz", words=np.array(["a", None], dtype=object), vectors=np.ones((2, 2)))
    with pytest.raises(InputError) as caught:
        read(tmp_path / "a.npz")
    assert "pickle" not in str(caught.value)


def test_word_with_a_trailing_nul(tmp_path):
    with pytest.raises(OutputError, match="NUL"):
        write(Embeddings(["a\0"], [[1]]), tmp_path / "a.npz")


def test_limit(tmp_path):
    write(tiny(), tmp_path / "a.npz")
    assert list(read(tmp_path / "a.npz", limit=3).words) == WORDS[:3]
