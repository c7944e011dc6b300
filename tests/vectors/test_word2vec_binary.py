from __future__ import annotations

import struct

import numpy as np
import pytest

from lexalign.errors import InputError, OutputError
from lexalign.vectors import Embeddings, detect_format, read, word2vec_binary, write
from lexalign.vectors.block import Quota

from .samples import assert_same


def row(word, *numbers, end=b"\n"):
    return word + b" " + struct.pack(f"<{len(numbers)}f", *numbers) + end


@pytest.fixture
def binary(tmp_path):
    """Writes bytes to a file and gives its path."""

    def put(content):
        path = tmp_path / "a.bin"
        path.write_bytes(content)
        return path

    return put


@pytest.mark.parametrize("end", [b"\n", b""])
def test_with_and_without_line_ends(binary, end):
    path = binary(b"2 2\n" + row(b"a", 1, 2, end=end) + row(b"b", 3, 4, end=end))
    assert_same(read(path), Embeddings(["a", "b"], [[1, 2], [3, 4]]))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"2 2\n" + row(b"a", 1, 2), "at least 24 bytes, but the file has 15"),
        (b"2 2\n" + row(b"abcdefghij", 1, 2) + row(b"b", 3, 4)[:9], "row 2 is incomplete"),
        (b"1 2\n" + row(b"a", 1, 2) + row(b"b", 3, 4), "more bytes after the 1 rows"),
        (b"99999999999 2\n" + row(b"a", 1, 2), "at least"),
        (b"2 99999999999\n" + row(b"a", 1, 2), "states 2 rows of 99999999999 numbers"),
        (b"2 65536\n" + row(b"a", 1, 2), "at least"),
        (b"0 2\n" + row(b"a", 1, 2), "states 0 rows"),
        (b"2 -2\n" + row(b"a", 1, 2), "states 2 rows of -2 numbers"),
        (b"1 2\n" + row(b"", 1, 2) + b"\n", "row 1: the word is missing"),
        (b"2 2\n" + row(b"a", 1, 2) + row(b"b", 3, float("nan")), "row 2: the vector of 'b'"),
    ],
)
def test_bad_files(binary, content, message):
    path = binary(content)
    with pytest.raises(InputError, match=message) as caught:
        read(path)
    assert str(caught.value).startswith(f"{path}")
    assert caught.value.remedy


@pytest.mark.parametrize("limit", [1, None])
def test_numbers_written_as_text_are_not_taken_for_binary_ones(tmp_path, limit):
    """Damaged text in which a row has just as many letters as a binary row has bytes."""
    path = tmp_path / "a.vec"
    path.write_bytes(b"2 2\nder 0.5 -1.0\x8adie 0.25 0.00003\n")
    with pytest.raises(InputError, match="row 1 is not one word and 2 numbers"):
        read(path, limit=limit)


def test_small_numbers_are_read(binary):
    small = np.array([[1e-4, 2e-12], [1e-19, -1e-4]], dtype=np.float32)
    path = binary(b"2 2\n" + row(b"a", *small[0]) + row(b"b", *small[1]))
    assert_same(read(path), Embeddings(["a", "b"], small))


def test_limit_does_not_look_further(binary):
    path = binary(b"4 2\n" + row(b"a", 1, 2) + row(b"a", 1, 2) + row(b"b", 3, 4) + b"\xff" * 20)
    assert list(read(path, limit=2).words) == ["a", "b"]
    with pytest.raises(InputError, match="row 4 is incomplete"):
        read(path, limit=3)


def test_rows_across_buffer_ends(tmp_path):
    matrix = np.random.default_rng(0).standard_normal((3000, 301)).astype(np.float32)
    embeddings = Embeddings([f"w{number}" for number in range(3000)], matrix)
    write(embeddings, tmp_path / "a.bin")
    assert_same(read(tmp_path / "a.bin"), embeddings)


def test_bytes_that_all_print_are_told_apart_by_the_name_only(tmp_path):
    content = b"1 2\nAAAA AAAAAAAA\n"
    for name, format in (("a.bin", "word2vec-binary"), ("a.vec", "text")):
        (tmp_path / name).write_bytes(content)
        assert detect_format(tmp_path / name) == format
    assert read(tmp_path / "a.bin").matrix.tolist() == [[12.078431129455566] * 2]


@pytest.mark.parametrize(
    ("word", "end"),
    [
        *((word, b"\n") for word in (b"New York", b"a b", b". . .")),
        *((word, b"") for word in (b"New York", b". . .", "é ü".encode())),
    ],
)
def test_a_blank_in_a_word_is_not_read_as_numbers(binary, word, end):
    """Programs write such words, with line ends after the numbers or, as gensim does, without."""
    rows = [(b"x", (0.25, 0.5)), (word, (0.1, 0.2)), (b"y", (0.3, 0.4)), (b"z", (0.5, 0.6))]
    content = b"".join(
        text + b" " + np.array(numbers, dtype="<f4").tobytes() + end for text, numbers in rows
    )
    path = binary(b"4 2\n" + content)
    with pytest.raises(InputError, match="its word may contain a blank"):
        list(word2vec_binary.read_blocks(path, Quota()))


def test_no_header_at_all(binary):
    with pytest.raises(InputError, match="does not begin with its numbers of rows"):
        next(word2vec_binary.read_blocks(binary(b"\x00\x01\x02"), Quota()))


@pytest.mark.parametrize("word", ["New York", "a\nb"])
def test_words_that_cannot_be_written(tmp_path, word):
    with pytest.raises(OutputError, match=r"write to a folder or to \.npz") as caught:
        write(Embeddings([word], np.ones((1, 2))), tmp_path / "a.bin")
    assert repr(word) in str(caught.value)
    assert list(tmp_path.iterdir()) == []
