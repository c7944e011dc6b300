"""Every rule of every protocol on cases small enough to be computed by hand."""

import numpy as np
import pytest

from lexalign.aligners import Procrustes
from lexalign.errors import InputError, LexalignError
from lexalign.evaluation import PROTOCOLS, Evaluator, evaluate
from lexalign.evaluation.queries import Vocabulary
from lexalign.retrieval import penalty
from lexalign.vectors import Embeddings, Lexicon
from tests.conftest import planted_pair


def directions(words, degrees, **keywords):
    angles = np.deg2rad(degrees)
    matrix = np.column_stack((np.cos(angles), np.sin(angles)))
    return Embeddings(words, matrix.astype(np.float32), **keywords)


# Seen from a, the targets lie in the order w x y z; seen from b, at 31°, in the order x y w z.
SOURCE = directions("abcd", [0, 31, 60, 90])
TARGET = directions("wxyz", [0, 30, 60, 95])
LEXICON = Lexicon(
    [
        ("a", "y"),  # third
        ("a", "w"),  # a synonym, first
        ("b", "z"),  # fourth
        ("b", "z"),  # the same line again
        ("c", "nowhere"),  # no vector of the translation
        ("e", "w"),  # no vector of the word
        ("f", "f"),  # neither, but spelled the same
    ]
)


@pytest.mark.parametrize(
    ("protocol", "places", "p1", "p5", "mrr", "coverage"),
    [
        ("muse", [1, 4], 1 / 2, 1, (1 + 1 / 4) / 2, 2 / 5),
        ("vecmap", [1, 4], 1 / 2, 1, (1 + 1 / 4) / 2, 2 / 5),
        ("contrastive", [1, 4], 1 / 2, 1, (1 + 1 / 4) / 2, 2 / 5),
        ("fasttext", [1, 4, 0, 0, 0], 1 / 5, 2 / 5, (1 + 1 / 4) / 5, 2 / 5),
        ("joint", [1, 4, 0, 0, 1], 2 / 5, 3 / 5, (2 + 1 / 4) / 5, 2 / 5),
        ("xling", [3, 1, 4, 4], 1 / 4, 1, (1 / 3 + 1 + 1 / 4 + 1 / 4) / 4, 4 / 7),
        ("fipp", [3, 1, 4, 4], 1 / 4, 1, (1 / 3 + 1 + 1 / 4 + 1 / 4) / 4, 4 / 7),
    ],
)
def test_what_each_protocol_counts(protocol, places, p1, p5, mrr, coverage):
    """Synonyms, repeated lines and unknown words on either side, with nearest neighbours."""
    result = evaluate(SOURCE, TARGET, LEXICON, protocol=protocol, retrieval="nn")
    assert result.ranks.tolist() == places
    assert result.queries == len(places)
    assert result.precision(1) == pytest.approx(p1)
    assert result.precision(5) == pytest.approx(p5)
    assert result.mrr == pytest.approx(mrr)
    assert result.coverage == pytest.approx(coverage)
    assert result.coverage_words == (2, 5)
    assert result.coverage_pairs == (4, 7)


@pytest.mark.parametrize("oov", ["drop", "wrong", "identical"])
def test_words_can_be_counted_from_pairs(oov):
    pairs, words = (
        evaluate(SOURCE, TARGET, LEXICON, protocol="vecmap", unit=unit, oov=oov)
        for unit in ("pair", "word")
    )
    counted = pairs.by_word()
    assert counted.as_dict() == words.as_dict()
    assert counted.source_rows.tolist() == words.source_rows.tolist()


def test_known_penalties_and_vocabularies_are_not_computed_again(monkeypatch):
    source, target, _ = planted_pair(words=60, dimension=8)
    lexicon = Lexicon([(f"s{row}", f"t{row}") for row in range(60)])
    rules = PROTOCOLS["fasttext"]
    wanted = Evaluator(source, target, rules).evaluate(lexicon)
    penalties = penalty("csls", target.matrix, source.matrix, neighbours=10).values
    monkeypatch.setattr("lexalign.evaluation.evaluator.penalty", None)
    sides = (Vocabulary(side.words, side.matrix, side.index) for side in (source, target))
    found = Evaluator(*sides, rules, penalties=penalties).evaluate(lexicon)
    assert found.as_dict() == wanted.as_dict()
    with pytest.raises(LexalignError, match=r"each of the 60 target words. Got shape \(3,\)"):
        Evaluator(source, target, rules, penalties=penalties[:3])


