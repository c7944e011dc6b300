"""The page in a real browser, without a screen: what a person sees, types, clicks and slides."""

import shutil

import pytest

from lexalign.explore.cache import NAME
from tests.browsers import chromium, colours, leave_page, require_quiet, require_readable, resize
from tests.explore.processes import running
from tests.explore.samples import ODD_WORDS, induced_run

pytestmark = pytest.mark.browser

SECONDS = 15
UNKNOWN = "/api/translate?word=zurich"
UNNAMED = """
return [...document.querySelectorAll("a, button, input, textarea, [role=region], svg[role]")]
  .filter((node) => !(node.getAttribute("aria-label") || node.labels?.length
    || node.textContent.trim() || document.getElementById(node.getAttribute("aria-labelledby"))))
  .map((node) => node.outerHTML);
"""


class Page:
    """The page, and the few things that are done on it."""

    def __init__(self, driver, address):
        self.driver, self.address = driver, address

    def open(self, path=""):
        """Go to an address, and wait for the page."""
        self.driver.get(self.address + path)
        self.until(lambda: self.text("about"))
        return self

    def find(self, selector):
        """The first element."""
        return self.driver.find_element("css selector", selector)

    def all(self, selector):
        """All elements."""
        return self.driver.find_elements("css selector", selector)

    def text(self, name):
        """What is to be read in an element."""
        return self.find(f"#{name}").text

    def until(self, condition):
        """Wait."""
        from selenium.common.exceptions import StaleElementReferenceException
        from selenium.webdriver.support.ui import WebDriverWait

        wait = WebDriverWait(
            self.driver, SECONDS, 0.03, ignored_exceptions=[StaleElementReferenceException]
        )
        return wait.until(lambda _: condition())

    def words(self, table):
        """The words of a table."""
        return [cell.text for cell in self.all(f"#{table} tbody th a")]

    def look_up(self, word):
        """Type a word."""
        field = self.find("#word")
        field.clear()
        field.send_keys(word + "\n")
        self.shows(word)

    def shows(self, word):
        """Wait until everything about a word is there."""
        self.until(lambda: self.text("status").startswith(f"{word} is the "))
        label = word if len(word) <= 18 else f"{word[:17]}…"
        self.until(lambda: [mark.text for mark in self.all("#map text.asked")] == [label])

    @property
    def query(self):
        """What the address says."""
        return self.driver.current_url.partition("/?")[2]

    def script(self, program):
        """What JavaScript returns."""
        return self.driver.execute_script(program)


@pytest.fixture(scope="module")
def browser():
    with chromium() as driver:
        yield driver


@pytest.fixture(scope="module")
def server(explorer, refined):
    """All is prepared already, by the explorer of the other tests."""
    with running(refined, "--names", "English", "German") as server:
        yield server


@pytest.fixture
def page(browser, server):
    """The empty page; in the end nothing may have been complained about or fetched elsewhere."""
    resize(browser, 1200)
    page = Page(browser, server.address).open()
    yield page
    require_quiet(browser, server.address, allowed=UNKNOWN)


def test_an_empty_page_says_what_to_do(page):
    assert "Type a word of either language" in page.text("welcome")
    assert "300 words English" in page.text("about")
    assert not page.find("#found").is_displayed()
    example = page.find("#welcome a")
    word = example.text
    example.click()
    page.shows(word)


def test_a_typed_word_is_translated(page, server):
    page.look_up("scaa")
    answer = server.get("/api/translate?word=scaa")
    for table, end in (("before", "before"), ("after", "after")):
        assert page.words(table) == [found["word"] for found in answer[end]["translations"]]
    first = page.find("#before tbody tr").text.split()
    wanted = answer["before"]["translations"][0]
    scores = [f"{wanted[name]:.3f}".replace("-", "−") for name in ("csls", "cosine")]
    assert first[-2:] == scores
    page.until(lambda: len(page.all("#nearest-source li")) == 10)
    assert len(page.all("#nearest-target li")) == 10
    assert page.query == "word=scaa"
    assert page.driver.title == "scaa – Lexalign explorer"
    assert page.text("gain").startswith("the way from before")


def test_words_are_completed_while_typing(page):
    page.find("#word").send_keys("zur")
    options = "return [...document.querySelectorAll('#completions option')].map((o) => o.value)"
    page.until(lambda: page.script(options) == ["Zürich", "zürich", "ZÜRICH"])


