"""``lexalign train``: from text to a file, whole or not at all."""

import json
import sys

import pytest

from lexalign import read
from lexalign.training import Counts
from tests.conftest import exit_code

SMALL = ["--dimension", "8", "--epochs", "2", "--buckets", "500", "--minimum-count", "1"]


def test_vectors_and_counts_are_written(corpus_file, tmp_path, capsys):
    output, counts = tmp_path / "vectors.vec.gz", tmp_path / "counts.tsv"
    assert (
        exit_code("train", corpus_file, "--output", output, "--counts", counts, "--json", *SMALL)
        == 0
    )
    summary = json.loads(capsys.readouterr().out)
    assert summary["tokens"] == 7200
    assert summary["share_covered"] == 1
    vectors = read(output)
    assert vectors.matrix.shape == (48, 8)
    assert list(vectors.words) == list(Counts.read(counts).words)


def test_existing_files_stay_unless_they_may_go(corpus_file, tmp_path, capsys):
    output = tmp_path / "vectors.vec"
    output.write_text("precious")
    assert exit_code("train", corpus_file, "--output", output, *SMALL) == 1
    assert "exists already" in capsys.readouterr().err
    assert output.read_text() == "precious"
    assert exit_code("train", corpus_file, "--output", output, "--overwrite", *SMALL) == 0
    assert len(read(output)) == 48


def test_without_gensim_the_extra_is_named(corpus_file, tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "gensim", None)
    assert exit_code("train", corpus_file, "--output", tmp_path / "out.vec") == 1
    assert "Training needs more packages: pip install 'lexalign[train]'" in capsys.readouterr().err


def test_several_files_are_one_corpus(corpus_file, tmp_path, capsys):
    (tmp_path / "more.txt").write_text("one more word\n")
    files = corpus_file, tmp_path / "more.txt"
    assert exit_code("train", *files, "--output", tmp_path / "both.npz", "--json", *SMALL) == 0
    assert json.loads(capsys.readouterr().out)["words"] == 51


@pytest.mark.parametrize(
    ("text", "problem"),
    [("... !!!\n", "text.txt: there are no words"), ("a b c\n" * 2, "text.txt: none of its 3")],
)
def test_too_little_text_is_one_sentence(tmp_path, capsys, text, problem):
    path = tmp_path / "text.txt"
    path.write_text(text)
    assert exit_code("train", path, "--output", tmp_path / "out.vec") == 1
    error = capsys.readouterr().err.strip().splitlines()[-1]
    assert error.startswith("lexalign: ")
    assert problem in error
    assert not (tmp_path / "out.vec").exists()
