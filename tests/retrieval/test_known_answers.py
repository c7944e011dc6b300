"""Defaults, borders and small cases of retrieval that are worked out by hand."""

import numpy as np
import pytest

from lexalign.retrieval import Translator, memory_mapped, mutual_pairs, ranks, top_k, translate
from lexalign.retrieval.memory_mapped import (
    RankedWords,
    by_cosine,
    cosines_of,
    front,
    mean_of_nearest,
    products,
)
from lexalign.retrieval.on_cpu import _openblas_kernel
from lexalign.retrieval.search import candidates, mean_similarity_bound
from lexalign.retrieval.translator import unknown_words_sentence
from lexalign.vectors import Embeddings
from tests.conftest import planted_pair


@pytest.fixture
def pair():
    source, target, _ = planted_pair(words=120, dimension=6, noise=0.4)
    return source, target


def test_the_function_uses_five_translations_by_csls_over_ten_neighbours(pair):
    explicit = Translator(source=pair[0], target=pair[1], retrieval="csls", neighbours=10)
    found = translate(*pair, ["s1", "s50"])
    assert found == explicit.translate(["s1", "s50"], k=5)
    assert found == explicit.translate(["s1", "s50"])
    assert [len(one) for one in found] == [5, 5]


def test_the_function_hands_every_choice_on(pair):
    for options in ({"neighbours": 3}, {"retrieval": "invsoftmax", "beta": 7.0}, {"k": 2}):
        found = translate(*pair, ["s7"], **options)
        assert found != translate(*pair, ["s7"], **{**options, **wrong(options)})
    softmax = translate(*pair, ["s7"], retrieval="invsoftmax")
    assert softmax == translate(*pair, ["s7"], retrieval="invsoftmax", beta=30.0)


def wrong(options):
    return {
        name: value + 1 for name, value in options.items() if name in ("neighbours", "beta", "k")
    }


def test_mutual_pairs_of_a_translator_are_those_of_its_criterion(pair):
    for options in (
        {"retrieval": "nn"},
        {"retrieval": "csls", "neighbours": 3},
        {"retrieval": "invsoftmax", "beta": 5.0},
    ):
        translator = Translator(source=pair[0], target=pair[1], **options)
        sides = translator.source.matrix, translator.target.matrix
        expected = mutual_pairs(*sides, **options)
        found = translator.mutual()
        assert [(a[1:], b[1:]) for a, b in found.pairs] == [
            (str(i), str(j)) for i, j in expected.pairs
        ]
        np.testing.assert_allclose(found.weights, expected.margins)


def test_mutual_pairs_by_hand():
    """Best of x₀ is y₁ (1 before 0.6), of x₁ y₀ (0.9); y₂ prefers x₀, which does not choose it."""
    source = np.array([[1, 0], [0, 1]], dtype=np.float32)
    target = np.array([[0.1, 0.9], [1, 0], [0.6, 0.2]], dtype=np.float32)
    found = mutual_pairs(source, target, retrieval="nn")
    assert found.pairs.tolist() == [[1, 0], [0, 1]]
    np.testing.assert_allclose(found.margins, [0.7, 0.4], atol=1e-6)
    assert mutual_pairs(source, target, retrieval="nn", max_rank=1).pairs.tolist() == []
    both = mutual_pairs(source, target, retrieval="nn", max_rank=2)
    assert both.pairs.tolist() == [[0, 1], [1, 0]]  # without y₂ the leads are 0.9 and 0.8
    np.testing.assert_allclose(both.margins, [0.9, 0.8], atol=1e-6)


def test_two_words_a_side_suffice_without_neighbourhoods():
    from lexalign.errors import LexalignError

    eye = np.eye(2, dtype=np.float32)
    assert len(mutual_pairs(eye, eye, retrieval="nn")) == 2
    assert len(mutual_pairs(eye, eye, neighbours=1)) == 2
    with pytest.raises(LexalignError, match="has 1 words, fewer than the 2"):
        mutual_pairs(eye[:1], eye, retrieval="nn")
    with pytest.raises(LexalignError, match="has 2 words, fewer than the 3"):
        mutual_pairs(eye, eye, neighbours=3)
    with pytest.raises(LexalignError, match="`min_margin` must be a finite number. Got nan"):
        mutual_pairs(eye, eye, retrieval="nn", min_margin=np.nan)


def test_a_margin_at_the_threshold_is_enough():
    eye = np.eye(3, dtype=np.float32)
    assert len(mutual_pairs(eye, eye, retrieval="nn", min_margin=1.0)) == 3
    assert len(mutual_pairs(eye, eye, retrieval="nn", min_margin=1.0 + 1e-9)) == 0


@pytest.mark.parametrize(
    ("unknown", "sentence"),
    [
        (["s1x"], "1 unknown word: 's1x' (perhaps "),
        (
            ["zzz", "zzz"],
            "1 unknown word: 'zzz'; check spelling and case, or read more words (`limit`).",
        ),
        (["yyyy", "zzz"], "2 unknown words: 'yyyy', 'zzz'; check"),
        (["t5"], "(a word of the other language: translate in the other direction); check"),
    ],
)
def test_unknown_words_are_named(pair, unknown, sentence):
    assert sentence in unknown_words_sentence(unknown, *pair)


