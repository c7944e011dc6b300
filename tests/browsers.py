"""A real browser without a screen, and what every page of ours must hold in it."""

import json
import shutil
from contextlib import contextmanager
from pathlib import Path

CONTRAST = """
const luminance = (colour) => {
  const [r, g, b] = colour.match(/[0-9.]+/g).map((part) => part / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const behind = (node) => {
  for (; node; node = node.parentElement) {
    const { backgroundColor } = getComputedStyle(node);
    if (backgroundColor.startsWith("rgb(")) return backgroundColor;
  }
  return "rgb(255, 255, 255)";
};
const text = "p, a, b, span, td, th, h1, h2, h3, label, legend, button, caption, output";
return [...document.querySelectorAll(text)]
  .filter((node) => node.offsetParent && node.textContent.trim() && !node.closest("svg")
    && !node.closest(".choices") && !node.classList.contains("skip"))
  .map((node) => {
    const [one, two] = [luminance(getComputedStyle(node).color), luminance(behind(node))];
    const ratio = (Math.max(one, two) + 0.05) / (Math.min(one, two) + 0.05);
    return [ratio, `${node.tagName} ${node.className} ${node.textContent.trim().slice(0, 30)}`];
  })
  .filter(([ratio]) => ratio < 4.5);
"""


@contextmanager
def chromium():
    """A browser that keeps a log of everything that it says and fetches."""
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    for argument in ("headless=new", "no-sandbox", "disable-dev-shm-usage", "window-size=1200,900"):
        options.add_argument(f"--{argument}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    service = webdriver.ChromeService(shutil.which("chromedriver"))
    driver = webdriver.Chrome(options=options, service=service)
    try:
        yield driver
    finally:
        driver.quit()


def resize(browser, width):
    """Give the window a width, that of a phone if it is small."""
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600},
    )


@contextmanager
def colours(browser, scheme, media=""):
    """Prefer light or dark colours meanwhile, on a screen or on paper ("print")."""
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features, "media": media})
    try:
        yield
    finally:
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [], "media": ""})


def require_readable(browser, scheme):
    """The page is as light or dark as was asked for, and all its text stands out from it."""
    colour = "return getComputedStyle(document.body).backgroundColor"
    background = browser.execute_script(colour)
    dark = sum(map(int, background[4:-1].split(","))) < 200
    assert dark == (scheme == "dark")
    assert browser.execute_script(CONTRAST) == []


def leave_page(browser):
    """Leave the page of the test before, so that its late requests are not counted."""
    browser.get("about:blank")
    for name in ("browser", "performance"):
        browser.get_log(name)


def require_quiet(browser, address, *, allowed=None):
    """No complaint in the log but about what is allowed, and no request but to one address."""
    said = [entry["message"] for entry in browser.get_log("browser")]
    assert [message for message in said if allowed is None or allowed not in message] == []
    for entry in browser.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] == "Network.requestWillBeSent":
            url = message["params"]["request"]["url"]
            assert url.startswith((address, "data:", "chrome:")), url


def findings(browser):
    """What axe-core finds on the page as it is now: impact, rule, and the first element.

    Pages may forbid scripts; the driver runs this one outside their policy.
    """
    import selenium_axe_python

    source = Path(selenium_axe_python.__file__).parent / "axe-core" / "axe.min.js"
    browser.execute_script(source.read_text(encoding="utf-8"))
    violations = browser.execute_async_script(
        "const done = arguments[arguments.length - 1];"
        "axe.run(document).then((found) => done(found.violations));"
    )
    return [(found["impact"], found["id"], found["nodes"][0]["html"][:120]) for found in violations]


def serious_findings(browser):
    """Those that keep people from using the page: serious and critical ones."""
    return [found for found in findings(browser) if found[0] in ("serious", "critical")]
