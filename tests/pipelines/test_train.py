"""``lexalign train``: from text to a file, whole or not at all."""

import bz2
import gzip
import json
import lzma
import sys

import pytest

from lexalign import read
from lexalign.training import Counts
from tests.conftest import exit_code
from tests.training.language_text import lines_in, mixed

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
    assert "already exists" in capsys.readouterr().err
    assert output.read_text() == "precious"
    assert exit_code("train", corpus_file, "--output", output, "--overwrite", *SMALL) == 0
    assert len(read(output)) == 48


def test_without_gensim_the_extra_is_named(corpus_file, tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "gensim", None)
    assert exit_code("train", corpus_file, "--output", tmp_path / "out.vec") == 1
    assert (
        "Training needs optional packages: pip install 'lexalign[train]'" in capsys.readouterr().err
    )


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


@pytest.fixture
def mixed_file(tmp_path):
    """German, and 24 English lines of 144."""
    path = tmp_path / "mixed.txt"
    path.write_text("\n".join(mixed(de=120, en=24)), encoding="utf-8")
    return path


def trained(capsys, *arguments):
    """The exit code, the summary and what was said on standard error."""
    code = exit_code("train", *arguments, "--json", *SMALL)
    said = capsys.readouterr()
    return code, json.loads(said.out) if said.out else {}, said.err


def test_what_is_trained_is_said_before_training(mixed_file, tmp_path, capsys, caplog):
    code, summary, said = trained(capsys, mixed_file, "--output", tmp_path / "a.vec", "--verbose")
    assert code == 0
    before, training = said.split("training: done")
    for part in (
        "text        lower case, composed form (NFC); tokens are runs of letters, marks and dig",
        f"size        {summary['tokens']:,} tokens, {summary['different_words']} different words",
        f"vocabulary  {summary['words']} words to train cover 100.0 % of the tokens",
        "language    82 % German, 18 % English (sample of 144 passages)",
    ):
        assert part in before
    assert training
    finding = "mixed.txt: 18 % of this German text looks English (sample of 144 passages, such as"
    assert finding in caplog.text
    text = summary["text"]
    assert text["preparation"] == {"case": "lower", "unicode_form": "NFC", "tokens": "words"}
    assert text["language"]["main"] == "de"
    assert text["language"]["shares"]["en"] == pytest.approx(0.18, abs=0.01)


def test_compressed_text_gives_the_same_shares(mixed_file, tmp_path, capsys):
    shares = []
    for suffix, compress in (
        (".gz", gzip.compress),
        (".bz2", bz2.compress),
        (".xz", lzma.compress),
    ):
        path = tmp_path / f"mixed.txt{suffix}"
        path.write_bytes(compress(mixed_file.read_bytes()))
        _, summary, _ = trained(capsys, path, "--output", tmp_path / "a.vec", "--overwrite")
        shares.append(summary["text"]["language"])
    assert shares[0] == shares[1] == shares[2]
    assert shares[0]["shares"]["en"] > 0.1


def test_text_in_one_line_is_looked_at_everywhere(tmp_path, capsys):
    path = tmp_path / "line.txt"
    path.write_text(" ".join(mixed(de=240, en=40)), encoding="utf-8")
    _, summary, _ = trained(capsys, path, "--output", tmp_path / "a.vec")
    assert summary["text"]["language"]["shares"]["en"] == pytest.approx(0.14, abs=0.03)


def test_another_language_than_the_named_one_ends_before_training(mixed_file, tmp_path, capsys):
    code, _, said = trained(capsys, mixed_file, "--language", "fr", "--output", tmp_path / "a.vec")
    assert code == 1
    assert "mixed.txt: this text is hardly French: the sample is 8" in said
    assert "training ..." not in said
    assert not (tmp_path / "a.vec").exists()
    code, _, said = trained(
        capsys, mixed_file, "--language", "german", "--output", tmp_path / "a.vec"
    )
    assert code == 0


def test_the_language_check_can_be_left_out(mixed_file, tmp_path, capsys, caplog):
    code, summary, said = trained(
        capsys, mixed_file, "--language", "none", "--output", tmp_path / "a.vec"
    )
    assert code == 0
    assert "not checked: switched off" in said
    assert "looks English" not in caplog.text
    assert summary["text"]["language"]["checked"] is False


def test_training_works_without_the_library_of_the_check(mixed_file, tmp_path, capsys, monkeypatch):
    from lexalign.training.languages import _identifier

    _identifier.cache_clear()
    monkeypatch.setitem(sys.modules, "py3langid", None)
    code, summary, said = trained(
        capsys, mixed_file, "--language", "fr", "--output", tmp_path / "a.vec"
    )
    assert code == 0
    assert "not checked: The language check needs optional packages: pip install" in said
    assert summary["text"]["language"]["checked"] is False


def test_a_language_that_is_none_is_refused(mixed_file, tmp_path, capsys):
    assert trained(capsys, mixed_file, "--language", "germn", "--output", tmp_path / "a")[0] == 1


def test_vectors_do_not_depend_on_the_check(mixed_file, tmp_path, capsys):
    written = []
    for language in ("auto", "none", "de"):
        path = tmp_path / f"{language}.vec"
        assert trained(capsys, mixed_file, "--language", language, "--output", path)[0] == 0
        written.append(path.read_bytes())
    assert written[0] == written[1] == written[2]


def test_from_python_findings_go_to_the_log(mixed_file, caplog):
    from lexalign.training import Trainer, train

    inspections = []
    trainer = Trainer(dimension=4, epochs=1, minimum_count=1, buckets=100)
    train([mixed_file], trainer, report=inspections.append)
    assert "18 % of this German text looks English" in caplog.text
    (inspection,) = inspections
    assert inspection.covered == 1
    assert len(inspection.words) == len({w for line in lines_in("de") + lines_in("en")
                                         for w in line.lower().split()})  # fmt: skip
