"""The page in a real browser, without a screen: what a person sees, types, clicks and slides."""

import shutil

import pytest
from selenium.webdriver.common.keys import Keys

from lexalign.explore.cache import NAME
from tests.browsers import colours, leave_page, require_quiet, require_readable, resize
from tests.explore.pages import SMALL, UNNAMED, Page
from tests.explore.processes import running
from tests.explore.samples import ODD_WORDS, induced_run, refined_run

pytestmark = pytest.mark.browser

UNKNOWN = "/api/translate?word=zurich"


@pytest.fixture
def page(browser, server):
    """The empty page; in the end nothing may have been complained about or fetched elsewhere."""
    leave_page(browser)
    resize(browser, 1200)
    page = Page(browser, server.address).open()
    yield page
    require_quiet(browser, server.address, allowed=UNKNOWN)


def test_an_empty_page_says_what_to_do(page):
    assert "Type a word of either language" in page.text("welcome")
    assert "English: 300 words" in page.text("about")
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
    first = page.find(".before tbody tr").text.split()
    wanted = answer["before"]["translations"][0]
    scores = [f"{wanted[name]:.3f}".replace("-", "−") for name in ("csls", "cosine")]
    assert first[-2:] == scores
    page.until(lambda: len(page.all("#nearest-source li")) == 10)
    assert len(page.all("#nearest-target li")) == 10
    assert page.query == "word=scaa"
    assert page.driver.title == "scaa – Lexalign explorer"
    assert page.text("gain").startswith("shift since before")


def options(page):
    return [word for word, _ in page.completions()]


def test_words_are_completed_while_typing(page):
    field = page.find("#word")
    assert page.driver.switch_to.active_element == field
    field.send_keys("zur")
    page.until(lambda: options(page) == ["Zürich", "zürich", "ZÜRICH"])
    assert field.get_attribute("aria-expanded") == "true"
    assert [chip.text for chip in page.all("#completions .chip")] == ["English"] * 3
    field.send_keys(Keys.ARROW_DOWN, Keys.ARROW_DOWN)
    active = page.find(f"#{field.get_attribute('aria-activedescendant')}")
    assert (active.get_attribute("aria-selected"), active.text.split()[0]) == ("true", "zürich")
    field.send_keys(Keys.ENTER)
    page.shows("zürich")
    assert page.query == "word=z%C3%BCrich&side=source"
    assert field.get_attribute("aria-expanded") == "false"


def test_a_completion_is_chosen_by_a_click_and_the_list_closed_by_escape(page):
    page.find("#word").send_keys("tc")
    page.until(lambda: "tcaa" in options(page))
    page.find("#word").send_keys(Keys.ESCAPE)
    assert not page.find("#completions").is_displayed()
    page.find("#word").send_keys("a")
    page.until(lambda: options(page)[:1] == ["tcaa"])
    page.find("#completions li").click()
    page.shows("tcaa")
    assert page.find("input[value=target]").is_selected()


def test_slips_of_the_fingers_are_completed(page):
    page.find("#word").send_keys("sacaa")
    page.until(lambda: "scaa" in options(page))


def test_a_word_of_the_other_language_leads_there(page):
    page.open("?word=tcaa&side=source")
    page.until(lambda: page.text("status") == "This is a word of German: tcaa →")
    page.find("#status a").click()
    page.shows("tcaa")
    page.driver.get_log("browser")


def test_clicks_lead_on_and_the_back_button_back(page):
    page.look_up("scaa")
    link = page.find(".after tbody th a")
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
    page.look_up("scaa")
    after = page.script("return document.querySelector('#map .place:last-of-type').innerHTML")
    slider = page.find("#slider")
    slider.send_keys(Keys.HOME)
    page.until(lambda: page.find(".after caption").text == "At t = 0.00")
    assert page.words("after") == page.words("before")
    slider.send_keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    stops = server.get("/api/about")["path"]["stops"]
    page.until(lambda: page.query == f"word=scaa&t={stops[3]}")
    page.until(lambda: page.find(".after caption").text == f"At t = {stops[3]:.2f}")
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
    page.until(lambda: page.find(".after caption").text == "After")
    assert slider.get_attribute("value") == slider.get_attribute("max")


SLIDE = """
const done = arguments[0], slider = document.getElementById("slider"), real = window.fetch;
let asked = 0, moves = 0;
window.fetch = (address, ...more) => {
  asked += String(address).includes("translate");
  return real(address, ...more);
};
const timer = setInterval(() => {
  slider.value = String(moves % 2);
  slider.dispatchEvent(new Event("input"));
  moves += 1;
  if (moves === 40) {
    clearInterval(timer);
    done(asked);
  }
}, 20);
"""


