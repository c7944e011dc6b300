"""A process that has imported everything, and forks for every command line that it is asked to run.

Starting an interpreter takes longer than most rows of the table. Forking from pytest is no way out:
libraries that have started threads there may hang in the child. So this process imports, computes
nothing, and forks. Requests and answers are lines of JSON.

A child can have a fault, which an audit hook brings about. An event is a call that changes names or
opens files in the folder of the child: rename, link, remove, mkdir, rmdir, open, swap.
"""

from __future__ import annotations

import fcntl
import gc
import hashlib
import importlib
import json
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

MODULES = (
    "PIL.BmpImagePlugin", "PIL.GifImagePlugin", "PIL.JpegImagePlugin", "PIL.PpmImagePlugin",
    "anyascii", "array_api_compat.numpy", "encodings.utf_8_sig", "faiss", "gensim.models",
    "lexalign.cli.alignment_table", "lexalign.evaluation.nli.esim", "lexalign.experiments",
    "lexalign.explore", "lexalign.pipelines.align", "lexalign.pipelines.evaluate",
    "lexalign.pipelines.induce", "lexalign.pipelines.joint", "lexalign.pipelines.lexicon",
    "lexalign.pipelines.nli", "lexalign.pipelines.refine", "lexalign.pipelines.train",
    "lexalign.pipelines.translate", "lexalign.report.page", "lexalign.retrieval.on_cpu",
    "lightgbm", "matplotlib.backends.backend_svg", "matplotlib.figure", "matplotlib.style",
    "polars", "pooch", "rapidfuzz.distance", "rich._emoji_codes", "rich.console", "rich.table",
    "safetensors.numpy", "scipy.linalg", "tests.faults.stand_ins", "torch._dynamo",
)  # fmt: skip
EVENTS = {
    "os.rename", "os.link", "os.remove", "os.mkdir", "os.rmdir", "open", "ctypes.dlsym",
}  # fmt: skip
SECONDS = 60


class Ended(NamedTuple):
    """How a child ended: its exit code, or minus the signal that killed it."""

    code: int
    out: str
    error: str

    @property
    def sentence(self) -> str:
        """The last line of standard error."""
        return self.error.strip().splitlines()[-1] if self.error.strip() else ""


class Warm:
    """The client: starts the process, and asks it to run command lines."""

    def __init__(self) -> None:
        self._server = subprocess.Popen(
            [sys.executable, "-m", "tests.faults.warm"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={**os.environ, "OMP_NUM_THREADS": "1", "COLUMNS": "200"},
            cwd=Path(__file__).parents[2],
        )  # fmt: skip

    def start(self, home: Path, arguments: list[str], **fault: Any) -> int:
        """Run a command line in a folder; return the id of the process."""
        return self._ask(home=str(home), arguments=arguments, **fault)

    def wait(self, process: int) -> Ended:
        """Wait for the end of a process."""
        return Ended(*self._ask(wait=process))

    def run(self, home: Path, arguments: list[str], **fault: Any) -> Ended:
        """Run a command line to its end."""
        return self.wait(self.start(home, arguments, **fault))

    def close(self) -> None:
        """End the process."""
        self._server.stdin.close()
        self._server.stdout.close()
        self._server.wait()

    def _ask(self, **request: Any) -> Any:
        self._server.stdin.write(json.dumps(request) + "\n")
        self._server.stdin.flush()
        return json.loads(self._server.stdout.readline())


def serve() -> None:
    """The process: fork for every request, or wait for a child."""
    from lexalign.cli import COMMANDS

    for name in (*MODULES, *(f"lexalign.cli.{command}" for command in COMMANDS)):
        importlib.import_module(name)
    os.fsync = lambda descriptor: None  # slow, and of use only where the machine itself fails
    gc.collect()
    gc.freeze()
    gc.disable()  # a collection in a child would copy the memory that it shares
    pipes = dict[int, tuple[int, int]]()
    for line in sys.stdin:
        request = json.loads(line)
        if "wait" in request:
            child = request["wait"]
            status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            answer: Any = [status, *map(_read, pipes.pop(child))]
        else:
            (out, out_end), (error, error_end) = _pipe(), _pipe()
            answer = os.fork()
            if not answer:
                _become(request, out_end, error_end)
            pipes[answer] = out, error
            os.close(out_end)
            os.close(error_end)
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


def _pipe() -> tuple[int, int]:
    """A pipe that holds all that a child prints. A file would be under the limits of the child."""
    reading, writing = os.pipe()
    fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, 1 << 18)
    return reading, writing


