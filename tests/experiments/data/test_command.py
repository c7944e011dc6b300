"""``lexalign data``: what people and programs see of it."""

import json
import subprocess
import sys

import pytest

from lexalign.cli.data import bytes_in_units
from lexalign.experiments.data import default_folder
from tests.conftest import exit_code

FILES = {
    f"/arrival/dictionaries/en-zh.{part}.txt": text
    for part, text in (("0-5000", b"the de\n"), ("5000-6500", b"okay hao\n"))
}


def test_fetching_tells_what_was_not_verified(server, tmp_path, capsys):
    server.files = FILES
    arguments = "data", "fetch", "muse.en-zh", "--folder", tmp_path, "--mirror", server.url
    assert exit_code(*arguments, "--verbose") == 0
    out, err = capsys.readouterr()
    assert "state: fetched; checksum: first seen; licence: CC BY-NC 4.0" in out
    assert str(tmp_path / "dictionaries/muse/en-zh.0-5000.txt") in out
    assert "lexalign: not verified against a known checksum: en-zh.0-5000.txt, en-zh.5" in err
    assert "fetching en-zh.0-5000.txt: done, " in err
    assert exit_code(*arguments, "--json") == 0
    summary = json.loads(capsys.readouterr().out)
    assert [file["new"] for file in summary["files"]] == [False, False]
    assert not summary["files"][0]["verified"]


def test_a_wrong_file_fails_with_one_sentence(server, tmp_path, capsys):
    server.files = {"/arrival/dictionaries/en-de.0-5000.txt": b"the die\n"}
    folder = tmp_path / "data"
    assert exit_code("data", "fetch", "muse", "--folder", folder, "--mirror", server.url) == 1
    error = capsys.readouterr().err.strip().splitlines()[-1]
    assert error.startswith(f"lexalign: {server.url}/arrival/dictionaries/en-de.0-5000.txt: ")
    assert "has 8 bytes, expected 251,620; try again" in error
    assert not any((folder / "dictionaries" / "muse").iterdir())


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("muse.en-dee", "lexalign: there is no input 'muse.en-dee'; did you mean 'muse.en-de'"),
        ("news", "lexalign: news cannot be fetched by Lexalign; run get_data.sh of https://"),
    ],
)
def test_nothing_is_fetched_if_a_name_cannot_be(server, tmp_path, capsys, name, problem):
    folder = tmp_path / "data"
    names = "muse.en-zh", name
    assert exit_code("data", "fetch", *names, "--folder", folder, "--mirror", server.url) == 1
    assert problem in capsys.readouterr().err
    assert server.requests == []
    assert not folder.exists()


def test_an_interruption_says_what_stays(tmp_path, capsys, monkeypatch):
    def interrupted(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr("lexalign.experiments.data.fetching.download", interrupted)
    assert exit_code("data", "fetch", "wiki.en", "--folder", tmp_path) == 130
    assert "interrupted; completed files stay" in capsys.readouterr().err
    assert not any((tmp_path / "vectors").iterdir())


def test_the_list_shows_what_is_there(server, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("LEXALIGN_DATA", str(tmp_path))
    server.files = FILES
    assert exit_code("data", "fetch", "muse.en-zh", "--mirror", server.url, "--json") == 0
    capsys.readouterr()
    assert exit_code("data", "list", "--json") == 0
    entries = {entry["name"]: entry for entry in json.loads(capsys.readouterr().out)}
    assert [name for name, entry in entries.items() if entry["there"]] == ["muse.en-zh"]
    assert entries["muse.en-de"]["size"] == 251620 + 65860
    assert entries["wiki.en"]["size"] is None
    assert len(entries["xnli"]["files"][0]["paths"]) == 2
    assert exit_code("data", "list", "--folder", tmp_path / "other") == 0
    out = capsys.readouterr().out
    assert "317 kB" in out
    assert "CC BY-SA 3.0" in out
    assert "yes" not in out
    assert "news cannot be fetched by Lexalign; run get_data.sh" in out


def test_without_pooch_the_extra_is_named(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "pooch", None)
    assert exit_code("data", "fetch", "wiki.en", "--folder", tmp_path) == 1
    assert "Fetching data needs optional packages: pip install 'lexalign[data]'" in (
        capsys.readouterr().err
    )
    assert exit_code("data", "list") == 1
    assert "pip install 'lexalign[data]'" in capsys.readouterr().err
    assert exit_code("data", "list", "--folder", tmp_path) == 0


def test_the_default_folder_is_in_the_cache_of_the_user(monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", "/caches")
    assert str(default_folder()) == "/caches/lexalign"
    monkeypatch.setenv("LEXALIGN_DATA", "/data")
    assert str(default_folder()) == "/data"


def test_pooch_is_imported_only_to_fetch():
    script = "import sys, lexalign.cli.data; sys.exit('pooch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (None, ""),
        (5, "5 B"),
        (317_480, "317 kB"),
        (999_600, "1 MB"),
        (6_600_000_000_000, "6600 GB"),
    ],
)
def test_sizes_read_as_people_say_them(size, text):
    assert bytes_in_units(size) == text
