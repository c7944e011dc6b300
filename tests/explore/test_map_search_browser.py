"""Finding words on the map of the vocabulary, and the way there from a word, in a real browser."""

import pytest
from selenium.webdriver.common.keys import Keys

from tests.browsers import (
    colours,
    leave_page,
    require_quiet,
    require_readable,
    resize,
    serious_findings,
)
from tests.explore.pages import READY, MapPage, Page
from tests.explore.processes import running
from tests.explore.samples import ODD_WORDS

pytestmark = pytest.mark.browser

FEW_WORDS = "import lexalign.explore.answers as answers\nanswers.WORDS = 20"


@pytest.fixture
def page(browser, server):
    """The whole map; in the end nothing may have been complained about or fetched elsewhere."""
    leave_page(browser)
    resize(browser, 1200)
    page = MapPage(browser, server.address).open()
    yield page
    require_quiet(browser, server.address)


def shows_in_the_middle(page, word):
    """Whether the mouse finds the word in the middle of the map."""
    page.to_the_middle().perform()
    page.until(lambda: page.find("#tip").is_displayed())
    return page.text("tip").splitlines()[0] == word


def focused(page):
    return page.script("return document.activeElement.id")


def test_a_word_is_found_shown_and_opened(page):
    page.search("scaa")
    page.settled(10)
    assert page.text("status").startswith("Look up: scaa (English, rank ")
    assert page.driver.current_url.endswith("/vocabulary?word=scaa")
    assert shows_in_the_middle(page, "scaa")
    assert page.text("tip").splitlines()[1].startswith("English, rank ")
    page.plane.click()
    page.until(lambda: "/?word=scaa&side=source" in page.driver.current_url)
    page.until(lambda: page.all("#found"))


def test_a_link_names_a_word_and_its_language(page):
    page.open("?word=both&side=target")
    page.settled(10)
    assert page.text("status") == "Look up: both (German, rank 300)."
    assert page.find("#word").get_attribute("value") == "both"
    page.open("?word=both")
    assert page.text("status") == "Look up: both (English, rank 300), both (German, rank 300)."


@pytest.mark.parametrize("row", ODD_WORDS)
def test_odd_words_are_found_and_shown_as_they_are(page, row):
    page.search(ODD_WORDS[row])
    link = page.find("#status a")
    assert link.get_attribute("textContent") == ODD_WORDS[row]
    assert page.all("main b") == []
    page.plane.send_keys(Keys.ENTER)
    words = page.script("return [...document.querySelectorAll('#list-source a')].map(a => a.text)")
    assert ODD_WORDS[row] in words


def test_case_and_accents_do_not_matter(page):
    page.search("zurich")
    assert [link.text for link in page.all("#status a")] == ["Zürich", "zürich", "ZÜRICH"]


def test_a_word_that_is_not_there_is_said(page):
    page.find("#word").send_keys("<i>nobody</i>\n")
    page.until(lambda: page.text("status").startswith("This word is not on the map, which shows"))
    assert "the 300 most frequent words of each language" in page.text("status")
    assert page.find("#status a").text == "<i>nobody</i>"
    assert page.zoom == 1


def test_a_completion_keeps_its_language_by_keyboard_alone(page):
    for _ in range(12):
        page.driver.switch_to.active_element.send_keys(Keys.TAB)
        if focused(page) == "word":
            break
    field = page.driver.switch_to.active_element
    assert (field.get_attribute("role"), field.get_attribute("aria-expanded")) == (
        "combobox",
        "false",
    )
    field.send_keys("bo")
    page.until(lambda: page.completions() == [("both", "English"), ("both", "German")])
    assert field.get_attribute("aria-expanded") == "true"
    field.send_keys(Keys.ARROW_UP)
    active = page.find(f"#{field.get_attribute('aria-activedescendant')}")
    assert (active.get_attribute("aria-selected"), active.text.split()[1]) == ("true", "German")
    field.send_keys(Keys.ENTER)
    page.settled(10)
    assert page.text("status") == "Look up: both (German, rank 300)."
    assert page.driver.current_url.endswith("/vocabulary?word=both&side=target")
    assert focused(page) == "word"
    assert not page.find("#completions").is_displayed()


def test_a_completion_is_chosen_by_a_click(page):
    page.find("#word").send_keys("zur")
    page.until(lambda: [word for word, _ in page.completions()] == ["Zürich", "zürich", "ZÜRICH"])
    page.all("#completions li")[1].click()
    page.settled(10)
    assert page.text("status").startswith("Look up: zürich (English, rank ")
    assert page.find("#word").get_attribute("value") == "zürich"


def test_slips_of_the_fingers_are_completed(page):
    page.find("#word").send_keys("sacaa")
    page.until(lambda: ("scaa", "English") in page.completions())


def test_escape_and_enter_close_the_list(page):
    field = page.find("#word")
    field.send_keys("sca")
    page.until(page.completions)
    field.send_keys(Keys.ESCAPE)
    assert not page.find("#completions").is_displayed()
    field.send_keys("a")
    page.until(lambda: page.find("#completions").is_displayed())
    field.send_keys(Keys.ENTER)
    page.settled(10)
    assert not page.find("#completions").is_displayed()
    assert page.driver.current_url.endswith("/vocabulary?word=scaa")


@pytest.mark.parametrize("width", [360, 1200])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_open_list_can_be_read_by_everybody(page, scheme, width):
    resize(page.driver, width)
    with colours(page.driver, scheme):
        page.open().find("#word").send_keys("s")
        page.until(page.completions)
        page.find("#word").send_keys(Keys.ARROW_DOWN)
        assert serious_findings(page.driver) == []
        require_readable(page.driver, scheme)
        assert page.script("return document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("side", ["source", "target"])
def test_a_word_leads_to_its_place_on_the_map_and_back_by_keyboard(page, side):
    looked_up = Page(page.driver, page.address).open(f"?word=both&side={side}")
    looked_up.shows("both")
    assert looked_up.text("to-map") == "Show on the map"
    looked_up.find("#to-map").send_keys(Keys.ENTER)
    page.until(lambda: page.driver.current_url.endswith(f"/vocabulary?word=both&side={side}"))
    page.until(lambda: page.script(READY))
    page.settled(10)
    language = {"source": "English", "target": "German"}[side]
    assert page.text("status") == f"Look up: both ({language}, rank 300)."
    assert shows_in_the_middle(page, "both")
    page.driver.back()
    looked_up.shows("both")


def test_only_words_of_the_map_lead_there(browser, refined, explorer):
    words = explorer.view().space.sides["source"].words
    leave_page(browser)
    resize(browser, 1200)
    with running(refined, before=FEW_WORDS) as server:
        page = Page(browser, server.address).open()
        assert not page.find("#to-map").is_displayed()
        for word, is_there in ((words[18], True), (words[20], False), (words[2], True)):
            page.look_up(word)
            assert page.find("#to-map").is_displayed() == is_there
        page.find("#word").clear()
        page.find("#word").send_keys("nobody-knows-this\n")
        page.until(lambda: "is not known" in page.text("status"))
        assert not page.find("#to-map").is_displayed()
    browser.get_log("browser")
