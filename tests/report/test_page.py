"""The report: one page, that needs nothing else, about any run."""

import json
import re
import shutil
from html.parser import HTMLParser

import numpy as np
import pytest

from lexalign import Lexicon, read, write
from lexalign.digests import sha256
from lexalign.evaluation.protocols import named
from lexalign.report.analysis import analyse
from lexalign.report.before_after import BeforeAfter
from tests.conftest import exit_code, planted_pair
from tests.report.runs import make_runs

VOID = {"meta", "br"}


class Checker(HTMLParser):
    """Finds elements that are not closed, and whatever would ask the network."""

    def __init__(self):
        super().__init__()
        self.stack, self.asked, self.text = [], [], []

    def handle_starttag(self, tag, attributes):
        """Open, and look at its attributes."""
        if tag not in VOID:
            self.stack.append(tag)
        if tag in ("script", "link", "img", "image", "iframe", "object"):
            self.asked.append(tag)
        links = [value for name, value in attributes if name in ("src", "href") and value]
        self.asked += [link for link in links if not link.startswith("#")]

    def handle_startendtag(self, tag, attributes):
        """One that needs no end."""

    def handle_endtag(self, tag):
        """Close the last one."""
        assert self.stack.pop() == tag

    def handle_data(self, data):
        """What people read."""
        self.text.append(data)


def checked(path):
    checker = Checker()
    content = path.read_text(encoding="utf-8")
    checker.feed(content)
    assert not checker.stack
    assert not checker.asked
    assert "http" not in re.sub(r"http-equiv", "", content)
    assert len(content.encode()) < 3_000_000
    return " ".join(" ".join(checker.text).split())


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    return make_runs(tmp_path_factory.mktemp("runs"))


def test_a_refinement_is_told_whole(runs, tmp_path):
    output = tmp_path / "report.html"
    lexicon = ["--lexicon", runs / "test.txt"]
    assert exit_code("report", runs / "refined", *lexicon, "--output", output) == 0
    text = checked(output)
    for part in (
        "en → de", "Run refined", "P@1 by frequency", "compared with before refinement",
        "Distances of the pairs", "This run, l1", "Least squares", "health check", "Loss, descent",
        "Error of MᵀM = I", "Reproduce and cite", "Cross-Lingual Word Embedding Refinement",
        "SHA-256", "Nearest neighbour by CSLS", "Nearest neighbour by cosine (NN)",
    ):  # fmt: skip
        assert part in text
    assert "<script>" not in output.read_text()
    assert "prefers-color-scheme: dark" in output.read_text()


def test_a_dictionary_that_is_hardly_known_is_doubted(runs, tmp_path, capsys):
    words = (runs / "test.txt").read_text("utf-8").split("\n")[:3]
    other = tmp_path / "other.txt"
    other.write_text("\n".join([*words, *(f"no{i} nein{i}" for i in range(97))]), "utf-8")
    output = tmp_path / "report.html"
    assert exit_code("report", runs / "refined", "--lexicon", other, "--output", output) == 0
    assert "other.txt: only 3 of 100 pairs (3.0 %) have vectors" in capsys.readouterr().err


def test_the_score_is_beside_what_flatters_it(runs, tmp_path, capsys):
    """Of the 40 seeds, pairs 200 to 239, the test has ten."""
    words = [f"s{i}\tt{i}" for i in range(190, 210)]
    test, output = tmp_path / "some.txt", tmp_path / "report.html"
    test.write_text("\n".join(words), "utf-8")
    arguments = ["report", runs / "refined", "--lexicon", test, "--output", output]
    assert exit_code(*arguments) == 0
    text = checked(output)
    assert "Copying the source word gives P@1 0.0 %." in text
    assert "10 of 20 test words (50.0 %) are seeds of the alignment, such as s200," in text
    assert "Without the seeds, P@1 is" in text
    assert "can be left out with --exclude-seeds" in capsys.readouterr().err
    assert exit_code(*arguments, "--overwrite", "--exclude-seeds") == 0
    text = checked(output)
    assert "10 queries" in text
    assert "The seeds are left out of the score." in text


