import numpy as np
import pytest

from lexalign.errors import LexalignError, UnknownWordWarning
from lexalign.retrieval import Translator, translate
from lexalign.retrieval import translator as module
from lexalign.vectors import Embeddings
from tests.conftest import planted_pair


def unit(matrix):
    return matrix / np.linalg.norm(matrix, axis=1, keepdims=True)


def csls(x, y, k):
    similarity = x @ y.T
    r_x = np.sort(similarity, axis=1)[:, -k:].mean(axis=1)
    r_y = np.sort(similarity, axis=0)[-k:].mean(axis=0)
    return 2 * similarity - r_x[:, None] - r_y


@pytest.fixture
def pair():
    source, target, _ = planted_pair(words=150, dimension=8, noise=0.3)
    return source, Embeddings(target.words, 2 * target.matrix)


@pytest.mark.parametrize("exact_at_first", [12, 2000])
@pytest.mark.parametrize("reverse", [False, True])
def test_scores_are_csls_whatever_is_bounded(pair, monkeypatch, exact_at_first, reverse):
    """A handful of exact neighbourhoods at first gives the same list as all of them."""
    monkeypatch.setattr(module, "EXACT_AT_FIRST", exact_at_first)
    translator = Translator(source=pair[0], target=pair[1])
    scores = csls(unit(pair[0].matrix), unit(pair[1].matrix), 10)
    if reverse:
        translator, scores = translator.reverse, scores.T
    rows = [3, 77, 149]
    found = translator.translate([translator.source.words[row] for row in rows], k=4)
    for row, best in zip(rows, found, strict=True):
        order = np.argsort(-scores[row])[:4]
        assert [translator.target.index[word] for word, _ in best] == order.tolist()
        np.testing.assert_allclose([score for _, score in best], scores[row][order], atol=1e-5)


@pytest.mark.gpu
def test_a_gpu_translates_alike(pair):
    cpu, gpu = (
        Translator(source=pair[0], target=pair[1], device=device).translate(["s3", "s9"], k=4)
        for device in ("cpu", "cuda")
    )
    for one, other in zip(cpu, gpu, strict=True):
        assert [found.word for found in one] == [found.word for found in other]


def test_many_words_make_everything_exact(pair, monkeypatch):
    few = Translator(source=pair[0], target=pair[1]).translate(pair[0].words, k=1)
    monkeypatch.setattr(module, "EXACT_AT_FIRST", 20)
    monkeypatch.setattr(module, "WORDS_AT_ONCE", 64)
    assert Translator(source=pair[0], target=pair[1]).translate(pair[0].words, k=1) == few


def test_other_retrievals_score_by_cosine_and_probability(pair):
    similarity = unit(pair[0].matrix) @ unit(pair[1].matrix).T
    cosine = Translator(source=pair[0], target=pair[1], retrieval="nn").translate(["s5"], k=150)
    assert cosine[0][0].score == pytest.approx(similarity[5].max(), abs=1e-6)
    softmax = Translator(source=pair[0], target=pair[1], retrieval="invsoftmax", beta=20)
    best = softmax.translate(["s5"], k=1)[0][0]
    column = np.exp(20 * similarity[:, pair[1].index[best.word]])
    assert best.score == pytest.approx(column[5] / column.sum(), rel=1e-4)


def test_more_translations_than_words_are_all_words(pair):
    small = Translator(source=pair[0], target=pair[1].top(3), retrieval="nn")
    assert len(small.translate(["s1"], k=10)[0]) == 3


def test_mutual_pairs_are_a_lexicon_with_margins(pair):
    translator = Translator(source=pair[0], target=pair[1])
    lexicon = translator.mutual()
    assert 50 < len(lexicon) < 150
    sure = translator.mutual(min_margin=0.1)
    assert 0 < len(sure) < len(lexicon)
    assert sure.weights.min() >= 0.1
    assert all(int(word[1:]) < 50 for word, _ in translator.mutual(max_rank=50))


def test_unknown_words_keep_their_place_and_get_one_warning(pair):
    translator = Translator(source=pair[0], target=pair[1])
    with pytest.warns(UnknownWordWarning) as warned:
        found = translator.translate(["s1", "t3", "s1", "s1x", "dreadnought", "t3"], k=2)
    assert [entry is None for entry in found] == [False, True, False, True, True, True]
    assert found[0] == found[2]
    (sentence,) = (str(one.message) for one in warned)
    assert sentence.startswith("3 unknown words: 't3' (a word of the other language")
    assert "'s1x' (perhaps 's1'" in sentence
    assert "'dreadnought'; check spelling and case" in sentence


def test_the_function_translates_like_the_class(pair):
    made = Translator(source=pair[0], target=pair[1], retrieval="nn").translate(["s1", "s2"], k=3)
    assert translate(*pair, ["s1", "s2"], k=3, retrieval="nn") == made


def test_an_unknown_retrieval_is_refused(pair):
    with pytest.raises(LexalignError, match="`retrieval` parameter of translation must be one of"):
        Translator(source=pair[0], target=pair[1], retrieval="invnn")


@pytest.mark.parametrize("k", [0, -1, "x", 1.5])
def test_the_number_of_translations_is_checked(pair, k):
    with pytest.raises(LexalignError, match="`k` parameter of translation must be a whole number"):
        translate(*pair, ["s1"], k=k)


def test_one_text_is_no_list_of_words(pair):
    with pytest.raises(LexalignError, match="`words` must be a list of words"):
        translate(*pair, "s1")
