"""A text as numbers is the text without unknown words, piece by piece."""

import tempfile

import numpy as np
import pytest

from lexalign.errors import OutputError
from lexalign.training import encoded_text
from lexalign.training.encoded_text import END, encoded

TEXT = [["a", "x", "b"], ["b"], [], ["y"], ["c", "a"]]
WORDS = {"a": 2, "b": 2, "c": 1}
NUMBERS = [0, 1, END, 1, END, END, END, 2, 0, END]


def test_words_become_rows_and_unknown_ones_vanish():
    with encoded(TEXT, WORDS) as text:
        assert text.numbers.tolist() == NUMBERS
        assert text.tokens == 5


def test_text_that_is_written_in_parts_is_the_same(monkeypatch):
    monkeypatch.setattr(encoded_text, "_WRITTEN_AT_ONCE", 2)
    with encoded(TEXT, WORDS) as text:
        assert text.numbers.tolist() == NUMBERS


def test_text_without_known_words_is_empty():
    with encoded([], WORDS) as text:
        assert len(text.numbers) == text.tokens == 0
        assert list(text.blocks(4)) == []


@pytest.mark.parametrize("size", [1, 3, 4, 100])
def test_blocks_are_the_text_in_parts(size):
    with encoded(TEXT, WORDS) as text:
        blocks = list(text.blocks(size))
    assert np.concatenate(blocks).tolist() == NUMBERS
    if size >= 3:  # the longest piece
        assert all(block[-1] == END for block in blocks)


def test_a_full_disk_is_one_sentence(monkeypatch):
    def full(file, content):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(encoded_text.os, "write", full)
    with (
        pytest.raises(OutputError, match=rf"{tempfile.gettempdir()} \(No space.*TMPDIR"),
        encoded(TEXT, WORDS),
    ):
        pass


def test_an_error_of_the_work_is_its_own():
    with pytest.raises(OSError, match="elsewhere"), encoded(TEXT, WORDS):
        raise OSError("elsewhere")
