"""A real explorer in a process of its own."""

import json
import subprocess
import sys
import time
from contextlib import contextmanager
from urllib.request import urlopen

PROGRAM = [sys.executable, "-c", "from lexalign.cli import main; main()"]


class Running:
    """A process, and where it listens."""

    def __init__(self, process: subprocess.Popen, address: str) -> None:
        self.process, self.address = process, address
        host, port = address.split("/")[2].rsplit(":", 1)
        self.host, self.port = host.strip("[]"), int(port)

    def get(self, path: str):
        """An answer."""
        with urlopen(self.address.rstrip("/") + path, timeout=30) as response:
            return json.load(response)

    def wait_until_prepared(self):
        """What it says about itself in the end."""
        end = time.monotonic() + 180  # it works at the lowest priority
        while (about := self.get("/api/about"))["preparation"]["state"] == "running":
            assert time.monotonic() < end, about
            time.sleep(0.05)
        return about

    def stopped_by(self, signal_number) -> tuple[int, str, str]:
        """The exit code and what it said after a signal."""
        self.process.send_signal(signal_number)
        out, err = self.process.communicate(timeout=30)
        return self.process.returncode, out, err


@contextmanager
def running(folder, *options, before="", port=0):
    """Start an explorer, by default on any free port, and end it; ``before`` runs first."""
    arguments = ["explore", str(folder), "--port", str(port), *map(str, options)]
    *python, program = PROGRAM
    process = subprocess.Popen(
        [*python, f"{before}\n{program}", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        line = process.stdout.readline()
        assert "://" in line, process.stderr.read()
        yield Running(process, next(word for word in line.split() if "://" in word))
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()
