from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexalign.errors import InputError, OutputError
from lexalign.vectors import Embeddings, Lexicon

PAIRS = [("dog", "Hund"), ("cat", "Katze"), ("ice cream", "Eis"), ("dog", "Rüde")]


def write(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def vocabulary(*words):
    return Embeddings(words, np.ones((len(words), 2)))


def test_indices_and_what_is_missing():
    lexicon = Lexicon(PAIRS, np.array([1.0, 2.0, 3.0, 4.0]))
    found = lexicon.indices(vocabulary("cat", "dog"), vocabulary("Rüde", "Hund", "Eis"))
    assert found.pairs.tolist() == [[1, 1], [1, 0]]
    assert found.pairs.dtype == np.int64
    assert found.rows.tolist() == [0, 3]
    assert found.weights.tolist() == [1.0, 4.0]
    assert found.missing_source == ["ice cream"]
    assert found.missing_target == ["Katze"]
    assert len(found) == 2


def test_missing_words_are_listed_once_in_order():
    found = Lexicon([("b", "x"), ("a", "x"), ("b", "y")]).indices(vocabulary("c"), vocabulary("z"))
    assert found.pairs.shape == (0, 2)
    assert found.weights is None
    assert found.missing_source == ["b", "a"]
    assert found.missing_target == ["x", "y"]


@pytest.mark.parametrize(
    ("content", "pairs"),
    [
        ("dog\tHund\nice cream\tEis\n", [("dog", "Hund"), ("ice cream", "Eis")]),
        ("dog Hund\ncat  Katze \n", [("dog", "Hund"), ("cat", "Katze")]),
        ("dog Hund\r\n\r\ncat\tKatze", [("dog", "Hund"), ("cat", "Katze")]),
        ("\ufeffdog Hund\n", [("dog", "Hund")]),
        ("a\xa0b c\x85d\n", [("a\xa0b", "c\x85d")]),
        ("a\u2028\tb\xa0\n", [("a\u2028", "b\xa0")]),
    ],
)
def test_formats_are_recognised(tmp_path, content, pairs):
    lexicon = Lexicon.read(write(tmp_path / "pairs", content))
    assert list(lexicon) == pairs
    assert lexicon.weights is None


@pytest.mark.parametrize(
    ("content", "format"),
    [("dog Hund\n", "muse"), ("dog\tHund\n", "tsv"), ("dog Hund\nice cream\tEis\n", "tsv")],
)
def test_a_lexicon_knows_the_format_that_it_was_read_from(tmp_path, content, format):
    lexicon = Lexicon.read(write(tmp_path / "pairs", content))
    assert lexicon.format == lexicon.swapped().format == lexicon.writable().format == format
    assert Lexicon(PAIRS).format == "tsv"


def test_third_column_is_the_weight(tmp_path):
    lexicon = Lexicon.read(write(tmp_path / "pairs", "dog\tHund\t0.5\ncat\tKatze\t1e-3\n"))
    assert lexicon.weights.tolist() == [0.5, 0.001]


def test_a_third_column_of_text_is_the_class(tmp_path):
    lexicon = Lexicon.read(write(tmp_path / "pairs", "dog\tHund\tnoun\nrun\trennen\tverb\n"))
    assert (lexicon.classes, lexicon.weights) == (("noun", "verb"), None)
    assert lexicon.swapped().classes == ("noun", "verb")
    assert lexicon.take([1]).classes == ("verb",)
    assert repr(lexicon) == "Lexicon(2 pairs with classes)"
    lexicon.write(tmp_path / "again.tsv")
    assert Lexicon.read(tmp_path / "again.tsv").classes == lexicon.classes
    lexicon.write(tmp_path / "muse.txt", format="muse")
    assert Lexicon.read(tmp_path / "muse.txt").classes is None


def test_parts_and_the_other_direction_keep_weights_classes_and_format():
    weighted = Lexicon.parse("a\tb\t1\nc\td\t2\n")
    classed = Lexicon.parse("a\tb\tnoun\nc\td\tverb\n")
    plain = Lexicon.parse("a b\nc d\n")
    for lexicon in (weighted, classed, plain):
        parts = lexicon.split(test_share=0.5)
        for part in (*parts, lexicon.swapped(), lexicon.take([1, 0]), lexicon.writable()):
            assert part.format == lexicon.format
            source = 1 if part.pairs[0][0] in "bd" else 0
            for row, pair in enumerate(part):
                old = [one[source] for one in lexicon].index(pair[0])
                if lexicon.weights is not None:
                    assert part.weights[row] == lexicon.weights[old]
                if lexicon.classes is not None:
                    assert part.classes[row] == lexicon.classes[old]
    assert (weighted.format, plain.format) == ("tsv", "muse")


def test_a_lexicon_has_weights_or_classes():
    for more in ({"classes": ["noun"]}, {"classes": ["noun", "verb"], "weights": [1.0, 2.0]}):
        with pytest.raises(InputError, match="2 pairs needs one class per pair and no weights"):
            Lexicon([("a", "b"), ("c", "d")], **more)


def test_lines_of_another_kind_can_be_skipped():
    text = "dog\tHund\tnoun\ncat\tKatze\t1\nrun\trennen\nsee\tsehen\tverb\n"
    lexicon = Lexicon.parse(text, malformed="skip")
    assert (lexicon.classes, lexicon.lines) == (("noun", "verb"), (1, 4))
    assert [line.line for line in lexicon.skipped] == [2, 3]


def test_lowercase(tmp_path):
    lexicon = Lexicon.read(write(tmp_path / "pairs", "Dog HUND\n"), lowercase=True)
    assert list(lexicon) == [("dog", "hund")]


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        ("dog Hund\ncat\n", 2, "expected 2 words, found 1"),
        ("dog Hund\n\nice cream Eis\n", 3, "found 3"),
        ("dog\tHund\t1\ncat\tKatze\tbig\n", 2, "has a class, but earlier lines have a weight"),
        ("dog\tHund\tbig\ncat\tKatze\t1\n", 2, "has a weight, but earlier lines have a class"),
        ("dog\tHund\t\n", 1, "the third column is empty"),
        ("dog\tHund\tnan\n", 1, "the weight 'nan' is not a finite number"),
        ("dog\tHund\t1\t2\n", 1, "expected 2 words with a tab between"),
        ("dog\t\n", 1, "expected 2 words with a tab between"),
        ("dog\tHund\t1\ncat\tKatze\n", 2, "has no third column, but earlier lines have a w"),
        ("dog\tHund\ncat\tKatze\t1\n", 2, "has a weight, but earlier lines have no third"),
        (b"dog Hund\nR\xfcde dog\n", 2, "not UTF-8"),
    ],
)
def test_malformed_lines_are_named(tmp_path, content, line, message):
    path = write(tmp_path / "pairs", content)
    with pytest.raises(InputError, match=message) as caught:
        Lexicon.read(path)
    assert str(caught.value).startswith(f"{path}, line {line}: ")
    assert caught.value.remedy


