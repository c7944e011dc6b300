"""Answers of the space against the exact retrieval of the library."""

import numpy as np
import pytest

from lexalign.evaluation import evaluate
from lexalign.explore.answers import neighbours, translate
from lexalign.explore.dictionary import Pair, check, parse_pairs, summary
from lexalign.explore.neighbourhood_map import neighbourhood_map
from lexalign.explore.search import front, mean_of_nearest
from lexalign.explore.space import OTHER, Space
from lexalign.retrieval import Translator, neighbourhood
from lexalign.vectors import Lexicon
from tests.explore.samples import original, rotated


def translator(space, stop, side, retrieval="csls"):
    """The exact one for a stop of the path."""
    source = rotated(space.sides["source"], space.path.rotations[stop])
    forward = Translator(source=source, target=space.sides["target"], retrieval=retrieval)
    return forward if side == "source" else forward.reverse


@pytest.mark.parametrize("side", ["source", "target"])
@pytest.mark.parametrize("stop", [0, 1, 10, -1])
def test_translations_are_exact_all_along_the_path(space, side, stop):
    stop %= len(space.path)
    words = space.sides[side].words[:80]
    wanted = dict(zip(words, translator(space, stop, side).translate(words, k=10), strict=True))
    for row, word in enumerate(words):
        found = space.survey(side, row, stop, 10).translations
        names = [space.sides[OTHER[side]].words[place] for place in found.rows]
        assert names == [translation.word for translation in wanted[word]]
        assert np.allclose(found.csls, [found.score for found in wanted[word]], atol=1e-5)


@pytest.mark.parametrize("side", ["source", "target"])
def test_the_nearest_are_exact(space, side):
    words = space.sides[side].words[:40]
    wanted = dict(zip(words, translator(space, 3, side, "nn").translate(words, k=7), strict=True))
    for row, word in enumerate(words):
        found = space.survey(side, row, 3, 7).nearest
        names = [space.sides[OTHER[side]].words[place] for place in found.rows]
        assert names == [translation.word for translation in wanted[word]]
        assert np.allclose(found.cosines, [found.score for found in wanted[word]], atol=1e-5)


def test_before_is_what_the_refinement_was_given(space, refined):
    source, target = original(refined)
    wanted = dict(
        zip(
            source.words[:50],
            Translator(source=source, target=target).translate(source.words[:50], k=3),
            strict=True,
        )
    )
    for row, word in enumerate(source.words[:50]):
        answer = translate(space, "source", row, 0.0, 3)
        assert [found["word"] for found in answer["before"]["translations"]] == [
            translation.word for translation in wanted[word]
        ]
        assert answer["before"] == answer["after"]


def test_kin_are_the_others_of_the_same_language(space):
    matrix = space.sides["target"].matrix
    for row in range(30):
        order = np.argsort(-(matrix @ matrix[row]), kind="stable")
        assert space.kin("target", row, 5).rows.tolist() == [p for p in order if p != row][:5]


def test_neighbours_have_one_list_a_language(space):
    answer = neighbours(space, "target", 4, 1.0, 6)
    assert len(answer["source"]) == len(answer["target"]) == 6
    assert answer["target"][0]["cosine"] >= answer["target"][1]["cosine"]
    assert answer["word"] not in [found["word"] for found in answer["target"]]


def test_more_than_all_words_cannot_be_found(space):
    assert len(space.survey("source", 0, 0, 100).translations.rows) == 100
    few = Space(space.sides["source"].top(5), space.sides["target"].top(4), space.path)
    assert len(few.survey("source", 0, 0, 10).nearest.rows) == 4
    assert len(few.kin("source", 0, 10).rows) == 4
    assert few.scoring == "cosine"
    assert few.survey("source", 0, 0, 10).translations is None


def test_equal_scores_are_all_looked_at():
    scores = np.array([0.5, 0.1, 0.5, 0.9, 0.5], dtype=np.float32)
    assert sorted(front(scores, 2).tolist()) == [0, 2, 3, 4]
    assert front(scores, 9).tolist() == [0, 1, 2, 3, 4]
    assert len(front(np.zeros(10_000, dtype=np.float32), 3)) == 4096


