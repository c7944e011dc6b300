"""Counting in bounded memory, and files of counts."""

from collections import Counter

import numpy as np
import pytest

from lexalign.errors import InputError
from lexalign.training import Counts


def test_all_words_are_counted():
    counts = Counts.of([["a", "b", "a"], ["c"], []])
    assert counts.words == {"a": 2, "b": 1, "c": 1}
    assert counts.tokens == 4


def test_rare_words_are_forgotten_when_there_are_too_many():
    """Zipfian text, halved again and again: what is frequent is there, and counted well."""
    generator = np.random.default_rng(0)
    lines = [[f"w{rank}" for rank in generator.zipf(1.3, 50)] for _ in range(4000)]
    exact = Counter(word for line in lines for word in line)
    counts = Counts.of(lines, most_types=800)
    assert len(exact) > 10_000 > 800 >= len(counts.words)
    assert counts.tokens == 200_000
    assert counts.forgotten
    frequent = exact.most_common(200)
    assert all(word in counts.words for word, _ in frequent)
    for word, count in frequent[:100]:
        assert counts.words[word] == pytest.approx(count, rel=0.05)
    assert not Counts.of(lines[:10]).forgotten


def test_the_most_frequent_come_first_and_ties_by_spelling():
    counts = Counts({"b": 2, "c": 5, "a": 2, "rare": 1}, 10)
    assert list(counts.most_frequent(10, 2).items()) == [("c", 5), ("a", 2), ("b", 2)]
    assert list(counts.most_frequent(2, 1)) == ["c", "a"]
    with pytest.raises(InputError, match="none of its 4 words occurs 6 times; lower"):
        counts.most_frequent(10, 6)


def test_files_of_counts_are_read_as_they_were_written(tmp_path):
    path = tmp_path / "counts.tsv"
    Counts({"häuser": 3, "the": 70}, 73).write(path)
    assert path.read_text("utf-8") == "the\t70\nhäuser\t3\n"
    again = Counts.read(path)
    assert again.words == {"the": 70, "häuser": 3}
    assert again.tokens == 73


def test_blanks_may_separate_and_repeated_words_add_up(tmp_path):
    path = tmp_path / "counts.txt"
    path.write_text("new york\t3\nthe 70\nthe 1\n")
    assert Counts.read(path).words == {"new york": 3, "the": 71}


@pytest.mark.parametrize(
    "line", ["word", "7", "word\t-1", "word\t0", "word\tx", "", "word\t1.5", "word\t" + "9" * 5000]
)
def test_other_lines_are_refused_by_their_number(tmp_path, line):
    path = tmp_path / "counts.tsv"
    path.write_text(f"the\t70\n{line}\nend\t1\n")
    with pytest.raises(InputError, match="counts.tsv, line 2: expected a word and its count"):
        Counts.read(path)


def test_counts_of_nothing_are_refused(tmp_path):
    (tmp_path / "empty").touch()
    with pytest.raises(InputError, match="empty: there are no words in it"):
        Counts.read(tmp_path / "empty")
    with pytest.raises(InputError, match="there are no words in it"):
        Counts.of([[]])