def test_without_recorded_seeds_none_can_be_left_out(runs, tmp_path, capsys):
    files = [runs / "en.npz", runs / "de.npz"]
    assert exit_code("refine", *files, "--output", tmp_path / "run", "--horizon", "5e-3") == 0
    options = ["--lexicon", runs / "test.txt", "--output", tmp_path / "report.html"]
    assert exit_code("report", tmp_path / "run", *options) == 0
    options[-1] = tmp_path / "other.html"
    assert exit_code("report", tmp_path / "run", *options, "--exclude-seeds") == 1
    assert (
        "The run run does not record its seeds, so they cannot be left" in capsys.readouterr().err
    )


def test_an_alignment_needs_no_dictionary(runs, tmp_path):
    output = tmp_path / "report.html"
    assert exit_code("report", runs / "aligned", "--output", output) == 0
    text = checked(output)
    assert "Accuracy was not measured" in text
    assert "The health check cannot decide whether the two spaces match." in text
    assert f"lexalign report {runs / 'aligned'} --lexicon TEST.txt" in text
    assert "What ℓ1 refinement would change" in text
    assert "What changed" not in text


def test_what_refinement_would_change_is_what_it_changes(runs):
    aligned, refined = (
        analyse(BeforeAfter.read(runs / name), {}, named("muse")).distances
        for name in ("aligned", "refined")
    )
    assert set(aligned.pairs) == set(refined.pairs)
    would, did = aligned.changes["l1"], refined.changes["this run, l1"]
    assert would.closer == pytest.approx(did.closer, abs=0.02)
    assert would.mean == pytest.approx(did.mean, abs=1e-3)


def test_a_refinement_can_be_repeated_from_the_start(runs, tmp_path):
    output = tmp_path / "report.html"
    options = ["--lexicon", runs / "test.txt", "--output", output]
    assert exit_code("report", runs / "refined", *options) == 0
    base = json.loads((runs / "refined" / "run.json").read_text())["base"]
    assert base["method"] == "procrustes"
    assert str(runs / "seeds.txt") in base["lexicons"]
    text = checked(output)
    assert "Schönemann" in text
    assert "Cross-Lingual Word Embedding Refinement" in text
    assert sha256(runs / "test.txt") in text


def test_pairs_that_are_gone_are_not_counted_as_none(runs, tmp_path):
    folder = tmp_path / "copy"
    shutil.copytree(runs / "refined", folder)
    (folder / "lexicon.tsv").unlink()
    assert exit_code("report", folder, "--output", tmp_path / "report.html") == 0
    text = checked(tmp_path / "report.html")
    assert "lexicon.tsv, is no longer in the folder" in text


@pytest.mark.parametrize("name", ["inputs", "parameters", "versions", "base"])
def test_a_record_that_was_tampered_with_is_refused(runs, tmp_path, capsys, name):
    folder = tmp_path / "copy"
    shutil.copytree(runs / "refined", folder)
    record = json.loads((folder / "run.json").read_text())
    (folder / "run.json").write_text(json.dumps({**record, name: "nonsense"}))
    assert exit_code("report", folder, "--output", tmp_path / "report.html") == 1
    assert f"run.json: its '{name}' is not a table; repeat the run." in capsys.readouterr().err


def test_words_that_were_looked_at_without_a_dictionary(runs, tmp_path):
    assert exit_code("report", runs / "refined", "--output", tmp_path / "report.html") == 0
    text = checked(tmp_path / "report.html")
    assert "of the 400 most frequent words" in text
    assert "Both right" not in text


