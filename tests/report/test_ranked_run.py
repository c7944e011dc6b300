"""The report on a run that induced a dictionary: its learned ranking beside CSLS."""

import json
import shutil

import numpy as np
import pytest

from lexalign import Lexicon, Run, write
from lexalign.evaluation import PROTOCOLS
from lexalign.induction import Inducer
from lexalign.pipelines.evaluate import evaluate_files
from lexalign.pipelines.induce import FileInduction
from lexalign.report.analysis import analyse
from lexalign.report.before_after import BeforeAfter
from lexalign.report.blocks import Table
from lexalign.report.page import labelled, page_of
from lexalign.runs import aligned_pairs
from tests.conftest import exit_code
from tests.induction.samples import noisy_pair, with_identical
from tests.report.runs import make_induced
from tests.report.test_page import checked


@pytest.fixture(scope="module")
def induced(tmp_path_factory):
    return make_induced(tmp_path_factory.mktemp("induced"))


@pytest.fixture(scope="module")
def by_csls(tmp_path_factory):
    return make_induced(tmp_path_factory.mktemp("plain"), ranking="csls")


@pytest.fixture(scope="module")
def seedless(tmp_path_factory):
    """The run of an induction from identical words."""
    folder = tmp_path_factory.mktemp("seedless")
    sides = with_identical(*noisy_pair(words=350, dimension=50, noise=0.5)[:2], 5)
    files = folder / "s.vec", folder / "t.vec"
    for side, path in zip(sides, files, strict=True):
        write(side, path)
    FileInduction(inducer=Inducer(ranking="csls")).induce(*files, None, folder / "induced")
    return folder / "induced"


@pytest.fixture
def report(induced, tmp_path):
    """What the page about some folders says, the induced one by default."""

    def report(*options, folders=(induced,), lexicon="held-out.tsv", code=0):
        output = tmp_path / "report.html"
        test = () if lexicon is None else ("--lexicon", induced.parent / lexicon)
        options = ("--output", output, "--overwrite", *test, *options)
        assert exit_code("report", *folders, *options) == code
        return checked(output) if code == 0 else ""

    return report


def analysed(folder, lexicon="held-out.tsv", protocol="muse", **options):
    path = folder.parent / lexicon
    words = Lexicon.read(path, lowercase=protocol == "muse")
    return analyse(BeforeAfter.read(folder), {path: words}, PROTOCOLS[protocol], **options)


def test_the_learned_ranking_is_reported_beside_csls(report):
    text = report()
    for part in (
        "an induced dictionary", "The learned ranking is better than nearest neighbours",
        "compared with nearest neighbours by CSLS", "protocol muse",
        "P@1 by frequency", "another first translation by the learned ranking than by CSLS",
        "Copying the source word gives P@1",
        "word CSLS learned ranking accepted translations",
    ):  # fmt: skip
        assert part in text
    assert "before refinement" not in text


@pytest.mark.parametrize("protocol", ["muse", "vecmap"])
def test_the_figures_are_those_of_evaluate(induced, protocol):
    """MUSE changes the vectors to lower case, VecMap leaves them, and both must agree."""
    files = [induced.parent / "held-out.tsv"]
    retrievals = {"retrievals": ("csls",), "ranking": "auto"}
    wanted, _ = evaluate_files(aligned_pairs([induced]), files, PROTOCOLS[protocol], **retrievals)
    (test,) = analysed(induced, protocol=protocol).tests
    for got, one in zip((test.before, test.after), wanted, strict=True):
        assert got.protocol == one.result.protocol
        assert got.words == one.result.words
        np.testing.assert_array_equal(got.ranks, one.result.ranks)
    assert test.after.precision(1) > test.before.precision(1)


def test_the_gain_is_that_of_the_words_that_became_right(induced):
    found = analysed(induced)
    (test,) = found.tests
    counts = found.answers.counts()
    gained = int((test.after.ranks == 1).sum() - (test.before.ranks == 1).sum())
    assert gained == counts["gained"] - counts["lost"] > 0
    assert sum(counts.values()) == 100


def test_without_a_lexicon_frequent_words_are_looked_at(report):
    assert "of the 400 most frequent words" in report(lexicon=None)


def test_the_dictionary_is_told(report, induced):
    text, record = report(), Run.open(induced).record["induction"]
    assert "The dictionary has 800 translations of 400 words." in text
    assert f"{record['sure_words']:,} words have a first translation with a probability" in text
    assert "You chose the method procrustes." in text
    assert "source to target learned ranking 300" in text
    assert "target to source learned ranking 300" in text
    for direction in record["ranking"].values():
        assert f"{direction['calibration_error']:.3f}" in text
    bins = record["ranking"]["forward"]["reliability"]
    one = max(bins, key=lambda part: part["words"])
    row = f"{one['words']} {100 * one['probability']:.1f} % {100 * one['right']:.1f} %"
    assert row in text
    first = Run.open(induced).dictionary.top(1)
    assert f"{first.target[0]} {first.probability[0]:.2f}" in text
    assert "Reliability of the probabilities" in text
    assert "How sure the dictionary is" in text
    assert "12 of 400 words, from frequent to rare ones" in text


