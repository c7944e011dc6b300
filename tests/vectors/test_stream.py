from __future__ import annotations

import shutil

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lexalign.errors import InputError, LexalignError, OutputError
from lexalign.vectors import (
    Block,
    Census,
    Embeddings,
    Policy,
    block,
    convert,
    read,
    read_stream,
    write,
    write_stream,
)

from .samples import WORDS, WRITABLE, assert_same, embeddings_for, tiny

quick = settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.mark.parametrize("name", WRITABLE)
@quick
@given(data=st.data())
def test_round_trip(tmp_path, name, data):
    embeddings = data.draw(embeddings_for(name))
    write(embeddings, tmp_path / name, overwrite=True)
    assert_same(read(tmp_path / name), embeddings)


@pytest.mark.parametrize("source", WRITABLE)
@pytest.mark.parametrize("target", WRITABLE)
def test_convert_loses_nothing(tmp_path, source, target):
    write(tiny(), tmp_path / source)
    (tmp_path / "out").mkdir()
    census = convert(tmp_path / source, tmp_path / "out" / target)
    assert census == Census(rows_read=5)
    assert_same(read(tmp_path / "out" / target), tiny())


@pytest.mark.parametrize("name", ["a.vec", "a.bin", "a.npz", "a"])
def test_many_blocks(tmp_path, monkeypatch, name):
    monkeypatch.setattr(block, "_MAX_ROWS", 7)
    matrix = np.random.default_rng(0).standard_normal((100, 3)).astype(np.float32)
    embeddings = Embeddings([f"w{row}" for row in range(100)], matrix)
    write(embeddings, tmp_path / name)
    assert_same(read(tmp_path / name), embeddings)
    assert_same(read(tmp_path / name, limit=50), embeddings.top(50))


def test_limit_counts_what_survives(tmp_path):
    path = tmp_path / "a.vec"
    path.write_text("A 1 1\na 2 2\nb 0 0\nC 3 3\nd 4 4\nnonsense\n")
    census = Census()
    policy = Policy(lowercase=True, zero_rows="drop")
    embeddings = read(path, limit=3, policy=policy, census=census, language="en")
    assert list(embeddings.words) == ["a", "c", "d"]
    assert embeddings.matrix.tolist() == [[1, 1], [3, 3], [4, 4]]
    assert embeddings.language == "en"
    assert census == Census(5, lowercased=2, zero_rows_dropped=1, duplicates_dropped=1)
    assert convert(path, tmp_path / "b.npz", limit=3, policy=policy) == census


def test_nothing_left(tmp_path):
    path = tmp_path / "a.vec"
    path.write_text("a 0 0\nb 0 0\n")
    with pytest.raises(InputError, match="no rows are left"):
        read(path, policy=Policy(zero_rows="drop"))
    with pytest.raises(InputError, match="no rows are left"):
        convert(path, tmp_path / "b.bin", policy=Policy(zero_rows="drop"))
    assert not (tmp_path / "b.bin").exists()


def test_vectors_can_be_mapped_on_the_way(tmp_path):
    write(tiny(), tmp_path / "a.bin")
    rotation = np.array([[0, -1], [1, 0]], dtype=np.float32)
    blocks = (each.with_matrix(each.matrix @ rotation) for each in read_stream(tmp_path / "a.bin"))
    write_stream(tmp_path / "b", blocks, language="de", normalisation=("unit",))
    mapped = read(tmp_path / "b")
    np.testing.assert_array_equal(mapped.matrix, tiny().matrix @ rotation)
    assert (mapped.language, mapped.normalisation) == ("de", ("unit",))