def test_a_text_is_parsed_with_the_numbers_of_its_lines():
    text = "one two\n\n  \na\tb c\nlonely\nx y z\n\tb\na\t\np\x85q\x0b r\u2028s\n"
    for content in (text, text.encode(), f"\ufeff{text}"):
        lexicon = Lexicon.parse(content, malformed="skip")
        assert list(lexicon) == [("one", "two"), ("a", "b c"), ("p\x85q\x0b", "r\u2028s")]
        assert lexicon.lines == (1, 4, 9)
        assert [line.line for line in lexicon.skipped] == [5, 6, 7, 8]
    with pytest.raises(InputError, match="line 5: expected 2 words"):
        Lexicon.parse(text)


def test_a_text_may_hold_no_pairs():
    assert len(Lexicon.parse("")) == 0
    assert Lexicon.parse("lonely", malformed="skip").skipped[0].line == 1


@pytest.mark.parametrize("content", ["", "\n\r\n \n"])
def test_no_pairs(tmp_path, content):
    with pytest.raises(InputError, match="holds no pairs"):
        Lexicon.read(write(tmp_path / "pairs", content))


def test_missing_file(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        Lexicon.read(tmp_path / "nothing")


@pytest.mark.parametrize("weights", [[1.0], [[1.0, 2.0]], [1.0, np.inf], [1.0, np.nan]])
def test_weights_must_fit(weights):
    with pytest.raises(InputError, match="2 pairs needs one finite weight per pair"):
        Lexicon([("a", "b"), ("c", "d")], np.array(weights))


def test_tsv_keeps_everything(tmp_path):
    lexicon = Lexicon(PAIRS, np.array([0.1, 1 / 3, 2e-300, 1e300]))
    lexicon.write(tmp_path / "pairs.tsv")
    again = Lexicon.read(tmp_path / "pairs.tsv")
    assert again.pairs == lexicon.pairs
    assert again.weights.tolist() == lexicon.weights.tolist()


def test_muse_has_no_weights_and_no_blanks(tmp_path):
    path = tmp_path / "pairs.txt"
    Lexicon(PAIRS[:2], np.ones(2)).write(path, format="muse")
    assert path.read_text(encoding="utf-8") == "dog Hund\ncat Katze\n"
    with pytest.raises(OutputError, match=r"'ice cream'.*'tsv'"):
        Lexicon(PAIRS).write(path, format="muse", overwrite=True)
    assert path.read_text(encoding="utf-8") == "dog Hund\ncat Katze\n"


def test_write_refuses(tmp_path):
    path = tmp_path / "pairs.tsv"
    for word in ("", "a\tb", "a\nb", " a", "a "):
        with pytest.raises(OutputError, match="cannot stand"):
            Lexicon([("a", word)]).write(path)
    with pytest.raises(InputError, match=r"`format` must be one of .*'muse'.*\. Got 'csv'"):
        Lexicon(PAIRS).write(path, format="csv")
    assert list(tmp_path.iterdir()) == []
    path.write_text("old")
    with pytest.raises(OutputError, match="already exists"):
        Lexicon(PAIRS).write(path)
    assert path.read_text() == "old"


@pytest.mark.parametrize("format", ["tsv", "muse"])
def test_a_byte_order_mark_is_a_word_like_others(tmp_path, format):
    pairs = [("\ufeff", "\ufeffHund"), ("\ufeffcat", "\ufeff")]
    for order in (pairs, pairs[::-1]):
        path = tmp_path / order[0][0]
        Lexicon(order).write(path, format=format)
        assert list(Lexicon.read(path)) == order


word = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=5)


@given(st.lists(st.tuples(word, word), min_size=1, max_size=4), st.sampled_from(["tsv", "muse"]))
def test_what_is_written_reads_back(tmp_path_factory, pairs, format):
    path = tmp_path_factory.mktemp("lexicon") / "pairs"
    try:
        Lexicon(pairs).write(path, format=format)
    except OutputError:
        return
    assert list(Lexicon.read(path)) == pairs


@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_refused(tmp_path_factory, content):
    path = write(tmp_path_factory.mktemp("lexicon") / "pairs", content)
    try:
        Lexicon.read(path)
    except InputError:
        return


@pytest.mark.parametrize("format", ["tsv", "muse"])
def test_a_word_that_is_not_unicode_is_not_written(tmp_path, format):
    lexicon = Lexicon([("a", "b"), ("c", "d\udcff")])
    with pytest.raises(OutputError, match=r"The word 'd\\udcff' cannot stand"):
        lexicon.write(tmp_path / "lexicon", format=format)
    assert lexicon.writable(format).pairs == (("a", "b"),)


def test_a_long_weight_is_not_quoted_in_full():
    with pytest.raises(InputError) as caught:
        Lexicon.parse("a\tb\t1e400" + "0" * 5000)
    assert len(str(caught.value)) < 200
