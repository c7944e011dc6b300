"""What takes the place of servers and other processes, so that a row runs in one process."""

from __future__ import annotations

from collections import deque
from functools import partial
from pathlib import Path
from typing import Self


def downloads() -> None:
    """A server that sends a few words for every address."""
    from lexalign.experiments.data import fetching

    def download(url: str, path: Path, advance: object) -> None:
        path.write_bytes(f"{Path(url).name} word\n".encode() * 500)

    fetching.download = download


def few_words() -> None:
    """A demonstration of a few words, which a small disk holds."""
    from lexalign import demo

    demo.write_demo_files = partial(demo.write_demo_files, words=20)


def jobs_in_this_process() -> None:
    """An executor that does a job when it is asked for the next one that ends."""
    from lexalign.experiments import runner
    from lexalign.experiments.local import JobResult, attempt

    class Here:
        workers = 1

        def __init__(self, root: Path, workers: int) -> None:
            self._root, self._jobs = root, deque()

        def __enter__(self) -> Self:
            return self

        def __exit__(self, *_: object) -> None:
            pass

        def start(self, job: object) -> None:
            self._jobs.append(job)

        def wait(self) -> JobResult:
            job = self._jobs.popleft()
            return JobResult(job, attempt(job, self._root))

    runner.LocalExecutor = Here


def review_without_a_page() -> None:
    """An explorer in which somebody decides about some pairs, and that then ends."""
    import lexalign.explore
    from lexalign.runs.review import RIGHT, Change, Review

    def serve(folders: tuple[Path], **options: object) -> None:
        Review(folders[0]).decide([Change(f"s{row}", f"t{row}", RIGHT) for row in range(50)])

    lexalign.explore.serve = serve


def explorer_without_a_server() -> None:
    """An explorer that prepares all in this process and then ends."""
    import lexalign.explore
    from lexalign.errors import LexalignError
    from lexalign.explore import explorer, vectors
    from lexalign.explore.preparation import prepare

    def convert(copies: object, limit: int, advance: object) -> None:
        for path, copy in copies:
            vectors.convert(path, copy, limit, advance)

    class Preparation:
        def __init__(self, folder: Path, cache: Path, limit: int, *, refine: bool = True) -> None:
            prepare(folder, cache, limit, self._hear, refine=refine)

        def _hear(self, stage: object) -> None:
            self.stage = stage

        def stop(self) -> None:
            pass

    def serve(folders: tuple[Path], *, announce: object, host: str, port: int | None, **options):
        with explorer.open_explorer(*folders, **options) as opened:
            if (stage := opened.view().stage).state == "failed":
                raise LexalignError(stage.message)  # the page shows it

    vectors._convert = convert
    explorer.Preparation = Preparation
    lexalign.explore.serve = serve
