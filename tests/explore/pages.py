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
        return [cell.text for cell in self.all(f".answer .{table} tbody th a")]

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
