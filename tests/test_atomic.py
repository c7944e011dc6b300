import errno
import os
import shutil
import signal
import stat
import subprocess
import sys
from functools import partial

import pytest

from lexalign.atomic import (
    FolderKind,
    atomic_file,
    atomic_files,
    atomic_folder,
    claim_file,
    claim_folder,
    write_all,
)
from lexalign.digests import sha256
from lexalign.errors import OutputError
from lexalign.renaming import Renaming, exchange, rename_new
from lexalign.workshop import tidy

RUN = FolderKind("run.json", lambda folder: {"source.vec"})


def old_run(path):
    path.mkdir()
    (path / "run.json").write_text("lexalign: old")
    (path / "source.vec").write_text("old")


def folder(path, **options):
    return atomic_folder(claim_folder(path, RUN, **options), RUN)


def write_run(path, content="lexalign: new", **options):
    with folder(path, **options) as temporary:
        (temporary / "run.json").write_text(content)


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


def claims(paths, **options):
    return [claim_file(path, **options) for path in paths]


def without_exchange(monkeypatch):
    for module in ("atomic", "renaming"):
        monkeypatch.setattr(f"lexalign.{module}.exchange", lambda one, other: False)


@pytest.mark.parametrize("failure", [RuntimeError, KeyboardInterrupt])
@pytest.mark.parametrize("exchanged", [True, False])
@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize("when", ["writing", "first", "second", "third"])
def test_several_files_appear_together_or_not_at_all(
    tmp_path, monkeypatch, failure, exchanged, moment, when
):
    paths = [tmp_path / name for name in ("first", "second", "third")]
    paths[0].write_text("old")
    paths[1].write_text("old")
    if not exchanged:
        without_exchange(monkeypatch)

    def failing(rename):
        def fail(self):
            if self.place.name == when and moment == "before":
                raise failure
            found = rename(self)
            if self.place.name == when:
                raise failure
            return found

        return fail

    for name in ("replacing", "without_replacing"):
        monkeypatch.setattr(Renaming, name, failing(getattr(Renaming, name)))
    with pytest.raises(failure), atomic_files(claims(paths, overwrite=True)) as temporaries:
        for temporary in temporaries:
            temporary.write_text("new")
        if when == "writing":
            raise failure
    assert leftovers(tmp_path) == ["first", "second"]
    assert [path.read_text() for path in paths[:2]] == ["old"] * 2
    monkeypatch.undo()
    with atomic_files(claims(paths, overwrite=True)) as temporaries:
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
        folder(path, overwrite=True) as temporary,
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
    with folder(path, overwrite=True) as temporary:
        (temporary / "run.json").write_text("new")
    assert leftovers(path) == ["run.json"]
    assert leftovers(tmp_path) == ["out"]


def test_an_empty_folder_may_be_used(tmp_path):
    (tmp_path / "out").mkdir()
    with folder(tmp_path / "out") as temporary:
        (temporary / "run.json").write_text("new")
    assert leftovers(tmp_path / "out") == ["run.json"]


def test_what_exists_is_not_replaced_unasked(tmp_path):
    path = tmp_path / "out"
    path.mkdir()
    (path / "thesis.tex").write_text("precious")
    with pytest.raises(OutputError, match="set `overwrite=True`"), folder(path):
        pass
    with (
        pytest.raises(OutputError, match="was not written by Lexalign"),
        folder(path, overwrite=True),
    ):
        pass
    assert (path / "thesis.tex").read_text() == "precious"


def test_kinds_are_not_confused(tmp_path):
    (tmp_path / "file").write_text("x")
    with (
        pytest.raises(OutputError, match="is a file; name a folder"),
        folder(tmp_path / "file"),
    ):
        pass
    with pytest.raises(OutputError, match="is a folder; name a file"), atomic_file(tmp_path):
        pass
    with (
        pytest.raises(OutputError, match="its folder does not exist"),
        atomic_file(tmp_path / "nowhere" / "out"),
    ):
        pass


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        (errno.ENOSPC, "the disk is full and nothing was written"),
        (errno.EACCES, "cannot be written"),
    ],
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
    (path / "run.json").write_text('{"name": "another program"}')
    with (
        pytest.raises(OutputError, match="was not written by Lexalign"),
        folder(path, overwrite=True),
    ):
        pass
    assert leftovers(path) == ["run.json"]