def test_clicks_lead_on_and_the_back_button_back(page):
    page.look_up("scaa")
    link = page.find("#after tbody th a")
    other = link.text
    link.click()
    page.shows(other)
    assert page.query == f"word={other}&side=target"
    assert page.find("input[value=target]").is_selected()
    page.driver.back()
    page.shows("scaa")
    assert page.find("#word").get_attribute("value") == "scaa"
    page.driver.back()
    page.until(lambda: page.find("#welcome").is_displayed())
    assert page.find("#word").get_attribute("value") == ""
    page.driver.forward()
    page.shows("scaa")


def test_the_slider_moves_words_along_the_path(page, server):
    from selenium.webdriver.common.keys import Keys

    page.look_up("scaa")
    after = page.script("return document.querySelector('#map .place:last-of-type').innerHTML")
    slider = page.find("#slider")
    slider.send_keys(Keys.HOME)
    page.until(lambda: page.find("#after caption").text == "At t = 0.00")
    assert page.words("after") == page.words("before")
    slider.send_keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    stops = server.get("/api/about")["path"]["stops"]
    page.until(lambda: page.query == f"word=scaa&t={stops[3]}")
    page.until(lambda: page.find("#after caption").text == f"At t = {stops[3]:.2f}")
    answer = server.get(f"/api/translate?word=scaa&t={stops[3]}")
    assert page.words("after") == [found["word"] for found in answer["after"]["translations"]]
    assert slider.get_attribute("aria-valuetext") == f"t = {stops[3]:.2f}"
    page.until(
        lambda: (
            page.script("return document.querySelector('#map .place:last-of-type').innerHTML")
            != after
        )
    )
    page.driver.back()
    page.until(lambda: page.query == "word=scaa")
    page.until(lambda: page.find("#after caption").text == "After")
    assert slider.get_attribute("value") == slider.get_attribute("max")


def test_a_link_holds_word_language_and_place(page):
    page.open("?word=both&side=target&t=0.5")
    page.shows("both")
    assert page.text("status").startswith("both is the 300th word of German.")
    assert "At t = 0." in page.find("#after caption").text
    assert page.find("input[value=target]").is_selected()
    page.find("#status a").click()
    page.until(lambda: "word of English" in page.text("status"))


def test_playing_goes_to_the_end(page):
    page.look_up("scaa")
    page.find("#play").click()
    assert page.text("play") == "Pause"
    page.until(lambda: page.text("position") == "t = 1.00" and page.text("play") == "Play")
    page.until(lambda: page.find("#after caption").text == "After")


def test_the_map_tells_languages_apart_by_shape_and_leads_on(page):
    from selenium.webdriver.common.keys import Keys

    page.look_up("scaa")
    assert len(page.all("#map circle.point-source")) == 11
    assert len(page.all("#map path.point-target")) == 10
    labels = [place.get_attribute("aria-label") for place in page.all("#map .place")]
    assert "scaa, English" in labels
    assert all(label.endswith((", English", ", German")) for label in labels)
    place = page.find("#map .place.target")
    word = place.get_attribute("aria-label").removesuffix(", German")
    place.send_keys(Keys.ENTER)
    page.shows(word)


def test_an_unknown_word_suggests_others(page):
    page.find("#word").send_keys("zurich\n")
    page.until(
        lambda: page.text("status") == "The word 'zurich' is not known; perhaps 'Zürich' was meant."
    )
    assert not page.find("#found").is_displayed()
    suggested = page.all("#suggestions a")
    assert suggested[0].text == "Zürich English"
    suggested[0].click()
    page.shows("Zürich")


@pytest.mark.parametrize("word", [ODD_WORDS[row] for row in (9, 11, 19, 21)])
def test_odd_words_are_shown_as_they_are(page, word):
    page.look_up(word)
    assert page.find("#status strong").text == word
    assert page.all("#found b") == []


def test_a_dictionary_is_checked(page):
    page.find("#pairs").send_keys("scaa tcaa\nshaa thaa\nnobody tcaa\nlonely")
    page.find("#check button").click()
    page.until(lambda: page.text("check-status").startswith("2 of 3 pairs known, ranked by CSLS."))
    assert "Left out: line 4: expected 2 words, found 1." in page.text("check-status")
    assert [name.text for name in page.all("#check-figures dt")] == ["P@1", "P@5", "MRR"]
    rows = [row.text for row in page.all("#check-table tbody tr")]
    assert len(rows) == 3
    assert "word unknown" in rows[2]
    assert page.driver.switch_to.active_element == page.find("#check button")
    page.find("#pairs").clear()
    page.find("#check button").click()
    page.until(lambda: "is empty" in page.text("check-status"))
    assert not page.find("#check-results").is_displayed()
    said = page.driver.get_log("browser")
    assert all("/api/check" in entry["message"] for entry in said)


