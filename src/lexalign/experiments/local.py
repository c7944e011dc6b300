"""Jobs in processes of this machine."""

from __future__ import annotations

import os
import traceback
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import lru_cache
from multiprocessing import get_context
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

from lexalign.errors import LexalignError
from lexalign.experiments.jobs import Job
from lexalign.experiments.steps import Library, carry_out
from lexalign.vectors import Embeddings, Policy, read

ATTEMPTS = 2
"""Times that a job is started whose process is killed."""

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


class Failure(NamedTuple):
    """Why a job failed, and for whoever wants to know more, where."""

    sentence: str
    trace: str = ""


class Finished(NamedTuple):
    """A job that ended, and its failure if it has one."""

    job: Job
    failure: Failure | None


class Files:
    """Vectors as the files have them; the last few are kept."""

    @lru_cache(maxsize=4)  # noqa: B019 - there is one of these a process, for as long as it lives
    def vectors(self, path: Path, limit: int, lowercase: bool) -> Embeddings:
        """Read a file, or take what was read before."""
        return read(path, limit=limit, policy=Policy(lowercase=lowercase))


FILES = Files()


def attempt(job: Job, root: Path, library: Library = FILES) -> Failure | None:
    """Do a job; nothing that goes wrong in it goes further than this."""
    try:
        carry_out(job, root, library)
    except LexalignError as error:
        return Failure(str(error))
    except MemoryError:
        return Failure("Out of memory; run fewer jobs at a time, or lower the 'limit'.")
    except Exception as error:
        return Failure(f"{type(error).__name__}: {error}", traceback.format_exc())
    return None


class LocalExecutor:
    """So many processes, which live on from job to job and keep the vectors they have read.

    The cores are shared out evenly. A process that is killed takes the others with it; what they
    were doing is started again, once.
    """

    def __init__(self, root: Path, workers: int = 1) -> None:
        if workers < 1:
            raise LexalignError(f"The 'workers' must be at least 1. Got {workers} instead.")
        self.workers = workers
        self._root, self._running = root, dict[Future[Failure | None], Job]()
        self._attempts = dict[str, int]()
        self._pool = self._new_pool()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        for process in list((self._pool._processes or {}).values()) if kind else []:
            process.terminate()
        self._pool.shutdown(wait=True, cancel_futures=True)

    def start(self, job: Job) -> None:
        """Begin a job; at most ``workers`` of them at a time."""
        self._attempts[job.name] = self._attempts.get(job.name, 0) + 1
        with _threads(threads_each(self.workers)):
            self._running[self._pool.submit(attempt, job, self._root)] = job

    def wait(self) -> Finished:
        """The next job that ends."""
        while True:
            done, _ = wait(self._running, return_when=FIRST_COMPLETED)
            future = done.pop()
            try:
                failure = future.result()
            except BrokenProcessPool:
                lost = self._restart()
                if lost is not None:
                    return lost
                continue
            return Finished(self._running.pop(future), failure)

    def _restart(self) -> Finished | None:
        """Start again what ran when a process was killed; the job that is given up, if any."""
        interrupted, self._running = list(self._running.values()), {}
        self._pool.shutdown(wait=True, cancel_futures=True)
        self._pool = self._new_pool()
        given_up = None
        for job in interrupted:
            if given_up is None and self._attempts[job.name] >= ATTEMPTS:
                given_up = job
            else:
                self.start(job)
        if given_up is None:
            return None
        sentence = (
            f"Its process was killed {ATTEMPTS} times, perhaps for want of memory; run fewer jobs "
            "at a time."
        )
        return Finished(given_up, Failure(sentence))

    def _new_pool(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(self.workers, mp_context=get_context("spawn"))


def threads_each(workers: int) -> int:
    """The cores that each of so many workers may use, unless the user said otherwise."""
    said = os.environ.get(THREADS[0], "")
    return int(said) if said.isdecimal() else max(1, len(os.sched_getaffinity(0)) // workers)


@contextmanager
def _threads(count: int) -> Iterator[None]:
    """Processes started inside compute with so many threads."""
    before = {name: os.environ.get(name) for name in THREADS}
    os.environ.update(dict.fromkeys(THREADS, str(count)))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