def test_the_tried_methods_are_listed_with_the_reason(report, induced, tmp_path):
    folder = tmp_path / "copy"
    shutil.copytree(induced, folder)
    record = json.loads((folder / "run.json").read_text("utf-8"))
    trial = {"p@1": 0.5, "interval": [0.4, 0.6], "words": 90, "folds": 3, "seconds": 1.25}
    record["induction"]["choice"] = {
        "method": "procb",
        "reason": "procb was chosen: it is <b>best</b>.",
        "tried": [
            {"method": "procb", **trial, "remark": ""},
            {"method": "gwa", **trial, "p@1": None, "interval": None, "remark": "out of time"},
        ],
    }
    (folder / "run.json").write_text(json.dumps(record), encoding="utf-8")
    text = report(folders=[folder])
    assert "procb was chosen: it is <b>best</b>." in text
    assert "procb 50.0 % 40.0 to 60.0 % 90 1.2" in text
    assert "gwa 90 1.2 out of time" in text
    page = (tmp_path / "report.html").read_text("utf-8")
    assert '<bdi class=" strong">procb</bdi>' in page
    assert '<bdi class="">gwa</bdi>' in page
    assert "<b>best</b>" not in page


def test_seeds_are_named_beside_the_score_and_left_out(report, capsys):
    text = report(lexicon="leaking.tsv")
    assert "10 of 110 test words (9.1 %) are seeds of the alignment, such as" in text
    assert "Without the seeds, P@1 is" in text
    assert "can be left out with --exclude-seeds" in capsys.readouterr().err
    clean = report("--exclude-seeds", lexicon="leaking.tsv")
    assert "100 queries" in clean
    assert "The seeds are left out of the score." in clean


def test_leaving_seeds_out_is_testing_on_the_other_words(induced):
    (whole,), (clean,) = (
        analysed(induced, name, exclude_seeds=name == "leaking.tsv").tests
        for name in ("held-out.tsv", "leaking.tsv")
    )
    assert clean.before.scores() == whole.before.scores()
    assert clean.after.scores() == whole.after.scores()
    assert clean.leakage.queries == 10


def test_csls_can_be_asked_for(report):
    text = report("--ranking", "csls")
    assert "protocol muse." in text
    assert "CSLS learned ranking" not in text
    assert "What changed" not in text
    assert "Right and wrong translations" in text
    assert "The dictionary has 800 translations" in text


def test_where_csls_orders_the_candidates_nothing_was_learned(report, by_csls):
    text = report(folders=[by_csls])
    assert "protocol muse." in text
    assert "compared with" not in text
    assert "source to target CSLS 300" in text
    assert analysed(by_csls).compared is None


def test_a_run_without_a_ranking_has_no_dictionary(report, induced, capsys, tmp_path):
    files = induced.parent / "one.vec", induced.parent / "two.vec"
    seeds = ("--lexicon", induced.parent / "learned.tsv", "--output", tmp_path / "plain")
    assert exit_code("align", "procrustes", *files, *seeds) == 0
    assert "The dictionary" not in report(folders=[tmp_path / "plain"])
    both = report(folders=[tmp_path / "plain", induced])
    assert "procrustes" in both
    assert "induce, learned ranking" in both
    report("--ranking", "learned", folders=[tmp_path / "plain"], code=1)
    err = capsys.readouterr().err
    assert "there is no learned ranking" in err
    assert "--ranking csls" in err


def test_a_dictionary_that_is_gone_is_said_to_be(report, induced, tmp_path):
    folder = tmp_path / "copy"
    shutil.copytree(induced, folder)
    (folder / "dictionary.tsv").unlink()
    assert "dictionary.tsv: it cannot be read" in report(folders=[folder])
    (folder / "ranking" / "ranking.json").write_text("{", encoding="utf-8")
    report(folders=[folder], code=1)
    assert "The dictionary has 800 translations" in report("--ranking", "csls", folders=[folder])


def test_a_dictionary_without_seeds_is_not_said_to_be_judged_by_them(report, seedless):
    page = report(folders=(seedless,), lexicon=None)
    content = page_of(labelled([analyse(BeforeAfter.read(seedless), {}, PROTOCOLS["muse"])]))
    (section,) = [section for section in content.sections if section.anchor == "dictionary"]
    cells = [cell for block in section.blocks if isinstance(block, Table)
             for row in block.cells() for cell in row]  # fmt: skip
    chosen = "procb --final vecmap, from identical words"
    assert [cell.text for cell in cells if cell.strong] == [chosen]
    assert "Aligners in the health check" in page
    assert "calibrated on mutual pairs, not on seed words, and are too high" in page
    assert "Reliability: " not in page
    assert "held-out seed" not in page