def test_lower_case_of_muse_keeps_the_first_of_colliding_words():
    source = directions(["Apple", "apple", "pear"], [0, 50, 90])
    target = directions(["APFEL", "Apfel", "birne"], [50, 0, 90])
    lexicon = Lexicon([("apple", "apfel")])
    muse = evaluate(source, target, lexicon, protocol="muse", retrieval="nn")
    # "Apple" (0°) stands for apple, "APFEL" (50°) for apfel, and the others are gone.
    assert muse.vocabularies == (2, 2)
    assert muse.ranks.tolist() == [1]
    xling = evaluate(source, target, Lexicon([("APPLE", "Apfel")]), protocol="xling")
    assert xling.ranks.tolist() == [1]
    with pytest.raises(InputError, match="none of the 1 pairs"):
        evaluate(source, target, lexicon, protocol="vecmap")
    # As it is, "apple" (50°) is nearest to "APFEL" (50°); "Apfel" (0°) comes last of three.
    as_is = evaluate(source, target, Lexicon([("apple", "Apfel")]), protocol="vecmap")
    assert as_is.vocabularies == (3, 3)
    assert as_is.ranks.tolist() == [3]


def test_lower_case_of_joint_concerns_the_lexicon_alone():
    source, target = directions(["a", "A"], [0, 90]), directions(["w", "W"], [90, 0])
    result = evaluate(source, target, Lexicon([("A", "W")]), protocol="joint", retrieval="nn")
    assert result.vocabularies == (2, 2)
    assert result.ranks.tolist() == [2]


def test_of_repeated_words_vecmap_takes_the_last_and_the_others_the_first():
    source = directions("aba", [0, 45, 90], repeats=True)
    target = directions("wxw", [0, 45, 80], repeats=True)
    lexicon = Lexicon([("a", "w")])
    # a is the last row (90°), w the last (80°): found first.
    last = evaluate(source, target, lexicon, protocol="vecmap")
    assert (last.vocabularies, last.ranks.tolist()) == ((3, 3), [1])
    # a is the first row (0°), w the first (0°).
    first = evaluate(source, target, lexicon, protocol="fasttext", retrieval="nn")
    assert (first.vocabularies, first.ranks.tolist()) == ((2, 2), [1])
    # The shadowed row of w stays a candidate for b at 45°: x, w (80°), w (0°); with 20° it wins.
    shadow = directions("wxw", [20, 60, 80], repeats=True)
    found = evaluate(directions("a", [15]), shadow, lexicon, protocol="vecmap")
    assert found.ranks.tolist() == [3]


def test_ties_go_to_the_more_frequent_word():
    target = directions("wxyz", [0, 0, 0, 90])
    places = [
        evaluate(SOURCE, target, Lexicon([("a", word)]), retrieval="nn").ranks.tolist()
        for word in "wxyz"
    ]
    assert places == [[1], [2], [3], [4]]


def test_zero_vectors_stay_zero_but_in_muse_lie_on_the_first_axis():
    target = Embeddings(["o", "x"], np.array([[0, 0], [-1, 0]], dtype=np.float32))
    source = Embeddings(["a", "n"], np.array([[-1, 0.1], [0, 0]], dtype=np.float32))
    lexicon = Lexicon([("a", "o"), ("n", "x")])
    # Cosines of a: o 0, x nearly 1. The zero word finds all alike, so the more frequent o first.
    zero = evaluate(source, target, lexicon, protocol="vecmap")
    assert zero.ranks.tolist() == [2, 2]
    # On the axis o is (1, 0) and n is (1, 0): o is its nearest, x the farthest.
    axis = evaluate(source, target, lexicon, protocol="muse", retrieval="nn")
    assert axis.ranks.tolist() == [2, 2]
    flipped = Embeddings(["o", "x"], np.array([[0, 0], [0.5, 1]], dtype=np.float32))
    to_right = Embeddings(["a"], np.array([[1, 0.1]], dtype=np.float32))
    question = Lexicon([("a", "o")])
    assert evaluate(to_right, flipped, question, protocol="vecmap").ranks.tolist() == [2]
    assert evaluate(
        to_right, flipped, question, protocol="muse", retrieval="nn"
    ).ranks.tolist() == [1]


