"""The report in a real browser: it opens offline, can be read on any screen, and prints."""

import base64

import pytest

from lexalign.report.page import report_files
from tests.browsers import chromium, colours, require_quiet, require_readable, resize
from tests.report.runs import make_runs

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """A comparison of an alignment with its refinement."""
    folder = make_runs(tmp_path_factory.mktemp("runs"))
    page = folder / "report.html"
    runs = [folder / "aligned", folder / "refined"]
    report_files(runs, page, lexicons=[folder / "test.txt"])
    return page.as_uri()


@pytest.fixture(scope="module")
def browser():
    with chromium() as driver:
        yield driver


@pytest.fixture
def page(browser, address):
    """The page; in the end nothing may have been complained about or fetched elsewhere."""
    resize(browser, 1200)
    browser.get(address)
    yield browser
    require_quiet(browser, address)


def test_it_opens_and_its_links_lead_somewhere(page):
    assert page.find_element("css selector", "h1").text == "Comparison of runs"
    links = page.find_elements("css selector", "td a")
    assert [link.text for link in links] == ["aligned", "refined"]
    for link in links:
        link.click()
        name = page.current_url.partition("#")[2]
        assert page.find_element("id", name).text == link.text


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_can_be_read_in_light_and_dark(page, scheme):
    with colours(page, scheme):
        require_readable(page, scheme)


@pytest.mark.parametrize("width", [360, 768, 1200])
def test_nothing_sticks_out(page, width):
    resize(page, width)
    assert page.execute_script("return document.documentElement.scrollWidth") <= width


def test_words_are_not_broken_on_a_phone(page):
    resize(page, 360)
    broken = """const lines = (cell) => {
        const range = document.createRange();
        range.selectNodeContents(cell);
        return new Set([...range.getClientRects()].map((box) => Math.round(box.bottom))).size;
      };
      return [...document.querySelectorAll("th, td")]
        .filter((cell) => !cell.querySelector("svg, code"))
        .filter((cell) => lines(cell) > cell.textContent.trim().split(/[ –-]+/).length)
        .map((cell) => cell.textContent);"""
    assert page.execute_script(broken) == []


def test_paper_is_white_whatever_the_screen_is(page):
    with colours(page, "dark", media="print"):
        require_readable(page, "light")


def test_it_prints(page):
    printed = page.execute_cdp_cmd("Page.printToPDF", {})
    assert base64.b64decode(printed["data"]).startswith(b"%PDF")
