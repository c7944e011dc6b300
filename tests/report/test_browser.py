"""The report in a real browser: it opens offline, can be read by anybody, and prints."""

import base64
from itertools import pairwise

import pytest

from lexalign.report.page import report_files
from tests.browsers import (
    chromium,
    colours,
    require_quiet,
    require_readable,
    resize,
    serious_findings,
)
from tests.report.runs import make_induced, make_runs

pytestmark = pytest.mark.browser

PAGES = ("comparison", "refined", "aligned", "induced")


@pytest.fixture(scope="module")
def addresses(tmp_path_factory):
    """A comparison, a refinement, an alignment without a test, and an induced dictionary."""
    folder = make_runs(tmp_path_factory.mktemp("runs"))
    induced = make_induced(tmp_path_factory.mktemp("induced"))
    test, other = [folder / "test.txt"], [induced.parent / "held-out.tsv"]
    pages = {name: folder / f"{name}.html" for name in PAGES}
    report_files([folder / "aligned", folder / "refined"], pages["comparison"], lexicons=test)
    report_files([folder / "refined"], pages["refined"], lexicons=test)
    report_files([folder / "aligned"], pages["aligned"])
    report_files([induced], pages["induced"], lexicons=other)
    return {name: page.as_uri() for name, page in pages.items()}


@pytest.fixture(scope="module")
def browser():
    with chromium() as driver:
        yield driver


@pytest.fixture(params=PAGES)
def page(request, browser, addresses):
    """Each page; in the end nothing may have been complained about or fetched elsewhere."""
    resize(browser, 1200)
    browser.get(addresses[request.param])
    yield browser
    require_quiet(browser, addresses[request.param])


@pytest.fixture
def comparison(browser, addresses):
    resize(browser, 1200)
    browser.get(addresses["comparison"])
    return browser


def test_every_entry_of_the_contents_leads_to_its_section(page):
    links = page.find_elements("css selector", "nav a")
    assert len(links) > 5
    for link in links:
        link.click()
        section = page.find_element("id", page.current_url.partition("#")[2])
        heading = section.find_element("css selector", "h2").text
        assert heading == link.text or link.text == "Verdict"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1200])
def test_axe_finds_nothing_serious(page, scheme, width):
    resize(page, width)
    with colours(page, scheme):
        assert serious_findings(page) == []


def test_axe_is_able_to_find_something(comparison):
    comparison.execute_script("document.querySelector('nav a').style.color = '#eeeeee'")
    assert "color-contrast" in {rule for _, rule, _ in serious_findings(comparison)}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_can_be_read_in_light_and_dark(page, scheme):
    with colours(page, scheme):
        require_readable(page, scheme)


@pytest.mark.parametrize("width", [360, 768, 1024, 1440])
def test_nothing_sticks_out(page, width):
    resize(page, width)
    assert page.execute_script("return document.documentElement.scrollWidth") <= width


def test_on_a_phone_rows_are_cards_and_nothing_is_cut(page):
    resize(page, 360)
    cut = """return [...document.querySelectorAll("table, .scroll, .chart")]
        .filter((part) => part.offsetParent && part.scrollWidth > part.clientWidth + 1)
        .map((part) => part.textContent.slice(0, 60))"""
    assert page.execute_script(cut) == []
    cell = page.find_element("css selector", "main > section td")
    assert cell.value_of_css_property("display") == "flex"
    label = 'return getComputedStyle(arguments[0], "::before").content'
    assert page.execute_script(label, cell) == f'"{cell.get_attribute("data-label")}"'


def test_headings_come_in_order(page):
    levels = page.execute_script(
        "return [...document.querySelectorAll('h1,h2,h3,h4')].map((one) => +one.tagName[1])"
    )
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_scroll_regions_can_be_reached_by_keyboard(page):
    regions = page.find_elements("css selector", ".scroll")
    labels = [region.get_attribute("aria-label") for region in regions]
    assert all(labels)
    assert len(set(labels)) == len(labels)
    assert {region.get_attribute("tabindex") for region in regions} == {"0"}
    assert {region.get_attribute("role") for region in regions} == {"region"}


def test_one_drawing_of_a_chart_is_shown_at_a_time(page):
    shown = """return [...document.querySelectorAll("figure")].map((one) =>
        [...one.querySelectorAll("svg")].filter((svg) => svg.getBoundingClientRect().width).length
      )"""
    for width in (360, 1200):
        resize(page, width)
        assert set(page.execute_script(shown)) == {1}


def test_charts_name_their_axes_and_have_tooltips(page):
    for chart in page.find_elements("css selector", "figure .wide svg"):
        assert chart.get_attribute("aria-label")
        tips = chart.find_elements("css selector", ".tip > title")
        assert tips
        assert all(tip.get_attribute("textContent") for tip in tips)
        assert len(chart.find_elements("css selector", "text")) > 2


def test_names_within_charts_are_unique(page):
    names = page.execute_script(
        "return [...document.querySelectorAll('[id]')].map((one) => one.id)"
    )
    assert len(set(names)) == len(names)


def test_paper_is_white_whatever_the_screen_is(page):
    with colours(page, "dark", media="print"):
        require_readable(page, "light")


def test_it_prints_and_keeps_cards_whole(page):
    printed = page.execute_cdp_cmd("Page.printToPDF", {})
    assert base64.b64decode(printed["data"]).startswith(b"%PDF")
    with colours(page, "light", media="print"):
        kept = page.execute_script(
            "return [...document.querySelectorAll('.verdict, .tile, figure, tr, details')]"
            ".map((one) => getComputedStyle(one).breakInside)"
        )
    assert set(kept) == {"avoid"}
