from __future__ import annotations

import gzip
import pickle
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

from lexalign.errors import InputError, OutputError
from lexalign.vectors import FORMATS, detect_format, read, write
from lexalign.vectors.formats import file_writer

from .samples import WRITABLE, assert_same, tiny

NAMES = ("a.vec", "a.bin", "a.npz", "a.vec.gz", "a.pkl", "a.whatever", "a")
SECRET = Path("it-ran")


class Malicious:
    """Unpickling this leaves a file behind."""

    def __reduce__(self):
        return Path.touch, (SECRET,)


@pytest.mark.parametrize("written_as", [name for name in WRITABLE if name != "a"])
@pytest.mark.parametrize("read_as", NAMES)
def test_the_name_of_a_file_does_not_matter(tmp_path, written_as, read_as):
    write(tiny(), tmp_path / written_as)
    (tmp_path / "other").mkdir()
    path = (tmp_path / written_as).rename(tmp_path / "other" / read_as)
    assert_same(read(path), tiny())


@pytest.mark.parametrize(
    ("name", "format"),
    [("a.vec", "text"), ("a.bin", "word2vec-binary"), ("a.npz", "npz"), ("a", "folder")],
)
def test_names_of_formats(tmp_path, name, format):
    write(tiny(), tmp_path / name)
    assert detect_format(str(tmp_path / name)) == format
    assert format in FORMATS


@pytest.mark.parametrize("protocol", range(6))
@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_unpickled(tmp_path, monkeypatch, name, protocol):
    monkeypatch.chdir(tmp_path)
    content = pickle.dumps(Malicious(), protocol)
    Path(name).write_bytes(content)
    with pytest.raises(InputError) as caught:
        read(name)
    if protocol >= 2:
        assert "never opens it" in str(caught.value)
        assert "save_word2vec_format" in str(caught.value)
    assert not SECRET.exists()


def test_no_pickle_inside_an_archive_is_opened(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with zipfile.ZipFile("model.pt", "w") as archive:
        archive.writestr("archive/data.pkl", pickle.dumps(Malicious()))
    np.savez("a.npz", words=np.array([Malicious()], dtype=object), vectors=np.ones((1, 1)))
    with pytest.raises(InputError, match="never opens it"):
        read("model.pt")
    with pytest.raises(InputError, match="'words' is of type object"):
        read("a.npz")
    assert not SECRET.exists()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"\x93NUMPY\x01\x00", "a single array.*numpy.savez"),
        ("a 1 2\n".encode("utf-16"), "neither text nor another format"),
        (b"PK\x03\x04 and so on", "damaged or incomplete"),
        (gzip.compress(b"", mtime=0), "is empty"),
        (gzip.compress(b"a 1 2\n", mtime=0)[:15], "damaged or incomplete"),
        (b"BZh9 no", "damaged or incomplete"),
    ],
)
def test_files_that_are_none_of_ours(tmp_path, content, message):
    path = tmp_path / "a.vec"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message) as caught:
        read(path)
    assert str(caught.value).startswith(f"{path}")
    assert caught.value.remedy


def test_compressed_binary_file(tmp_path):
    write(tiny(), tmp_path / "a.bin")
    (tmp_path / "a.bin.gz").write_bytes(gzip.compress((tmp_path / "a.bin").read_bytes()))
    with pytest.raises(InputError, match=r"holds a word2vec-binary file.*gzip -d"):
        read(tmp_path / "a.bin.gz")


def test_missing_and_foreign_paths(tmp_path):
    with pytest.raises(InputError, match="No such file"):
        read(tmp_path / "nothing.vec")
    with pytest.raises(InputError, match=r"holds no vectors\.safetensors, no vocab\.txt"):
        read(tmp_path)


def test_first_row_with_control_characters_is_still_text(tmp_path):
    (tmp_path / "a").write_bytes(b"1 2\n\x00\x01\xff 1 2\n")
    assert detect_format(tmp_path / "a") == "text"


@pytest.mark.parametrize("name", ["a.csv", "a.bin.gz", "a.npz.xz", "a.gz", "wiki.en"])
def test_unknown_suffix(tmp_path, name):
    with pytest.raises(OutputError, match=r"\.vec or \.txt .* \.npz"):
        write(tiny(), tmp_path / name)


def test_a_slash_names_a_folder(tmp_path):
    assert file_writer(f"{tmp_path}/wiki.en/") is None
    write(tiny(), f"{tmp_path}/wiki.en/")
    assert detect_format(tmp_path / "wiki.en") == "folder"


def test_import_is_light():
    heavy = {"gensim", "polars", "safetensors", "torch"}
    script = (
        f"import sys; sys.path[:] = {sys.path!r}; import lexalign.vectors; "
        f"assert not {heavy!r} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def test_a_number_of_a_binary_file_can_look_like_the_end_of_a_row(tmp_path):
    """The bytes of the last number begin with a digit and a line end."""
    path, numbers = tmp_path / "a.bin", np.array([0.5, 1.0], "<f4").tobytes() + b"1\n\x03?"
    rows = [name + b" " + numbers[4 * row :][:4] for row, name in enumerate((b"0", b"1", b"00"))]
    path.write_bytes(b"3 1\n" + b"".join(rows))
    assert list(read(path).words) == ["0", "1", "00"]