@pytest.mark.parametrize(
    "method", ["procb", "rcsls", "dlv", "vecmap", "icp", "gwa", "muse"]
)  # fmt: skip
def test_the_output_of_every_aligner_has_a_report(runs, tmp_path, method):
    files = [runs / "en.npz", runs / "de.npz"]
    lexicon = ["--lexicon", runs / "seeds.txt"] if method in ("procb", "rcsls", "dlv") else []
    more = {
        "vecmap": ["--preset", "unsupervised"],
        "muse": ["--epochs", "1", "--epoch-size", "500"],
        "icp": ["--starts", "2"],
    }.get(method, [])
    assert exit_code("align", method, *files, *lexicon, *more, "--output", tmp_path / "run") == 0
    assert exit_code("report", tmp_path / "run", "--output", tmp_path / "report.html") == 0
    assert f"aligned by {method}" in checked(tmp_path / "report.html")


def test_several_runs_are_compared(runs, tmp_path):
    output = tmp_path / "report.html"
    folders = [runs / "aligned", runs / "refined"]
    assert exit_code("report", *folders, "--lexicon", runs / "test.txt", "--output", output) == 0
    text = checked(output)
    assert "2 runs compared: aligned, refined" in text
    assert text.index("The runs side by side") < text.index("against the first, points")
    assert text.count("All runs, with 95 % intervals") == 1
    assert text.count("Parameters parameter aligned refined") == 1
    assert "What changed compared with aligned" in text


def test_before_refinement_is_what_was_refined(runs):
    run = BeforeAfter.read(runs / "refined")
    aligned = read(runs / "aligned" / "source.vec")
    lengths = np.linalg.norm(aligned.matrix, axis=1, keepdims=True)
    np.testing.assert_allclose(run.before.matrix, aligned.matrix / lengths, atol=1e-5)


def test_the_gain_is_that_of_the_words_that_became_right(runs):
    run = BeforeAfter.read(runs / "refined")
    lexicon = Lexicon.read(runs / "test.txt")
    found = analyse(run, {runs / "test.txt": lexicon}, named("muse"))
    counts = found.answers.counts()
    (test,) = found.tests
    was, now = test.before.ranks == 1, test.after.ranks == 1
    assert counts["gained"] == (now & ~was).sum() > 0
    assert counts["lost"] == (was & ~now).sum()
    assert counts["both right"] == (was & now).sum()
    assert sum(counts.values()) == 150
    score = test.scores(["p@1"])[0]
    assert score.gain.mean == pytest.approx(score.after.mean - score.before.mean)


def test_bad_input_is_one_sentence_and_leaves_the_page_alone(runs, tmp_path, capsys):
    output = tmp_path / "report.html"
    output.write_text("mine")
    assert exit_code("report", runs / "aligned", "--output", output) == 1
    assert "already exists" in capsys.readouterr().err
    output.unlink()
    assert exit_code("report", runs, "--output", output) == 1
    assert "the folder holds no run.json" in capsys.readouterr().err
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "run.json").write_text(json.dumps({"format": "other"}))
    assert exit_code("report", tmp_path / "run", "--output", output) == 1
    assert "the record has the format" in capsys.readouterr().err
    assert not output.exists()


def test_a_whole_path_is_told(tmp_path):
    for tilt, headline in ((2.5, ": refined (ℓ1)"), (0.0, "left unchanged by refinement")):
        source, target, _ = planted_pair(words=1200, dimension=24, noise=0.16, tilt=tilt)
        files = tmp_path / f"s{tilt}.npz", tmp_path / f"t{tilt}.npz"
        for embeddings, file in zip((source, target), files, strict=True):
            write(embeddings, file)
        output = tmp_path / f"run{tilt}"
        refined = ["refine", *files, "--output", output, "--format", "npz", "--rounds", "3"]
        assert exit_code(*refined, "--horizon", "auto") == 0
        page = tmp_path / f"page{tilt}.html"
        assert exit_code("report", output, "--output", page) == 0
        text = checked(page)
        assert headline in text
        assert "oints of the path, scored on 400 held-out rarer words" in text
        assert ("Round 1:" in text) == (tilt > 0)
