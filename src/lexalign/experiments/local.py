"""Jobs in processes on this machine."""

from __future__ import annotations

import os
import signal
import threading
import traceback
from collections import deque
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from functools import lru_cache
from multiprocessing import get_context, parent_process
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import FrameType, TracebackType
from typing import NamedTuple, NoReturn, Self

from lexalign.errors import LexalignError
from lexalign.experiments.jobs import Job
from lexalign.experiments.steps import Library, carry_out
from lexalign.libraries import environment
from lexalign.threads import VARIABLES, said_threads, usable_cores
from lexalign.vectors import Embeddings, Policy, read

ATTEMPTS = 2
"""Number of times that a job is started if its process is killed."""


class Failure(NamedTuple):
    """Why a job failed, and the place of more details."""

    sentence: str
    trace: str = ""


class JobResult(NamedTuple):
    """A job that ended, and its failure if it has one."""

    job: Job
    failure: Failure | None


class Files:
    """Vectors from files; the last few files are kept in memory."""

    @lru_cache(maxsize=4)  # noqa: B019 - there is one of these a process, for as long as it lives
    def vectors(self, path: Path, limit: int, lowercase: bool) -> Embeddings:
        """Read a file, or take what was read before."""
        return read(path, limit=limit, policy=Policy(lowercase=lowercase))


FILES = Files()


def attempt(job: Job, root: Path, library: Library = FILES) -> Failure | None:
    """Run a job and catch all of its errors."""
    try:
        carry_out(job, root, library)
    except Exception as error:
        return failure_of(error)
    return None


def failure_of(error: Exception) -> Failure:
    """One sentence about the error."""
    if isinstance(error, LexalignError):
        return Failure(" ".join(str(error).split()))
    if isinstance(error, MemoryError):
        return Failure("Out of memory; run fewer jobs at a time, or lower the 'limit'.")
    sentence = " ".join(f"{type(error).__name__}: {error}".split())
    return Failure(sentence, "".join(traceback.format_exception(error)))


class LocalExecutor:
    """A pool of processes that keep the vectors they have read.

    The processes share the cores evenly. If a process is killed, the pool stops. The jobs that were
    running then run again one at a time, which shows which job is at fault. That job is started
    ``ATTEMPTS`` times.
    """

    def __init__(self, root: Path, workers: int = 1) -> None:
        require_workers(workers)
        self.workers = workers
        self._root, self._running = root, dict[Future[Failure | None], Job]()
        self._queue, self._suspects = deque[Job](), set[str]()
        self._deaths = dict[str, int]()
        self._pool = self._new_pool()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        for process in self.processes if kind else ():
            process.terminate()
        self._pool.shutdown(wait=True, cancel_futures=True)

    @property
    def processes(self) -> tuple[BaseProcess, ...]:
        """The processes that are alive; the library has no public name for them."""
        return tuple((self._pool._processes or {}).values())

    def start(self, job: Job) -> None:
        """Begin a job; at most ``workers`` of them at a time."""
        self._queue.append(job)
        self._fill()

    def wait(self) -> JobResult:
        """The next job that ends."""
        while True:
            done, _ = wait(self._running, return_when=FIRST_COMPLETED)
            future = done.pop()
            try:
                failure = future.result()
            except BrokenProcessPool:
                if (given_up := self._bury()) is not None:
                    self._fill()
                    return given_up
            else:
                job = self._running.pop(future)
                self._suspects.discard(job.name)
                self._fill()
                return JobResult(job, failure)
            self._fill()

    def _fill(self) -> None:
        """Submit waiting jobs; one at a time while there are suspects."""
        while self._queue and not (self._running and self._suspects):
            job = self._queue.popleft()
            try:
                future = self._submit(job)
            except BrokenProcessPool:
                # A process died that had nothing to do.
                self._restart()
                future = self._submit(job)
            self._running[future] = job

    def _submit(self, job: Job) -> Future[Failure | None]:
        with environment(dict.fromkeys(VARIABLES, str(threads_each(self.workers)))):
            return self._pool.submit(_attempt_and_tidy, job, self._root)

    def _bury(self) -> JobResult | None:
        """Queue jobs again that ran when a process died; return the job that is not retried."""
        interrupted, self._running = list(self._running.values()), {}
        self._restart()
        self._suspects |= {job.name for job in interrupted}
        if len(interrupted) == 1:
            (job,) = interrupted
            self._deaths[job.name] = self._deaths.get(job.name, 0) + 1
            if self._deaths[job.name] >= ATTEMPTS:
                self._suspects.discard(job.name)
                return JobResult(job, _killed())
        self._queue.extendleft(reversed(interrupted))
        return None

    def _restart(self) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)
        self._pool = self._new_pool()

    def _new_pool(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(
            self.workers,
            mp_context=get_context("spawn"),
            initializer=_begin_process,
        )


def _killed() -> Failure:
    return Failure(
        f"Its process was killed {ATTEMPTS} times, perhaps because memory ran out; run fewer "
        "jobs at a time."
    )


def require_workers(workers: int) -> None:
    """Raise if the number of workers is below 1."""
    if workers < 1:
        raise LexalignError(f"The `workers` must be at least 1. Got {workers} instead.")


class _ToldToEnd(BaseException):
    """Unwinds a job, so that its unfinished output is removed."""


def _attempt_and_tidy(job: Job, root: Path) -> Failure | None:
    """Run a job in a process that may be stopped."""
    signal.signal(signal.SIGTERM, _unwind)
    try:
        return attempt(job, root)
    except _ToldToEnd:
        os._exit(1)
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _unwind(signum: int, frame: FrameType | None) -> NoReturn:
    raise _ToldToEnd


def _begin_process() -> None:
    """Leave interrupts to the parent, and end as soon as it is gone.

    Otherwise, a later run could collide with the same job.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        if (parent := parent_process()) is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def threads_each(workers: int) -> int:
    """The number of cores for each worker, unless the user set it."""
    return said_threads() or max(1, usable_cores() // workers)
