from __future__ import annotations

import gzip

import numpy as np
import pytest

from lexalign.errors import InputError, OutputError
from lexalign.vectors import Embeddings, lines, read, read_stream, write
from lexalign.vectors.compression import COMPRESSIONS

from .samples import MATRIX, WORDS, assert_same, tiny


@pytest.fixture
def vec(tmp_path):
    """Writes bytes to a file and gives its path."""

    def put(content):
        path = tmp_path / "a.vec"
        path.write_bytes(content)
        return path

    return put


@pytest.mark.parametrize(
    "content",
    [
        b"2 2\na 1 2\nb 3 4\n",
        b"2 2\na 1 2\nb 3 4",
        b"2 2\na 1 2 \nb 3 4 \n",  # fastText
        b"a 1 2\nb 3 4\n",  # GloVe
        b"2 2\r\na 1 2\r\nb 3 4\r\n",
        b"2 2 \r\na 1 2 \r\nb 3 4 \r\n",
        b"2\t2\na\t1\t2\nb\t3\t4\n",
        b"2 2\na 1\t2\nb\t3 4\n",
        b"2 2\n a  1   2\nb 3 4\n\n\n",
        b"\xef\xbb\xbf2 2\na 1 2\nb 3 4\n",
        b"\xef\xbb\xbfa 1 2\nb 3 4\n",
        b"2 2\na 1.0E+0 +2\n\nb 3e0 .4e1\n",
    ],
)
def test_dialects(vec, content):
    assert_same(read(vec(content)), Embeddings(["a", "b"], [[1, 2], [3, 4]]))


@pytest.mark.parametrize("separator", [" ", "\t"])
def test_words_may_be_anything_between_separators(vec, separator):
    words = ['"', "#", "'a", "a,b", "\xa0", "x\x85y", "\u2028", ". . .", "NA", "5", "\ufeffz"]
    rows = [separator.join([word, "0.5", "-1"]) for word in words]
    path = vec("\n".join([f"{len(words)} 2", *rows]).encode())
    assert list(read(path).words) == words


def test_word_that_begins_with_a_byte_order_mark(vec):
    assert list(read(vec("1 1\n\ufeffa 1\n".encode())).words) == ["\ufeffa"]


def test_without_header_the_usual_width_is_the_dimension(vec):
    embeddings = read(vec(b". . . 1 2\na 1 2\nb 3 4\n"))
    assert list(embeddings.words) == [". . .", "a", "b"]


def test_two_whole_numbers_are_a_header_also_before_rows_of_one_number(vec):
    assert list(read(vec(b"2 1\n5 3\n6 4\n")).words) == ["5", "6"]
    with pytest.raises(InputError, match="line 2: expected a word and 3 numbers"):
        read(vec(b"5 3\n6 4\n"))


@pytest.mark.parametrize(
    ("content", "place", "message"),
    [
        (b"\n \n", "", "is empty"),
        (b"a\nb\n", ", line 1", "no numbers"),
        (b"3 2\n", "", "states 3 rows, but the file ends after 0"),
        (b"3 2\na 1 2\nb 3 4\n", "", "states 3 rows, but the file ends after 2"),
        (b"1 2\na 1 2\nb 3 4\n", ", line 3", "beyond the 1 rows that the header states"),
        (b"2 3\na 1 2\nb 3 4\n", ", line 2", "expected a word and 3 numbers, found 3"),
        (b"2 1\na 1 2\nb 3 4\n", ", line 2", "expected a word and 1 numbers, found 3"),
        (b"0 2\na 1 2\n", ", line 1", "states 0 rows of 2 numbers"),
        (b"2 -3\na 1 2\n", ", line 1", "states 2 rows of -3 numbers"),
        (b"1 99999999999999999999\na 1\n", ", line 1", "states 1 rows of 99999999999999999999"),
        (b"1 9999999999\na 1\n", ", line 1", "states 1 rows of 9999999999 numbers"),
        (b"1 65536\na 1\n", ", line 2", "expected a word and 65536 numbers"),
        (b"a" + b" 1" * 65537 + b"\n", ", line 1", "the rows have 65,537 numbers"),
        (b"a 1" + b"\n" * 2_000_000, ", line 1", "more than 100,000 empty lines follow"),
        (b"9999999999 1\na 1\n", "", "the file ends after 1"),
        (b"a 1 2\nb 3\nc 5 6\n", ", line 2", "found 2 fields"),
        (b"a 1 2\nb 3 4\nc 5 6 7\n", ", line 3", "found 4 fields, not 3; correct the row"),
        (b"a 1 2\nb 3 4\nc 5", ", line 3", "fields, not 3; the file may end within this row"),
        (b"a 1 2\nb 3\nc 5 6", ", line 2", "fields, not 3; correct the row"),
        (b"a 1 2\n\nb 3 x\nc 5 6\n", ", line 3", "'x' is not a number"),
        (b"a 1 2\nb 3 1_0\nc 5 6\n", ", line 2", "'1_0' is not a number"),
        (b"a 1 2\nb 3 0x1\nc 5 6\n", ", line 2", "'0x1' is not a number"),
        (b"a 1 2\nb 3 1,5\nc 5 6\n", ", line 2", "'1,5' is not a number"),
        (b"a 1 2\nb 3 nan\nc 5 6\n", ", line 2", "'b' contains a number that is not finite"),
        (b"a 1 2\nb  3 -inf\nc 5 6\n", ", line 2", "'b' contains a number that is not finite"),
        (b"a 1 2\nb 3 1e39\nc 5 6\n", ", line 2", "'b' contains a number that is not finite"),
        (b"a 1 2\nb  3 1e999\nc 5 6\n", ", line 2", "'b' contains a number that is not finite"),
        (b"a 1 2\n 3 4\nc 5 6\n", ", line 2", "expected a word and 2 numbers"),
    ],
)
def test_bad_files(vec, content, place, message):
    path = vec(content)
    with pytest.raises(InputError, match=message) as caught:
        read(path)
    assert str(caught.value).startswith(f"{path}{place}: ")
    assert caught.value.remedy