def test_few_unknown_words_are_listed_and_fewer_get_suggestions(pair):
    source = Embeddings(["houses", "housed", "housel", "housey", "other"], np.eye(5))
    sentence = unknown_words_sentence(["house"], source, pair[1])
    assert sentence.count(" or '") == 2  # three suggestions at most
    many = [f"house{letter * 9}" for letter in "abcdefghijklmnopqrstuvw"]
    sentence = unknown_words_sentence(many, source, pair[1])
    assert sentence.startswith("23 unknown words: ")
    assert sentence.count("house") == 20
    assert " and 3 more; check" in sentence
    four = unknown_words_sentence(["housex", "housez", "houseq", "housev"], source, pair[1])
    assert four.count("perhaps") == 3
    twenty = unknown_words_sentence(many[:20], source, pair[1])
    assert "more;" not in twenty


def test_the_best_words_are_cut_with_their_scores():
    words = RankedWords(np.array([4, 2, 9]), np.array([0.9, 0.5, 0.1]), np.array([0.3, 0.2, 0.1]))
    first = words.first(2)
    assert first.rows.tolist() == [4, 2]
    assert first.cosines.tolist() == [0.9, 0.5]
    assert first.csls.tolist() == [0.3, 0.2]
    assert RankedWords(words.rows, words.cosines).first(1).csls is None


def test_the_front_holds_all_scores_if_so_many_are_wanted():
    scores = np.array([0.1, 0.9, 0.5], dtype=np.float32)
    assert front(scores, 3).tolist() == [0, 1, 2]
    assert sorted(front(scores, 2).tolist()) == [1, 2]
    assert front(scores, 1).tolist() == [1]


def test_one_word_is_searched_as_all_are():
    generator = np.random.default_rng(0)
    matrix = generator.integers(-2, 3, (500, 3)).astype(np.float32)  # ties everywhere
    vector = generator.integers(-2, 3, 3).astype(np.float32)
    found = by_cosine(vector, matrix, products(matrix, vector), 7)
    expected = top_k(vector[None], matrix, 7)
    np.testing.assert_array_equal(found.rows, expected.indices[0])
    np.testing.assert_array_equal(found.cosines, expected.scores[0])
    some = np.array([3, 1])
    np.testing.assert_allclose(cosines_of(vector, matrix, some), matrix[some] @ vector)


@pytest.mark.parametrize("processors", [1, 3])
def test_parts_of_several_processors_are_put_together(monkeypatch, processors):
    monkeypatch.setattr(memory_mapped, "ROWS_WORTH_A_THREAD", 10)
    monkeypatch.setattr(memory_mapped, "processors", lambda: processors)
    generator = np.random.default_rng(0)
    matrix = generator.standard_normal((101, 4)).astype(np.float32)
    vectors = generator.standard_normal((2, 4)).astype(np.float32)
    np.testing.assert_allclose(products(matrix, vectors[0]), matrix @ vectors[0], rtol=1e-5)
    nearest = np.sort(matrix @ vectors.T, axis=0)[-3:].mean(axis=0)
    np.testing.assert_allclose(mean_of_nearest(vectors, matrix, 3), nearest, rtol=1e-5)


def test_a_bound_of_the_mean_similarity_lies_just_below_it():
    generator = np.random.default_rng(0)
    x, y = (10 * generator.standard_normal((40, 5)).astype(np.float32) for _ in range(2))
    exact = np.sort(x.astype(float) @ y.T.astype(float), axis=1)[:, -4:].mean(axis=1)
    bound = mean_similarity_bound(x, y, 4)
    longest = np.linalg.norm(x, axis=1) * np.linalg.norm(y, axis=1).max()
    assert (bound < exact).all()
    np.testing.assert_allclose(bound, exact - 4e-6 * longest, atol=1e-4)


def test_candidates_come_best_first_with_their_scores():
    keys = np.array([[1, 0], [0, 1], [1, 1]], dtype=np.float32)
    queries = np.array([[2, 1]], dtype=np.float32)
    scores, indices = candidates(queries, keys, 3)
    assert (scores.tolist(), indices.tolist()) == ([[3.0, 2.0, 1.0]], [[2, 0, 1]])
    scores, indices = candidates(queries, keys, 2, np.array([0.0, 0.0, 2.0]))
    assert (scores.tolist(), indices.tolist()) == ([[2.0, 1.0]], [[0, 1]])


def test_places_count_from_one_and_penalties_move_them():
    keys = np.array([[1, 0], [0, 1], [1, 1]], dtype=np.float32)
    queries = np.array([[2, 1]] * 3, dtype=np.float32)
    assert ranks(queries, keys, np.arange(3)).tolist() == [2, 3, 1]
    assert ranks(queries, keys, np.arange(3), np.array([0.0, 0.0, 2.5])).tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    ("features", "kernel"),
    [
        ({"AVX512_SKX": True, "AVX2": True, "FMA3": True}, "SkylakeX"),
        ({"AVX2": True, "FMA3": True}, "Haswell"),
        ({"AVX2": True}, None),
        ({"FMA3": True}, None),
        ({}, None),
    ],
)
def test_the_kernel_follows_the_instruction_sets(monkeypatch, features, kernel):
    from numpy._core import _multiarray_umath

    monkeypatch.setattr(_multiarray_umath, "__cpu_features__", features)
    assert _openblas_kernel() == kernel