def test_a_file_that_nobody_knows_protects_its_folder(tmp_path):
    path = tmp_path / "out"
    old_run(path)
    (path / "notes").mkdir()
    (path / "notes" / "ideas.txt").write_text("precious")
    with pytest.raises(OutputError, match=r"holds notes/ideas.txt, which Lexalign did not write"):
        write_run(path, overwrite=True)
    assert (path / "notes" / "ideas.txt").read_text() == "precious"
    assert leftovers(tmp_path) == ["out"]


def test_a_file_that_appears_meanwhile_is_not_replaced(tmp_path):
    path = tmp_path / "out.txt"
    with (
        pytest.raises(
            OutputError,
            match=r"was created while this command ran, .* the result is in .*out\.1\.txt",
        ),
        atomic_file(path) as temporary,
    ):
        temporary.write_text("mine")
        path.write_text("theirs")
    assert path.read_text() == "theirs"
    assert (tmp_path / "out.1.txt").read_text() == "mine"
    assert leftovers(tmp_path) == ["out.1.txt", "out.txt"]


def test_of_two_runs_into_one_folder_both_are_kept(tmp_path):
    path = tmp_path / "out"
    (tmp_path / "out.1").mkdir()
    (tmp_path / "out.1" / "taken").touch()
    with (
        pytest.raises(
            OutputError, match=r"was created while this command ran, .* the result is in .*out\.2\."
        ),
        folder(path) as temporary,
    ):
        (temporary / "run.json").write_text("lexalign: first")
        write_run(path, "lexalign: second")
    assert (path / "run.json").read_text() == "lexalign: second"
    assert (tmp_path / "out.2" / "run.json").read_text() == "lexalign: first"
    assert leftovers(tmp_path) == ["out", "out.1", "out.2"]


@pytest.mark.parametrize("exchanged", [True, False])
def test_a_folder_that_another_run_replaces_meanwhile_is_kept(tmp_path, monkeypatch, exchanged):
    if not exchanged:
        monkeypatch.setattr("lexalign.atomic.exchange", lambda one, other: False)
    path = tmp_path / "out"
    old_run(path)
    with (
        pytest.raises(OutputError, match="was written by another process while"),
        folder(path, overwrite=True) as temporary,
    ):
        (temporary / "run.json").write_text("lexalign: first")
        write_run(path, "lexalign: second", overwrite=True)
    assert (path / "run.json").read_text() == "lexalign: second"
    assert (tmp_path / "out.1" / "run.json").read_text() == "lexalign: first"


def test_a_file_that_appears_at_the_moment_of_the_swap_is_kept(tmp_path, monkeypatch):
    path, calls = tmp_path / "out", []
    old_run(path)

    def late(one, other):
        if not calls:
            (path / "notes.txt").write_text("precious")
        calls.append(one)
        return exchange(one, other)

    monkeypatch.setattr("lexalign.atomic.exchange", late)
    with pytest.raises(OutputError, match=r"holds notes.txt.* the result is in .*out\.1\."):
        write_run(path, overwrite=True)
    assert leftovers(path) == ["notes.txt", "run.json", "source.vec"]
    assert (tmp_path / "out.1" / "run.json").read_text() == "lexalign: new"


def test_a_folder_is_replaced_also_where_names_cannot_be_exchanged(tmp_path, monkeypatch):
    monkeypatch.setattr("lexalign.atomic.exchange", lambda one, other: False)
    old_run(tmp_path / "out")
    write_run(tmp_path / "out", overwrite=True)
    assert leftovers(tmp_path / "out") == ["run.json"]
    assert leftovers(tmp_path) == ["out"]


def test_a_failing_swap_puts_the_old_folder_back(tmp_path, monkeypatch):
    monkeypatch.setattr("lexalign.atomic.exchange", lambda one, other: False)
    path, rename = tmp_path / "out", type(tmp_path).rename
    old_run(path)

    def fail(self, target):
        if self.name == "new" and target == path:
            raise KeyboardInterrupt
        return rename(self, target)

    monkeypatch.setattr(type(path), "rename", fail)
    with pytest.raises(KeyboardInterrupt):
        write_run(path, overwrite=True)
    assert (path / "run.json").read_text() == "lexalign: old"
    assert leftovers(tmp_path) == ["out"]


