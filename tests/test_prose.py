"""The prose linter finds planted sentences of every kind, and lets good ones pass."""

from pathlib import Path

import pytest
from tools.prose.__main__ import findings_in, main
from tools.prose.markdown import long_lines, passages_of_markdown
from tools.prose.passage import Passage
from tools.prose.python_source import passages_of_python
from tools.prose.rules import LONGEST_MESSAGE, LONGEST_SENTENCE, findings_of, lengths, phrases
from tools.prose.web import passages_of_html, passages_of_script

LONG = " ".join(["word"] * (LONGEST_SENTENCE + 1)) + "."
FITS = " ".join(["word"] * LONGEST_SENTENCE) + "."


def rules_of(text: str, **kind: bool) -> list[str]:
    """The rules that a text breaks."""
    return [finding.rule for finding in findings_of(Passage(1, text, **kind))]


def found_in(tmp_path: Path, name: str, content: str) -> list[tuple[int, str]]:
    """Line and rule of each finding in a file."""
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    return [(finding.line, finding.rule) for finding in findings_in(path)[0]]


def test_a_sentence_may_have_thirty_words():
    assert rules_of(FITS) == []
    assert rules_of(LONG) == ["sentence"]
    assert rules_of(FITS + " " + FITS.capitalize()) == []
    assert rules_of(LONG, is_prose=False) == []


@pytest.mark.parametrize(
    "text",
    [
        "The loss falls (see Fig. 3) and rises, e.g. for Russian, vs. the paper.",
        "It needs 3.5 GB in version 1.2.3 of model.vec.",
    ],
)
def test_a_full_stop_inside_a_sentence_does_not_end_it(text):
    assert len(list(lengths(Passage(1, text)))) == 1


def test_sentences_end_at_full_stops_questions_and_blank_lines():
    text = 'First one. Second "one"? Third one: Fourth\n\nFifth'
    assert [sentence for _, _, sentence in lengths(Passage(1, text))] == [
        "First one.",
        'Second "one"?',
        "Third one:",
        "Fourth",
        "Fifth",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "So many words of either side are asked at most.",
        "Refuse parameters that lead nowhere.",
        "Better by times chance 3.2.",
        "Good choices of theirs.",
        "One entry a round.",
        "The direction is the other way\nround.",
        "It stops, or nowhere if there is none.",
    ],
)
def test_a_rejected_phrase_is_found_also_across_lines(text):
    assert "phrase" in rules_of(text)


@pytest.mark.parametrize(
    ("text", "spelling"),
    [
        ("Normalize the vectors.", True),
        ("Normalise the vectors.", False),
        ("The colors of neighbors.", True),
        ("The colours of neighbours.", False),
        ("We analyze the centered rows.", True),
        ("The size of the prize; resize the horizon.", False),
        ("The behavior of the model.", True),
    ],
)
def test_american_spelling_is_found(text, spelling):
    assert ("spelling" in rules_of(text)) is spelling


def test_quoted_words_are_examples():
    assert rules_of('The value "refuse" of the option.') == []
    assert rules_of("They refuse the option.") == ["phrase"]


def test_only_messages_have_a_limit_of_characters():
    text = "a " * LONGEST_MESSAGE
    assert rules_of(text, is_prose=False, is_message=True) == ["message"]
    assert rules_of(text, is_prose=False) == []


def test_every_pattern_of_the_word_list_has_advice():
    assert len(phrases()) > 50
    assert all(phrase.advice and phrase.rule in ("phrase", "spelling") for phrase in phrases())


def test_findings_in_python_have_the_line_of_the_text(tmp_path):
    content = f'''"""A module.

{LONG}
"""


def double(x):
    """Double a number.

    Parameters
    ----------
    shall : this entry is not read
        The number, which shall be small.

    Examples
    --------
    >>> double("so many words whoever wrote them")
    so many words whoever wrote them

    References
    ----------
    So many authors.
    """
    if x > 1:
        raise ValueError(
            f"{{x}} is whichever is "
            f"larger than {{'so many words that fit' if x else 'a'}}"
        )
    return re.compile("so many words (as|that)")  # so many words in a comment
'''
    assert found_in(tmp_path, "double.py", content) == [
        (3, "sentence"),
        (13, "phrase"),
        (26, "phrase"),
        (27, "phrase"),
    ]


def test_texts_of_two_words_citations_and_data_are_not_read():
    content = (
        'A = "so many"\nB = "A. Author. 2018. Generalizing so many words. ACL 2018."\n'
        'C = "so many words\\nso many lines"\nD = "code `so many words` is skipped here"\n'
    )
    texts = [passage.text for passage in passages_of_python(content)]
    assert texts == ["code X is skipped here"]


def test_parts_of_a_message_are_joined():
    content = 'raise Error("the first part "\n    "and " + name + " the last part")\n'
    (passage,) = passages_of_python(content)
    assert passage.text == "the first part and X the last part"
    assert passage.is_message


def test_markdown_code_tables_and_links_are_left_out(tmp_path):
    wide = "x" * 60
    content = f"""# So many words

Good text with `so many` words in code.

| so many |
|---|
| {LONG} {wide} |

```
so many {LONG} {wide}
```

[{wide}](https://example.org/{wide})

{wide} {wide}
"""
    assert found_in(tmp_path, "page.md", content) == [(1, "phrase"), (5, "phrase"), (15, "line")]


def test_paragraphs_of_markdown_keep_their_lines():
    passages = passages_of_markdown("one\ntwo *three*\n\n- four\n  five\n")
    assert [(passage.line, passage.text) for passage in passages] == [
        (1, "one\ntwo three"),
        (4, "four\nfive"),
    ]
    assert long_lines("a" * 100) == []
    assert long_lines("a" * 101) == [(1, 101)]


def test_pages_and_templates_are_read_without_their_tags(tmp_path):
    content = """<p class="so many words">Three <b>good</b> words here
{# so many words #}{{ name }} of theirs</p>
<script>const text = "so many words";</script>
<img alt="as it should be">{{ heading("whoever reads this text") }}
"""
    found = found_in(tmp_path, "page.html", content)
    assert found == [(2, "phrase"), (4, "phrase"), (4, "phrase")]
    assert passages_of_html("<p>two words</p>") == []


def test_scripts_are_read_without_comments_and_values():
    content = """// so many words
const label = `${count(1)} of ${all} words fit`;  /* so many words */
const name = "data-word";
say("it's a <b>long</b> text");
"""
    texts = [passage.text.split() for passage in passages_of_script(content)]
    assert texts == [["X", "of", "X", "words", "fit"], ["it's", "a", "long", "text"]]


def test_the_exit_status_says_whether_there_is_a_finding(tmp_path, capsys):
    (tmp_path / "good.md").write_text("A good sentence.\n")
    (tmp_path / "data.csv").write_text("so many\n")
    assert main([str(tmp_path)]) == 0
    assert capsys.readouterr().out == "prose: 0 findings\n"
    (tmp_path / "bad.md").write_text("Whoever reads this.\n\n" + FITS.replace(" ", "\n"))
    assert main([str(tmp_path), "--statistics"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"{tmp_path / 'bad.md'}:1: “Whoever”: write “if you”"
    assert lines[1:] == ["phrase: 1", "sentences of 26 to 30 words: 1", "prose: 1 finding"]


def test_a_missing_path_is_an_error(capsys):
    with pytest.raises(SystemExit) as error:
        main(["no-such-file.md"])
    assert error.value.code == 2
    assert "not found: no-such-file.md" in capsys.readouterr().err
