"""Jobs on a Ray cluster of one or several machines with a shared file system."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from lexalign.atomic import resolved
from lexalign.errors import LexalignError
from lexalign.experiments.jobs import Job
from lexalign.experiments.local import (
    ATTEMPTS,
    FILES,
    Failure,
    JobResult,
    attempt,
    failure_of,
    require_workers,
)
from lexalign.libraries import load
from lexalign.threads import VARIABLES, said_threads
from lexalign.vectors import Embeddings

Key = tuple[str, int, bool]


class Shelf:
    """Vectors in Ray's object store, where all jobs of a machine share one copy."""

    def __init__(self, stored: Mapping[Key, Any]) -> None:
        self._stored = stored

    def vectors(self, path: Path, limit: int, lowercase: bool) -> Embeddings:
        """The vectors, without a copy of their numbers."""
        import ray

        found: Embeddings = ray.get(self._stored[str(path), limit, lowercase])
        return found


class RayExecutor:
    """Run jobs as tasks of the running Ray cluster, or of a new one on this machine.

    Vectors are read when a job first needs them, and stay in the object store. Each task gets its
    share of the cores, and a GPU if its job needs one. If the worker of a task dies, Ray starts the
    task again.
    """

    def __init__(self, root: Path, workers: int = 1) -> None:
        ray = load("ray", feature="The executor ray", extra="ray")
        require_workers(workers)
        self._ray, self.workers, self._root = ray, workers, resolved(root)
        self._running, self._stored = dict[Any, Job](), dict[Key, Any]()
        self._refused = deque[JobResult]()

    def __enter__(self) -> Self:
        ray = self._ray
        self._owned = not ray.is_initialized()
        if self._owned:
            ray.init(log_to_driver=False, include_dashboard=False)
        resources: dict[str, float] = ray.cluster_resources()
        self._gpus = resources.get("GPU", 0) > 0
        largest = max(node["Resources"].get("CPU", 0) for node in ray.nodes() if node["Alive"])
        cores = max(1, int(min(resources.get("CPU", 1) // self.workers, largest)))
        self._task = ray.remote(_attempt).options(
            num_cpus=cores,
            max_retries=ATTEMPTS - 1,
            runtime_env={"env_vars": dict.fromkeys(VARIABLES, str(said_threads() or cores))},
        )
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        for reference in self._running:
            self._ray.cancel(reference, force=True)
        if self._owned:
            self._ray.shutdown()

    def start(self, job: Job) -> None:
        """Send a job to the cluster; a job whose vectors cannot be read ends at once."""
        try:
            needed = {key: self._shelved(key) for part in job.chain for key in _keys(part)}
        except LexalignError as error:
            self._refused.append(JobResult(job, failure_of(error)))
            return
        task = self._task.options(num_gpus=1) if self._gpus and _wants_gpu(job) else self._task
        self._running[task.remote(job, self._root, needed)] = job

    def wait(self) -> JobResult:
        """The next job that ends."""
        if self._refused:
            return self._refused.popleft()
        (reference,), _ = self._ray.wait(list(self._running), num_returns=1)
        job = self._running.pop(reference)
        try:
            failure = self._ray.get(reference)
        except self._ray.exceptions.RayError as error:
            sentence = str(error).strip().partition("\n")[0]
            failure = Failure(
                f"Ray gave up the job: {type(error).__name__}: {sentence}", str(error)
            )
        return JobResult(job, failure)

    def _shelved(self, key: Key) -> Any:
        if key not in self._stored:
            self._stored[key] = self._ray.put(FILES.vectors(Path(key[0]), *key[1:]))
        return self._stored[key]


def _attempt(job: Job, root: Path, stored: Mapping[Key, Any]) -> Failure | None:
    return attempt(job, root, Shelf(stored))


def _keys(job: Job) -> list[Key]:
    """The vectors that a job reads from files."""
    if job.step != "align" or job.settings["joint"]:
        return []
    return [
        (str(job.inputs[name]), job.settings["limit"], job.settings["lowercase"])
        for name in ("source", "target")
    ]


def _wants_gpu(job: Job) -> bool:
    uses_device = job.step == "evaluate" or "device" in job.parameters
    return uses_device and job.device == "cuda"
