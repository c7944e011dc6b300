"""Print every finding in the files of some paths; the exit status says whether there is one."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tools.prose.markdown import LONGEST_LINE, long_lines, passages_of_markdown
from tools.prose.passage import Passage, Reader
from tools.prose.python_source import passages_of_python
from tools.prose.rules import AIM, LONGEST_SENTENCE, Finding, findings_of, lengths
from tools.prose.web import passages_of_html, passages_of_script

READERS: dict[str, Reader] = {
    ".html": passages_of_html,
    ".js": passages_of_script,
    ".md": passages_of_markdown,
    ".py": passages_of_python,
}


def findings_in(path: Path) -> tuple[list[Finding], list[Passage]]:
    """Return what is to be changed in a file, by line, and all of its passages."""
    content = path.read_text(encoding="utf-8")
    passages = READERS[path.suffix](content)
    found = {finding for passage in passages for finding in findings_of(passage)}
    if path.suffix == ".md":
        found |= {
            Finding(line, "line", f"{length} characters in a line, at most {LONGEST_LINE}")
            for line, length in long_lines(content)
        }
    return sorted(found), passages


def files_of(paths: list[Path]) -> Iterator[Path]:
    """Yield the files that can be read, in and under these paths."""
    for path in paths:
        inside = sorted(path.rglob("*")) if path.is_dir() else [path]
        yield from (file for file in inside if file.suffix in READERS and file.is_file())


def main(arguments: list[str] | None = None) -> int:
    """Print one line for each finding, and the number of findings."""
    parser = ArgumentParser(prog="python -m tools.prose", description=__doc__)
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH")
    parser.add_argument("--statistics", action="store_true", help="count the findings by rule")
    parser.add_argument("--aim", action="store_true", help=f"name sentences above {AIM} words, too")
    given = parser.parse_args(arguments)
    missing = [str(path) for path in given.paths if not path.exists()]
    if missing:
        parser.error(f"not found: {', '.join(missing)}")
    counts, above_aim = Counter[str](), 0
    for file in files_of(given.paths):
        found, passages = findings_in(file)
        counts.update(finding.rule for finding in found)
        for finding in found:
            print(f"{file}:{finding.line}: {finding.advice}")
        for passage in passages:
            for offset, words, _ in lengths(passage) if passage.is_prose else ():
                if AIM < words <= LONGEST_SENTENCE:
                    above_aim += 1
                    if given.aim:
                        print(f"{file}:{passage.line_of(offset)}: {words} words, aim {AIM}")
    if given.statistics:
        for rule, number in sorted(counts.items()):
            print(f"{rule}: {number}")
        print(f"sentences of {AIM + 1} to {LONGEST_SENTENCE} words: {above_aim}")
    total = counts.total()
    print(f"prose: {total} finding{'s' * (total != 1)}")
    return 1 if total else 0


if __name__ == "__main__":
    sys.exit(main())
