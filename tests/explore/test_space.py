"""Answers of the space against the exact retrieval of the library."""

import numpy as np
import pytest

from lexalign.explore.answers import neighbours, translate
from lexalign.explore.neighbourhood_map import neighbourhood_map
from lexalign.explore.space import OTHER, Space
from lexalign.retrieval import Translator
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
