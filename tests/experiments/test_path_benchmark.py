"""The benchmark of refinements: that it runs on a grid like its own, and sums up what it found."""

import sys
from pathlib import Path

from benchmarks import path

from lexalign.experiments import read_grid
from tests.experiments.conftest import GRID

MORE = """
[[aligners]]
label = "Procrustes, robust"
method = "procrustes"
lexicon = "train"
loss = "l1"
refine = false

[[refinements]]
label = "ℓ2 auto"
loss = "l2"
horizon = "auto"
"""


def test_it_tells_mean_and_worst_of_every_refinement(toys, capsys, monkeypatch):
    grid = GRID[: GRID.index("[published]")].replace("seeds = [0, 1]", "seeds = [0]") + MORE
    (toys / "path.toml").write_text(grid)
    chosen = ["--grid", toys / "path.toml", "--only", "Procrustes", "Procrustes, robust"]
    arguments = ["path", toys / "inputs.toml", toys / "results", *chosen]
    monkeypatch.setattr(sys, "argv", [str(argument) for argument in arguments])
    path.main()
    rows = [line.split(" | ") for line in capsys.readouterr().out.splitlines() if "|" in line]
    found = {row[0].removeprefix("| "): row[1:] for row in rows[2:]}
    assert list(found) == ["ℓ1", "ℓ2 auto", "robust self-learning"]
    assert all(cells[0] == "2" for cells in found.values())
    for cells in found.values():
        mean, worst = cells[2].split(" ")
        assert float(mean) >= float(worst.strip("()"))


def test_its_grid_can_be_run():
    grid = read_grid(Path(path.__file__).with_name("path.toml"))
    labels = {choice.label for choice in grid.aligners}
    robust = {label for label in labels if label.endswith(path.ROBUST)}
    assert robust
    assert {label.removesuffix(path.ROBUST) for label in robust} <= labels
