"""Run jobs: finished jobs are kept, failures are recorded, and the other jobs continue."""

from __future__ import annotations

import logging
import shutil
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from lexalign.atomic import atomic_file
from lexalign.errors import InputError, LexalignError, OutputError
from lexalign.experiments.jobs import FAILURES, JOBS, Job
from lexalign.experiments.local import JobResult, LocalExecutor
from lexalign.experiments.plan import Plan
from lexalign.json_text import json_text
from lexalign.locks import LockingUnsupportedError, lock
from lexalign.workshop import tidy

LOCK = ".lock"

logger = logging.getLogger("lexalign")


class Executor(Protocol):
    """Runs ``workers`` jobs at a time."""

    @property
    def workers(self) -> int:
        """The number of jobs at a time."""

    def start(self, job: Job) -> None:
        """Begin a job whose needed jobs are done."""

    def wait(self) -> JobResult:
        """Wait for the next job to end."""


@dataclass(frozen=True)
class RunSummary:
    """Counts of jobs done now and before, and the failed and waiting jobs."""

    done: int
    before: int
    failed: tuple[JobResult, ...]
    waiting: tuple[Job, ...]


def run_plans(
    plans: Sequence[Plan],
    root: Path,
    *,
    executor: str = "local",
    workers: int = 1,
    only: Collection[str] = (),
    on_end: Callable[[JobResult], None] = lambda finished: None,
) -> RunSummary:
    """Run grids into one folder; grids share equal jobs.

    ``only`` limits the run to the aligners with these labels.
    """
    _require_runnable(plans)
    jobs = {job.name: job for plan in plans for job in plan.jobs_of(only)}
    with _locked(root):
        for plan in plans:
            plan.write(root)
        with _executor(executor, root, workers) as opened:
            return run_jobs(jobs.values(), root, opened, on_end)


def run_jobs(
    jobs: Iterable[Job],
    root: Path,
    executor: Executor,
    on_end: Callable[[JobResult], None] = lambda finished: None,
) -> RunSummary:
    """Run all jobs that are not done yet, each after the job that it needs.

    Jobs that failed in an earlier run are repeated. ``on_end`` is called for every job that ends.
    """
    jobs = list(jobs)
    finished = {job.name for job in jobs if job.is_done(root)}
    before, failed, running = len(finished), list[JobResult](), 0
    waiting = deque(job for job in jobs if job.name not in finished)
    while True:
        ready = [job for job in waiting if job.needs is None or job.needs.name in finished]
        for job in ready[: executor.workers - running]:
            waiting.remove(job)
            executor.start(job)
            running += 1
        if not running:
            break
        ended = executor.wait()
        running -= 1
        _record(ended, root)
        if ended.failure is None:
            finished.add(ended.job.name)
            shutil.rmtree(ended.job.checkpoints(root), ignore_errors=True)
        else:
            failed.append(ended)
        on_end(ended)
    return RunSummary(len(finished) - before, before, tuple(failed), tuple(waiting))


def _require_runnable(plans: Sequence[Plan]) -> None:
    names = [plan.grid.name for plan in plans]
    if twice := [name for name in names if names.count(name) > 1]:
        raise LexalignError(
            f"Two grids have the name {twice[0]!r}, so their results would overwrite each other; "
            "rename a file."
        )
    if plans and not any(plan.jobs for plan in plans):
        raise InputError(
            f"nothing of {', '.join(names)} can be run: {plans[0].cells[0].missing}",
            remedy="set the paths of the inputs and the pairs in the file of inputs",
        )


def _executor(
    name: str, root: Path, workers: int
) -> AbstractContextManager[LocalExecutor] | AbstractContextManager[Executor]:
    if name == "ray":
        from lexalign.experiments.cluster import RayExecutor

        return RayExecutor(root, workers)
    return LocalExecutor(root, workers)


@contextmanager
def _locked(root: Path) -> Iterator[None]:
    """Keep other runs out of the folder, and clean up after an interrupted one."""
    try:
        (root / JOBS).mkdir(parents=True, exist_ok=True)
        opened = (root / LOCK).open("w")
    except OSError as error:
        raise OutputError(
            f"{root} cannot be written ({error.strerror}); choose another place."
        ) from error
    with opened:
        try:
            lock(opened, wait=False)
        except BlockingIOError as error:
            raise OutputError(
                f"{root}: another run is writing there; wait for it, or choose another folder."
            ) from error
        except LockingUnsupportedError:
            logger.warning("%s has no locks; let only one run at a time write there.", root)
        for name in (JOBS, FAILURES):
            if (root / name).is_dir():
                tidy(root / name)
        try:
            yield
        finally:
            tidy(root / JOBS)  # of jobs that were killed


def _record(ended: JobResult, root: Path) -> None:
    """Record why a job failed; remove the record if it succeeded."""
    path = ended.job.failure(root)
    if ended.failure is None:
        path.unlink(missing_ok=True)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_file(path, overwrite=True) as temporary:
        content = {"title": ended.job.title, "step": ended.job.step, **ended.failure._asdict()}
        temporary.write_text(json_text(content, indent=1) + "\n", "utf-8")