@pytest.mark.parametrize("rows", [30, 9_000, 50_000])
def test_the_mean_of_the_nearest_is_that_of_the_library(rows):
    generator = np.random.default_rng(0)
    matrix = generator.standard_normal((rows, 5)).astype(np.float32)
    vectors = generator.standard_normal((7, 5)).astype(np.float32)
    assert np.allclose(mean_of_nearest(vectors, matrix, 10), neighbourhood(vectors, matrix, 10))


def test_the_map_keeps_its_axes_along_the_path(space):
    last = len(space.path) - 1
    first, middle, end = (neighbourhood_map(space, "source", 2, at, 8) for at in (0, 10, last))
    assert [point[:2] for point in first.points] == [point[:2] for point in end.points]
    for one, other, third in zip(first.points, middle.points, end.points, strict=True):
        assert one.start == other.start == third.start == one.here
        assert third.end == third.here
        if one.side == "target":
            assert np.allclose(one.here, third.here)
    assert first.points[0][:2] == ("source", 2)
    assert len(first.points) == 17
    assert max(abs(c) for point in end.points for c in (*point.start, *point.end)) <= 1 + 1e-9
    assert 0 < sum(first.explained) <= 1


def test_the_map_of_two_words_is_a_line(space):
    few = Space(space.sides["source"].top(1), space.sides["target"].top(1), space.path)
    drawn = neighbourhood_map(few, "source", 0, 0, 5)
    assert len(drawn.points) == 2


def test_a_dictionary_is_ranked_as_evaluation_does(space):
    pairs = [(f"s{name}", f"t{name}") for name in (w[1:] for w in space.sides["target"].words)]
    known = [pair for pair in pairs if pair[0] in space.sides["source"].index][:120]
    found = check(space, "source", [Pair(i, *pair) for i, pair in enumerate(known, start=1)])
    for end, stop in (("before", 0), ("after", len(space.path) - 1)):
        moved = rotated(space.sides["source"], space.path.rotations[stop])
        wanted = evaluate(moved, space.sides["target"], Lexicon(known), retrieval="csls")
        got = summary(found, end)
        assert got.questions == len(known)
        assert got.precision_at_1 == pytest.approx(wanted.precision(1))
        assert got.precision_at_5 == pytest.approx(wanted.precision(5))
        assert got.mean_reciprocal_rank == pytest.approx(wanted.mrr)


def test_the_first_choice_and_the_rank_agree(space):
    words = space.sides["target"].words
    found = check(space, "target", [Pair(1, words[2], space.sides["source"].words[2])])[0]
    best = space.survey("target", 2, len(space.path) - 1, 10).translations.rows[0]
    assert found.first_after == space.sides["source"].words[best]
    assert (found.rank_after == 1) == (best == 2)


def test_unknown_words_are_named():
    pairs, skipped = parse_pairs("one two\n\n  \na\tb c\nlonely\nx y z\n\tb\na\t\n")
    assert [pair[1:] for pair in pairs] == [("one", "two"), ("a", "b c")]
    assert [line.line for line in skipped] == [5, 6, 7, 8]


def test_of_several_references_the_best_counts(space):
    source, target = (space.sides[side].words for side in ("source", "target"))
    best = space.survey("source", 40, len(space.path) - 1, 10).translations.rows
    pairs = [Pair(1, source[40], target[best[4]]), Pair(2, source[40], target[best[0]])]
    found = check(space, "source", [*pairs, Pair(3, "nobody", "knows"), Pair(4, source[1], "this")])
    assert [entry.rank_after for entry in found] == [5, 1, None, None]
    assert [entry.missing for entry in found] == [(), (), ("word", "reference"), ("reference",)]
    assert summary(found, "after").mean_reciprocal_rank == 1.0
    assert summary(found[2:], "after") is None
