"""The process that runs the commands, their inputs, and what each writes if nothing goes wrong."""

from __future__ import annotations

import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.faults.commands import REVIEW, ROWS, Row, content, make_inputs, new_home
from tests.faults.warm import Ended, Warm, found


@pytest.fixture(scope="session")
def warm():
    """A process that forks for every command."""
    if sys.platform != "linux":
        pytest.skip("faults are brought about in forks of a process that has loaded everything, "
                    "which the libraries of macOS do not survive")  # fmt: skip
    process = Warm()
    yield process
    process.close()


@pytest.fixture(scope="session")
def inputs(warm, tmp_path_factory) -> Path:
    """A folder with all that the rows read."""
    folder = tmp_path_factory.mktemp("faults") / "inputs"
    make_inputs(folder)
    align = "align procrustes en.vec de.vec --lexicon seeds.txt --output run"
    ended = warm.run(folder, align.split())
    assert ended.code == 0, ended.error
    return folder


@dataclass
class Bench:
    """One row of the table, and a place to run it in."""

    row: Row
    warm: Warm
    inputs: Path
    folder: Path
    whole: dict[str, dict[str, object]]
    """What each output holds if nothing goes wrong."""

    def home(self, name: str, *, old: bool = False, place: Path | None = None) -> Path:
        """A new folder to run in, if asked for with old outputs or in another place."""
        home = new_home((place or self.folder) / name, self.inputs)
        if old:
            for output in self.row.outputs:
                _make_old(self.folder / "reference" / output, home / output)
        return home

    def run(self, home: Path, *, overwrite: bool = False, **fault: Any) -> Ended:
        """Run the command to its end."""
        return self.warm.wait(self.start(home, overwrite=overwrite, **fault))

    def start(self, home: Path, *, overwrite: bool = False, **fault: Any) -> int:
        """Begin to run the command."""
        arguments = self.row.command(overwrite=overwrite)
        return self.warm.start(home, arguments, stand_in=self.row.stand_in, **fault)

    def contents(self, home: Path) -> dict[str, dict[str, object]]:
        """What the outputs hold now, by name."""
        return {
            path.relative_to(home).as_posix(): content(path)
            for path in found(home, self.row.outputs)
        }


@pytest.fixture(scope="session")
def references() -> dict[str, tuple[Path, dict[str, dict[str, object]]]]:
    """The results of rows that have been run."""
    return {}


@pytest.fixture(params=list(ROWS))
def bench(request, warm, inputs, tmp_path, references) -> Bench:
    """Every row of the table."""
    row, name = {**ROWS, **REVIEW}[request.param], request.param
    made = Bench(row, warm, inputs, tmp_path, {})
    if name not in references:
        home = new_home(inputs.parent / f"reference of {name}", inputs)
        ended = made.run(home, watch=row.outputs)
        assert ended.code == 0, ended.error
        references[name] = home, made.contents(home)
    home, made.whole = references[name]
    (tmp_path / "reference").symlink_to(home)
    return made


def _make_old(new: Path, old: Path) -> None:
    """Something that differs from the new output, and may be replaced."""
    if new.is_file():
        old.write_bytes(b"old\n")
        return
    shutil.copytree(new, old)
    changed = next(file for file in sorted(old.iterdir()) if file.suffix != ".json")
    with changed.open("ab") as file:
        file.write(b"old\n")


def left_over(home: Path) -> list[Path]:
    """Hidden folders in which something was being written."""
    return [path for path in home.rglob("*") if path.name.endswith("lexalign-part")]


def files(home: Path) -> dict[str, bytes]:
    """All files, without locks."""
    return {
        path.relative_to(home).as_posix(): path.read_bytes()
        for path in home.rglob("*")
        if path.is_file() and not path.name.endswith("lock")
    }
