"""A pasted dictionary against evaluation on the moved vectors."""

import pytest

from lexalign.evaluation import evaluate
from lexalign.explore.dictionary_check import check
from lexalign.vectors import Lexicon
from tests.explore.samples import rotated


def parsed(pairs):
    return Lexicon.parse("\n".join("\t".join(pair) for pair in pairs))


def test_a_dictionary_is_ranked_as_evaluation_does(space):
    pairs = [(f"s{name}", f"t{name}") for name in (w[1:] for w in space.sides["target"].words)]
    known = [pair for pair in pairs if pair[0] in space.sides["source"].index][:120]
    found = check(space, "source", parsed(known))
    for got, stop in ((found.before, 0), (found.after, len(space.path) - 1)):
        moved = rotated(space.sides["source"], space.path.rotations[stop])
        wanted = evaluate(moved, space.sides["target"], Lexicon(known), retrieval="csls")
        assert got.queries == len(known)
        assert got.scores() == pytest.approx(wanted.scores())


def test_the_first_choice_and_the_rank_agree(space):
    words = space.sides["target"].words
    lexicon = parsed([(words[2], space.sides["source"].words[2])])
    found = check(space, "target", lexicon).pairs[0]
    best = space.survey("target", 2, len(space.path) - 1, 10).translations.rows[0]
    assert found.first_after == space.sides["source"].words[best]
    assert (found.rank_after == 1) == (best == 2)


def test_of_several_references_the_best_counts(space):
    source, target = (space.sides[side].words for side in ("source", "target"))
    best = space.survey("source", 40, len(space.path) - 1, 10).translations.rows
    pairs = [(source[40], target[best[4]]), (source[40], target[best[0]])]
    unknown = [("nobody", "knows"), (source[1], "this")]
    found = check(space, "source", parsed([*pairs, *unknown]))
    assert [entry.rank_after for entry in found.pairs] == [5, 1, None, None]
    missing = [entry.missing for entry in found.pairs]
    assert missing == [(), (), ("word", "reference"), ("reference",)]
    assert found.after.mrr == 1.0
    assert found.after.queries == 1
    assert check(space, "source", parsed(unknown)).after is None


def test_without_neighbourhoods_ranks_are_by_cosine(space):
    from lexalign.explore.space import Space

    source, target = (space.sides[side] for side in ("source", "target"))
    pairs = [(source.words[row], target.words[row]) for row in range(30, 90)]
    found = check(Space(source, target, space.path), "source", parsed(pairs))
    wanted = evaluate(source, target, Lexicon(pairs), retrieval="nn", case="as-is")
    assert found.after.scores() == pytest.approx(wanted.scores())


def test_lines_end_at_line_feeds_alone(space):
    """Words may hold what Python and browsers elsewhere take for line ends."""
    lexicon = Lexicon.parse("a\u2028b\tc\x85d\ne\x0bf\tg\u2029h\n", malformed="skip")
    found = check(space, "source", lexicon)
    assert [(one.line, one.word, one.reference) for one in found.pairs] == [
        (1, "a\u2028b", "c\x85d"),
        (2, "e\x0bf", "g\u2029h"),
    ]