@pytest.mark.parametrize("name", WRITABLE)
@pytest.mark.parametrize(
    ("second", "message"),
    [
        (Block(["x"], np.ones((1, 3)), [6]), "of 2 and of 3 numbers"),
        (Block(["x"], [[np.nan, 1]], [6]), "'x' is not finite"),
        (Block([""], np.ones((1, 2)), [6]), "is empty or not valid Unicode"),
        (Block(["\ud800"], np.ones((1, 2)), [6]), r"'\\ud800' is empty or not valid Unicode"),
    ],
)
def test_a_failed_write_leaves_the_old_file(tmp_path, name, second, message):
    write(tiny(), tmp_path / name)
    first = Block(WORDS, np.ones((5, 2)), range(5))
    with pytest.raises(OutputError, match=message):
        write_stream(tmp_path / name, [first, second], overwrite=True)
    assert_same(read(tmp_path / name), tiny())
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("name", WRITABLE)
def test_existing_output_needs_overwrite(tmp_path, name):
    write(tiny(), tmp_path / name)
    with pytest.raises(OutputError, match="already exists"):
        write(tiny().top(1), tmp_path / name)
    assert_same(read(tmp_path / name), tiny())
    write(tiny().top(1), tmp_path / name, overwrite=True)
    assert len(read(tmp_path / name)) == 1


def test_a_file_can_be_converted_onto_itself(tmp_path):
    write(tiny(), tmp_path / "a.vec")
    convert(tmp_path / "a.vec", tmp_path / "a.vec", limit=2, overwrite=True)
    assert_same(read(tmp_path / "a.vec"), tiny().top(2))


def test_no_blocks_at_all(tmp_path):
    with pytest.raises(OutputError, match="no vectors to write"):
        write_stream(tmp_path / "a.vec", [])


def read_or_refuse(path):
    """Any content may be refused, but only in our own words."""
    try:
        embeddings, refusal = read(path), None
    except LexalignError as error:
        embeddings, refusal = None, str(error)
    if refusal is None:
        assert np.isfinite(embeddings.matrix).all()
    else:
        assert refusal.startswith(str(path))


@pytest.mark.parametrize(
    "beginning", [b"", b"2 2\n", b"\x1f\x8b\x08", b"BZh9", b"PK\x03\x04", b"\x80\x04", b"\x93NUMPY"]
)
@quick
@given(content=st.binary(max_size=100))
def test_any_bytes_are_read_or_refused(tmp_path, beginning, content):
    path = tmp_path / "a.vec"
    path.write_bytes(beginning + content)
    read_or_refuse(path)


@st.composite
def mutations(draw, content):
    """``content`` with some bytes flipped, deleted, inserted or cut off."""
    mutated = bytearray(content)
    for _ in range(draw(st.integers(1, 4))):
        place = draw(st.integers(0, max(0, len(mutated) - 1)))
        kind = draw(st.sampled_from(["flip", "delete", "insert", "cut"]))
        if kind == "flip" and mutated:
            mutated[place] ^= draw(st.integers(1, 255))
        elif kind == "delete":
            del mutated[place : place + draw(st.integers(1, 5))]
        elif kind == "insert":
            mutated[place:place] = draw(st.binary(min_size=1, max_size=5))
        elif draw(st.integers(0, 3)) == 0:
            del mutated[place:]
    return bytes(mutated)


@pytest.mark.parametrize("name", [name for name in WRITABLE if name != "a"])
@settings(quick, max_examples=150)
@given(data=st.data())
def test_damaged_files_are_read_or_refused(tmp_path, name, data):
    path = tmp_path / name
    write(tiny(), path, overwrite=True)
    path.write_bytes(data.draw(mutations(path.read_bytes())))
    read_or_refuse(path)


@pytest.mark.parametrize("name", ["vectors.safetensors", "vocab.txt", "meta.json"])
@settings(quick, max_examples=150)
@given(data=st.data())
def test_damaged_folders_are_read_or_refused(tmp_path, name, data):
    shutil.rmtree(tmp_path / "a", ignore_errors=True)
    write(tiny(), tmp_path / "a")
    file = tmp_path / "a" / name
    file.write_bytes(data.draw(mutations(file.read_bytes())))
    read_or_refuse(tmp_path / "a")
