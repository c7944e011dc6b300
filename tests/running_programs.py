"""The programs that run on this machine: from /proc on Linux, from ps elsewhere."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import NamedTuple

PROC = Path("/proc")


class Program(NamedTuple):
    """A process, the process that started it, and its command line."""

    process: int
    parent: int
    command: str


def running_programs() -> list[Program]:
    """All of them; those that end meanwhile are left out."""
    return _from_proc() if (PROC / "self" / "stat").exists() else _from_ps()


def _from_proc() -> list[Program]:
    found = []
    for folder in PROC.glob("[0-9]*"):
        try:
            command = (folder / "cmdline").read_bytes().decode(errors="replace")
            parent = (folder / "stat").read_text(errors="replace").rsplit(")", 1)[1].split()[1]
        except (OSError, IndexError):
            continue
        found.append(Program(int(folder.name), int(parent), command.replace("\0", " ").strip()))
    return found


def _from_ps() -> list[Program]:
    listed = subprocess.run(
        ["ps", "-A", "-ww", "-o", "pid=,ppid=,command="], capture_output=True, text=True, check=True
    )
    parts = (line.split(maxsplit=2) for line in listed.stdout.splitlines())
    return [Program(int(one[0]), int(one[1]), one[2]) for one in parts if len(one) == 3]