def test_fipp_takes_inner_products_and_the_others_cosines():
    target = Embeddings(["w", "x"], np.array([[1, 0], [3, 3]], dtype=np.float32))
    lexicon = Lexicon([("a", "w")])
    assert evaluate(SOURCE, target, lexicon, protocol="xling").ranks.tolist() == [1]
    assert evaluate(SOURCE, target, lexicon, protocol="fipp").ranks.tolist() == [2]


def test_csls_sees_through_a_hub():
    """With k = 2: r(h) = (cos 10° + cos 20°)/2 = 0.962, r(t) = (cos 25° + cos 55°)/2 = 0.740.

    So 2 cos 10° − 0.962 = 1.007 for h and 2 cos 25° − 0.740 = 1.073 for t.
    """
    source, target = directions("ab", [0, 30]), directions("ht", [10, -25])
    lexicon = Lexicon([("a", "t")])
    assert evaluate(source, target, lexicon, retrieval="nn").ranks.tolist() == [2]
    assert evaluate(source, target, lexicon, neighbours=2).ranks.tolist() == [1]


def test_inverted_neighbours_prefer_the_key_that_prefers_the_word():
    """From h at 10° b (8°) is nearer than a (0°), from t at −25° a is the nearest."""
    source, target = directions("ab", [0, 8]), directions("ht", [10, -25])
    lexicon = Lexicon([("a", "t")])
    assert evaluate(source, target, lexicon, protocol="vecmap").ranks.tolist() == [2]
    assert evaluate(
        source, target, lexicon, protocol="vecmap", retrieval="invnn"
    ).ranks.tolist() == [1]


def test_inverted_softmax_is_that_of_its_formula():
    source, target, _ = planted_pair(words=60, dimension=8, noise=0.3)
    lexicon = Lexicon([(f"s{i}", f"t{i}") for i in range(60)])
    result = evaluate(source, target, lexicon, retrieval="invsoftmax", beta=10)
    x, y = (
        side.matrix / np.linalg.norm(side.matrix, axis=1, keepdims=True)
        for side in (source, target)
    )
    scores = 10 * x @ y.T - np.log(np.exp(10 * x @ y.T).sum(axis=0))
    expected = [1 + int((row > row[i]).sum()) for i, row in enumerate(scores)]
    assert result.ranks.tolist() == expected


def test_an_overruled_protocol_says_so():
    names = [
        evaluate(SOURCE, TARGET, LEXICON, protocol="muse", neighbours=2, **rules).protocol.name
        for rules in ({}, {"retrieval": "nn"}, {"retrieval": "csls", "unit": "pair"})
    ]
    assert names == [
        "muse with 2 neighbours",
        "muse with nn",
        "muse with counting pairs, 2 neighbours",
    ]
    assert evaluate(SOURCE, TARGET, LEXICON, protocol="vecmap").protocol.name == "vecmap"
    chained = PROTOCOLS["muse"].but(retrieval="nn", neighbours=2).but(retrieval="csls")
    assert chained.name == "muse with 2 neighbours"
    assert chained.but(neighbours=10) == PROTOCOLS["muse"]


def test_json_has_the_promised_keys():
    result = evaluate(SOURCE, TARGET, LEXICON, retrieval="nn").as_dict()
    assert {"p@1", "p@5", "p@10", "mrr", "coverage", "queries"} <= set(result)
    assert (result["p@1"], result["queries"], result["coverage"]) == (0.5, 2, 0.4)
    assert result["coverage_words"] == {"known": 2, "total": 5}
    assert result["coverage_pairs"] == {"known": 4, "total": 7}
    assert result["ranks"] == [["a", ["y", "w"], 1], ["b", ["z"], 4]]


def test_exchanged_languages_are_recognised():
    """But where some pairs are known as they are, a few more the other way round are no proof."""
    mixed = Lexicon([("a", "w"), ("w", "a"), ("x", "b"), ("y", "c")])
    assert evaluate(SOURCE, TARGET, mixed, retrieval="nn").queries == 1
    backwards = Lexicon([(right, left) for left, right in LEXICON])
    with pytest.raises(
        InputError, match="wrong direction: 0 of its 7 pairs .* 4 with the words swapped"
    ):
        evaluate(SOURCE, TARGET, backwards)


