"""Fetching from a server: what is kept, what is checked, and what is never half there."""

import hashlib
import shutil
from collections import namedtuple

import pytest

from lexalign.errors import InputError, OutputError
from lexalign.experiments.data import CatalogueEntry, RemoteFile, fetch, fetch_files
from lexalign.experiments.data.fetching import sha256
from tests.conftest import StoppedError, Stops
from tests.experiments.data.conftest import zip_of

CONTENT = b"the die\nthe der\n" * 1000
PATH = "dictionaries/muse/en-zh.0-5000.txt"
TRAIN, TEST = (f"/arrival/dictionaries/en-zh.{part}.txt" for part in ("0-5000", "5000-6500"))


def entry(**facts):
    """An input of one file with these facts about it."""
    return CatalogueEntry(
        "one", "a file", "free", [RemoteFile("https://host/one.txt", "a/one.txt", **facts)]
    )


def archive(**members):
    """An input of one archive, of which these are taken out."""
    names = {f"top/{name}": path for name, path in members.items()}
    return CatalogueEntry(
        "box", "a box", "free", [RemoteFile("https://host/box.zip", "b/box.zip", names)]
    )


def get(server, folder, one, **options):
    return fetch_files([one.name], folder, mirror=server.url, entries=[one], **options)


def everything(folder):
    """All files below the folder, temporary ones too."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir())


def test_files_are_fetched_and_their_checksums_written_beside_them(server, tmp_path):
    server.files = {TRAIN: CONTENT, TEST: b"okay ok\n"}
    paths = fetch("muse.en-zh", tmp_path, mirror=server.url)
    assert paths[0] == tmp_path / PATH
    assert [path.read_bytes() for path in paths] == [CONTENT, b"okay ok\n"]
    digest = hashlib.sha256(CONTENT).hexdigest()
    note = tmp_path / f"{PATH}.sha256"
    assert note.read_text() == f"{digest}  en-zh.0-5000.txt\n"
    assert len(everything(tmp_path)) == 4


def test_what_is_there_is_not_fetched_again(server, tmp_path):
    server.files = {TRAIN: CONTENT, TEST: b"okay ok\n"}
    first = fetch("muse.en-zh", tmp_path, mirror=server.url)
    assert fetch("muse.en-zh", tmp_path, mirror=server.url) == first
    assert server.requests == [TRAIN, TEST]


def test_a_known_checksum_verifies_and_needs_no_note(server, tmp_path):
    server.files = {"/one.txt": CONTENT}
    one = entry(sha256=hashlib.sha256(CONTENT).hexdigest(), size=len(CONTENT))
    (new,) = get(server, tmp_path, one)
    (old,) = get(server, tmp_path, one)
    assert (new.new, new.verified) == (True, True)
    assert (old.new, old.verified) == (False, True)
    assert everything(tmp_path) == ["a/one.txt"]


@pytest.mark.parametrize(
    ("facts", "problem"),
    [
        ({"sha256": "0" * 64}, f"expected {'0' * 64}"),
        ({"size": 5}, "has 16,000 bytes, expected 5"),
    ],
)
def test_what_is_not_as_known_is_thrown_away_unless_accepted(server, tmp_path, facts, problem):
    server.files = {"/one.txt": CONTENT}
    with pytest.raises(
        InputError, match=f"{server.url}/one.txt: .*{problem}.*`accept_changed=True`"
    ):
        get(server, tmp_path, entry(**facts))
    assert everything(tmp_path) == []
    (file,) = get(server, tmp_path, entry(**facts), accept_changed=True)
    assert not file.verified
    (again,) = get(server, tmp_path, entry(**facts))
    assert not again.new
    assert len(server.requests) == 2


def test_a_damaged_file_is_fetched_again(server, tmp_path):
    server.files = {"/one.txt": CONTENT}
    (file,) = get(server, tmp_path, entry())
    file.path.write_bytes(b"damaged")
    (repaired,) = get(server, tmp_path, entry())
    assert repaired.new
    assert file.path.read_bytes() == CONTENT


def test_what_differs_from_the_first_time_is_refused(server, tmp_path):
    server.files = {"/one.txt": CONTENT}
    (file,) = get(server, tmp_path, entry())
    file.path.unlink()
    server.files = {"/one.txt": b"something else"}
    with pytest.raises(InputError, match="expected [0-9a-f]+ \\(recorded in .*one.txt.sha256\\)"):
        get(server, tmp_path, entry())
    assert everything(tmp_path) == ["a/one.txt.sha256"]
    get(server, tmp_path, entry(), accept_changed=True)
    assert not get(server, tmp_path, entry())[0].new


def test_a_file_put_there_by_hand_is_trusted_from_then_on(server, tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "one.txt").write_bytes(CONTENT)
    (file,) = get(server, tmp_path, entry())
    assert (file.new, file.verified) == (False, False)
    assert server.requests == []
    file.path.write_bytes(b"changed")
    server.files = {"/one.txt": b"changed too"}
    with pytest.raises(InputError, match="recorded in"):
        get(server, tmp_path, entry())
    assert file.path.read_bytes() == b"changed"


def test_a_note_without_a_checksum_is_named(server, tmp_path):
    server.files = {"/one.txt": CONTENT}
    (file,) = get(server, tmp_path, entry())
    (tmp_path / "a" / "one.txt.sha256").write_text("hello")
    with pytest.raises(InputError, match="one.txt.sha256: this is not a SHA-256"):
        get(server, tmp_path, entry())
    assert file.path.read_bytes() == CONTENT


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (None, "does not give the file \\(404 Not Found\\); name another server"),
        (403, "does not give the file \\(403 Forbidden\\)"),
        (503, "the server failed \\(503 Service Unavailable\\); try again later"),
        (b"\n<!DOCTYPE html><title>Log in</title>", "sent a web page instead of the file"),
    ],
)
def test_an_answer_without_the_file_is_one_sentence(server, tmp_path, answer, problem):
    server.files = {"/one.txt": answer}
    with pytest.raises(InputError, match=f"{server.url}/one.txt: .*{problem}"):
        get(server, tmp_path, entry())
    assert everything(tmp_path) == []


def test_no_server_is_one_sentence(server, tmp_path):
    server.shutdown()
    server.server_close()
    with pytest.raises(InputError, match="the server cannot be reached \\(Connection refused\\)"):
        get(server, tmp_path, entry())
    assert everything(tmp_path) == []


def test_a_download_that_breaks_off_leaves_nothing(server, tmp_path):
    server.files, server.cut = {"/one.txt": CONTENT}, {"/one.txt"}
    with pytest.raises(InputError, match="broke off before the end.*try again"):
        get(server, tmp_path, entry())
    assert everything(tmp_path) == []
    server.cut = set()
    assert get(server, tmp_path, entry())[0].new


def test_an_interrupted_download_leaves_nothing(server, tmp_path):
    server.files = {"/one.txt": CONTENT}
    with pytest.raises(StoppedError):
        get(server, tmp_path, entry(), progress=Stops("fetching one.txt", 0))
    assert everything(tmp_path) == []


def test_a_file_that_cannot_fit_is_not_begun(server, tmp_path, monkeypatch):
    server.files = {"/one.txt": CONTENT}
    usage = namedtuple("usage", "total used free")(10**6, 10**6, 12)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage)
    with pytest.raises(OutputError, match="has 16,000 bytes, but the disk has room for 12"):
        get(server, tmp_path, entry())
    assert everything(tmp_path) == []


def test_a_folder_that_cannot_be_made_is_named(server, tmp_path):
    (tmp_path / "taken").write_text("a file")
    with pytest.raises(OutputError, match="taken/a cannot be created .*`folder`"):
        get(server, tmp_path / "taken", entry())


def test_the_named_members_of_an_archive_are_taken_out(server, tmp_path):
    server.files = {"/box.zip": zip_of({"top/x": "one", "top/y": "two", "top/z": "three"})}
    box = archive(x="b/x", y="c/why")
    fetched = get(server, tmp_path, box)
    assert [file.path.read_text() for file in fetched] == ["one", "two"]
    assert everything(tmp_path) == ["b/box.zip", "b/box.zip.sha256", "b/x", "c/why"]
    (tmp_path / "b" / "x").write_text("eno")
    repaired = get(server, tmp_path, box)
    assert [file.new for file in repaired] == [True, False]
    assert repaired[0].path.read_text() == "one"
    assert server.requests == ["/box.zip"]


def test_a_hostile_archive_writes_nowhere_else(server, tmp_path):
    folder = tmp_path / "data"
    hostile = {"../evil": "1", "top/../../evil": "2", str(tmp_path / "evil"): "3", "top/x": "good"}
    server.files = {"/box.zip": zip_of(hostile)}
    get(server, folder, archive(x="b/x"))
    assert everything(tmp_path) == ["data/b/box.zip", "data/b/box.zip.sha256", "data/b/x"]
    assert (folder / "b" / "x").read_text() == "good"


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (zip_of({"top/other": "one"}), "lacks the file 'top/x'"),
        (b"not an archive", "the archive cannot be read"),
    ],
)
def test_a_wrong_archive_is_not_trusted(server, tmp_path, content, problem):
    server.files = {"/box.zip": content}
    with pytest.raises(InputError, match=f"{server.url}/box.zip: .*{problem}"):
        get(server, tmp_path, archive(x="b/x"))
    assert everything(tmp_path) == []


def test_a_damaged_member_is_named_with_the_archive(server, tmp_path):
    server.files = {"/box.zip": zip_of({"top/x": "precious"}).replace(b"precious", b"preXious")}
    with pytest.raises(InputError, match="box.zip: the archive cannot be read .*CRC.*delete it"):
        get(server, tmp_path, archive(x="b/x"))
    assert not (tmp_path / "b" / "x").exists()


def test_a_mirror_may_have_a_folder(server, tmp_path):
    server.files = {"/copies/one.txt": CONTENT}
    (file,) = fetch_files(["one"], tmp_path, mirror=f"{server.url}/copies/", entries=[entry()])
    assert file.url == f"{server.url}/copies/one.txt"
    assert sha256(file.path) == file.sha256


@pytest.mark.parametrize("mirror", ["ftp://host", "host:80", "/folder", "https://", "https://h/?q"])
def test_what_is_no_mirror_is_refused(tmp_path, mirror):
    with pytest.raises(InputError, match="is not the address of a mirror"):
        fetch_files(["one"], tmp_path, mirror=mirror, entries=[entry()])
