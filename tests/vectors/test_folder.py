from __future__ import annotations

import json

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from lexalign.errors import InputError, OutputError
from lexalign.vectors import Embeddings, convert, folder, read, write

from .samples import MATRIX, WORDS, assert_same, tiny


@pytest.fixture
def written(tmp_path):
    write(tiny(), tmp_path / "a")
    return tmp_path / "a"


def change_meta(path, **changes):
    file = path / folder.LAYOUT.meta
    file.write_text(json.dumps({**json.loads(file.read_text()), **changes}))


def test_everything_is_readable_without_us(written):
    tensors = load_file(written / "vectors.safetensors")
    assert list(tensors) == ["vectors"]
    np.testing.assert_array_equal(tensors["vectors"], MATRIX)
    assert (written / "vocab.txt").read_text(encoding="utf-8") == "\n".join([*WORDS, ""])
    meta = json.loads((written / "meta.json").read_text())
    assert meta.pop("lexalign_version")
    assert meta == {
        "rows": 5,
        "dimension": 2,
        "language": "de",
        "normalisation": ["unit", "centre"],
        "format_version": 1,
    }


def test_language_and_normalisation_survive(written, tmp_path):
    again = read(written)
    assert_same(again, tiny())
    assert (again.language, again.normalisation) == ("de", ("unit", "centre"))
    assert read(written, language="nds").language == "nds"
    convert(written, tmp_path / "b/", limit=2)
    assert read(tmp_path / "b").normalisation == ("unit", "centre")


def test_a_tensor_saved_by_the_library(written):
    save_file({"vectors": MATRIX[::-1].copy()}, written / "vectors.safetensors")
    np.testing.assert_array_equal(read(written).matrix, MATRIX[::-1])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"rows": 4}, r"shape \[5, 2\], but meta.json promises F32 and \[4, 2\]"),
        ({"rows": 0}, "wrong type"),
        ({"rows": "5"}, "wrong type"),
        ({"language": 7}, "wrong type"),
        ({"normalisation": 7}, "not iterable"),
        ({"normalisation": [7]}, "wrong type"),
        ({"colour": "red"}, "unexpected keyword argument 'colour'"),
        ({"format_version": 2}, "upgrade Lexalign"),
    ],
)
def test_bad_meta(written, changes, message):
    change_meta(written, **changes)
    with pytest.raises(InputError, match=message):
        read(written)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("meta.json", b"{", r"meta\.json: it does not describe"),
        ("meta.json", b"[]", r"meta\.json: it does not describe"),
        ("meta.json", b"[" * 100_000, r"meta\.json: it does not describe"),
        ("vocab.txt", b"a\nb\nc\nd\n", r"vocab\.txt: it ends before the last of 5 words"),
        ("vocab.txt", b"a\nb\nc\nd\ne", r"vocab\.txt: it ends before the last of 5 words"),
        ("vocab.txt", b"a\nb\nc\nd\ne\nf\n", r"vocab\.txt: it has more than 5 words"),
        ("vocab.txt", b"a\nb\n\nd\ne\n", "row 3: the word is missing"),
        ("vectors.safetensors", b"", r"vectors\.safetensors: it cannot be read"),
        ("vectors.safetensors", b"\xff" * 99, r"vectors\.safetensors: it cannot be read"),
    ],
)
def test_bad_content(written, name, content, message):
    (written / name).write_bytes(content)
    with pytest.raises(InputError, match=message) as caught:
        read(written)
    assert caught.value.remedy


@pytest.mark.parametrize(
    "tensors", [{"other": MATRIX}, {"vectors": MATRIX.astype(np.float64)}, {"vectors": MATRIX[0]}]
)
def test_other_tensors(written, tensors):
    save_file(tensors, written / "vectors.safetensors")
    with pytest.raises(InputError, match=r"vectors\.safetensors: "):
        read(written)


def test_missing_file(written):
    (written / "vocab.txt").unlink()
    with pytest.raises(InputError, match=r"holds no vocab\.txt"):
        read(written)


def test_word_with_a_line_break(tmp_path):
    with pytest.raises(OutputError, match=r"'a\\nb'.*\.npz"):
        write(Embeddings(["a\nb"], [[1]]), tmp_path / "a")
    assert list(tmp_path.iterdir()) == []


def test_other_folders_are_never_replaced(tmp_path):
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter").write_text("words")
    with pytest.raises(OutputError, match="was not written by Lexalign"):
        write(tiny(), tmp_path / "thesis", overwrite=True)
    assert (tmp_path / "thesis" / "chapter").read_text() == "words"


def test_line_ends_of_windows_in_the_vocabulary_are_no_part_of_words(tmp_path):
    write(tiny(), tmp_path / "a")
    vocabulary = tmp_path / "a" / "vocab.txt"
    vocabulary.write_bytes(vocabulary.read_bytes().replace(b"\n", b"\r\n"))
    assert_same(read(tmp_path / "a"), tiny())
