"""Words of a vocabulary are anybody's text: none of it may become markup, or turn other text."""

import numpy as np
import pytest

from lexalign import Lexicon, libraries, write
from lexalign.errors import MissingExtraError
from lexalign.report.blocks import (
    Cell,
    Chart,
    Commands,
    Disclosure,
    Page,
    Section,
    Table,
    Text,
    Tile,
    Verdict,
)
from lexalign.report.charts import Share, share_chart
from lexalign.report.page import report_files
from lexalign.report.page_text import clean
from lexalign.report.templating import render_page
from lexalign.vectors import Embeddings
from tests.conftest import exit_code, planted_pair
from tests.report.test_page import checked

HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "{{ 7 * 7 }}",
    "{% raw %}",
    "</td></table>",
    "\u202eevil",
    "$\\frac{1}{2}$",
    "漢字",
    "&lt;b&gt;",
)


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """A report on a run with such words in its vocabularies, its test and its name."""
    folder = tmp_path_factory.mktemp("hostile")
    source, target, _ = planted_pair(words=300, noise=0.4)
    words = [*(word.replace(" ", "\u00a0") for word in HOSTILE), *source.words[len(HOSTILE) :]]
    others = [*reversed(words[: len(HOSTILE)]), *target.words[len(HOSTILE) :]]
    write(Embeddings(words, source.matrix), folder / "en.npz")
    write(Embeddings(others, target.matrix), folder / "de.npz")
    pairs = list(zip(words, others, strict=True))
    Lexicon(pairs[50:120]).write(folder / "seeds.tsv")
    Lexicon(pairs[:50]).write(folder / "test.tsv")
    files = [folder / "en.npz", folder / "de.npz"]
    run = folder / "<i>run & $x$"
    options = ["--lexicon", folder / "seeds.tsv", "--output", run]
    assert exit_code("align", "procrustes", *files, *options) == 0
    output = folder / "report.html"
    names = ("<b>English</b>", "Ger\u202eman")
    report_files([run, run], output, lexicons=[folder / "test.tsv"], names=names)
    return output


def test_no_word_becomes_markup(page):
    content = page.read_text("utf-8")
    text = checked(page)
    for part in ("<script", "<img", "<b>", "<i>", "\u202e", "\x00"):
        assert part not in content
    assert "<b>English</b>" in text
    assert "49" not in [one.strip() for one in text.split("{")]
    assert "default-src &#39;none&#39;" in content


def test_every_kind_of_text_is_escaped_and_cleaned():
    bad = "<u>\x00\u202e\ud800"
    table = Table(bad, [bad, bad], [[Cell(bad, note=bad), Cell(bad, "word", mark="right")]])
    blocks = [table, Text(bad), Commands(bad, [bad]), Disclosure(bad, [Text(bad)])]
    page = Page(
        bad, bad, Verdict("open", bad, [bad], Commands(bad, [bad])), [Tile(bad, bad, bad)],
        [Section("a", bad, blocks)],
    )  # fmt: skip
    content = render_page(page)
    content.encode()
    for part in ("<u>", "\x00", "\u202e", "\ud800"):
        assert part not in content
    assert content.count("&lt;u&gt;\ufffd\ufffd\ufffd") > 20


def test_tooltips_are_escaped_and_cleaned():
    rows = {"<u>\x00$x$": {"<a>": Share(0.5, 0.4, 0.6)}}
    chart = share_chart("<t>", "<s>", rows, ["<a>"], "<x>")
    assert isinstance(chart, Chart)
    for drawing in (chart.wide, chart.narrow):
        assert not [part for part in ("<u>", "<a>", "<t>", "<s>", "<x>", "\x00") if part in drawing]
        assert "$x$" in drawing
        assert "&lt;u&gt;\ufffd" in drawing


def test_text_of_any_script_stays():
    for text in ("héllo", "漢字", "שלום", "a\tb\nc", "🙂"):
        assert clean(text) == text


def test_the_same_run_gives_the_same_drawing():
    rows = {"a": {"b": Share(0.5, 0.4, 0.6)}}
    one, two = (share_chart("t", "s", rows, ["b"], "x") for _ in range(2))
    assert one == two
    assert np.isclose(float(one.wide.partition('viewBox="0 0 ')[2].split()[0]), 720)


@pytest.mark.parametrize("missing", ["jinja2", "matplotlib"])
def test_a_missing_library_is_named_before_any_work(monkeypatch, tmp_path, missing):
    found = libraries.find_spec
    monkeypatch.setattr(
        libraries, "find_spec", lambda name: None if name == missing else found(name)
    )
    with pytest.raises(MissingExtraError, match=r"The report needs .*lexalign\[report\]"):
        report_files([tmp_path / "none"], tmp_path / "report.html")