def test_the_slider_asks_while_it_moves_but_not_at_every_step(page):
    page.open("?word=scaa").shows("scaa")
    assert 3 <= page.driver.execute_async_script(SLIDE) <= 20
    page.shows("scaa")


def test_a_click_searches_and_case_does_not_matter(page):
    page.find("#word").send_keys("SCAA")
    page.find("#search button[type=submit]").click()
    page.shows("scaa")


def test_the_page_says_that_it_is_loading(page):
    assert page.find("#results").get_attribute("aria-busy") == "false"
    page.script("window.fetch = () => new Promise(() => {})")
    page.find("#word").send_keys("scaa\n")
    page.until(lambda: page.find("#results").get_attribute("aria-busy") == "true")
    page.until(lambda: page.text("status") == "Looking up …")


def test_a_link_holds_word_language_and_place(page):
    page.open("?word=both&side=target&t=0.5")
    page.shows("both")
    assert page.text("status").startswith("both is the 300th most frequent word of German.")
    assert "At t = 0." in page.find(".after caption").text
    assert page.find("input[value=target]").is_selected()
    page.find("#status a").click()
    page.until(lambda: "word of English" in page.text("status"))


def test_playing_goes_to_the_end(page):
    page.look_up("scaa")
    page.find("#play").click()
    assert page.text("play") == "Pause"
    page.until(lambda: page.text("position") == "t = 1.00" and page.text("play") == "Play")
    page.until(lambda: page.find(".after caption").text == "After")


def test_the_map_tells_languages_apart_by_shape_and_leads_on(page):
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
        lambda: page.text("status") == "The word 'zurich' is not known; did you mean 'Zürich'?"
    )
    assert not page.find("#found").is_displayed()
    suggested = page.all("#suggestions a")
    assert suggested[0].text == "Zürich English"
    suggested[0].click()
    page.shows("Zürich")


@pytest.mark.parametrize("word", [ODD_WORDS[row] for row in (9, 11, 19, 21)])
def test_odd_words_are_shown_as_they_are(page, word):
    page.look_up(word)
    assert page.find("#status .asked-word").text == word
    assert page.all("#found b") == []


def test_everything_can_be_done_with_the_keyboard(page):
    focused = "return document.activeElement.id || document.activeElement.textContent.trim()"
    page.open("?word=scaa").shows("scaa")
    page.script("document.querySelector('.skip').focus()")
    seen = [page.script(focused)]
    for _ in range(90):
        page.driver.switch_to.active_element.send_keys(Keys.TAB)
        seen.append(page.script(focused))
        outline = "return getComputedStyle(document.activeElement).outlineStyle"
        if page.script("return document.activeElement.type !== 'radio'"):
            assert page.script(outline) != "none", seen[-1]
        if "/api/schema" in seen[-1]:
            break
    for name in ("Skip to the content", "word", "Look up", "play", "slider", "/api/schema"):
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
    assert page.script(SMALL) == []
    assert page.script("return document.documentElement.scrollWidth") <= width


COVERED = """
const box = (node) => node.getBoundingClientRect();
return [...document.querySelectorAll(".bars li")]
  .filter((one) => box(one.querySelector(".bar")).right > box(one.querySelector(".number")).left)
  .map((one) => one.textContent);
"""


@pytest.mark.parametrize("width", [360, 1024, 1440])
def test_bars_do_not_cover_their_numbers(page, width):
    resize(page.driver, width)
    page.open("?word=scaa").shows("scaa")
    assert len(page.all(".bars li")) == 20
    page.script("""
        const bar = document.querySelector(".bars .bar");
        bar.style.transition = "none";
        bar.style.setProperty("--share", 1);
    """)
    assert page.script(COVERED) == []


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
        page.until(lambda: page.find("#journey").is_displayed())
        page.until(lambda: "Ordered by CSLS" in page.find(".scoring").text)
        page.until(lambda: "CSLS" in page.find(".after thead").text)
        assert "This run has not been refined" in page.text("path-note")
        require_quiet(browser, server.address, allowed=UNKNOWN)


