"""Our readers against gensim's and NumPy's, on files that all of them should read alike.

Where we differ on purpose, a test says so: we drop words that repeat, allow blanks in words of text
files, and refuse numbers that are not finite.
"""

from __future__ import annotations

import logging

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lexalign.errors import InputError
from lexalign.vectors import read
from tests.fuzz.test_readers import INPUTS

models = pytest.importorskip("gensim.models")
logging.getLogger("gensim").setLevel(logging.ERROR)

some = settings(
    max_examples=INPUTS, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)

letters = st.one_of(
    st.sampled_from("aZ1.#\"'\\,;|_-\xa0\u2028\u3000\u0301\u05d0\U0001f600"),
    st.characters(exclude_categories=["Cs", "Cc", "Zs", "Zl", "Zp"]),
)
# gensim splits text at all white space of Unicode, we at that of ASCII only.
gensim_words = st.text(letters, min_size=1, max_size=6).filter(lambda word: word.split() == [word])
numbers = st.one_of(
    st.floats(width=32, allow_nan=False, allow_infinity=False).map(repr),
    st.floats(-1e30, 1e30).map(repr),
    st.integers(-(10**12), 10**12).map(str),
    st.sampled_from(["-0", "+1", ".5", "5.", "1E5", "1e-45", "1e-50", "0.1", "16777217", "3.4e38"]),
)


@st.composite
def tables(draw, words=gensim_words):
    """Different words, and a table of numbers as text."""
    names = draw(st.lists(words, min_size=1, max_size=5, unique=True))
    dimension = draw(st.integers(1, 4))
    row = st.lists(numbers, min_size=dimension, max_size=dimension)
    return names, [draw(row) for _ in names]


def as_text(names, rows, separator=" ", end="\n"):
    lines = [f"{len(names)} {len(rows[0])}"]
    lines += [separator.join((name, *row)) for name, row in zip(names, rows, strict=True)]
    return "".join(f"{line}{end}" for line in lines).encode()


def as_float32(rows):
    """Each number rounded once from text to float64, and once more to float32."""
    return np.array([[float(number) for number in row] for row in rows]).astype(np.float32)


def gensims(path, **options):
    found = models.KeyedVectors.load_word2vec_format(str(path), **options)
    return list(found.index_to_key), found.vectors


def same_bits(ours, theirs):
    np.testing.assert_array_equal(ours.view(np.uint32), theirs.view(np.uint32))


@some
@given(table=tables(), end=st.sampled_from(["\n", "\r\n", " \n"]))
def test_text_is_read_as_by_gensim_and_numpy(tmp_path, table, end):
    names, rows = table
    path = tmp_path / "a.vec"
    path.write_bytes(as_text(names, rows, end=end))
    ours, (words, vectors) = read(path), gensims(path, binary=False)
    assert list(ours.words) == words == names
    # gensim and NumPy round twice, which moves a number by the last bit at most, and seldom.
    for theirs in (vectors, as_float32(rows)):
        np.testing.assert_array_max_ulp(ours.matrix, theirs.astype(np.float32), maxulp=1)


@some
@given(rows=st.lists(st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False),
                              min_size=3, max_size=3), min_size=1, max_size=4))  # fmt: skip
def test_numbers_of_float32_are_read_to_the_bit_as_by_numpy(tmp_path, rows):
    path = tmp_path / "a.vec"
    texts = [[repr(number) for number in row] for row in rows]
    names = [f"w{row}" for row in range(len(rows))]
    path.write_bytes(as_text(names, texts))
    columns = range(1, 4)
    numpys = np.loadtxt(path, dtype=np.float32, skiprows=1, usecols=columns, ndmin=2, comments=None)
    same_bits(read(path).matrix, numpys)
    same_bits(read(path).matrix, np.array(rows, dtype=np.float32))


@some
@given(
    names=st.lists(gensim_words, min_size=1, max_size=5, unique=True),
    dimension=st.integers(1, 4),
    seed=st.integers(0, 2**32 - 1),
    end=st.sampled_from([b"\n", b""]),
)
def test_word2vec_binary_is_read_as_by_gensim(tmp_path, names, dimension, seed, end):
    matrix = np.random.default_rng(seed).standard_normal((len(names), dimension), np.float32)
    path = tmp_path / "a.bin"
    rows = [
        name.encode() + b" " + vector.tobytes() + end
        for name, vector in zip(names, matrix, strict=True)
    ]
    path.write_bytes(f"{len(names)} {dimension}\n".encode() + b"".join(rows))
    ours, (words, vectors) = read(path), gensims(path, binary=True)
    assert list(ours.words) == words == names
    same_bits(ours.matrix, vectors)
    same_bits(ours.matrix, matrix)


def test_of_words_that_repeat_both_keep_the_first_vector(tmp_path):
    path = tmp_path / "a.vec"
    path.write_text("3 1\na 1\nb 2\na 3\n")
    ours, (words, vectors) = read(path), gensims(path, binary=False)
    assert list(ours.words) == words[:2] == ["a", "b"]
    assert ours.matrix.tolist() == vectors[:2].tolist() == [[1], [2]]


def test_we_read_words_with_blanks_in_text_and_gensim_does_not(tmp_path):
    path = tmp_path / "a.vec"
    path.write_text("2 2\nNew York 1 2\na\xa0b 3 4\n", encoding="utf-8")
    assert list(read(path).words) == ["New York", "a\xa0b"]
    with pytest.raises(ValueError, match="could not convert"):
        gensims(path, binary=False)


@pytest.mark.parametrize("number", ["nan", "inf", "-inf", "1e39"])
def test_we_refuse_numbers_that_are_not_finite_and_gensim_takes_them(tmp_path, number):
    path = tmp_path / "a.vec"
    path.write_text(f"1 2\na 1 {number}\n")
    with pytest.raises(InputError, match="line 2: the vector of 'a' contains a number that is not"):
        read(path)
    with np.errstate(over="ignore"):
        assert not np.isfinite(gensims(path, binary=False)[1]).all()


def test_a_file_that_ends_early_is_refused_by_both(tmp_path):
    path = tmp_path / "a.vec"
    path.write_text("2 1\na 1\n")
    with pytest.raises(InputError, match="states 2 rows"):
        read(path)
    with pytest.raises(EOFError):
        gensims(path, binary=False)
