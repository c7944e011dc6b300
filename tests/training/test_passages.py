"""The sample is uniform over all of the text, bounded, and always the same."""

import numpy as np
import pytest

from lexalign.training.passages import LONGEST_PASSAGE, PASSAGE_WORDS, PassageSample


def sampled(pieces, size=50, seed=0):
    sample = PassageSample(size, seed)
    assert list(sample.watch(pieces)) == pieces
    return sample.passages


def test_every_part_of_a_text_has_the_same_chance():
    pieces = [[str(number)] for number in range(1000)]
    found = np.concatenate([[int(p) for p in sampled(pieces, 50, seed)] for seed in range(400)])
    tenths = np.bincount(found // 100, minlength=10)
    assert len(found) == 20_000
    assert tenths == pytest.approx(np.full(10, 2000), abs=250)  # six standard deviations


def test_long_lines_and_short_lines_give_the_same_share_of_words():
    pieces = [["long"] * 4000, *[["short"] * 10] * 400]
    passages = sampled(pieces, 600)
    words = [word for passage in passages for word in passage.split()]
    assert words.count("long") / len(words) == pytest.approx(0.5, abs=0.06)


def test_a_short_text_is_taken_whole():
    assert sampled([["a", "b"], ["c"] * (PASSAGE_WORDS + 1)]) == [
        "a b", " ".join(["c"] * PASSAGE_WORDS), "c",
    ]  # fmt: skip
    assert sampled([]) == sampled([[]]) == []


def test_the_sample_is_bounded_and_repeatable():
    pieces = [[f"w{number}", "x" * 5000] for number in range(3000)]
    passages = sampled(pieces)
    assert len(passages) == 50
    assert max(map(len, passages)) <= LONGEST_PASSAGE
    assert sampled(pieces) == passages
    assert sampled(pieces, seed=1) != passages
