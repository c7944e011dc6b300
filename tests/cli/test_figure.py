"""``lexalign figure``: files, sentences, the table and JSON."""

import csv
import json
import sys

import pytest

from lexalign.aligners import Procrustes
from lexalign.demo import demo_embeddings, demo_lexicon
from lexalign.report import distance_figure
from lexalign.runs import AlignedPair
from lexalign.vectors import write
from tests.cli.test_commands import run
from tests.report.samples import WORDS, bent_pair


@pytest.fixture
def pair(tmp_path, monkeypatch):
    """Two files in the working folder."""
    monkeypatch.chdir(tmp_path)
    for name, side in zip(("s.vec", "t.vec"), bent_pair(), strict=True):
        write(side, name)
    return tmp_path


@pytest.fixture
def unread(monkeypatch):
    """Whoever reads vectors fails."""

    def never(*_, **__):
        raise AssertionError("vectors were read before the request was checked")

    monkeypatch.setattr(AlignedPair, "read", never)


def test_all_formats_come_from_one_run(capsys, pair):
    names = ["a.png", "a.svg", "a.PDF", "a.csv"]
    outputs = [part for name in names for part in ("--output", name)]
    code, out, err = run(capsys, "figure", "s.vec", "t.vec", *outputs, "--verbose")
    assert code == 0
    beginnings = [(pair / name).read_bytes()[:6] for name in names]
    assert beginnings == [b"\x89PNG\r\n", b"<?xml ", b"%PDF-1", b"source"]
    assert "300 mutual pairs" in out
    assert "quarter 4" in out
    assert "finding mutual pairs: done, " in err
    assert "a.png: 300 pairs" in err
    assert {path.name for path in pair.iterdir()} == {"s.vec", "t.vec", *names}


def test_the_table_is_also_csv(capsys, pair):
    _, out, _ = run(
        capsys, "figure", "s.vec", "t.vec", "--output", "a.csv", "--loss", "l21", "--table", "csv"
    )
    before, after = csv.DictReader(out.splitlines())
    assert (before["refinement"], after["refinement"]) == ("none", "l21")
    assert before["mean"] == ""
    assert float(after["sum of ℓ1"]) < float(before["sum of ℓ1"])


def test_the_demonstration_as_json(capsys, tmp_path):
    """The 3,000 most frequent words, aligned with the seeds."""
    source, target = (demo_embeddings(language).top(3_000) for language in ("en", "de"))
    aligned = Procrustes().fit(source, target, demo_lexicon("seeds"))
    for name in ("source", "target"):
        write(getattr(aligned, name), tmp_path / f"{name}.npz")
    (tmp_path / "run.json").write_text('{"format": "lexalign-run-2"}', encoding="utf-8")
    code, out, _ = run(
        capsys, "figure", tmp_path, "--output", tmp_path / "a.svg", "--uniform", "--limit", "2500",
        "--max-rank", "2000", "--json",
    )  # fmt: skip
    summary = json.loads(out)
    assert code == 0
    assert summary["outputs"] == [str(tmp_path / "a.svg")]
    assert 700 < summary["pairs"] <= 2_000
    l1, l2 = summary["losses"]["l1"], summary["losses"]["l2"]
    assert l1["closer"] > 0.5
    assert l1["l1_after"] < l1["l1_before"] == l2["l1_before"]
    assert l2["l2_after"] < l1["l2_after"] < l2["l2_before"]
    assert l2["quarters"][3] < l2["quarters"][0]
    assert "finding mutual pairs" in summary["seconds"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--output", "a.jpg"], "a.jpg: a figure cannot have the suffix '.jpg'; use .png,"),
        (["--output", "a"], "a: a figure cannot have the suffix ''; use"),
        (["--output", "no/a.png"], "its folder does not exist"),
        (["--output", "old.png"], "old.png already exists; choose another name or set --overwrite"),
        (["--output", "a.png", "--loss", "l1", "--loss", "l1"], "Got ['l1', 'l1'] instead"),
        (["--output", "a.png", "--max-rank", "0"], "--max-rank of refinement must be a whole"),
        (["--output", "a.png", "--solver", "vode"], "otherwise use --solver flow"),
        (["t.vec", "t.vec", "--output", "a.png"], "Name one SOURCE and one TARGET"),
        ([], "Missing option '--output'"),
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_refused_before_reading(
    capsys, pair, unread, arguments, sentence
):  # fmt: skip
    (pair / "old.png").write_bytes(b"old")
    code, out, err = run(capsys, "figure", "s.vec", "t.vec", *arguments)
    assert code != 0
    assert out == ""
    assert sentence in err
    assert (pair / "old.png").read_bytes() == b"old"


def test_without_matplotlib_the_extra_is_named_first_and_data_still_come(
    capsys, pair, monkeypatch
):  # fmt: skip
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with monkeypatch.context() as patch:
        patch.setattr(AlignedPair, "read", lambda *_, **__: pytest.fail("vectors were read"))
        code, _, err = run(capsys, "figure", "s.vec", "t.vec", "--output", "a.png")
    assert code == 1
    assert "pip install 'lexalign[report]'" in err
    code, _, _ = run(capsys, "figure", "s.vec", "t.vec", "--output", "a.csv")
    assert code == 0
    assert len((pair / "a.csv").read_text(encoding="utf-8").splitlines()) == WORDS + 1


def test_old_files_are_replaced_all_at_the_end_or_not_at_all(capsys, pair, monkeypatch):
    for name in ("a.csv", "a.png"):
        (pair / name).write_bytes(b"old")
    arguments = ["s.vec", "t.vec", "--output", "a.csv", "--output", "a.png", "--overwrite"]
    with monkeypatch.context() as patch:

        def fail(*_, **__):
            raise KeyboardInterrupt

        patch.setattr(distance_figure, "trend", fail)
        code, _, _ = run(capsys, "figure", *arguments)
    assert code == 130
    assert {(pair / name).read_bytes() for name in ("a.csv", "a.png")} == {b"old"}
    assert len(list(pair.iterdir())) == 4
    code, _, _ = run(capsys, "figure", *arguments)
    assert code == 0
    assert b"old" not in {(pair / name).read_bytes() for name in ("a.csv", "a.png")}
