"""Tiles hold every word with its contexts, once."""

from collections import Counter

import pytest

torch = pytest.importorskip("torch")

from lexalign.training.context_tiles import WIDTH, tiles  # noqa: E402
from lexalign.training.encoded_text import END  # noqa: E402


def pairs(numbers, window, kept=None, at_once=3, seed=0):
    """All pairs of a word and a context that the tiles of a text hold."""
    kept = torch.ones(2 + max(numbers)) if kept is None else kept
    random = torch.Generator().manual_seed(seed)
    found = Counter()
    for part in tiles(torch.tensor(numbers), kept, window, at_once, random):
        assert len(part.words) <= at_once
        for tile, row, column in part.near.nonzero().tolist():
            found[int(part.words[tile, row]), int(part.around[tile, column])] += 1
    return found


def test_words_next_to_each_other_are_pairs():
    numbers = list(range(100))
    expected = {(one, other) for one in range(100) for other in (one - 1, one + 1)}
    found = pairs(numbers, window=1)
    assert set(found) == {pair for pair in expected if 0 <= pair[1] < 100}
    assert set(found.values()) == {1}


def test_no_context_is_in_another_piece_of_text():
    found = pairs([0, 1, END, 2, 3, END, 4], window=1)
    assert set(found) == {(0, 1), (1, 0), (2, 3), (3, 2)}


def test_near_contexts_are_more_frequent():
    numbers = list(range(2000))
    found = pairs(numbers, window=4)
    distances = Counter(abs(one - other) for one, other in found)
    shares = [distances[distance] / distances[1] for distance in (1, 2, 3, 4)]
    assert shares == pytest.approx([1, 0.75, 0.5, 0.25], abs=0.05)
    assert set(distances) == {1, 2, 3, 4}


def test_words_that_are_left_out_bring_their_neighbours_together():
    found = pairs([0, 1, 2, END], window=1, kept=torch.tensor([1.0, 0.0, 1.0]))
    assert set(found) == {(0, 2), (2, 0)}


def test_a_window_may_be_wider_than_a_tile():
    found = pairs(list(range(200)), window=2 * WIDTH)
    assert max(abs(one - other) for one, other in found) > WIDTH


def test_text_without_words_has_no_tiles():
    assert not pairs([END, END], window=2)