def test_everything_can_be_done_with_the_keyboard(page):
    from selenium.webdriver.common.keys import Keys

    focused = "return document.activeElement.id || document.activeElement.textContent.trim()"
    page.open("?word=scaa").shows("scaa")
    seen = []
    for _ in range(90):
        page.driver.switch_to.active_element.send_keys(Keys.TAB)
        seen.append(page.script(focused))
        outline = "return getComputedStyle(document.activeElement).outlineStyle"
        if page.script("return document.activeElement.type !== 'radio'"):
            assert page.script(outline) != "none", seen[-1]
        if seen[-1] == "pairs":
            break
    for name in ("Skip to the results", "word", "Look up", "play", "slider", "pairs"):
        assert name in seen
    assert page.script("return document.querySelectorAll('#map .place').length") == 21
    assert any(name.startswith("scaa, English") for name in seen)


def test_everything_has_a_name_for_screen_readers(page):
    page.look_up("scaa")
    assert page.script(UNNAMED) == []
    assert page.find("#status").get_attribute("aria-live") == "polite"
    assert page.find("html").get_attribute("lang") == "en"
    for table in page.all("table"):
        assert table.find_element("css selector", "caption") is not None


@pytest.mark.parametrize("width", [320, 360, 768, 1200])
def test_nothing_sticks_out(page, width):
    resize(page.driver, width)
    page.open(f"?word={'x' * 150}")
    page.until(lambda: page.all("#map .place"))
    page.find("#pairs").send_keys("scaa tcaa")
    page.find("#check button").click()
    page.until(lambda: page.find("#check-results").is_displayed())
    assert page.script("return document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_can_be_read_in_light_and_dark(page, scheme):
    with colours(page.driver, scheme):
        page.look_up("scaa")
        require_readable(page.driver, scheme)


def test_the_page_gets_better_while_work_goes_on(browser, aligned, tmp_path):
    """An alignment that is opened for the first time: no CSLS, no slider, and then both."""
    folder = tmp_path / "copy"
    shutil.copytree(aligned, folder, ignore=shutil.ignore_patterns(NAME))
    leave_page(browser)
    with running(folder) as server:
        page = Page(browser, server.address).open("?word=scaa")
        page.until(lambda: page.find("#slider").is_enabled())
        page.until(lambda: "Ordered by CSLS" in page.text("scoring-note"))
        page.until(lambda: "CSLS" in page.find("#after thead").text)
        assert page.find("#after").is_displayed()
        assert "This run has not been refined" in page.text("path-note")
        require_quiet(browser, server.address, allowed=UNKNOWN)


def test_a_learned_ranking_is_shown_beside_csls(browser, tmp_path):
    leave_page(browser)
    with running(induced_run(tmp_path), "--names", "English", "German") as server:
        server.wait_until_prepared()
        page = Page(browser, server.address).open()
        assert "refinement" not in page.text("welcome")
        word = server.get("/api/about")["examples"][0]
        page.look_up(word)
        answer = server.get(f"/api/translate?word={word}")
        for table, caption in (("before", "By CSLS"), ("after", "Learned ranking")):
            assert page.find(f"#{table} caption").text == caption
            assert page.words(table) == [one["word"] for one in answer[table]["translations"]]
        heads = [cell.text for cell in page.all("#after thead th")]
        assert heads == ["word", "P", "CSLS", "cos"]
        first = answer["after"]["translations"][0]
        assert page.find("#after tbody td").text == f"{first['probability']:.2f}"
        assert not page.find("#journey").is_displayed()
        assert "The learned ranking weighs" in page.text("scoring-note")
        page.find("#pairs").send_keys(f"{word} {first['word']}")
        page.find("#check button").click()
        page.until(lambda: "by the learned ranking" in page.text("check-status"))
        heads = [cell.text for cell in page.all("#check-table thead th")]
        assert heads[2:4] == ["CSLS", "learned"]
        assert page.all("#check-table tbody td")[2].text.split()[0] == "1"
        for scheme in ("light", "dark"):
            with colours(browser, scheme):
                require_readable(browser, scheme)
        require_quiet(browser, server.address)


def test_a_server_that_has_gone_is_noticed(browser, refined):
    import signal

    with running(refined) as server:
        page = Page(browser, server.address).open()
        server.stopped_by(signal.SIGINT)
        page.find("#word").send_keys("scaa\n")
        page.until(
            lambda: page.text("status") == "The explorer does not answer; has it been stopped?"
        )
    browser.get_log("browser")
