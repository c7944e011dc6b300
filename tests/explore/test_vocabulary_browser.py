"""The map of the vocabulary in a real browser: zoom, clicks, fingers, lasso and keys."""

import shutil
from contextlib import contextmanager

import numpy as np
import pytest

from lexalign.explore.cache import NAME
from tests.browsers import colours, leave_page, require_quiet, require_readable, resize
from tests.explore.pages import READY, UNNAMED, MapPage
from tests.explore.processes import running

pytestmark = pytest.mark.browser

MARGIN = 24
INK = """
const canvas = document.getElementById("points");
const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
const colours = new Set();
for (let place = 0; place < data.length; place += 4) {
  colours.add((data[place] << 16) | (data[place + 1] << 8) | data[place + 2]);
}
return colours.size;
"""


@pytest.fixture
def page(browser, server):
    """The whole map; in the end nothing may have been complained about or fetched elsewhere."""
    leave_page(browser)
    resize(browser, 1200)
    page = MapPage(browser, server.address).open()
    yield page
    require_quiet(browser, server.address)


@contextmanager
def media(browser, name, value):
    """Prefer something meanwhile."""
    features = [{"name": name, "value": value}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    try:
        yield
    finally:
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def test_the_map_shows_words_of_both_languages(page):
    assert page.text("total-source") == page.text("total-target") == "300"
    assert [name.text for name in page.all(".legend .source-name")] == ["English"]
    assert int(page.plane.get_attribute("data-labels")) > 5
    assert page.script(INK) > 20
    assert page.text("method-note")
    assert page.zoom == 1


def test_the_pages_lead_to_each_other(page):
    page.find(".top nav a").click()
    page.until(lambda: page.find("#welcome").is_displayed())
    page.find("nav a[href='/vocabulary']").click()
    page.until(lambda: page.script(READY))


def test_wheel_and_buttons_zoom(page):
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.actions.wheel_input import ScrollOrigin

    labels = int(page.plane.get_attribute("data-labels"))
    origin = ScrollOrigin.from_element(page.plane)
    ActionChains(page.driver).scroll_from_origin(origin, 0, -500).perform()
    page.until(lambda: page.zoom > 2)
    assert page.script("return scrollY") == 0
    page.until(lambda: int(page.plane.get_attribute("data-labels")) != labels)
    before = page.zoom
    page.find("#zoom-in").click()
    page.settled(1.5 * before)
    page.find("#zoom-out").click()
    page.settled(before)
    page.find("#zoom-all").click()
    page.settled(1)
    for _ in range(15):
        page.find("#zoom-in").click()
    page.settled(64)


def test_dragging_moves_the_map_and_opens_nothing(page):
    page.search("scaa")
    page.settled(10)
    page.drag([(0, 0), (40, 20), (120, 60)])
    assert page.script("return location.pathname") == "/vocabulary"
    page.to_the_middle().move_by_offset(120, 60).perform()
    page.until(lambda: page.find("#tip").is_displayed())
    assert page.text("tip").splitlines()[0] == "scaa"


@pytest.mark.parametrize("way", ["button", "shift"])
def test_a_lasso_lists_the_words_inside(page, server, way):
    if way == "button":
        page.find("#lasso").click()
        assert page.find("#lasso").get_attribute("aria-pressed") == "true"
    width, height = page.plane.size["width"], page.plane.size["height"]
    right, down = width // 6, height // 4
    page.drag(
        [(-right, -down), (right, -down), (right, down), (-right, down), (-right, 0)],
        shift=way == "shift",
    )
    page.until(lambda: "selected" in page.text("status"))
    answer = server.get("/api/vocabulary")
    count, most = 0, {}
    for side, name in (("source", "English"), ("target", "German")):
        sure, perhaps = words_inside(answer, side, (width, height), (right, down))
        words = page.listed(side)
        found = int(page.text(f"count-{side}"))
        count += found
        most[name] = found
        assert len(words) == min(100, found)
        assert set(words) <= perhaps
        if found <= 100:
            assert sure <= set(words)
    assert page.text("status") == (
        f"{count} words selected: {most['English']} English, {most['German']} German."
    )
    page.find("#list-source a").click()
    page.until(lambda: "/?word=" in page.driver.current_url)


def words_inside(answer, side, size, reach):
    """The words that surely lie in a rectangle around the middle, and those that perhaps do."""
    x, y = (np.concatenate([answer[one][axis] for one in ("source", "target")]) for axis in "xy")
    scale = min(
        (length - 2 * MARGIN) / np.ptp(places) for length, places in zip(size, (x, y), strict=True)
    )
    away = [
        np.abs(np.array(answer[side][axis]) - (all_.min() + all_.max()) / 2) * scale
        for axis, all_ in (("x", x), ("y", y))
    ]
    found = []
    for slack in (-3, 3):
        inside = (away[0] < reach[0] + slack) & (away[1] < reach[1] + slack)
        found.append({answer[side]["words"][row] for row in np.flatnonzero(inside)})
    return found


def test_all_words_in_view_are_listed_and_cleared(page):
    page.find("#list-view").click()
    page.until(lambda: page.text("status") == "600 words selected: 300 English, 300 German.")
    assert len(page.listed("source")) == 100
    assert page.text("more-source") == "Show all 300"
    page.find("#more-source").click()
    assert len(page.listed("source")) == 300
    focused = page.driver.switch_to.active_element
    assert focused.get_attribute("href").endswith("side=source")
    page.find("#list-clear").click()
    assert not page.find("#list-found").is_displayed()
    assert page.text("status") == ""


def test_everything_can_be_done_with_the_keyboard(page):
    from selenium.webdriver.common.keys import Keys

    focused = "return document.activeElement.id || document.activeElement.textContent.trim()"
    seen = []
    for _ in range(20):
        page.driver.switch_to.active_element.send_keys(Keys.TAB)
        seen.append(page.script(focused))
        assert page.script("return getComputedStyle(document.activeElement).outlineStyle") != "none"
        if seen[-1] == "zoom-all":
            break
    assert [
        name for name in seen if name in ("word", "lasso", "list-view", "plane", "zoom-in")
    ] == [
        "word",
        "lasso",
        "list-view",
        "plane",
        "zoom-in",
    ]
    plane = page.plane
    plane.send_keys("+")
    page.settled(1.5)
    plane.send_keys("++-")
    page.settled(2.25)
    plane.send_keys(Keys.ENTER)
    page.until(lambda: "selected" in page.text("status"))
    first = page.text("status")
    plane.send_keys(Keys.ARROW_LEFT * 4, Keys.ARROW_UP * 2, Keys.ENTER)
    page.until(lambda: page.text("status") != first)
    plane.send_keys(Keys.ESCAPE)
    page.until(lambda: page.text("status") == "")
    assert not page.find("#list-found").is_displayed()
    plane.send_keys("0")
    page.settled(1)


def test_everything_has_a_name_for_screen_readers(page):
    page.find("#list-view").click()
    page.until(lambda: page.listed("source"))
    assert page.script(UNNAMED) == []
    assert page.plane.get_attribute("aria-label") == "Map of the vocabulary"
    help_ = page.plane.get_attribute("aria-describedby")
    assert "arrow keys" in page.text(help_)
    assert page.find("#status").get_attribute("aria-live") == "polite"
    assert page.find("#list-source").get_attribute("aria-label") == "Selected words, English"


@pytest.mark.parametrize("width", [320, 360, 768, 1024, 1440])
def test_nothing_sticks_out(page, width):
    resize(page.driver, width)
    page.open(f"?word={'x' * 150}")
    page.until(lambda: page.text("status"))
    page.find("#list-view").click()
    page.until(lambda: "selected" in page.text("status"))
    assert page.script("return document.documentElement.scrollWidth") <= width
    size = page.plane.size
    assert size["width"] > 0.7 * min(width, 1000)
    assert size["height"] >= 280


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_light_and_dark_are_followed(page, scheme):
    with colours(page.driver, scheme):
        page.find("#list-view").click()
        page.until(lambda: page.listed("source"))
        require_readable(page.driver, scheme)
        corner = (
            "const context = document.getElementById('points').getContext('2d');"
            "return [...context.getImageData(1, 1, 1, 1).data]"
        )
        wanted = [255, 255, 255, 255] if scheme == "light" else [28, 33, 41, 255]
        page.until(lambda: page.script(corner) == wanted)


def test_less_motion_means_no_flight(page):
    with media(page.driver, "prefers-reduced-motion", "reduce"):
        page.find("#word").send_keys("scaa")
        moved = page.script(
            "document.getElementById('search').requestSubmit();"
            "return new Promise((go) => requestAnimationFrame(() => requestAnimationFrame("
            "() => go(document.getElementById('plane').dataset.zoom))))"
        )
        assert float(moved) == 10


def test_fingers_tap_and_pinch(page):
    resize(page.driver, 360)
    page.open("?word=scaa")
    page.settled(10)
    page.script("document.getElementById('plane').scrollIntoView({ block: 'center' })")
    x, y = page.middle()
    page.touch("touchStart", (x - 30, y), (x + 30, y))
    page.touch("touchMove", (x - 60, y), (x + 60, y))
    page.touch("touchEnd")
    page.settled(20)
    assert not page.find("#tip").is_displayed()
    for _ in range(2):
        assert page.script("return location.pathname") == "/vocabulary"
        page.touch("touchStart", (x, y))
        page.touch("touchEnd")
        page.until(lambda: "/?word=" in page.driver.current_url or page.find("#tip").is_displayed())
    page.until(lambda: "/?word=scaa&side=source" in page.driver.current_url)


def test_the_map_appears_when_it_is_drawn(browser, aligned, tmp_path):
    folder = tmp_path / "copy"
    shutil.copytree(aligned, folder, ignore=shutil.ignore_patterns(NAME))
    leave_page(browser)
    with running(folder) as server:
        page = MapPage(browser, server.address)
        browser.get(f"{server.address}vocabulary")
        page.until(lambda: "once for a run" in page.text("waiting-note") or page.script(READY))
        page.until(lambda: page.script(READY), seconds=120)  # drawn when nothing else is to be done
        assert not page.find("#waiting").is_displayed()
        assert page.plane.is_displayed()
        require_quiet(browser, server.address)


def test_a_failure_is_said(browser, server):
    leave_page(browser)
    command = {"source": "window.fetch = () => Promise.reject(new TypeError('gone'))"}
    script = browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", command)
    try:
        page = MapPage(browser, server.address)
        browser.get(f"{server.address}vocabulary")
        page.until(lambda: "The explorer does not answer" in page.text("connection"))
        assert not page.find("#drawn").is_displayed()
    finally:
        browser.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", script)
