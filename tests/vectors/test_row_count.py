"""The number of rows is known, or estimated, before a file is read."""

import gzip
import lzma
import struct

import numpy as np
import pytest

from lexalign.progress import Stage
from lexalign.vectors import Embeddings, detect_format, read, read_stream, write
from lexalign.vectors import row_count as module
from lexalign.vectors.row_count import RowCount, announce_rows, row_count

ROWS = 60


@pytest.fixture
def embeddings():
    random = np.random.default_rng(0)
    return Embeddings([f"w{row:04}" for row in range(ROWS)], random.standard_normal((ROWS, 4)))


@pytest.fixture
def plain(embeddings, tmp_path):
    """Text without a header."""
    write(embeddings, tmp_path / "headed.vec")
    lines = (tmp_path / "headed.vec").read_bytes().split(b"\n", 1)[1]
    (tmp_path / "plain.txt").write_bytes(lines)
    return tmp_path / "plain.txt"


@pytest.mark.parametrize(
    "name", ["a.vec", "a.vec.gz", "a.txt.bz2", "a.txt.xz", "a.bin", "a.npz", "a"]
)
def test_a_stated_number_is_exact(embeddings, tmp_path, name):
    path = tmp_path / name
    write(embeddings, path)
    assert row_count(path, detect_format(path)) == RowCount(ROWS, stated=True)


def test_a_small_file_without_header_is_counted(plain):
    assert row_count(plain, "text") == RowCount(ROWS, stated=True)


@pytest.mark.parametrize("pack", [lambda content: content, gzip.compress, lzma.compress])
def test_a_large_file_without_header_is_estimated(plain, monkeypatch, pack):
    numbers = np.random.default_rng(0).random((40_000, 4))
    content = b"".join(b"w %f %f %f %f\n" % tuple(row) for row in numbers.tolist())
    plain.write_bytes(pack(content))
    monkeypatch.setattr(module, "_SAMPLE_BYTES", len(content) // 2)
    found = row_count(plain, "text")
    assert found is not None
    assert not found.stated
    assert 0.7 < found.rows / 40_000 < 1.5


def test_the_head_of_a_fasttext_model_states_it(tmp_path):
    head = struct.pack("<ii", 793712314, 12) + bytes(4 * 12 + 8) + struct.pack("<iii", 77, 77, 0)
    (tmp_path / "model.bin").write_bytes(head)
    assert row_count(tmp_path / "model.bin", "fasttext-binary") == RowCount(77, stated=True)


@pytest.mark.parametrize(
    ("format", "content"),
    [
        ("npz", b"PK\x03\x04 and no more"),
        ("fasttext-binary", b"short"),
        ("folder", b""),
        ("text", b"-1 5\n"),
        ("text", gzip.compress(b"a 1 2\n" * 1000, mtime=0)[:40]),
        ("word2vec-binary", b"\xfd7zXZ\x00damaged"),
    ],
)
def test_a_damaged_file_is_left_to_the_reader(tmp_path, format, content):
    (tmp_path / "a").write_bytes(content)
    assert row_count(tmp_path / "a", format) is None
    stage = Stage("reading", 5)
    announce_rows(stage, tmp_path / "a", format, 10)
    assert stage.total is None


@pytest.mark.parametrize(
    ("limit", "expected"), [(None, ROWS), (20, 20), (ROWS, ROWS), (1000, ROWS)]
)
def test_a_stage_counts_the_rows_that_are_read(embeddings, tmp_path, limit, expected):
    write(embeddings, tmp_path / "a.vec")
    stage = Stage("reading", unit="words")
    assert len(read(tmp_path / "a.vec", limit=limit, stage=stage)) == expected
    assert (stage.done, stage.total, stage.certainty) == (expected, expected, "exactly")


def test_an_estimate_is_called_one(plain, monkeypatch):
    monkeypatch.setattr(module, "_SAMPLE_BYTES", 500)
    stage = Stage("reading")
    for _ in read_stream(plain, stage=stage):
        assert stage.certainty == "about"
        assert stage.done == 0
    assert stage.done == ROWS
    announce_rows(stage, plain, "text", 5)
    assert (stage.total, stage.certainty) == (5, "exactly")