def test_what_appears_between_the_claim_and_the_writing_is_kept(tmp_path):
    claims = claim_file(tmp_path / "file"), claim_folder(tmp_path / "run", RUN)
    (tmp_path / "file").write_text("theirs")
    write_run(tmp_path / "run", "lexalign: theirs")
    with (
        pytest.raises(OutputError, match=r"file was created .* the result is in .*file\.1\."),
        atomic_file(tmp_path / "file", claim=claims[0]) as temporary,
    ):
        temporary.write_text("mine")
    with (
        pytest.raises(OutputError, match=r"run was created .* the result is in .*run\.1\."),
        atomic_folder(claims[1], RUN) as temporary,
    ):
        (temporary / "run.json").write_text("lexalign: mine")
    assert (tmp_path / "file").read_text() == "theirs"
    assert (tmp_path / "file.1").read_text() == "mine"
    assert (tmp_path / "run" / "run.json").read_text() == "lexalign: theirs"
    assert (tmp_path / "run.1" / "run.json").read_text() == "lexalign: mine"


def test_a_folder_that_was_made_anew_is_another_one(tmp_path):
    path = tmp_path / "out"
    old_run(path)
    claim = claim_folder(path, RUN, overwrite=True)
    shutil.rmtree(path)
    write_run(path, "lexalign: theirs")
    with (
        pytest.raises(OutputError, match="was written by another process while"),
        atomic_folder(claim, RUN) as temporary,
    ):
        (temporary / "run.json").write_text("lexalign: mine")
    assert (path / "run.json").read_text() == "lexalign: theirs"
    assert (tmp_path / "out.1" / "run.json").read_text() == "lexalign: mine"


def test_a_folder_that_is_gone_is_written(tmp_path):
    path = tmp_path / "out"
    old_run(path)
    claim = claim_folder(path, RUN, overwrite=True)
    shutil.rmtree(path)
    with atomic_folder(claim, RUN) as temporary:
        (temporary / "run.json").write_text("lexalign: mine")
    assert leftovers(tmp_path) == ["out"]


def test_of_several_files_all_are_kept(tmp_path):
    paths = [tmp_path / name for name in ("train.tsv", "test.tsv")]
    with (
        pytest.raises(OutputError, match=r"result is in .*train\.1\.tsv and .*test\.1\.tsv"),
        atomic_files(claims(paths)) as temporaries,
    ):
        for temporary in temporaries:
            temporary.write_text("mine")
        paths[1].write_text("theirs")
    assert paths[1].read_text() == "theirs"
    assert leftovers(tmp_path) == ["test.1.tsv", "test.tsv", "train.1.tsv"]


def test_of_several_files_all_are_kept_also_if_one_appears_in_the_last_moment(
    tmp_path, monkeypatch
):
    paths = [tmp_path / name for name in ("train.tsv", "test.tsv")]
    paths[0].write_text("old")
    rename = Renaming.without_replacing

    def overtaken(self):
        paths[1].write_text("theirs")
        rename(self)

    claimed = claims(paths, overwrite=True)
    monkeypatch.setattr(Renaming, "without_replacing", overtaken)
    with (
        pytest.raises(OutputError, match=r"result is in .*train\.1\.tsv and .*test\.1\.tsv"),
        atomic_files(claimed) as temporaries,
    ):
        for temporary in temporaries:
            temporary.write_text("mine")
    assert [path.read_text() for path in paths] == ["old", "theirs"]
    assert [(tmp_path / f"{name}.1.tsv").read_text() for name in ("train", "test")] == ["mine"] * 2
    assert len(leftovers(tmp_path)) == 4


@pytest.mark.parametrize(
    ("exchanged", "moment"),
    [(True, "during the work"), (False, "during the work"), (True, "at the renaming")],
)
def test_a_claimed_file_that_another_process_writes_is_kept(
    tmp_path, monkeypatch, exchanged, moment
):
    if not exchanged:
        without_exchange(monkeypatch)
    path, replace = tmp_path / "out", Renaming.replacing
    path.write_text("old")
    claim = claim_file(path, overwrite=True)

    def overtaken(self):
        path.write_text("theirs")
        return replace(self)

    if moment == "at the renaming":
        monkeypatch.setattr(Renaming, "replacing", overtaken)
    with (
        pytest.raises(OutputError, match=r"another process while .* result is in .*out\.1\."),
        atomic_file(path, claim=claim) as temporary,
    ):
        temporary.write_text("mine")
        if moment == "during the work":
            path.write_text("theirs")
    assert path.read_text() == "theirs"
    assert (tmp_path / "out.1").read_text() == "mine"
    assert leftovers(tmp_path) == ["out", "out.1"]


