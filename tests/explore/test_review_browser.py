"""The review of a dictionary and the check of one, in a real browser."""

import pytest
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from lexalign.runs import LAYOUT
from tests.browsers import (
    colours,
    leave_page,
    require_quiet,
    require_readable,
    resize,
    serious_findings,
)
from tests.explore.pages import SMALL, UNNAMED, Page
from tests.explore.processes import running
from tests.explore.samples import induced_run

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return induced_run(tmp_path_factory.mktemp("review"))


@pytest.fixture(scope="module")
def server(run):
    with running(run, "--names", "English", "German") as server:
        server.wait_until_prepared()
        yield server


@pytest.fixture
def page(browser, server, run):
    """The whole dictionary, with nothing decided."""
    (run / LAYOUT.review).unlink(missing_ok=True)
    leave_page(browser)
    resize(browser, 1200)
    page = Page(browser, server.address).open("review")
    page.until(lambda: len(rows(page)) == 50)
    yield page
    require_quiet(browser, server.address)


def rows(page):
    return page.all("#review tbody tr")


def state_of(page, place):
    return rows(page)[place].get_attribute("class")


def press(page, *keys):
    page.driver.switch_to.active_element.send_keys(*keys)


def begin(page):
    """Put the focus on the first row."""
    page.script("document.querySelector('#review tbody tr').focus()")


def lines(run):
    return (run / LAYOUT.review).read_text(encoding="utf-8").splitlines()[1:]


def test_pairs_are_decided_by_keyboard_and_kept_at_once(page, run, server):
    entries = server.get("/api/dictionary?k=4")["entries"]
    begin(page)
    press(page, "a")
    page.until(lambda: state_of(page, 0) == "accepted")
    press(page, "r")
    page.until(lambda: state_of(page, 1) == "rejected")
    press(page, "2")
    page.until(lambda: state_of(page, 2) == "corrected")
    assert "3 of 400 words reviewed: 1 accepted, 1 corrected, 1 rejected." in page.text(
        "progress-key"
    )
    first, second, third = (
        [entry["word"], *(one["word"] for one in entry["translations"])] for entry in entries[:3]
    )
    assert lines(run) == [
        f"{first[0]}\t{first[1]}\tright",
        f"{second[0]}\t{second[1]}\twrong",
        f"{third[0]}\t{third[2]}\tright",
        f"{third[0]}\t{third[1]}\twrong",
    ]
    assert page.script("return document.activeElement.dataset.place") == "3"


def test_decisions_are_undone(page, run):
    begin(page)
    press(page, "a")
    page.until(lambda: state_of(page, 0) == "accepted")
    press(page, "2")
    page.until(lambda: state_of(page, 1) == "corrected")
    press(page, "u")
    page.until(lambda: state_of(page, 1) == "open")
    assert len(lines(run)) == 1
    page.find("#undo").click()
    page.until(lambda: state_of(page, 0) == "open")
    assert lines(run) == []
    assert not page.find("#undo").is_enabled()


def test_a_pair_is_corrected_by_typing(page, run, server):
    target = server.get("/api/words?prefix=a&side=target&k=1")["words"][0]["word"]
    begin(page)
    press(page, "c")
    page.until(lambda: page.all("#correction"))
    press(page, target[:4])
    page.until(lambda: page.all("#corrections li"))
    press(page, Keys.ESCAPE)
    page.until(lambda: not page.find("#corrections").is_displayed())
    page.find("#correction").clear()
    page.find("#correction").send_keys(f"{target}\n")
    page.until(lambda: state_of(page, 0) in ("corrected", "accepted"))
    assert lines(run)[0].split("\t")[1:] == [target, "right"]


def test_a_correction_is_given_up_by_escape(page, run):
    begin(page)
    press(page, "c")
    page.until(lambda: page.all("#correction"))
    press(page, Keys.ESCAPE)
    page.until(lambda: not page.all("#correction"))
    assert not (run / LAYOUT.review).exists()
    assert page.script("return document.activeElement.dataset.place") == "0"


def test_buttons_do_the_same(page, run):
    page.find("#review [data-act=accept]").click()
    page.until(lambda: state_of(page, 0) == "accepted")
    page.all("#review [data-take]")[0].click()
    page.until(lambda: len(lines(run)) == 2)


def test_what_is_shown_can_be_filtered_sorted_and_kept_on_reload(page):
    Select(page.find("#state")).select_by_value("unsure")
    page.until(lambda: "state=unsure" in page.driver.current_url)
    page.until(lambda: page.script("return document.querySelector('#results').ariaBusy") != "true")
    Select(page.find("#sort")).select_by_value("probability descending")
    page.until(lambda: "sort=probability" in page.driver.current_url)
    number = (
        "return [...document.querySelectorAll('.chance .number')]"
        ".map((found) => parseFloat(found.textContent))"
    )
    page.until(lambda: page.script(number) == sorted(page.script(number), reverse=True))
    page.driver.refresh()
    page.until(lambda: rows(page))
    assert Select(page.find("#state")).first_selected_option.get_attribute("value") == "unsure"
    assert all(24 <= share <= 76 for share in page.script(number))
    page.find("#text").send_keys("qqqqqqq")
    page.until(lambda: page.find("#nothing").is_displayed())
    page.find("#reset").click()
    page.until(lambda: len(rows(page)) == 50)


