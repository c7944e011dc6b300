"""Two corpora in one stream: equally many tokens of each, at any time."""

import numpy as np
import pytest

from lexalign.training import BalancedCorpora, Counts


def lines(prefix, count, seed):
    generator = np.random.default_rng(seed)
    return [
        [f"{prefix}{number}" for number in generator.zipf(1.5, size)]
        for size in generator.integers(1, 30, count)
    ]


@pytest.fixture(params=[(300, 2000), (2000, 300)])
def balanced(request):
    """With either language the larger one."""
    corpora = lines("a", request.param[0], 0), lines("b", request.param[1], 1)
    return BalancedCorpora(corpora, (Counts.of(corpora[0]), Counts.of(corpora[1])), seed=4)


def test_neither_language_gets_ahead(balanced):
    """By more than a line, until one of them ends; thinning is random, so one ends before."""
    differences, languages = [0], []
    for piece in balanced:
        languages.append(piece[0][0])
        differences.append(differences[-1] + (len(piece) if languages[-1] == "a" else -len(piece)))
    ended = min(len(languages) - languages[::-1].index(language) for language in "ab")
    assert max(map(abs, differences[:ended])) < 30
    assert abs(differences[-1]) < 0.12 * balanced.tokens / 2


def test_all_of_the_smaller_corpus_is_there_and_part_of_the_larger(balanced):
    passed = list(balanced)
    for prefix, corpus, kept in zip("ab", balanced.corpora, balanced.kept, strict=True):
        found = [piece for piece in passed if piece[0].startswith(prefix)]
        assert len(found) / len(corpus) == pytest.approx(kept, abs=0.04)
        assert (found == corpus) == (kept == 1)
    assert sum(map(len, passed)) == pytest.approx(balanced.tokens, rel=0.1)


def test_every_pass_has_the_same_lines_and_another_seed_others(balanced):
    assert list(balanced) == list(balanced)
    assert list(BalancedCorpora(balanced.corpora, balanced.counts, seed=5)) != list(balanced)


def test_the_vocabulary_has_the_frequent_words_of_both(balanced):
    words = balanced.vocabulary(20, 2)
    for prefix, counts, kept in zip("ab", balanced.counts, balanced.kept, strict=True):
        own = {word for word in words if word.startswith(prefix)}
        assert own <= set(counts.most_frequent(20, 2))
        assert all(words[word] == round(kept * counts.words[word]) for word in own)
    assert list(words.values()) == sorted(words.values(), reverse=True)


def test_words_that_thinning_makes_too_rare_get_no_vector(balanced):
    words = balanced.vocabulary(10_000, 3)
    assert min(words.values()) == 3
    assert len(words) < sum(len(side.most_frequent(10_000, 3)) for side in balanced.counts)