def test_a_claimed_file_that_is_gone_is_written(tmp_path):
    path = tmp_path / "out"
    path.write_text("old")
    claim = claim_file(path, overwrite=True)
    path.unlink()
    with atomic_file(path, claim=claim) as temporary:
        temporary.write_text("new")
    assert leftovers(tmp_path) == ["out"]


def test_a_failure_of_one_writer_does_not_cost_the_others(tmp_path):
    def write(name):
        with atomic_file(tmp_path / name) as temporary:
            temporary.write_text("new")

    for name in ("one", "three"):
        (tmp_path / name).write_text("old")
    with pytest.raises(OutputError, match=r"one already exists.*\. .*three already exists"):
        write_all([partial(write, name) for name in ("one", "two", "three")])
    assert (tmp_path / "two").read_text() == "new"


@pytest.mark.parametrize("flags", [True, False])
def test_a_file_system_without_hard_links_is_no_reason_to_replace(tmp_path, monkeypatch, flags):
    def refuse(source, target):
        raise PermissionError(errno.EPERM, "no links")

    monkeypatch.setattr("lexalign.renaming.os.link", refuse)
    if not flags:
        monkeypatch.setattr("lexalign.renaming._system_rename", lambda *_: False)
    for name in ("new", "taken"):
        (tmp_path / name).write_text(name)
    with pytest.raises(FileExistsError):
        rename_new(tmp_path / "new", tmp_path / "taken")
    rename_new(tmp_path / "new", tmp_path / "free")
    assert leftovers(tmp_path) == ["free", "taken"]
    assert (tmp_path / "taken").read_text() == "taken"


def test_a_claim_puts_right_what_a_killed_run_left(tmp_path, caplog):
    left = tmp_path / ".out.01234567.lexalign-part"
    left.mkdir()
    old_run(left / "old")
    with pytest.raises(OutputError, match="already exists"):
        claim_folder(tmp_path / "out", RUN)
    assert leftovers(tmp_path) == ["out"]
    assert "Restored" in caplog.text


def test_a_workshop_of_another_output_is_left_alone(tmp_path, caplog):
    other = tmp_path / ".out.1.01234567.lexalign-part"
    (other / "old").mkdir(parents=True)
    write_run(tmp_path / "out")
    assert leftovers(other) == ["old"]
    tidy(tmp_path)
    assert leftovers(tmp_path) == ["out", "out.1"]
    assert "Restored" in caplog.text


def test_a_swap_without_exchange_that_is_interrupted_or_overtaken_loses_nothing(
    tmp_path, monkeypatch
):
    monkeypatch.setattr("lexalign.atomic.exchange", lambda one, other: False)
    path, rename = tmp_path / "out", type(tmp_path).rename
    old_run(path)

    def interrupt(self, target):
        rename(self, target)
        if target.name == "old":
            raise KeyboardInterrupt

    monkeypatch.setattr(type(path), "rename", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_run(path, overwrite=True)
    assert leftovers(path) == ["run.json", "source.vec"]

    def overtake(self, target):
        rename(self, target)
        if target.name == "old":
            old_run(path)

    monkeypatch.setattr(type(path), "rename", overtake)
    with pytest.raises(OutputError, match=r"was created .* is in .*out\.1 and .*out\.2"):
        write_run(path, overwrite=True)
    assert leftovers(tmp_path) == ["out", "out.1", "out.2"]


def test_errors_about_other_files_stay_what_they_are(tmp_path):
    with pytest.raises(FileNotFoundError), atomic_file(tmp_path / "out"):
        (tmp_path.parent / "nowhere").read_text()
    with (
        pytest.raises(OutputError, match=f"^{tmp_path / 'run'}: the disk is full"),
        folder(tmp_path / "run") as temporary,
        atomic_file(temporary / "source.vec"),
    ):
        raise OSError(errno.ENOSPC, "full")


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (OSError(errno.EFBIG, "large"), "the system allows no file of this size"),
        (OSError(errno.EDQUOT, "quota"), "your disk quota is used up"),
        (RuntimeError("I/O error: No space left on device (os error 28)"), "the disk is full"),
    ],
)
def test_a_lack_of_room_is_a_sentence_whoever_reports_it(tmp_path, error, sentence):
    with pytest.raises(OutputError, match=sentence), atomic_file(tmp_path / "out"):
        raise error
    with pytest.raises(RuntimeError, match="another"), atomic_file(tmp_path / "out"):
        raise RuntimeError("another (os error 5)")
    assert not leftovers(tmp_path)


