"""The verdict: what a reader learns from the first two sentences."""

import shutil
from dataclasses import replace

import numpy as np
import pytest

from lexalign import Lexicon
from lexalign.evaluation.protocols import named
from lexalign.report.analysis import analyse
from lexalign.report.before_after import BeforeAfter
from lexalign.report.dictionary_test import RetrievalResult, difference
from lexalign.report.page import labelled, page_of
from lexalign.report.verdict import tiles_of, verdict_of, verdict_of_runs
from tests.report.runs import make_induced, make_runs


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    return make_runs(tmp_path_factory.mktemp("runs"))


def analysed(folder, lexicon=None):
    words = {} if lexicon is None else {lexicon: Lexicon.read(lexicon, lowercase=True)}
    return analyse(BeforeAfter.read(folder), words, named("muse"))


def with_ranks(found, before, after):
    """The same run with other places of the right translations."""
    (test,) = found.tests
    result = RetrievalResult(
        "csls", replace(test.before, ranks=before), replace(test.after, ranks=after)
    )
    return replace(found, tests=(replace(test, results=(result, *test.results[1:])),))


def said(verdict):
    return " ".join(" ".join(verdict.sentences).split())


@pytest.fixture(scope="module")
def refined(runs):
    return analysed(runs / "refined", runs / "test.txt")


@pytest.mark.parametrize(
    ("before", "after", "tone", "headline"),
    [
        (2, 1, "good", "Refinement made the translations better"),
        (1, 2, "bad", "Refinement made the translations worse"),
        (1, 1, "level", "No reliable change"),
    ],
)
def test_a_refinement_is_better_worse_or_neither(refined, before, after, tone, headline):
    ranks = [np.full(150, place) for place in (before, after)]
    verdict = verdict_of(with_ranks(refined, *ranks))
    assert (verdict.tone, verdict.headline) == (tone, headline)
    gain = {2: "+100.0", 1: "−100.0"}[before] if before != after else "+0.0"
    assert said(verdict).startswith(f"{gain} points, 95 % interval {gain} to {gain}:")


def test_a_change_within_chance_is_not_called_better(refined):
    before = np.where(np.arange(150) < 100, 1, 2)
    after = np.where(np.arange(150) < 101, 1, 2)
    verdict = verdict_of(with_ranks(refined, before, after))
    assert verdict.headline == "No reliable change"
    assert "+0.7 points, 95 % interval +0.0 to" in said(verdict)


def test_low_coverage_is_said_first(runs, tmp_path):
    test = tmp_path / "rare.txt"
    known = [f"s{i}\tt{i}" for i in range(1, 28)]
    test.write_text("\n".join([*known, *(f"no{i}\tnein{i}" for i in range(73))]), "utf-8")
    verdict = verdict_of(analysed(runs / "refined", test))
    assert "The test covers 27 % of its words, so it describes only frequent words." in said(
        verdict
    )


def test_seeds_among_the_test_words_are_said_first(runs, tmp_path):
    test = tmp_path / "seeds.txt"
    test.write_text("\n".join(f"s{i}\tt{i}" for i in range(195, 205)), "utf-8")
    assert "5 test words of 10 were also seeds" in said(
        verdict_of(analysed(runs / "refined", test))
    )


def test_a_learned_ranking_is_compared_with_nearest_neighbours(tmp_path):
    induced = make_induced(tmp_path)
    found = analysed(induced, tmp_path / "held-out.tsv")
    verdict, score = verdict_of(found), found.tests[0].main.score("p@1")
    assert verdict.headline == "The learned ranking is better than nearest neighbours"
    assert said(verdict).startswith(
        f"The learned ranking translates {100 * score.after.mean:.1f} % of the test words "
        f"correctly, {100 * score.gain.mean:.1f} points more than nearest neighbours by CSLS"
    )
    untested = verdict_of(analysed(induced))
    assert untested.headline == "Accuracy was not measured"
    assert "By its own probabilities, about" in said(untested)


def test_without_a_test_the_health_check_speaks_and_a_command_follows(runs, tmp_path):
    found = analysed(runs / "aligned")
    verdict = verdict_of(found)
    assert verdict.tone == "open"
    assert verdict.commands.lines == [f"lexalign report {runs / 'aligned'} --lexicon TEST.txt"]
    failed = verdict_of(replace(found, health={**found.health, "matched": False}))
    assert (failed.tone, failed.headline) == ("bad", "The alignment failed")
    assert "Accuracy was not measured." in said(failed)
    matched = verdict_of(replace(found, health={**found.health, "matched": True}))
    assert "the two spaces match" in said(matched)


def test_of_several_runs_the_best_is_named(runs, refined):
    aligned = analysed(runs / "aligned", runs / "test.txt")
    (test,) = aligned.tests
    result = replace(test.main, after=replace(test.after, ranks=np.full(150, 2)))
    worse = replace(aligned, tests=(replace(test, results=(result,)),))
    verdict = verdict_of_runs({"old": worse, "new": refined})
    assert verdict.headline == "The run new translates best"
    assert "points more than the run old" in said(verdict)
    verdict = verdict_of_runs({"new": refined, "old": worse})
    assert verdict.headline == "No run is better than new"
    verdict = verdict_of_runs({"a": refined, "b": refined})
    assert verdict.tone == "level"
    untested = verdict_of_runs({"a": analysed(runs / "aligned"), "b": analysed(runs / "refined")})
    assert untested.headline == "Accuracy was not measured"


def test_runs_are_compared_on_the_words_of_both(refined):
    (test,) = refined.tests
    half, ranks = test.after.only(np.arange(50, 150)), np.ones(150, dtype=np.int64)
    first = replace(test.after, ranks=np.where(np.arange(150) < 100, 1, 2))
    gain, words = difference(first, replace(half, ranks=ranks[50:]))
    assert words == 100
    assert gain.mean == pytest.approx(0.5)
    assert difference(first.only(np.arange(50)), half) is None


def test_words_spelled_alike_have_their_own_figure(runs, tmp_path):
    """All words of the sample are spelled differently; two identical ones are added."""
    assert not [tile for tile in tiles_of(analysed(runs / "aligned", runs / "test.txt"))
                if "not identical to" in tile.label]  # fmt: skip
    found = analysed(runs / "aligned", runs / "test.txt")
    (test,) = found.tests
    alike = replace(test.after, references=(*test.after.references[:-1], (test.after.words[-1],)))
    result = replace(test.main, after=alike)
    tiles = tiles_of(replace(found, tests=(replace(test, results=(result,)),)))
    (tile,) = [tile for tile in tiles if "not identical to" in tile.label]
    assert "149 words" in tile.note


def test_runs_of_the_same_name_are_told_apart(runs, tmp_path):
    copy = tmp_path / "aligned"
    shutil.copytree(runs / "aligned", copy)
    one, two = analysed(runs / "aligned"), analysed(copy)
    assert list(labelled([one, two])) == [str(runs / "aligned"), str(copy)]
    assert list(labelled([one, one])) == [str(runs / "aligned"), f"{runs / 'aligned'} (2)"]


def test_languages_can_be_named(runs):
    found = labelled([analysed(runs / "aligned")])
    assert page_of(found).title == "en → de"
    assert page_of(found, ("English", "German")).title == "English → German"


def test_a_refinement_that_kept_its_input_says_so(runs):
    found = analysed(runs / "refined", runs / "test.txt")
    vars(found.run.run)["rotation"] = np.eye(found.run.source.dimension)
    verdict = verdict_of(found)
    assert (verdict.tone, verdict.headline) == ("level", "Refinement changed nothing")
    assert "kept the input" in said(verdict)