def _read(descriptor: int) -> str:
    with os.fdopen(descriptor, "rb") as file:
        return file.read().decode("utf-8", "replace")


def _become(request: dict[str, Any], out: int, error: int) -> None:
    """The child: run the command line with its fault, and end."""
    code = 70
    try:
        os.dup2(os.open(request["out"], os.O_WRONLY) if "out" in request else out, 1)
        os.dup2(error, 2)
        os.chdir(request["home"])
        signal.alarm(SECONDS)
        if stand_in := request.get("stand_in"):
            getattr(importlib.import_module("tests.faults.stand_ins"), stand_in)()
        _prepare(request)
        code = _main(request["arguments"])
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(code)


def _main(arguments: list[str]) -> int:
    from lexalign.cli import main

    sys.argv = ["lexalign", *arguments]
    try:
        main(arguments)
    except SystemExit as end:
        return int(end.code or 0)


def _prepare(request: dict[str, Any]) -> None:
    """Arrange for the fault of a request."""
    if "bytes" in request:
        resource.setrlimit(resource.RLIMIT_FSIZE, (request["bytes"],) * 2)
    if "kill_at" in request:
        _on_event(_Killer(request["kill_at"]))
    if "pause_at" in request:
        _on_event(_Pause(request["pause_at"]))
    if "watch" in request:
        _on_event(_Watcher(request["watch"]))


def _on_event(act: Any) -> None:
    home, busy = Path.cwd(), [False]

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event not in EVENTS or busy[0] or not _concerns(event, arguments, home):
            return
        busy[0] = True
        try:
            act(event, arguments)
        finally:
            busy[0] = False

    sys.addaudithook(hook)


def _concerns(event: str, arguments: tuple[Any, ...], home: Path) -> bool:
    if event == "ctypes.dlsym":
        return arguments[1] == "renameat2"
    if not isinstance(arguments[0], str | bytes | os.PathLike):
        return False
    return os.path.join(home, os.fsdecode(arguments[0])).startswith(f"{home}/")  # noqa: PTH118


class _Killer:
    """Kills the process at an event, by its number."""

    def __init__(self, number: int) -> None:
        self._left = number

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self._left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        self._left -= 1


class _Pause:
    """Waits at the first workshop of an output until a file ``go`` is there."""

    def __init__(self, output: str) -> None:
        self._name, self._waited = f".{Path(output).name}.", False

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event == "os.mkdir" and not self._waited and self._name in os.fsdecode(arguments[0]):
            self._waited = True
            Path("paused").touch()
            end = time.monotonic() + SECONDS / 2
            while not Path("go").exists() and time.monotonic() < end:
                time.sleep(0.005)


class _Watcher:
    """Writes down what every output holds at every event, by its name."""

    def __init__(self, outputs: list[str]) -> None:
        self._outputs = outputs
        self._file = Path("watched").open("w")  # noqa: SIM115 - as long as the process lives

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        self._file.write(json.dumps(digests(Path(), self._outputs)) + "\n")
        self._file.flush()


def found(home: Path, outputs: list[str] | tuple[str, ...]) -> list[Path]:
    """The outputs that are there, without locks and without what is being written."""
    matches = (path for pattern in outputs for path in home.glob(pattern))
    return sorted(path for path in matches if not path.name.endswith(("lock", "lexalign-part")))


def digests(home: Path, outputs: list[str] | tuple[str, ...]) -> dict[str, str]:
    """Of all bytes of every output that is there."""
    return {path.relative_to(home).as_posix(): digest(path) for path in found(home, outputs)}


def digest(path: Path) -> str:
    """Of all bytes of a file or folder."""
    files = [path] if path.is_file() else sorted(path.rglob("*"))
    whole = hashlib.sha256()
    for file in files:
        if file.is_file():
            whole.update(file.name.encode() + file.read_bytes())
    return whole.hexdigest()


if __name__ == "__main__":
    serve()
