"""The health check tells a true alignment from a false one, without a dictionary."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest

from lexalign.aligners import Procrustes, align
from lexalign.aligners.health import MATCHED_IN_FEW_DIMENSIONS, Agreement, examine
from lexalign.aligners.rounds import induced_rounds
from lexalign.vectors import Embeddings, Lexicon
from tests.conftest import planted_pair, random_rotation


def index(prefix, count):
    return {f"{prefix}{i}": i for i in range(count)}


@pytest.fixture(scope="module")
def spaces():
    source, target, _ = planted_pair(words=1500, dimension=60, noise=0.05)
    return source.matrix, target.matrix


def check(spaces, matrix):
    source, target = spaces
    mapped = (source @ matrix).astype(np.float32)
    names = index("s", len(source)), index("t", len(target))
    return examine(spaces, (mapped, target), names)


def test_a_true_alignment_generalises(spaces):
    health = check(spaces, np.eye(60))
    assert health.found_again > 0.9
    assert health.matched
    assert health.words == 1500
    assert health.mutual > 0.5
    assert health.identical is None
    assert "The two spaces match: " in health.verdict
    json.dumps(health.as_dict())


def test_chance_pairs_do_not_even_if_the_map_was_fitted_to_them(spaces):
    """Rounds of induced pairs from a random start make similar pairs, but not true ones."""
    source, target = spaces
    matrix = random_rotation(60, np.random.default_rng(0))
    for _ in range(10):
        matrix, pairs = next(induced_rounds(source, target, matrix))
    assert (pairs.rows[:, 0] == pairs.rows[:, 1]).mean() < 0.05
    health = check(spaces, matrix)
    assert health.mutual > 0.2
    assert health.found_again < MATCHED_IN_FEW_DIMENSIONS
    assert health.matched is False
    assert health.verdict.startswith("The two spaces do not match: only")


def test_few_words_or_dimensions_tell_nothing():
    for words, dimension in ((100, 60), (500, 40)):
        source, target, _ = planted_pair(words=words, dimension=dimension)
        health = check((source.matrix, target.matrix), np.eye(dimension))
        assert health.found_again is None
        assert health.matched is None
        assert "too few words or dimensions" in health.verdict
    assert check((source.matrix[:9], target.matrix[:9]), np.eye(40)) is None


def test_words_spelled_alike_are_asked():
    source, target, _ = planted_pair(words=300, dimension=8, noise=0.01)
    names = [str(i) if i < 100 else f"w{i}" if i < 150 else f"{i}-" for i in range(300)]
    words = {name: i for i, name in enumerate(names)}
    swapped = target.matrix.copy()
    swapped[100:150] = target.matrix[100:150][::-1]
    health = examine((source.matrix, swapped), (source.matrix, swapped), (words, words))
    assert (health.numerals.words, health.identical.words) == (100, 50)
    assert health.numerals.share > 0.9
    assert health.identical.share < 0.1


def test_hubness_grows_where_few_words_are_near_to_all():
    source, target, _ = planted_pair(words=500, dimension=30)
    even = check((source.matrix, target.matrix), np.eye(30))
    shifted = source.matrix + 0.2
    hubs = target.matrix.copy()
    hubs[:5] = 30**-0.5
    health = check((shifted, hubs), np.eye(30))
    assert health.hubness > 2 * even.hubness


def test_the_spaces_themselves_are_compared(spaces):
    source, target = spaces
    near = check(spaces, np.eye(60))
    squeezed = target * np.linspace(1, 0.1, 60, dtype=np.float32)
    names = index("s", 1500), index("t", 1500)
    far = examine((source, squeezed), (source, squeezed), names)
    assert far.singular_value_gap > 10 * near.singular_value_gap
    assert far.eigenvalue_gap > near.eigenvalue_gap
    same = examine((source, source), (source, source), names)
    assert same.singular_value_gap == same.eigenvalue_gap == 0


def test_every_alignment_has_one():
    source, target, _ = planted_pair(words=400, dimension=50)
    seeds = Lexicon([(f"s{i}", f"t{i}") for i in range(150)])
    assert align("procrustes", source, target, seeds).health.matched
    assert Procrustes().fit(source, target, seeds).health.matched


def test_a_zero_space_does_not_break_it():
    nothing = np.zeros((200, 5), dtype=np.float32)
    health = examine((nothing, nothing), (nothing, nothing), (index("s", 200), index("t", 200)))
    assert np.isfinite(health.singular_value_gap)
    assert health.matched is None


@pytest.mark.parametrize(
    ("dimension", "found_again", "identical", "matched", "sentence"),
    [
        (300, 0.67, None, True, "The two spaces match: 67 % of the mutual pairs"),
        (300, 0.37, None, False, "do not match: only 37 % .* 50 % or"),
        (50, 0.39, None, True, "match: 39 %"),
        (50, 0.27, None, False, "only 27 % .* 30 % or more"),
        (
            300,
            0.6,
            Agreement(790, 0.02),
            False,
            "only 2 % of the 790 identical words .* 5 % or more",
        ),
        (300, 0.67, Agreement(36, 0.02), True, "match: 67 %"),
        (300, 0.67, Agreement(495, 0.19), True, "match: 67 %"),
        (300, None, Agreement(790, 0.02), None, "too few words or dimensions to check"),
    ],
)
def test_the_verdict(spaces, dimension, found_again, identical, matched, sentence):
    health = replace(
        check(spaces, np.eye(60)),
        dimension=dimension,
        found_again=found_again,
        identical=identical,
    )
    assert health.matched is matched
    assert re.search(sentence, health.verdict)
    assert health.verdict.endswith(".")
    assert health.as_dict()["verdict"] == health.verdict


def test_embeddings_keep_their_words_in_the_check():
    source, target, _ = planted_pair(words=400, dimension=10)
    same = [f"w{i}" for i in range(400)]
    seeds = Lexicon([(word, word) for word in same[:50]])
    found = align(
        "procrustes", Embeddings(same, source.matrix), Embeddings(same, target.matrix), seeds
    )
    assert found.health.identical.words == 400
    assert found.health.identical.share > 0.95
