"""From a keystroke to what it shows, on a page of the explorer in a headless Chromium.

``python -m benchmarks.keystrokes`` makes two vocabularies of 200,000 × 300, waits until the
explorer has prepared them (minutes), and looks words up: from Enter until the translations are
painted, and from a letter until the completions are. The words are different each time, so that
nothing is remembered. The time that the server computes is printed, too; it depends little on what
else the machine does. ``--learned`` makes an induced run with a learned ranking, ``--run DIR``
takes a folder instead. It needs the extra ``dev``, and the programs chromium and chromedriver.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import screenshots
from benchmarks.explore import Server, make_run, milliseconds, serving
from benchmarks.measure import heading, row, table
from benchmarks.run_ranking import enlarged_run, induced
from benchmarks.vocabularies import aligned_demo, enlarged
from lexalign.runs import Run

WORDS = 40
WARM_UP = 3
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
    parser.add_argument("--learned", action="store_true")
    parser.add_argument("--run", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        make = made_induction if arguments.learned else made_run
        folder = arguments.run or make(Path(name), arguments.rows)
        words = Run.open(folder).source.words
        heading(f"Keystrokes, {len(words):,} words")
        count = WARM_UP + WORDS
        chosen = np.random.default_rng(0).permutation(min(len(words), 10_000))[:count]
        with page_of(folder) as (driver, server):
            print(f"Load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
            table("from", "median", "95 %", "slowest", "server computes")
            for label, script, typed in (
                ("Enter to the translations", LOOK_UP, [words[place] for place in chosen]),
                ("a letter to the completions", COMPLETE, [words[place][:3] for place in chosen]),
            ):
                times = []
                for number, text in enumerate(typed):
                    if number == WARM_UP:
                        before = computing_seconds(server)
                    times.append(driver.execute_async_script(script, text) / 1000)
                driver.get(server.address + "check")  # No page asks for anything any more.
                computed = (computing_seconds(server) - before) / WORDS
                open_look_up(driver, server)
                times = times[WARM_UP:]
                spread = (np.median(times), np.quantile(times, 0.95), max(times))
                row(label, *map(milliseconds, (*spread, computed)))


def made_run(folder: Path, rows: int) -> Path:
    """A run of enlarged vocabularies."""
    source, target = (
        enlarged(side, rows, seed) for seed, side in enumerate(aligned_demo(), start=1)
    )
    return make_run(folder / "run", source, target, "folder")


def made_induction(folder: Path, rows: int) -> Path:
    """An induced run of the same vocabularies."""
    return enlarged_run(induced(folder), rows, folder / "enlarged")


def computing_seconds(server: Server) -> float:
    """The seconds that all threads of the server have computed so far."""
    fields = Path(f"/proc/{server.process.pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def page_of(folder: Path) -> Iterator[tuple[Any, Server]]:
    """The look-up page when everything is prepared, and who serves it."""
    from selenium.webdriver.support.ui import WebDriverWait

    shot = screenshots.Shot("keystrokes", "", 1440, 900)
    with serving(folder) as server, screenshots.browser(shot) as driver:
        driver.set_script_timeout(60)
        driver.get(server.address)
        ready = "return fetch('/api/about').then(a => a.json()).then(a => a.preparation.state)"
        WebDriverWait(driver, WAIT_SECONDS, 2).until(
            lambda page: page.execute_script(ready) != "running"
        )
        open_look_up(driver, server)
        yield driver, server


def open_look_up(driver: Any, server: Server) -> None:
    """Load the page, and wait until it can be typed on."""
    from selenium.webdriver.support.ui import WebDriverWait

    driver.get(server.address)
    shown = "return document.querySelector('#welcome a') !== null"
    WebDriverWait(driver, 60).until(lambda page: page.execute_script(shown))


if __name__ == "__main__":
    main()
