"""From a keystroke to what it shows, on a page of the explorer in a headless Chromium.

``python -m benchmarks.keystrokes`` makes two vocabularies of 200,000 × 300, waits until the
explorer has prepared them (minutes), and looks words up: from Enter until the translations are
painted, and from a letter until the completions are. The words are different each time, so that
nothing is remembered. ``--run DIR`` takes a folder instead. It needs the extra ``dev``, and the
programs chromium and chromedriver.
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
from benchmarks.explore import make_run, milliseconds
from benchmarks.measure import heading, row, table
from benchmarks.vocabularies import aligned_demo, enlarged
from lexalign.runs import Run

WORDS = 60
WAIT_SECONDS = 3600
LOOK_UP = """
const [word, done] = arguments;
document.getElementById("word").value = word;
const began = performance.now();
const answers = document.getElementById("answers");
const watcher = new MutationObserver(() => {
  watcher.disconnect();
  requestAnimationFrame(() => setTimeout(() => done(performance.now() - began)));
});
watcher.observe(answers, { childList: true });
document.getElementById("search").requestSubmit();
"""
COMPLETE = """
const [prefix, done] = arguments;
const field = document.getElementById("word");
field.focus();
field.value = prefix;
const began = performance.now();
const watcher = new MutationObserver(() => {
  watcher.disconnect();
  requestAnimationFrame(() => setTimeout(() => done(performance.now() - began)));
});
watcher.observe(document.getElementById("completions"), { childList: true });
field.dispatchEvent(new InputEvent("input", { bubbles: true }));
"""


def main() -> None:
    """Measure both."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--run", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = arguments.run or made_run(Path(name), arguments.rows)
        words = Run.open(folder).source.words
        heading(f"Keystrokes, {len(words):,} words")
        chosen = np.random.default_rng(0).permutation(min(len(words), 10_000))[:WORDS]
        with page_of(folder) as driver:
            table("from", "median", "95 %", "slowest")
            for label, script, typed in (
                ("Enter to the translations", LOOK_UP, [words[place] for place in chosen]),
                ("a letter to the completions", COMPLETE, [words[place][:3] for place in chosen]),
            ):
                times = [driver.execute_async_script(script, text) / 1000 for text in typed]
                spread = (np.median(times), np.quantile(times, 0.95), max(times))
                row(label, *map(milliseconds, spread))


def made_run(folder: Path, rows: int) -> Path:
    """A run of enlarged vocabularies."""
    source, target = (
        enlarged(side, rows, seed) for seed, side in enumerate(aligned_demo(), start=1)
    )
    return make_run(folder / "run", source, target, "folder")


@contextmanager
def page_of(folder: Path) -> Iterator[Any]:
    """The look-up page when everything is prepared."""
    from selenium.webdriver.support.ui import WebDriverWait

    shot = screenshots.Shot("keystrokes", "", 1440, 900)
    with screenshots.serving(folder) as address, screenshots.browser(shot) as driver:
        driver.set_script_timeout(60)
        driver.get(address)
        ready = "return fetch('/api/about').then(a => a.json()).then(a => a.preparation.state)"
        WebDriverWait(driver, WAIT_SECONDS, 2).until(
            lambda page: page.execute_script(ready) != "running"
        )
        driver.get(address)
        shown = "return document.querySelector('#welcome a') !== null"
        WebDriverWait(driver, 60).until(lambda page: page.execute_script(shown))
        yield driver


if __name__ == "__main__":
    main()
