"""The catalogue: complete, short to write, and never a path outside of the folder."""

import re
from urllib.parse import urlsplit

import pytest

from lexalign.errors import InputError
from lexalign.experiments.data import RemoteFile, catalogue
from lexalign.experiments.data.catalogue import choose, parse_catalogue

ENTRIES = catalogue()


PAPER = {
    "wiki": ["en", "de", "es", "fr", "ru", "zh", "fi", "hr", "it", "tr"],
    "muse": ["en-de", "en-es", "en-fr", "en-ru", "en-zh"],
    "xling": [
        *("en-de", "en-fi", "en-fr", "en-hr", "en-it", "en-ru", "en-tr"),
        *("de-it", "de-tr", "fi-hr", "fi-it", "hr-ru", "it-fr", "tr-it"),
    ],
}


def test_every_input_of_the_paper_is_listed():
    names = [f"{group}.{value}" for group, values in PAPER.items() for value in values]
    assert [entry.name for entry in ENTRIES] == [*names, "multinli", "xnli", "news"]


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_an_entry_is_complete(entry):
    assert entry.what
    assert entry.licence
    assert bool(entry.files) != bool(entry.ask)
    for file in entry.files:
        assert urlsplit(file.url).scheme == "https"
        assert "{" not in file.url + file.path
        assert file.sha256 is None or re.fullmatch("[0-9a-f]{64}", file.sha256)
        assert (file.sha256 is None) == (file.size is None)


def test_no_two_files_have_the_same_place_and_no_checksum_is_idle():
    files = [file for entry in ENTRIES for file in entry.files]
    places = [place for file in files for place in {file.path, *file.results}]
    assert len(places) == len(set(places))
    digests = [file.sha256 for file in files if file.sha256]
    assert len(digests) == len(set(digests)) == 8 + 18


def test_a_value_takes_the_place_of_the_braces_everywhere():
    first, second = parse_catalogue(
        """
        [[input]]
        name = "x.{}"
        each = ["a", "b"]
        what = "{} of {}"
        licence = "free"
        [[input.file]]
        url = "https://host/{}/{}.zip"
        path = "{}.zip"
        members = { "{}/in" = "out.{}" }
        [known]
        "b.zip" = { size = 3 }
        """
    )
    assert (first.name, first.what, first.size) == ("x.a", "a of a", None)
    assert first.files[0].members == {"a/in": "out.a"}
    assert (second.files[0].url, second.size) == ("https://host/b/b.zip", 3)
    assert second.files[0].results == ("out.b",)


def test_a_group_is_all_of_it_and_nothing_comes_twice():
    assert [entry.name for entry in choose(["muse.en-fr", "muse"], ENTRIES)] == [
        f"muse.en-{language}" for language in ("fr", "de", "es", "ru", "zh")
    ]


@pytest.mark.parametrize(
    ("name", "suggestion"),
    [
        ("muse.en-dee", "'muse.en-de'"),
        ("MultiNLI", "'multinli'"),
        ("xlin", "'xling'"),
        ("", "shows all"),
        ("zzz", "shows all"),
    ],
)
def test_an_unknown_name_gets_a_suggestion(name, suggestion):
    with pytest.raises(InputError, match=f"there is no input '{name}'.*{suggestion}"):
        choose([name], ENTRIES)


@pytest.mark.parametrize("path", ["../up", "/etc/passwd", "a/../../b", "", ".", "a\\..\\b"])
def test_a_path_outside_of_the_folder_is_refused(path):
    with pytest.raises(InputError, match="outside the data folder"):
        RemoteFile("https://host/file", path)
    with pytest.raises(InputError, match="outside the data folder"):
        RemoteFile("https://host/file", "file.zip", {"member": path})