def test_pages_follow_each_other(page):
    assert page.text("place") == "1 to 50 of 400"
    page.find("#next").click()
    page.until(lambda: page.text("place") == "51 to 100 of 400")
    page.driver.back()
    page.until(lambda: page.text("place") == "1 to 50 of 400")


def test_another_tab_is_not_overwritten(page, run, server):
    entry = server.get("/api/dictionary?k=1")["entries"][0]
    pair = f"{entry['word']}\t{entry['translations'][0]['word']}"
    (run / LAYOUT.review).write_text(f"source\ttarget\tverdict\n{pair}\twrong\n", encoding="utf-8")
    begin(page)
    press(page, "a")
    page.until(lambda: "elsewhere; decide again." in page.text("status"))
    page.until(lambda: state_of(page, 0) == "rejected")
    assert lines(run) == [f"{pair}\twrong"]
    page.driver.get_log("browser")


def test_the_next_command_is_shown(page):
    page.find("#export summary").click()
    assert page.text("command").startswith("lexalign induce ")
    assert page.find("#save").get_attribute("href").endswith("/api/review/seeds")
    page.find("#with-old").click()
    assert page.find("#save").get_attribute("href").endswith("/api/review/seeds?old=no")


@pytest.mark.parametrize("width", [360, 1024])
def test_nothing_sticks_out_and_targets_are_large(page, width):
    resize(page.driver, width)
    assert page.script("return document.documentElement.scrollWidth") <= width
    assert page.script(SMALL) == []
    assert page.script(UNNAMED) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_review_can_be_read(page, scheme):
    with colours(page.driver, scheme):
        begin(page)
        press(page, "a")
        page.until(lambda: state_of(page, 0) == "accepted")
        require_readable(page.driver, scheme)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", ["", "?word=WORD", "review", "check", "vocabulary", "nothing"])
def test_axe_finds_nothing_serious(browser, server, path, scheme):
    leave_page(browser)
    word = server.get("/api/about")["examples"][0]
    page = Page(browser, server.address)
    with colours(browser, scheme):
        for width in (360, 1200):
            resize(browser, width)
            page.open(path.replace("WORD", word))
            page.until(lambda: not page.all("#results[aria-busy=true]"))
            if path == "vocabulary":
                page.until(lambda: page.all("[data-ready]"))
            assert serious_findings(browser) == []
    browser.get_log("browser")


def test_a_dictionary_is_checked_and_kept_on_reload(browser, server, run, tmp_path):
    test = (run.parent / "test.tsv").read_text(encoding="utf-8")
    (tmp_path / "pairs.tsv").write_text(f"{test}nobody x\nlonely\n", encoding="utf-8")
    page = Page(browser, server.address).open("check")
    page.find("#file").send_keys(str(tmp_path / "pairs.tsv"))
    page.find("#check button[type=submit]").click()
    page.until(lambda: "100 of 101 pairs known" in page.text("check-status"))
    assert "by the learned ranking" in page.text("check-status")
    assert "Left out: line 102: expected 2 words, found 1." in page.text("check-status")
    figures = [name.text.partition(", ") for name in page.all("#check-figures dt")]
    assert [name for name, _, _ in figures] == ["P@1", "P@5", "MRR"]
    assert figures[0][2] == "CSLS → learned ranking"
    assert page.driver.switch_to.active_element == page.find("#check button[type=submit]")
    # By a script: a sorted table is drawn anew, and a button found before that is gone.
    sort = "document.querySelectorAll('#check-table thead button')[3].click()"
    page.script(sort)
    page.until(lambda: "sort=after" in page.driver.current_url)
    page.script(sort)
    page.until(lambda: "order=descending" in page.driver.current_url)
    numbers = (
        "return [...document.querySelectorAll('#check-table tbody td:nth-of-type(3)')]"
        ".map((n) => parseInt(n.textContent.replace(',', '')))"
    )
    page.until(lambda: page.script(numbers) == sorted(page.script(numbers), reverse=True))
    page.driver.refresh()
    page.until(lambda: "100 of 101 pairs known" in page.text("check-status"))
    resize(browser, 360)
    page.until(lambda: page.script("return document.documentElement.scrollWidth") == 360)
    assert serious_findings(browser) == []
    resize(browser, 1200)
    page.find("#pairs").send_keys(" ")
    page.find("#check button[type=submit]").click()
    page.until(lambda: "is empty" in page.text("check-status"))
    assert not page.find("#check-results").is_displayed()
    browser.get_log("browser")
