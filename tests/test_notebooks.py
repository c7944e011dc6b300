"""The notebooks of the documentation run, and their stored outputs are those of their code."""

import json
import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "docs" / "tutorials").glob("*.ipynb"))


def texts(cell):
    """What a cell printed, or the last value of it."""
    outputs = [output for output in cell["outputs"] if "image/png" not in output.get("data", {})]
    return ["".join(one.get("text") or one["data"]["text/plain"]) for one in outputs]


def digits_aside(text):
    return "".join(" " if letter in "0123456789.+-%" else letter for letter in text).split()


def test_there_are_notebooks():
    assert len(NOTEBOOKS) == 3


@pytest.mark.filterwarnings("default")  # of the libraries that talk to the kernel
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path, monkeypatch):
    """Words are compared and figures are not: their last digits depend on the machine."""
    nbformat = pytest.importorskip("nbformat")
    client = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT / "src"), str(ROOT)]))
    stored = json.loads(path.read_text("utf-8"))["cells"]
    book = nbformat.read(path, as_version=4)
    client.NotebookClient(book, timeout=300, kernel_name="python3").execute()
    for before, after in zip(stored, book.cells, strict=True):
        if before["cell_type"] == "code":
            was, now = "".join(texts(before)), "".join(texts(after))
            assert digits_aside(now) == digits_aside(was), "".join(before["source"])