@pytest.mark.parametrize("suffix", COMPRESSIONS)
def test_cut_off_compressed_file(tmp_path, suffix):
    path = tmp_path / f"a.vec{suffix}"
    write(tiny(), path)
    path.write_bytes(path.read_bytes()[:-12])
    with pytest.raises(InputError, match="damaged or incomplete"):
        read(path)


def test_undecodable_word_is_replaced(vec):
    path = vec("1 2\ncafé 1 2\n".encode("latin-1"))
    assert list(read(path).words) == ["caf\ufffd"]


def test_limit_does_not_look_further(vec):
    path = vec(b"9 2\na 1 2\na 3 4\nb 5 6\nthis is garbage \xff\n")
    assert list(read(path, limit=1).words) == ["a"]
    assert list(read(path, limit=2).words) == ["a", "b"]
    with pytest.raises(InputError, match="line 5"):
        read(path, limit=3)
    with pytest.raises(InputError, match=r"`limit` must be at least 1\. Got 0 instead"):
        read(path, limit=0)


@pytest.mark.parametrize("end", [b"", b"\n", b"\n\n", b"\r\n"])
def test_a_limit_counts_the_last_line_also_without_its_end(vec, end):
    path = vec(b"a 1 2\nb 3 4\nc 5 6" + end)
    for limit in (1, 2, 3, 4):
        assert list(read(path, limit=limit).words) == ["a", "b", "c"][:limit]


@pytest.mark.parametrize("sign", ["", "-"])
@pytest.mark.parametrize(
    ("digits", "expected"),
    [
        ("1.000000059604644775390624", 1.0),
        ("1.000000059604644775390625", 1.0),
        ("1.000000059604644775390626", 1.0000001192092896),
        ("7.0064923216240853e-46", 0.0),
        ("7.0064923216240854e-46", 1.401298464324817e-45),
    ],
)
def test_numbers_are_rounded_once(vec, sign, digits, expected):
    """The blank in the word makes the line one to be read with care."""
    number = read(vec(f"1 1\na b {sign}{digits}\n".encode())).matrix[0, 0]
    assert float(number) == float(f"{sign}{expected!r}")


@pytest.fixture
def small_chunks(monkeypatch):
    monkeypatch.setattr(lines, "_SAMPLE_BYTES", 64)
    monkeypatch.setattr(lines, "_CHUNK_BYTES", 128)


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("ending", [b"\n", b"\r\n", b" \n"])
def test_many_chunks(vec, ending):
    matrix = np.arange(600, dtype=np.float32).reshape(200, 3)
    rows = [f"w{row} {x:g} {y:g} {z:g}".encode() for row, (x, y, z) in enumerate(matrix)]
    path = vec(ending.join([b"200 3", *rows]))
    assert_same(read(path), Embeddings([f"w{row}" for row in range(200)], matrix))
    blocks = list(read_stream(path))
    assert len(blocks) > 20
    assert all(int(block.words[0][1:]) == block.places[0] - 2 for block in blocks)


