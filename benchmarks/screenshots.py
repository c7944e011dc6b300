"""Real screenshots of the report and the explorer on the embedded vectors, by a headless Chromium.

``python -m benchmarks.screenshots OUT`` writes PNG files into the folder OUT; those of the README
are made by ``python -m benchmarks.screenshots docs/images --only report explore``. ``--demo DIR``
takes the folder that ``lexalign demo --output DIR`` wrote; without it the demo runs first. It needs
the extra ``dev``, and the programs chromium and chromedriver.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lexalign.demo import run_demo
from lexalign.report.page import report_files

PROGRAM = "from lexalign.cli import main; main()"
PAIRS = (
    "water wasser\ntotalitarian totalitären\nenergy energie\nladies damen\neyes augen\nbread brot"
)
WAIT_SECONDS = 300


@dataclass(frozen=True)
class Shot:
    """A page, how large the window is, and whether it is dark.

    ``address`` is that of a page of the explorer, or the name of the run that is reported on.
    """

    name: str
    address: str
    width: int
    height: int
    dark: bool = False
    check: bool = False


LANGUAGES = ("English", "German")
REPORTS = (
    Shot("report", "induced", 1120, 960),
    Shot("report-dark", "induced", 1440, 1000, dark=True),
    Shot("report-refined", "refined", 1120, 960),
    Shot("report-phone", "induced", 360, 1400),
)
SHOTS = (
    Shot("explore", "?word=cheap", 1280, 960),
    Shot("explore-dark", "?word=cheap", 1440, 1000, dark=True),
    Shot("explore-phone", "?word=water", 360, 1400),
    Shot("explore-unknown", "?word=watre", 1280, 640),
    Shot("explore-welcome", "", 1280, 640),
    Shot("review", "review?state=unsure", 1280, 960),
    Shot("review-dark", "review", 1024, 900, dark=True),
    Shot("review-phone", "review", 360, 1400),
    Shot("check", "check", 1280, 900, check=True),
    Shot("check-phone-dark", "check", 360, 1400, dark=True, check=True),
    Shot("vocabulary", "vocabulary?word=water&side=source", 1440, 900),
    Shot("vocabulary-phone-dark", "vocabulary", 360, 900, dark=True),
)
SHOWN = (
    "return document.querySelector('#map text, #suggestions a, #welcome a, #review tbody tr, "
    "#check, [data-ready]') !== null"
)


def main() -> None:
    """Make all screenshots."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--only", nargs="+", help="names of screenshots")
    parser.add_argument("--demo", type=Path, help="a folder that lexalign demo wrote")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    chosen = [one for one in (*REPORTS, *SHOTS) if one.name in (arguments.only or [one.name])]
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        demo = arguments.demo or Path(name) / "demo"
        if arguments.demo is None:
            run_demo(output=demo)
        address = ""
        if any(shot in SHOTS for shot in chosen):
            address = stack.enter_context(serving(demo / "induced"))
        for shot in chosen:
            output = arguments.out / f"{shot.name}.png"
            with browser(shot) as driver:
                if shot in REPORTS:
                    driver.get(report_on(demo, shot.address, Path(name)).as_uri())
                else:
                    open_page(driver, shot, address)
                output.write_bytes(driver.get_screenshot_as_png())
            print(output)


def report_on(demo: Path, run: str, folder: Path) -> Path:
    """The report on a run of the demonstration, written into ``folder`` once."""
    page = folder / f"{run}.html"
    if not page.exists():
        report_files([demo / run], page, lexicons=[demo / "test.tsv"], names=LANGUAGES)
    return page


@contextmanager
def serving(folder: Path, *, before: str = "") -> Iterator[str]:
    """The address of an explorer of this folder, in a process that runs the code ``before``."""
    program = f"{before}\n{PROGRAM}"
    command = [sys.executable, "-c", program, "explore", str(folder), "--port", "0"]
    with subprocess.Popen(
        [*command, "--names", *LANGUAGES], stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            yield next(word for word in process.stdout.readline().split() if "://" in word)
        finally:
            process.terminate()


@contextmanager
def browser(shot: Shot) -> Iterator[Any]:
    """A headless Chromium with a window of the size wanted."""
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    for argument in ("headless=new", "no-sandbox", "disable-dev-shm-usage", "hide-scrollbars"):
        options.add_argument(f"--{argument}")
    service = webdriver.ChromeService("/usr/bin/chromedriver")
    driver = webdriver.Chrome(options=options, service=service)
    try:
        driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {
                "width": shot.width,
                "height": shot.height,
                "deviceScaleFactor": 2,
                "mobile": shot.width < 600,
            },
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if shot.dark else "light"}
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
        yield driver
    finally:
        driver.quit()


def open_page(driver: Any, shot: Shot, address: str) -> None:
    """Load a page of the explorer, and wait until everything is there."""
    from selenium.webdriver.support.ui import WebDriverWait

    wait = WebDriverWait(driver, WAIT_SECONDS)
    driver.get(address)
    ready = "return fetch('/api/about').then(a => a.json()).then(a => a.preparation.state)"
    wait.until(lambda page: page.execute_script(ready) == "done")
    driver.get(address + shot.address)
    wait.until(lambda page: page.execute_script(SHOWN))
    if shot.check:
        driver.find_element("id", "pairs").send_keys(PAIRS)
        driver.find_element("css selector", "#check button[type=submit]").click()
        wait.until(lambda page: page.find_element("id", "check-figures").is_displayed())
    driver.execute_script("document.activeElement.blur(); window.scrollTo(0, 0)")


if __name__ == "__main__":
    main()
