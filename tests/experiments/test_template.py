"""The grid to begin with: it runs as it is, and a user's files are never replaced."""

import re
import shlex
from pathlib import Path

from lexalign.experiments import read_grid, shipped
from tests.conftest import exit_code


def test_a_new_grid_runs_as_it_is(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert exit_code("experiment", "new", "my grid") == 0
    said = capsys.readouterr().out
    assert sorted(path.name for path in Path("my grid").iterdir()) == [
        "de.bin", "en.bin", "inputs.toml", "my grid.toml", "seeds.tsv", "test.tsv",
    ]  # fmt: skip
    assert "lexalign experiment run 'my grid/my grid.toml' --inputs 'my grid/inputs.toml'" in said

    command = shlex.split(said.splitlines()[1])
    assert exit_code(*command[1:-1], "results") == 0
    capsys.readouterr()
    assert exit_code("experiment", "table", "results") == 0
    table = capsys.readouterr().out
    rows = re.findall(r"^\| (\S+?)†? \| \D*(\d+\.\d)", table, re.MULTILINE)
    assert [row for row, _ in rows] == ["Procrustes", "Procrustes-ℓ1", "VecMap", "VecMap-ℓ1"]
    assert all(float(score) > 20 for _, score in rows), table


def test_what_its_comments_say_can_be_switched_on(tmp_path):
    assert exit_code("experiment", "new", tmp_path / "mine") == 0
    grid = tmp_path / "mine" / "mine.toml"
    text = re.sub(r"^# (?=\[|label|method|aligned|\"|retrieval)", "", grid.read_text(), flags=re.M)
    grid.write_text(text)
    read = read_grid(grid)
    assert (read.name, read.evaluation.rules.retrieval) == ("mine", "nn")
    assert [choice.method for choice in read.aligners] == ["procrustes", "vecmap", "given"]
    assert read.published == {"Procrustes": {"en-de": 0.0}}
    command = next(line for line in text.splitlines() if "experiment run" in line)
    assert shlex.split(command)[4] == "mine.toml"


def test_a_folder_with_files_is_refused(tmp_path, capsys):
    (tmp_path / "notes.txt").write_text("mine")
    assert exit_code("experiment", "new", tmp_path) == 1
    assert "already exists" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]
    made = tmp_path / "mine"
    assert exit_code("experiment", "new", made) == 0
    assert exit_code("experiment", "new", made, "--overwrite") == 0
    (made / "results").write_text("mine")
    assert exit_code("experiment", "new", made, "--overwrite") == 1
    assert "holds results, which Lexalign did not write" in capsys.readouterr().err


def test_it_is_no_grid_of_the_paper():
    assert not [name for name in shipped() if name.startswith("new")]
