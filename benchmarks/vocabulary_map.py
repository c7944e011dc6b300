"""Frames a second of the map of the vocabulary, in a headless Chromium with 20,000 words.

``python -m benchmarks.vocabulary_map`` aligns the embedded vectors and explores them; with a folder
of a run it explores that. A script zooms in, pans and zooms out, one step a frame, and notes the
times of the frames. The page draws pixels on the processor; WebGL is measured to compare, by a
module that takes the place of the one of the page. Each is measured at the pace of a screen, 60
frames a second at most, and as fast as it can. It needs the extras ``dev`` and ``map``, and the
programs chromium and chromedriver. Where there is no graphics processor, Chromium emulates WebGL.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import screenshots
from benchmarks.measure import heading, row, table
from lexalign.aligners import Procrustes
from lexalign.demo import demo_embeddings, demo_lexicon
from lexalign.pipelines.align import FileAlignment
from lexalign.vectors import write

WIDTH, HEIGHT = 1440, 900
WAIT_SECONDS = 900
UNLIMITED = ("disable-frame-rate-limit", "disable-gpu-vsync")
SOFTWARE = ("enable-unsafe-swiftshader",)
WEBGL = """
from pathlib import Path
from lexalign.explore import service
static_file = service._static_file
def with_webgl(name):
    return Path({!r}).read_bytes() if name == "vocabulary_points.js" else static_file(name)
service._static_file = with_webgl
"""
TOUR = """
const done = arguments[arguments.length - 1];
const plane = document.getElementById("plane");
const box = plane.getBoundingClientRect();
const times = [];
const steps = 120;
const wheel = (deltaY) => plane.dispatchEvent(new WheelEvent("wheel", {
  deltaY, clientX: box.left + 0.45 * box.width, clientY: box.top + 0.55 * box.height,
  bubbles: true, cancelable: true }));
const key = (name) => plane.dispatchEvent(
  new KeyboardEvent("keydown", { key: name, bubbles: true }));
const step = (now) => {
  times.push(now);
  const frame = times.length;
  if (frame > 3 * steps) return done(times);
  if (frame <= steps) wheel(-12);
  else if (frame > 2 * steps) wheel(12);
  else key(["ArrowLeft", "ArrowUp", "ArrowRight", "ArrowDown"][Math.floor(frame / 6) % 4]);
  requestAnimationFrame(step);
};
requestAnimationFrame(step);
"""


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run", type=Path, nargs="?")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = arguments.run or aligned(Path(name))
        with serving(folder) as address, browser(()) as driver:
            open_map(driver, address)  # The preparation takes a core; wait for its end.
        heading(f"The map of the vocabulary, window of {WIDTH} × {HEIGHT}")
        table("drawing", "pace", "density", "points", "median frame", "95 %", "frames a second")
        for drawing in ("pixels", "webgl"):
            with serving(folder, webgl=drawing == "webgl") as address:
                for pace, options in (("screen", ()), ("unlimited", UNLIMITED)):
                    for density in (1, 2):
                        measure(address, drawing, pace, options, density)


def measure(address: str, drawing: str, pace: str, options: tuple[str, ...], density: int) -> None:
    """Tour the map once to warm up and once to measure."""
    with browser((*options, *SOFTWARE), density) as driver:
        open_map(driver, address)
        driver.execute_async_script(TOUR)
        milliseconds = np.diff(driver.execute_async_script(TOUR))
        points = driver.execute_script(
            "return fetch('/api/vocabulary').then(a => a.json())"
            ".then(a => a.source.words.length + a.target.words.length)"
        )
    row(
        drawing,
        pace,
        f"{density}×",
        f"{points:,}",
        f"{np.median(milliseconds):.1f} ms",
        f"{np.percentile(milliseconds, 95):.1f} ms",
        f"{1000 / milliseconds.mean():.0f}",
    )


def aligned(folder: Path) -> Path:
    """An alignment of the embedded vectors, 10,000 words a side."""
    for language in ("en", "de"):
        write(demo_embeddings(language), folder / f"{language}.bin")
    demo_lexicon("seeds").write(folder / "seeds.tsv")
    FileAlignment(Procrustes(rounds=3), output_format="folder").align(
        folder / "en.bin", folder / "de.bin", str(folder / "seeds.tsv"), folder / "aligned"
    )
    return folder / "aligned"


@contextmanager
def serving(folder: Path, *, webgl: bool = False) -> Iterator[str]:
    """The address of an explorer, if wanted with the points drawn by WebGL."""
    other = Path(__file__).with_name("vocabulary_webgl.js")
    before = WEBGL.format(str(other)) if webgl else ""
    with screenshots.serving(folder, before=before) as address:
        yield address


@contextmanager
def browser(options: tuple[str, ...], density: int = 1) -> Iterator[Any]:
    """A headless Chromium with a window of the size that is measured."""
    from selenium import webdriver

    settings = webdriver.ChromeOptions()
    for argument in ("headless=new", "no-sandbox", "disable-dev-shm-usage", *options):
        settings.add_argument(f"--{argument}")
    service = webdriver.ChromeService("/usr/bin/chromedriver")
    driver = webdriver.Chrome(options=settings, service=service)
    try:
        driver.set_script_timeout(120)
        driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": WIDTH, "height": HEIGHT, "deviceScaleFactor": density, "mobile": False},
        )
        yield driver
    finally:
        driver.quit()


def open_map(driver: Any, address: str) -> None:
    """Load the map, and wait until it is drawn."""
    from selenium.webdriver.support.ui import WebDriverWait

    driver.get(f"{address}vocabulary")
    ready = "return document.body.dataset.ready === 'true'"
    WebDriverWait(driver, WAIT_SECONDS).until(lambda page: page.execute_script(ready))


if __name__ == "__main__":
    main()
