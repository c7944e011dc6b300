"""``lexalign export projector``: the files, what they hold, and what is refused."""

import json

import numpy as np
import pytest

from lexalign.errors import LexalignError
from lexalign.pipelines.export import export_projector
from lexalign.vectors import Embeddings, read, write
from tests.cli.test_commands import run
from tests.explore.samples import aligned_run

NAMES = ["metadata.tsv", "projector_config.json", "vectors.tsv"]


@pytest.fixture(scope="module")
def aligned(tmp_path_factory):
    """The folder of an alignment; not to be changed."""
    return aligned_run(tmp_path_factory.mktemp("aligned"))


def odd_run(folder):
    """A run with words that a table with tabs cannot hold."""
    words = ["a\tb", "c\nd", "e\u2028f", '"quoted"', "<b>", "'", "ok"]
    write(Embeddings(words, np.eye(7, 3)), folder / "source.npz")
    write(Embeddings(["x", "y", "z"], np.eye(3)), folder / "target.npz")
    (folder / "run.json").write_text('{"format": "lexalign-run-2"}', encoding="utf-8")
    return folder


def rows_of(path):
    return [line.split("\t") for line in path.read_text(encoding="utf-8").split("\n")[:-1]]


def test_vectors_and_facts_are_written_in_the_same_order(capsys, aligned, tmp_path):
    out = tmp_path / "out"
    code, said, err = run(capsys, "export", "projector", aligned, "--output", out, "--words", 50)
    assert code == 0, err
    assert said == f"{out}: 50 source and 50 target words, 12 dimensions\n"
    assert sorted(path.name for path in out.iterdir()) == NAMES
    source, target = (read(aligned / f"{side}.vec", limit=50) for side in ("source", "target"))
    facts = rows_of(out / "metadata.tsv")
    assert facts[0] == ["word", "language", "rank"]
    assert facts[1:] == [
        [word, name, str(rank)]
        for side, name in ((source, "one"), (target, "two"))
        for rank, word in enumerate(side.words, start=1)
    ]
    numbers = np.loadtxt(out / "vectors.tsv", delimiter="\t", dtype=np.float32)
    assert np.array_equal(numbers, np.concatenate((source.matrix, target.matrix)))
    config = json.loads((out / "projector_config.json").read_text(encoding="utf-8"))
    (tensor,) = config["embeddings"]
    assert tensor["tensorShape"] == [100, 12]
    assert (out / tensor["tensorPath"]).is_file()
    assert (out / tensor["metadataPath"]).is_file()


def test_languages_can_be_named_and_the_summary_is_json(capsys, aligned, tmp_path):
    out = tmp_path / "out"
    options = ("--names", "English", "German\t(de)", "--json")
    code, said, _ = run(capsys, "export", "projector", aligned, "--output", out, *options)
    assert code == 0
    assert json.loads(said) == {
        "output": str(out),
        "words": {"source": 300, "target": 300},
        "dimension": 12,
        "changed_words": 0,
    }
    languages = {row[1] for row in rows_of(out / "metadata.tsv")[1:]}
    assert languages == {"English", "German (de)"}


def test_words_with_tabs_or_line_ends_keep_their_row(capsys, tmp_path):
    folder = tmp_path / "run"
    folder.mkdir()
    out = tmp_path / "out"
    code, _, err = run(capsys, "export", "projector", odd_run(folder), "--output", out)
    assert code == 0
    assert "3 words contain tabs or line ends; metadata.tsv has blanks instead." in err
    facts = rows_of(out / "metadata.tsv")
    assert [row[0] for row in facts[1:8]] == ["a b", "c d", "e f", '"quoted"', "<b>", "'", "ok"]
    assert {len(row) for row in facts} == {3}
    assert len(facts) == 1 + 10 == 1 + len(rows_of(out / "vectors.tsv"))


def test_what_exists_is_replaced_only_if_an_export_wrote_it(capsys, aligned, tmp_path):
    command = ("export", "projector", aligned, "--words", 20, "--output")
    out = tmp_path / "out"
    assert run(capsys, *command, out)[0] == 0
    code, _, err = run(capsys, *command, out)
    assert code == 1
    assert err.endswith("already exists; choose another name or set --overwrite.\n")
    assert run(capsys, *command, out, "--overwrite")[0] == 0
    (out / "notes.txt").write_text("precious")
    code, _, err = run(capsys, *command, out, "--overwrite")
    assert code == 1
    assert "holds notes.txt, which Lexalign did not write" in err
    code, _, err = run(capsys, *command, aligned, "--overwrite")
    assert code == 1
    assert "was not written by Lexalign" in err
    assert (aligned / "run.json").is_file()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out"]


def test_what_is_no_run_is_refused_and_leaves_nothing(capsys, tmp_path):
    code, _, err = run(capsys, "export", "projector", tmp_path, "--output", tmp_path / "out")
    assert code == 1
    assert "holds no run.json" in err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("words", ["0", "-3", "many"])
def test_a_number_of_words_is_asked_for(capsys, aligned, tmp_path, words):
    out = tmp_path / "out"
    command = ("export", "projector", aligned, "--output", out, "--words", words)
    code, _, err = run(capsys, *command)
    assert code == 2
    assert "--words" in err
    with pytest.raises(LexalignError, match="must be at least 1"):
        export_projector(aligned, out, words=0)
    assert not out.exists()
