"""Weight of the report's pages on the demonstration, and what axe-core finds in them.

``python -m benchmarks.report_pages DEMO`` prints the table of docs/how-to/read-a-report.md. DEMO is
the folder that ``lexalign demo --output DEMO`` wrote. It needs the extra ``dev``, and the programs
chromium and chromedriver.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from importlib import import_module
from pathlib import Path

from lexalign.pipelines.refine import refine_files
from lexalign.refinement import Refiner
from lexalign.report.page import report_files
from lexalign.runs import Run

WIDTHS = (360, 1024, 1440)
SCHEMES = ("light", "dark")
IMPACTS = ("critical", "serious", "moderate", "minor")


def main() -> None:
    """Write the pages, look at them and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("demo", type=Path)
    demo: Path = parser.parse_args().demo
    with tempfile.TemporaryDirectory() as name:
        pages = write_pages(demo, Path(name))
        print("| page | KB | axe-core: critical, serious, moderate, minor |")
        print("|---|---|---|")
        for title, path in pages.items():
            found = findings(path)
            counts = ", ".join(str(found[impact]) for impact in IMPACTS)
            print(f"| {title} | {path.stat().st_size / 1000:.0f} | {counts} |")


def write_pages(demo: Path, folder: Path) -> dict[str, Path]:
    """Reports on an induced dictionary, an unchanged and an untested run, and several runs."""
    refine_files(
        *Run.open(demo / "aligned").files, folder / "kept", Refiner(), output_format="folder"
    )
    runs = {
        "an induced dictionary, with a test": [demo / "induced"],
        "a refinement that kept its input, with a test": [folder / "kept"],
        "an alignment, without a test": [demo / "aligned"],
        "three runs, with a test": [demo / name for name in ("aligned", "refined", "induced")],
    }
    pages = {title: folder / f"{number}.html" for number, title in enumerate(runs)}
    for title, folders in runs.items():
        tests = [] if "without" in title else [demo / "test.tsv"]
        report_files(folders, pages[title], lexicons=tests, names=("English", "German"))
    return pages


def findings(page: Path) -> Counter[str]:
    """The rules that a page breaks, by impact, at any width, in light or in dark."""
    browsers = import_module("tests.browsers")
    broken = set[tuple[str, str]]()
    with browsers.chromium() as browser:
        browser.get(page.as_uri())
        for width in WIDTHS:
            browsers.resize(browser, width)
            for scheme in SCHEMES:
                with browsers.colours(browser, scheme):
                    found = browsers.findings(browser)
                broken |= {(impact, rule) for impact, rule, _ in found}
    return Counter(impact for impact, _ in broken)


if __name__ == "__main__":
    main()