def test_a_refinement_that_changed_nothing_has_no_slider_and_one_list(browser, tmp_path):
    folder = refined_run(tmp_path / "run", horizon="auto")
    with running(folder) as server:
        server.wait_until_prepared()
        page = Page(browser, server.address).open("?word=scaa")
        page.shows("scaa")
        assert not page.find("#journey").is_displayed()
        assert [one.text for one in page.all(".answer caption")] == ["Candidates"]
        assert page.find(".best-word").text == page.words("before")[0]


def test_a_learned_ranking_comes_first_with_its_reasons(browser, tmp_path):
    with running(induced_run(tmp_path), "--names", "English", "German") as server:
        server.wait_until_prepared()
        leave_page(browser)
        page = Page(browser, server.address).open()
        word = server.get("/api/about")["examples"][0]
        page.look_up(word)
        answer = server.get(f"/api/translate?word={word}")
        first = answer["after"]["translations"][0]
        assert page.find(".best-word").text == first["word"]
        assert "likely to be right" in page.find(".sure").text
        assert [one.text for one in page.all(".best .reason")] == first["reasons"]
        assert page.words("after") == [one["word"] for one in answer["after"]["translations"]]
        assert not page.find("#journey").is_displayed()
        page.find(".by-csls summary").click()
        assert page.words("before") == [one["word"] for one in answer["before"]["translations"]]
        assert "The learned ranking weighs" in page.find(".scoring").text
        for scheme in ("light", "dark"):
            with colours(browser, scheme):
                require_readable(browser, scheme)
        require_quiet(browser, server.address)


def test_a_direction_that_was_not_learned_is_not_said_to_be(browser, tmp_path):
    leave_page(browser)
    with running(induced_run(tmp_path, both_directions=False)) as server:
        server.wait_until_prepared()
        word = server.get("/api/about")["examples"][0]
        page = Page(browser, server.address).open(f"?word={word}")
        page.until(lambda: page.all(".scoring"))
        assert page.find(".scoring").text.startswith("The learned ranking weighs")
        page.open(f"?side=target&word={page.find('.best-word').text}")
        page.until(lambda: page.all(".scoring"))
        assert page.find(".scoring").text.startswith("Ordered by CSLS")
        assert "The learned ranking does not cover this word." in page.find(".scoring").text


PRINTED = """
return [...document.querySelectorAll(
  "button, input, select, textarea, form, nav, summary, [type=range]")]
  .filter((node) => node.offsetParent !== null).map((node) => node.outerHTML.slice(0, 80));
"""


@pytest.mark.parametrize("address", ["", "?word=scaa", "?word=scab", "review", "check", "nothing"])
def test_paper_has_no_controls_and_whole_cards(page, address):
    page.open(address)
    if "=scaa" in address:
        page.shows("scaa")
    with colours(page.driver, "light", media="print"):
        assert page.script(PRINTED) == []
        kept = page.script(
            "return [...document.querySelectorAll('.card')].filter((card) => card.offsetParent)"
            ".map((card) => [getComputedStyle(card).breakInside, card.innerText.trim() !== ''])"
        )
    assert all(card == ["avoid", True] for card in kept)
    page.driver.get_log("browser")


def test_two_runs_stand_side_by_side(browser, refined, aligned):
    leave_page(browser)
    with running(refined, aligned) as server:
        page = Page(browser, server.address).open("?word=scaa")
        page.shows("scaa")
        names = [one.text for one in page.all(".run-name")]
        assert names == ["refined (refine)", "aligned (procrustes)"]
        assert len(page.all(".best-word")) == 2
        require_quiet(browser, server.address)


def test_without_a_dictionary_there_is_nothing_to_review(page):
    page.open("review")
    page.until(lambda: page.text("status").startswith("This run has no dictionary to review."))
    assert not any(card.is_displayed() for card in page.all(".card"))
    assert not any(one.is_displayed() for one in page.all("main :is(button, input, select)"))


def test_an_unknown_page_leads_back(page):
    page.open("nothing")
    assert page.find("h1").text == "There is no page at this address"
    page.find("main a").click()
    page.until(lambda: page.find("#welcome").is_displayed())
    page.driver.get_log("browser")


def test_a_server_that_has_gone_is_noticed(browser, refined):
    import signal

    with running(refined) as server:
        page = Page(browser, server.address).open()
        server.stopped_by(signal.SIGINT)
        page.find("#word").send_keys("scaa\n")
        page.until(lambda: "The explorer does not answer" in page.text("connection"))
        with running(refined, port=server.port) as again:
            assert again.port == server.port
            page.until(lambda: not page.find("#connection").is_displayed())
            page.shows("scaa")
    browser.get_log("browser")
