"""An error is one line that can be printed, whatever it quotes."""

import pytest

from lexalign.errors import InputError, LexalignError, OutputError, shortened


@pytest.mark.parametrize("kind", [LexalignError, InputError, OutputError])
def test_a_message_is_one_line_that_can_be_printed(kind):
    message = str(kind("one\ntwo\r\nthree\u2028four\x1b[2J \udcff"))
    assert message.startswith("one two three four [2J \\udcff")
    message.encode()


def test_a_long_message_keeps_the_file_and_the_remedy():
    message = str(InputError("x " * 2500 + "x", path="a.vec", line=3, remedy="remove it"))
    assert len(message) == 900
    assert message.startswith("a.vec, line 3: x x")
    assert message.endswith("x x; remove it.")


def test_a_long_field_is_not_quoted_in_full():
    message = str(InputError(f"the score {'9' * 5000!r} is not finite", path="a/b.tsv"))
    assert message.startswith("a/b.tsv: the score '99")
    assert message.endswith("9' is not finite.")
    assert len(message) < 110


def test_a_long_word_is_cut_in_the_middle():
    assert shortened("a" * 30 + "b" * 30) == "a" * 30 + "b" * 30
    assert shortened("a" * 100 + "b" * 100) == "a" * 30 + "…" + "b" * 29
