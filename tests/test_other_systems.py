"""Systems that lack calls of Linux: each is taken away here, and the work is done without it."""

import errno
import os
import signal
import subprocess
import sys
from contextlib import ExitStack, closing
from types import SimpleNamespace

import pytest

from lexalign import locks, renaming, threads
from lexalign.atomic import FolderKind, atomic_file, atomic_folder, claim_folder
from lexalign.errors import LexalignError, OutputError
from lexalign.experiments.runner import _locked
from lexalign.explore.background import Background
from lexalign.explore.cache import alone_with, cache_folder
from lexalign.locks import LockingUnsupportedError, lock
from lexalign.runs import Run
from lexalign.runs.review import Change, Review
from lexalign.workshop import flush
from tests.explore.samples import refined_run
from tests.running_programs import _from_ps, running_programs

RUN = FolderKind("run.json", lambda folder: {"run.json"})


@pytest.fixture(params=["no module", "no locks on this drive"])
def without_locks(request, monkeypatch):
    """A system without locks, or a file system that refuses them."""
    if request.param == "no module":
        monkeypatch.setattr(locks, "fcntl", None)
        return

    def refuse(*_):
        raise OSError(errno.ENOLCK, "no locks available")

    monkeypatch.setattr(locks.fcntl, "flock", refuse)


def test_a_lock_is_held_by_one_or_shared(tmp_path):
    def opened():
        return stack.enter_context((tmp_path / "lock").open("w"))

    with ExitStack() as stack:
        first = opened()
        lock(first)
        for shared in (False, True):
            with pytest.raises(BlockingIOError):
                lock(opened(), wait=False, shared=shared)
        first.close()
        lock(opened(), shared=True)
        lock(opened(), shared=True, wait=False)
        with pytest.raises(BlockingIOError):
            lock(opened(), wait=False)


@pytest.mark.usefixtures("without_locks")
def test_no_locks_are_an_error_of_their_own(tmp_path):
    with (tmp_path / "lock").open("w") as file, pytest.raises(LockingUnsupportedError):
        lock(file)


@pytest.mark.usefixtures("without_locks")
def test_files_folders_and_reviews_are_written_without_locks(tmp_path):
    for content in ("old", "new"):
        with atomic_file(tmp_path / "file", overwrite=True) as temporary:
            temporary.write_text(content)
        claim = claim_folder(tmp_path / "folder", RUN, overwrite=True)
        with atomic_folder(claim, RUN) as made:
            (made / "run.json").write_text(f"lexalign {content}")
    Review(tmp_path).decide([Change("dog", "hund", "right")])
    assert Review(tmp_path).verdicts() == {("dog", "hund"): "right"}
    assert (tmp_path / "file").read_text() == "new"
    assert (tmp_path / "folder" / "run.json").read_text() == "lexalign new"
    assert len(list(tmp_path.iterdir())) == 3


@pytest.mark.usefixtures("without_locks")
def test_experiments_run_without_locks_and_say_so(tmp_path, caplog):
    with _locked(tmp_path / "out"):
        pass
    assert "has no locks; let only one run at a time write there." in caplog.text


def test_a_second_experiment_is_still_refused(tmp_path, caplog):
    with _locked(tmp_path), pytest.raises(OutputError, match="another run"), _locked(tmp_path):
        pass
    assert not caplog.text


@pytest.mark.usefixtures("without_locks")
def test_the_explorer_keeps_its_folder_without_locks(tmp_path):
    run = Run.open(refined_run(tmp_path / "run"))
    unused = run.path / ".explore" / ("0" * 16)
    unused.mkdir(parents=True)
    with cache_folder(run, 100) as folder, alone_with(folder / "path.safetensors"):
        assert folder.parent.name == ".explore"
    assert unused.exists(), "nobody can tell whether another explorer uses it"


def test_cores_are_counted_without_affinity(monkeypatch):
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 7)
    assert threads.usable_cores() == 7
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert threads.usable_cores() == 1


@pytest.mark.parametrize("platform", ["win32", "freebsd14"])
def test_names_are_not_swapped_where_no_call_does_it(tmp_path, monkeypatch, platform):
    monkeypatch.setattr(sys, "platform", platform)
    for name in ("one", "other"):
        (tmp_path / name).write_text(name)
    assert renaming.exchange(tmp_path / "one", tmp_path / "other") is False
    with pytest.raises(FileExistsError):
        renaming.rename_new(tmp_path / "one", tmp_path / "other")
    renaming.rename_new(tmp_path / "one", tmp_path / "free")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["free", "other"]


@pytest.mark.parametrize("failure", [0, errno.ENOTSUP, errno.EEXIST])
def test_macos_swaps_names_by_its_own_call(tmp_path, monkeypatch, failure):
    asked = []

    def renamex_np(first, second, flags):
        asked.append((first, second, flags))
        return -1 if failure else 0

    library = SimpleNamespace(renamex_np=renamex_np)
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(renaming.ctypes, "CDLL", lambda *_, **__: library)
    monkeypatch.setattr(renaming.ctypes, "get_errno", lambda: failure)
    one, other = tmp_path / "one", tmp_path / "other"
    if failure == errno.EEXIST:
        with pytest.raises(FileExistsError):
            renaming.exchange(one, other)
    else:
        assert renaming.exchange(one, other) is not bool(failure)
    assert asked == [(os.fsencode(one), os.fsencode(other), 2)]


def test_a_system_that_opens_no_folders_flushes_files_only(tmp_path, monkeypatch):
    def refuse(path, flags):
        raise PermissionError(errno.EACCES, "permission denied", str(path))

    monkeypatch.setattr(os, "open", refuse)
    flush(tmp_path)
    with pytest.raises(PermissionError):
        flush(tmp_path / "file")


def double(number, report):
    """What a process of its own does."""
    report(2 * number)
    if number < 0:
        raise LexalignError("below 0")


@pytest.mark.parametrize("has_masks", [True, False])
def test_work_in_the_background_needs_no_signal_masks(monkeypatch, has_masks):
    if not has_masks:
        monkeypatch.delattr(signal, "pthread_sigmask")
    heard = []
    work = Background(double, 4, on_report=heard.append)
    work.wait()
    assert (heard, work.outcome) == ([8], "")


@pytest.mark.parametrize("listed", [running_programs, _from_ps])
def test_programs_are_listed_by_ps_too(listed):
    command = [sys.executable, "-c", "input()"]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as child, closing(child.stdin):
        try:
            programs = listed()
        except FileNotFoundError:
            pytest.skip("no program ps on this machine")
        (found,) = (program for program in programs if program.process == child.pid)
        assert found.parent == os.getpid()
        assert found.command.endswith("-c input()")


def test_everything_is_imported_without_the_modules_of_unix():
    program = """
import importlib, pkgutil, sys
for name in ("fcntl", "grp", "pwd", "resource", "termios"):
    sys.modules[name] = None
import lexalign
for module in pkgutil.walk_packages(lexalign.__path__, "lexalign."):
    importlib.import_module(module.name)
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
