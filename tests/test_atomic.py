import errno
import os
import stat

import pytest

from lexalign.atomic import atomic_file, atomic_files, atomic_folder, sha256
from lexalign.errors import OutputError


def leftovers(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_file_appears_whole(tmp_path):
    with atomic_file(tmp_path / "out") as temporary:
        temporary.write_text("new")
        assert leftovers(tmp_path) != ["out"]
    assert (tmp_path / "out").read_text() == "new"
    assert leftovers(tmp_path) == ["out"]


@pytest.mark.parametrize("failure", [RuntimeError, KeyboardInterrupt])
def test_a_failure_leaves_the_old_file(tmp_path, failure):
    path = tmp_path / "out"
    path.write_text("old")
    with pytest.raises(failure), atomic_file(path, overwrite=True) as temporary:
        temporary.write_text("half")
        raise failure
    assert path.read_text() == "old"
    assert leftovers(tmp_path) == ["out"]


@pytest.mark.parametrize("failure", [RuntimeError, KeyboardInterrupt])
@pytest.mark.parametrize("when", ["writing", "first", "second", "third"])
def test_several_files_appear_together_or_not_at_all(tmp_path, monkeypatch, failure, when):
    paths, replace = [tmp_path / name for name in ("first", "second", "third")], os.replace
    paths[0].write_text("old")

    def fail(source, target):
        if target == tmp_path / when and source.name.startswith(f".{when}.") and not failed:
            failed.append(when)
            raise failure
        replace(source, target)

    failed = []
    monkeypatch.setattr("lexalign.atomic.os.replace", fail)
    with pytest.raises(failure), atomic_files(paths, overwrite=True) as temporaries:
        for temporary in temporaries:
            temporary.write_text("new")
        if when == "writing":
            raise failure
    assert leftovers(tmp_path) == ["first"]
    assert paths[0].read_text() == "old"
    monkeypatch.undo()
    with atomic_files(paths, overwrite=True) as temporaries:
        for temporary in temporaries:
            temporary.write_text("new")
    assert [path.read_text() for path in paths] == ["new"] * 3
    assert leftovers(tmp_path) == ["first", "second", "third"]


@pytest.mark.parametrize("failure", [RuntimeError, KeyboardInterrupt])
def test_a_failure_leaves_the_old_folder(tmp_path, failure):
    path = tmp_path / "out"
    path.mkdir()
    (path / "run.json").write_text("lexalign: old")
    with (
        pytest.raises(failure),
        atomic_folder(path, "run.json", overwrite=True) as temporary,
    ):
        (temporary / "run.json").write_text("half")
        raise failure
    assert (path / "run.json").read_text() == "lexalign: old"
    assert leftovers(tmp_path) == ["out"]


def test_a_folder_is_replaced_as_a_whole(tmp_path):
    path = tmp_path / "out"
    path.mkdir()
    (path / "run.json").write_text("lexalign: old")
    (path / "source.vec").write_text("old")
    with atomic_folder(path, "run.json", overwrite=True) as temporary:
        (temporary / "run.json").write_text("new")
    assert leftovers(path) == ["run.json"]
    assert leftovers(tmp_path) == ["out"]


def test_an_empty_folder_may_be_used(tmp_path):
    (tmp_path / "out").mkdir()
    with atomic_folder(tmp_path / "out", "run.json") as temporary:
        (temporary / "run.json").write_text("new")
    assert leftovers(tmp_path / "out") == ["run.json"]


def test_what_exists_is_not_replaced_unasked(tmp_path):
    path = tmp_path / "out"
    path.mkdir()
    (path / "thesis.tex").write_text("precious")
    with pytest.raises(OutputError, match="set `overwrite=True`"), atomic_folder(path, "run.json"):
        pass
    with (
        pytest.raises(OutputError, match=r"holds no run.json of Lexalign"),
        atomic_folder(path, "run.json", overwrite=True),
    ):
        pass
    assert (path / "thesis.tex").read_text() == "precious"


def test_kinds_are_not_confused(tmp_path):
    (tmp_path / "file").write_text("x")
    with (
        pytest.raises(OutputError, match="is a file; name a folder"),
        atomic_folder(tmp_path / "file", "run.json"),
    ):
        pass
    with pytest.raises(OutputError, match="is a directory; name a file"), atomic_file(tmp_path):
        pass
    with (
        pytest.raises(OutputError, match="its folder does not exist"),
        atomic_file(tmp_path / "nowhere" / "out"),
    ):
        pass


@pytest.mark.parametrize(
    ("code", "sentence"),
    [(errno.ENOSPC, "the disk is full, nothing was written"), (errno.EACCES, "cannot be written")],
)
def test_refusals_of_the_system_become_sentences(tmp_path, code, sentence):
    path = tmp_path / "out"
    path.write_text("old")
    with pytest.raises(OutputError, match=sentence), atomic_file(path, overwrite=True):
        raise OSError(code, os.strerror(code))
    assert path.read_text() == "old"


def test_hashes_tell_contents_and_names_apart(tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "words").write_text("same")
    assert sha256(tmp_path / "a") == sha256(tmp_path / "b")
    (tmp_path / "b" / "words").rename(tmp_path / "b" / "other")
    assert sha256(tmp_path / "a") != sha256(tmp_path / "b")
    assert sha256(tmp_path / "a" / "words").startswith("0967115f2813a3541eaef77de9d9d5773f1c0c04")


def test_a_marker_of_somebody_else_protects_its_folder(tmp_path):
    path = tmp_path / "model"
    path.mkdir()
    (path / "meta.json").write_text('{"name": "another program"}')
    with (
        pytest.raises(OutputError, match="did not write it"),
        atomic_folder(path, "meta.json", overwrite=True),
    ):
        pass
    assert leftovers(path) == ["meta.json"]


def test_a_failing_swap_puts_the_old_folder_back(tmp_path, monkeypatch):
    path = tmp_path / "out"
    path.mkdir()
    (path / "run.json").write_text("lexalign: old")
    rename = type(path).rename

    def fail(self, target):
        if self.name.startswith(".out.") and target == path:
            raise KeyboardInterrupt
        return rename(self, target)

    monkeypatch.setattr(type(path), "rename", fail)
    with (
        pytest.raises(KeyboardInterrupt),
        atomic_folder(path, "run.json", overwrite=True) as temporary,
    ):
        (temporary / "run.json").write_text("lexalign: new")
    assert (path / "run.json").read_text() == "lexalign: old"
    assert leftovers(tmp_path) == ["out"]


def test_a_pipe_or_device_is_never_replaced(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with (
        pytest.raises(OutputError, match="is a device or a pipe"),
        atomic_file(tmp_path / "pipe", overwrite=True),
    ):
        pass
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


def test_a_link_stays_a_link_and_its_target_is_written(tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "there" / "file")
    for content in ("one", "two"):
        with atomic_file(tmp_path / "link", overwrite=True) as temporary:
            temporary.write_text(content)
        assert (tmp_path / "link").is_symlink()
        assert (tmp_path / "there" / "file").read_text() == content
