"""Text becomes tokens by the stated rule, whatever the file and however long its lines."""

import gzip
import lzma
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexalign.errors import InputError, LexalignError
from lexalign.training import Corpus
from lexalign.training import corpus as module
from lexalign.vectors.tokens import Separators, tokeniser

TEXTS = {
    "The dog's 3 bones, e-mail_me!": ["the", "dog", "s", "3", "bones", "e", "mail", "me"],
    "Straße ÉTÉ": ["straße", "été"],
    "E\u0301te\u0301 = \u00c9t\u00e9": ["\u00e9t\u00e9", "\u00e9t\u00e9"],
    "हिन्दी में, தமிழ்": ["हिन्दी", "में", "தமிழ்"],
    "Москва—Київ": ["москва", "київ"],
    "١٢٣ ½ x²": ["١٢٣", "½", "x²"],
    "שָׁלוֹם": [unicodedata.normalize("NFC", "שָׁלוֹם")],
    "... --- !!!": None,
}


def tokens(tmp_path, text, **rule):
    path = tmp_path / "text.txt"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return list(Corpus((path,), **rule))


@pytest.mark.parametrize("text", TEXTS)
def test_a_token_is_a_run_of_letters_marks_and_numbers(tmp_path, text):
    expected = TEXTS[text]
    assert tokens(tmp_path, text) == ([] if expected is None else [expected])


@given(st.text())
def test_tokens_hold_nothing_else_and_lose_nothing(text):
    line = unicodedata.normalize("NFC", text.lower())
    found = tokeniser()(text)
    kept = [character for character in line if unicodedata.category(character)[0] in "LMN"]
    assert "".join(found) == "".join(kept)


def test_every_character_of_unicode_belongs_to_a_token_or_separates_two():
    characters = [chr(code) for code in range(sys.maxunicode + 1)]
    table = Separators()
    for start in range(0, len(characters), 4096):
        part = characters[start : start + 4096]
        belongs = [unicodedata.category(character)[0] in "LMN" for character in part]
        blanks = "".join(part).translate(table)
        assert [blank == " " for blank in blanks] == [not each for each in belongs]


def test_white_space_alone_and_the_case(tmp_path):
    assert tokens(tmp_path, "Don't panic!\u3000E-mail\n", rule="whitespace") == [
        ["don't", "panic!", "e-mail"]
    ]
    assert tokens(tmp_path, "Don't PANIC", keep_case=True) == [["Don", "t", "PANIC"]]


def test_bytes_that_are_not_utf8_separate_tokens(tmp_path):
    assert tokens(tmp_path, b"one\xfftwo\n") == [["one", "two"]]
    assert tokens(tmp_path, b"one\xfftwo\n", rule="whitespace") == [["one\ufffdtwo"]]


def test_a_byte_order_mark_is_no_text(tmp_path):
    assert tokens(tmp_path, "\ufeffOne two", rule="whitespace") == [["one", "two"]]


def test_compressed_files_are_the_same_text_again_and_again(tmp_path):
    text = "First line.\nSecond line.\n\n"
    (tmp_path / "a.txt").write_text(text)
    (tmp_path / "a.gz").write_bytes(gzip.compress(text.encode()))
    (tmp_path / "a.xz").write_bytes(lzma.compress(text.encode()))
    corpus = Corpus(tuple(tmp_path / name for name in ("a.txt", "a.gz", "a.xz")))
    assert list(corpus) == [["first", "line"], ["second", "line"]] * 3
    assert list(corpus) == list(corpus)


def test_long_lines_come_in_pieces_without_loss(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "LONGEST_LINE", 64)
    words = [f"wörd{number}" for number in range(500)]
    found = tokens(tmp_path, " ".join(words))
    assert [word for piece in found for word in piece] == words
    assert max(map(len, found)) < 20
    assert tokens(tmp_path, "x" * 64 + " y\nz\n") == [["x" * 63], ["x", "y"], ["z"]]
    for unbroken in ("é" * 500, "字" * 500):
        found = tokens(tmp_path, "a" + unbroken)
        assert "".join(word for piece in found for word in piece) == "a" + unbroken
    assert tokens(tmp_path, "one\ttwo\t" * 20)[0][-1] in ("one", "two")


def test_long_pieces_are_cut(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "LONGEST_PIECE", 3)
    assert tokens(tmp_path, "a b c d e f g") == [["a", "b", "c"], ["d", "e", "f"], ["g"]]


def test_what_cannot_be_read_is_named(tmp_path):
    with pytest.raises(InputError, match="absent.txt: there is no such file; check the name"):
        Corpus((tmp_path / "absent.txt",))
    with pytest.raises(LexalignError, match="`rule` must be one of"):
        Corpus((tmp_path,), rule="chars")
    with pytest.raises(LexalignError, match="at least one file"):
        Corpus(())
    for name, content in {
        "latin.txt": "Größe und Übermaß für später".encode("latin-1"),
        "wide.txt": "Wide".encode("utf-16"),
        "packed.zst": bytes.fromhex("28b52ffd04588100000a"),
    }.items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(InputError, match=f"{name}: it does not look like UTF-8 text"):
            Corpus((tmp_path / name,))
    with pytest.raises(InputError, match="this is a folder or a pipe"):
        Corpus((tmp_path,))
    broken = tmp_path / "broken.xz"
    broken.write_bytes(lzma.compress(b"word " * 100_000)[:-20])
    with pytest.raises(InputError, match="broken.xz: the xz file is damaged or incomplete"):
        list(Corpus((broken,)))
