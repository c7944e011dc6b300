"""Names that are not UTF-8, and links that lead in a circle: commands work or say one sentence."""

import json
import sys

import pytest

from lexalign.demo import write_demo_run
from lexalign.runs import Run
from lexalign.vectors import read, write
from tests.conftest import exit_code
from tests.vectors.samples import tiny

ODD = "a\udcffb"
"""A name with a byte that is not UTF-8, as Python holds it."""

pytestmark = pytest.mark.skipif(sys.platform == "darwin", reason="names are UTF-8 on macOS")


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("run") / ODD
    folder.mkdir()
    write_demo_run(folder / "aligned", words=300)
    return folder / "aligned"


@pytest.fixture
def lexicon(tmp_path):
    path = tmp_path / f"{ODD}.tsv"
    path.write_text("the\tder\nand\tund\nof\tvon\n")
    return path


def test_a_run_keeps_the_names_of_its_inputs(run):
    output = run.parent / "refined"
    code = exit_code("refine", run / "source.vec", run / "target.vec", "--output", output)
    assert code == 0
    assert ODD in Run.open(output).record["inputs"]["source"]["path"]
    assert exit_code("report", output, "--output", run.parent / "report.html") == 0
    assert "a\ufffdb" in (run.parent / "report.html").read_text("utf-8")


def test_json_output_escapes_bytes(run, lexicon, capsys):
    assert exit_code("evaluate", run, "--lexicon", lexicon, "--json") == 0
    assert ODD in json.loads(capsys.readouterr().out)[0]["lexicon"]


def test_an_error_escapes_bytes(run, tmp_path, capsys):
    words = run / "source.vec", run / "target.vec"
    assert exit_code("translate", *words, ODD) == 1
    assert r"unknown word: 'a\udcffb'" in capsys.readouterr().err
    assert exit_code("convert", tmp_path / ODD, tmp_path / "b.vec") == 1
    assert r"a\udcffb: it cannot be read" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["a.vec", "a"])
def test_an_output_that_leads_in_a_circle_is_refused(tmp_path, capsys, name):
    write(tiny(), tmp_path / "in.vec")
    (tmp_path / name).symlink_to(name)
    for overwrite in ([], ["--overwrite"]):
        assert exit_code("convert", tmp_path / "in.vec", tmp_path / name, *overwrite) == 1
        assert "is a symbolic link that leads back to itself" in capsys.readouterr().err


def test_an_input_that_leads_in_a_circle_is_refused(tmp_path, capsys):
    (tmp_path / "a.tsv").symlink_to("a.tsv")
    assert exit_code("lexicon", "swap", tmp_path / "a.tsv", tmp_path / "b.tsv") == 1
    assert "a.tsv: it cannot be read" in capsys.readouterr().err
    assert not (tmp_path / "b.tsv").exists()


def test_a_link_to_a_file_is_written_through(tmp_path):
    write(tiny(), tmp_path / "in.vec")
    (tmp_path / "link.vec").symlink_to("out.vec")
    assert exit_code("convert", tmp_path / "in.vec", tmp_path / "link.vec") == 0
    assert (tmp_path / "link.vec").is_symlink()
    assert len(read(tmp_path / "out.vec")) == 5