@pytest.mark.usefixtures("small_chunks")
def test_limit_beyond_the_first_chunk(vec):
    path = vec(b"a 1\n" + b"".join(b"w%d 1\n" % row for row in range(100)) + b"\xff\x00 x y\n" * 99)
    assert len(read(path, limit=101)) == 101
    with pytest.raises(InputError, match="line 102"):
        read(path, limit=102)


@pytest.mark.usefixtures("small_chunks")
def test_a_limit_counts_the_rows_that_survive(vec):
    """Rows that the policy drops are made up for by later chunks, and no row is read beyond."""
    rows = b"".join(b"%c 1\nw%d 1\n" % (97 + row % 3, row) for row in range(60))
    found = read(vec(rows + b"bad row\n"), limit=50)
    assert list(found.words)[:5] == ["a", "w0", "b", "w1", "c"]
    assert len(found) == 50
    assert found.words[-1] == "w46"


@pytest.mark.usefixtures("small_chunks")
def test_blocks_come_before_the_error_of_a_later_chunk_and_may_be_left_alone(vec):
    path = vec(b"".join(b"w%d 1\n" % row for row in range(60)) + b"bad row\n")
    stream = read_stream(path)
    assert next(stream).words[0] == "w0"
    stream.close()
    seen = []
    with pytest.raises(InputError, match="line 61"):
        seen.extend(len(block) for block in read_stream(path))
    assert 40 < sum(seen) < 61


@pytest.mark.usefixtures("small_chunks")
def test_line_numbers_far_down(vec):
    path = vec(b"100 1\n" + b"\n".join(b"w%d 1" % row for row in range(99)) + b"\nx y\n")
    with pytest.raises(InputError, match="line 101: 'y' is not a number"):
        read(path)


@pytest.mark.usefixtures("small_chunks")
def test_endless_line(vec):
    with pytest.raises(InputError, match="line 3: the line does not end within"):
        read(vec(b"2 1\na 1\n" + b"x" * 500))


def test_careful_reading_gives_the_same_bits(vec, tmp_path):
    matrix = np.random.default_rng(0).integers(0, 2**32, 3000, dtype=np.uint32).view(np.float32)
    matrix = matrix[np.isfinite(matrix)][:2000].reshape(1000, 2)
    embeddings = Embeddings([f"w{row}" for row in range(1000)], matrix)
    write(embeddings, tmp_path / "fast.vec")
    assert_same(read(tmp_path / "fast.vec"), embeddings)
    content = (tmp_path / "fast.vec").read_bytes().replace(b" ", b"  ")
    assert_same(read(vec(content)), embeddings)


def test_written_form(tmp_path):
    write(tiny(), tmp_path / "a.vec")
    assert (tmp_path / "a.vec").read_text(encoding="utf-8") == (
        "5 2\nder 0.5 -1.0\ndie 0.25 0.00003\ndas 1e-45 -0.0\nStraße 3.4028235e+38 7.0\n"
        "naïve 0.1 0.33333334\n"
    )


def test_compressed_files_have_no_time_inside(tmp_path):
    write(tiny(), tmp_path / "a.vec.gz")
    write(tiny(), tmp_path / "b.txt.gz")
    assert (tmp_path / "a.vec.gz").read_bytes() == (tmp_path / "b.txt.gz").read_bytes()
    assert gzip.decompress((tmp_path / "a.vec.gz").read_bytes()).startswith(b"5 2\nder ")


@pytest.mark.parametrize("word", ["a\nb", "a\rb", " a", "a\t", "\v", "a 5", "a b\t1e3", "x nan"])
def test_words_that_text_cannot_hold(tmp_path, word):
    with pytest.raises(OutputError, match=r"write to a folder or to \.npz") as caught:
        write(Embeddings(["b", word], np.ones((2, 2))), tmp_path / "a.vec")
    assert repr(word) in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_split_reads_what_we_write(tmp_path):
    """The loop that most published code uses."""
    write(tiny(), tmp_path / "a.vec")
    with (tmp_path / "a.vec").open(encoding="utf-8", newline="\n") as file:
        rows, dimension = map(int, file.readline().split())
        table = [line.rstrip().split(" ") for line in file]
    assert (rows, dimension) == (5, 2)
    assert [word for word, *_ in table] == WORDS
    numbers = np.array([fields for _, *fields in table], dtype=np.float32)
    np.testing.assert_array_equal(numbers, MATRIX)


def test_an_empty_line_after_the_header_does_not_make_text_binary(vec):
    """With a control character in a word it was taken for a word2vec binary file."""
    found = read(vec(b"2 2\n\n\x00 0.25 0.5\nb 1 2\n"))
    assert list(found.words) == ["\x00", "b"]
    assert found.matrix.tolist() == [[0.25, 0.5], [1, 2]]