KILLED = """
import os, pathlib, signal, sys
from lexalign import atomic
path, when = pathlib.Path(sys.argv[1]), sys.argv[2]
kind = atomic.FolderKind("run.json", lambda folder: {"source.vec"})
def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)
def half(one, other):
    if when == "exchange":
        atomic_exchange(one, other)
        die()
    rename = pathlib.Path.rename
    pathlib.Path.rename = lambda self, target: die() if self.name == "new" else rename(self, target)
    return False
atomic_exchange, atomic.exchange = atomic.exchange, half
with atomic.atomic_folder(atomic.claim_folder(path, kind, overwrite=True), kind) as temporary:
    (temporary / "run.json").write_text("lexalign: killed")
    if when == "writing":
        die()
"""


@pytest.mark.parametrize(
    ("when", "content"), [("writing", "old"), ("exchange", "killed"), ("renames", "old")]
)
def test_the_next_run_puts_right_what_a_killed_one_left(tmp_path, caplog, when, content):
    path = tmp_path / "out"
    old_run(path)
    killed = subprocess.run([sys.executable, "-c", KILLED, path, when], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert len(leftovers(tmp_path)) == (1 if when == "renames" else 2)
    with pytest.raises(RuntimeError), folder(path, overwrite=True):
        raise RuntimeError
    assert (path / "run.json").read_text() == f"lexalign: {content}"
    assert leftovers(tmp_path) == ["out"]
    assert "which a killed run left behind" in caplog.text
    assert ("Restored" in caplog.text) == (when == "renames")


def test_a_killed_writer_of_a_file_leaves_the_old_one(tmp_path, caplog):
    path = tmp_path / "out"
    path.write_text("old")
    program = (
        "import os, pathlib, sys; from lexalign.atomic import atomic_file\n"
        "with atomic_file(pathlib.Path(sys.argv[1]), overwrite=True) as temporary:\n"
        "    temporary.write_text('half'); os.kill(os.getpid(), 9)"
    )
    assert subprocess.run([sys.executable, "-c", program, path], check=False).returncode == -9
    assert path.read_text() == "old"
    with atomic_file(path, overwrite=True) as temporary:
        temporary.write_text("new")
    assert leftovers(tmp_path) == ["out"]
    assert "which a killed run left behind" in caplog.text


def test_what_a_running_process_writes_is_left_alone(tmp_path, caplog):
    path = tmp_path / "out"
    with atomic_file(path, overwrite=True) as first:
        first.write_text("first")
        with atomic_file(path, overwrite=True) as second:
            second.write_text("second")
        assert path.read_text() == "second"
    assert path.read_text() == "first"
    assert not caplog.text


def test_without_a_claim_the_last_writer_wins(tmp_path, monkeypatch):
    path, replace = tmp_path / "out", os.replace

    def overtaken(source, target):
        path.write_text("theirs")
        replace(source, target)

    monkeypatch.setattr("lexalign.renaming.os.replace", overtaken)
    with atomic_file(path, overwrite=True) as temporary:
        temporary.write_text("mine")
    assert path.read_text() == "mine"
    assert leftovers(tmp_path) == ["out"]


def test_names_of_any_length_can_be_written(tmp_path):
    path = tmp_path / ("ö" * 120)
    with atomic_file(path) as temporary:
        temporary.write_text("new")
    assert leftovers(tmp_path) == [path.name]
    with pytest.raises(OutputError, match="its name is too long"), atomic_file(tmp_path / "x"):
        raise OSError(errno.ENAMETOOLONG, "too long")


def test_files_have_the_permissions_of_new_files(tmp_path):
    mask = os.umask(0o027)
    try:
        with atomic_file(tmp_path / "file") as temporary:
            temporary.write_text("new")
        write_run(tmp_path / "folder")
    finally:
        os.umask(mask)
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o640
    assert stat.S_IMODE((tmp_path / "folder").stat().st_mode) == 0o750


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
