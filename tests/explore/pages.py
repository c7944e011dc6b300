"""The pages of the explorer in a browser, and the few things that are done on them."""

SECONDS = 15
UNNAMED = """
const kinds = "a, button, input, textarea, select, [role=region], svg[role]";
return [...document.querySelectorAll(kinds)]
  .filter((node) => !(node.getAttribute("aria-label") || node.labels?.length
    || node.textContent.trim() || document.getElementById(node.getAttribute("aria-labelledby"))))
  .map((node) => node.outerHTML);
"""
SMALL = """
const apart = ".note, .status, .welcome, .skip, .hidden, footer";
return [...document.querySelectorAll("a, button, input, select, summary")]
  .filter((node) => node.offsetParent !== null && node.type !== "radio" && !node.closest(apart))
  .map((node) => [node.getBoundingClientRect(), node])
  .filter(([box, node]) => box.height < 23.5 || box.width < 10)
  .map(([box, node]) => `${node.outerHTML.slice(0, 80)} ${box.width} x ${box.height}`);
"""


READY = "return document.body.dataset.ready === 'true'"


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

    def until(self, condition, seconds=SECONDS):
        """Wait."""
        from selenium.common.exceptions import StaleElementReferenceException
        from selenium.webdriver.support.ui import WebDriverWait

        wait = WebDriverWait(
            self.driver, seconds, 0.03, ignored_exceptions=[StaleElementReferenceException]
        )
        return wait.until(lambda _: condition())

    def words(self, table):
        """The words of a table."""
        return [cell.text for cell in self.all(f".answer .{table} tbody th a")]

    def completions(self):
        """The words and languages of the completions that are shown."""
        shown = [found.text for found in self.all("#completions li")]
        return [tuple(text.split("\n")) for text in shown if text]

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


class MapPage(Page):
    """The map, and what is done on it."""

    def open(self, path=""):
        """Go to the map, and wait until it is drawn."""
        self.driver.get(f"{self.address}vocabulary{path}")
        self.until(lambda: self.script(READY))
        return self

    @property
    def plane(self):
        """What is clicked and dragged on."""
        return self.find("#plane")

    @property
    def zoom(self):
        """How much larger than the whole map the part in view is."""
        return float(self.plane.get_attribute("data-zoom"))

    def settled(self, zoom):
        """Wait for the end of a flight."""
        self.until(lambda: abs(self.zoom - zoom) < 0.01 * zoom)

    def search(self, word):
        """Find a word and wait until it is in the middle."""
        field = self.find("#word")
        field.clear()
        field.send_keys(word + "\n")
        self.until(lambda: self.zoom >= 9.9)

    def drag(self, corners, *, shift=False):
        """Drag through places that are given from the middle of the map."""
        from selenium.webdriver.common.action_chains import ActionChains
        from selenium.webdriver.common.keys import Keys

        actions = ActionChains(self.driver, duration=20)
        if shift:
            actions = actions.key_down(Keys.SHIFT)
        actions = actions.move_to_element_with_offset(self.plane, *corners[0]).click_and_hold()
        for corner in corners[1:]:
            actions = actions.move_to_element_with_offset(self.plane, *corner)
        actions = actions.release()
        (actions.key_up(Keys.SHIFT) if shift else actions).perform()

    def touch(self, kind, *places):
        """Put fingers on the screen, move or lift them."""
        points = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(places)]
        self.driver.execute_cdp_cmd(
            "Input.dispatchTouchEvent", {"type": kind, "touchPoints": points}
        )

    def to_the_middle(self):
        """Actions that begin with the mouse in the middle of the map."""
        from selenium.webdriver.common.action_chains import ActionChains

        return ActionChains(self.driver, duration=20).move_to_element(self.plane)

    def middle(self):
        """The middle of the map in the window."""
        box = self.script(
            "const b = document.getElementById('plane').getBoundingClientRect();"
            "return [b.left + b.width / 2, b.top + b.height / 2]"
        )
        return tuple(box)

    def listed(self, side):
        """The selected words of a language."""
        return [link.text for link in self.all(f"#list-{side} a")]