def test_bad_input_gets_one_sentence():
    with pytest.raises(
        InputError,
        match="none of the 1 pairs of the lexicon has vectors on both sides; check the lang",
    ):
        evaluate(SOURCE, TARGET, Lexicon([("no", "nein")]))
    with pytest.raises(LexalignError, match="`protocol` must be one of .*'muse'"):
        evaluate(SOURCE, TARGET, LEXICON, protocol="mouse")
    with pytest.raises(
        LexalignError,
        match="`retrieval` parameter of the protocol must be one of .* Got 'cosine' instead",
    ):
        evaluate(SOURCE, TARGET, LEXICON, retrieval="cosine")
    with pytest.raises(LexalignError, match="A protocol has no rule 'neighbors'; the rules are"):
        evaluate(SOURCE, TARGET, LEXICON, neighbors=3)
    with pytest.raises(
        LexalignError,
        match="`neighbours` parameter of the protocol must be a whole number, at least 1. Got 0",
    ):
        evaluate(SOURCE, TARGET, LEXICON, neighbours=0)
    with pytest.raises(LexalignError, match="Got 10 neighbours and 4 words; use fewer"):
        evaluate(SOURCE, TARGET, LEXICON)
    for beta in (0, 1e-3, 1e39, float("nan")):
        with pytest.raises(
            LexalignError, match="`beta` parameter of .* at least 0.1 and at most 10000"
        ):
            evaluate(SOURCE, TARGET, LEXICON, retrieval="invsoftmax", beta=beta)
    narrow = Embeddings("wxyz", np.ones((4, 3)))
    with pytest.raises(LexalignError, match="2 dimensions and the target vectors 3"):
        evaluate(SOURCE, narrow, LEXICON)


@pytest.mark.gpu
@pytest.mark.parametrize("retrieval", ["nn", "csls", "invnn", "invsoftmax"])
def test_a_gpu_finds_the_same_places(retrieval):
    source, target, _ = planted_pair(words=3000, dimension=300, noise=0.05)
    lexicon = Lexicon([(f"s{i}", f"t{i}") for i in range(0, 3000, 2)])
    cpu, gpu = (
        evaluate(source, target, lexicon, retrieval=retrieval, device=device)
        for device in ("cpu", "cuda")
    )
    assert gpu.ranks.tolist() == cpu.ranks.tolist()


LEVELS = [
    ("europarl.en", "europarl.de", 33.4, 42.4, 817),
    ("europarl.en", "europarl.fr", 37.0, 49.4, 781),
    ("europarl.en", "europarl.it", 35.1, 45.9, 730),
    ("europarl.fr", "europarl.it", 49.8, 59.5, 665),
    ("web.en", "web.fr", 67.2, 75.3, 1161),
    ("web.en", "web.ru", 45.8, 54.2, 782),
]


@pytest.mark.shared
@pytest.mark.parametrize(("one", "other", "nn", "csls", "queries"), LEVELS)
def test_known_levels_on_real_vectors(data, one, other, nn, csls, queries):
    """P@1 of Procrustes with the MUSE dictionaries."""
    sides = []
    for name in (one, other):
        matrix = np.load(data / "vectors" / f"{name}.npy").astype(np.float32)
        words = (data / "vectors" / f"{name}.words").read_text("utf-8").split("\n")
        sides.append(Embeddings(words[: len(matrix)], matrix))
    languages = f"{one[-2:]}-{other[-2:]}"
    train, test = (
        Lexicon.read(data / "dictionaries" / "muse" / f"{languages}.{part}.txt")
        for part in ("0-5000", "5000-6500")
    )
    alignment = Procrustes().fit(*sides, train)
    for retrieval, level in (("nn", nn), ("csls", csls)):
        score = evaluate(alignment.source, alignment.target, test, retrieval=retrieval)
        assert score.queries == queries
        assert round(100 * score.precision(1), 1) == level


def test_the_inverted_softmax_of_vecmap_has_the_temperature_1():
    generator = np.random.default_rng(0)
    sides = [generator.standard_normal((60, 4)).astype(np.float32) for _ in range(2)]
    x, y = (side / np.linalg.norm(side, axis=1, keepdims=True) for side in sides)
    source, target = (
        Embeddings([f"{name}{row}" for row in range(60)], side)
        for name, side in (("s", x), ("t", y))
    )
    lexicon = Lexicon([(f"s{row}", f"t{row}") for row in range(60)])
    found = evaluate(source, target, lexicon, protocol="vecmap", retrieval="invsoftmax")
    scores = x @ y.T - np.log(np.exp(x @ y.T).sum(axis=0))
    expected = [1 + int((scores[row] > scores[row, row]).sum()) for row in range(60)]
    assert found.ranks.tolist() == expected
