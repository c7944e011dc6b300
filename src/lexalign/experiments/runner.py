"""Running jobs: what is done stays done, what fails is recorded, and the rest goes on."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from lexalign.experiments.jobs import Job
from lexalign.experiments.local import Finished, LocalExecutor
from lexalign.experiments.plan import Plan
from lexalign.files import atomic_file


class Executor(Protocol):
    """Something that does ``workers`` jobs at a time."""

    @property
    def workers(self) -> int:
        """How many."""

    def start(self, job: Job) -> None:
        """Begin a job whose needs are done."""

    def wait(self) -> Finished:
        """The next job that ends."""


@dataclass(frozen=True)
class Outcome:
    """How many jobs were done now and before, which failed, and which were waiting for these."""

    done: int
    before: int
    failed: tuple[Finished, ...]
    waiting: tuple[Job, ...]


def run_plans(
    plans: Sequence[Plan],
    root: Path,
    *,
    executor: str = "local",
    workers: int = 1,
    on_end: Callable[[Finished], None] = lambda finished: None,
) -> Outcome:
    """Run grids into one folder, where what they have in common is done once."""
    jobs = {job.name: job for plan in plans for job in plan.jobs}
    for plan in plans:
        plan.write(root)
    if executor == "ray":
        from lexalign.experiments.cluster import RayExecutor

        undone = [job for job in jobs.values() if not job.is_done(root)]
        with RayExecutor(root, workers, undone) as cluster:
            return run_jobs(jobs.values(), root, cluster, on_end)
    with LocalExecutor(root, workers) as local:
        return run_jobs(jobs.values(), root, local, on_end)


def run_jobs(
    jobs: Iterable[Job],
    root: Path,
    executor: Executor,
    on_end: Callable[[Finished], None] = lambda finished: None,
) -> Outcome:
    """Do all jobs that are not done yet, each after the one it needs.

    A job that failed in an earlier run is tried again. ``on_end`` hears of every job that ends.
    """
    jobs = list(jobs)
    finished = {job.name for job in jobs if job.is_done(root)}
    before, failed, running = len(finished), list[Finished](), 0
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
        else:
            failed.append(ended)
        on_end(ended)
    return Outcome(len(finished) - before, before, tuple(failed), tuple(waiting))


def _record(ended: Finished, root: Path) -> None:
    """Tell why a job failed, or no longer if it did not."""
    path = ended.job.failure(root)
    if ended.failure is None:
        path.unlink(missing_ok=True)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_file(path, overwrite=True) as temporary:
        content = {"title": ended.job.title, "step": ended.job.step, **ended.failure._asdict()}
        temporary.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", "utf-8")
