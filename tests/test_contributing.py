"""The examples of CONTRIBUTING.md work: they are applied to a copy of the repository and run."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
GUIDE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BLOCKS = [(found[1], found[2]) for found in BLOCK.finditer(GUIDE)]


def apply_example(kind: str, text: str, copy: Path) -> None:
    """Write a new module, or change an old one as a diff says."""
    first, _, rest = text.partition("\n")
    if kind == "python":
        (copy / first.removeprefix("# ")).write_text(rest, encoding="utf-8")
        return
    path = copy / first.removeprefix("--- ")
    lines = [(line[:1], line[1:]) for line in rest.splitlines()]
    assert {mark for mark, _ in lines} <= {" ", "-", "+"}
    before, after = (
        "".join(f"{line}\n" for mark, line in lines if mark in kept) for kept in (" -", " +")
    )
    content = path.read_text(encoding="utf-8")
    assert content.count(before) == 1, f"{path.name} does not hold, or holds twice:\n{before}"
    path.write_text(content.replace(before, after), encoding="utf-8")


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """The code with all examples in it, and the inputs that their commands name."""
    copy = tmp_path_factory.mktemp("contributing")
    (copy / "src").mkdir()
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "src" / "lexalign", copy / "src" / "lexalign", ignore=ignored)
    shutil.copytree(ROOT / "tests", copy / "tests", ignore=ignored)
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(ROOT / name, copy / name)
    for kind, text in BLOCKS:
        if kind in ("python", "diff"):
            apply_example(kind, text, copy)
    inputs = """
from pathlib import Path
from lexalign import write
from lexalign.demo import demo_embeddings, demo_lexicon
for language in ("en", "de"):
    write(demo_embeddings(language).top(500), f"{language}.vec")
for name in ("seeds", "test"):
    demo_lexicon(name).write(Path(f"{name}.txt"), format="muse")
"""
    assert python(copy, "-c", inputs).returncode == 0
    return copy


def python(copy: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python on the copy."""
    paths = os.pathsep.join((str(copy / "src"), str(copy)))
    environment = {**os.environ, "PYTHONPATH": paths, "OMP_NUM_THREADS": "1"}
    return subprocess.run(
        [sys.executable, *arguments], cwd=copy, env=environment, capture_output=True, text=True
    )


def commands() -> list[str]:
    """The commands that follow the first example, in order."""
    consoles = (text for kind, text in BLOCKS[BLOCKS.index(next(
        block for block in BLOCKS if block[0] == "python")):] if kind == "console")  # fmt: skip
    return [line.removeprefix("$ ") for text in consoles for line in text.splitlines()]


def test_every_command_of_the_examples_works(copy):
    """In the order of the page, as later ones use what earlier ones wrote."""
    seen = []
    for command in commands():
        program, *arguments = command.split()
        if program == "lexalign":
            start = ("-c", "from lexalign.cli import main; main()")
        else:
            start = ("-m", "pytest", "-q", "-p", "no:cacheprovider")
        ended = python(copy, *start, *arguments)
        assert ended.returncode == 0, (command, ended.stdout, ended.stderr)
        seen.append(ended.stdout)
    assert len(seen) == 6
    assert "passed" in seen[1]
    assert "skipped" not in seen[1]
    assert "strict with nn" in seen[5]
    head = (copy / "en.jsonl").read_text(encoding="utf-8").splitlines()[0]
    assert head.startswith('{"word": "')


def test_the_examples_say_what_they_promise(copy):
    program = """
from pathlib import Path
import numpy as np
import lexalign
from lexalign.aligners import ALIGNERS
from lexalign.vectors import detect_format

one, other = lexalign.read("en.vec"), lexalign.read("en.jsonl")
assert detect_format("en.jsonl") == "json-lines"
assert one.words == other.words and np.array_equal(one.matrix, other.matrix)
assert len(lexalign.read("en.jsonl", limit=7).words) == 7
Path("bad.jsonl").write_text('{"word": "a", "vector": [1]}\\n{"word": 3}\\n')
try:
    lexalign.read("bad.jsonl")
except lexalign.LexalignError as error:
    assert "bad.jsonl, line 2: this is no word with its vector" in str(error), error
else:
    raise AssertionError("a bad line was read")
seeds, target = lexalign.Lexicon.read("seeds.txt"), lexalign.read("de.vec")
alike, plain = (
    lexalign.align(name, one, target, seeds, **given).map.source.matrix
    for name, given in (("zipf", {"exponent": 0}), ("procrustes", {}))
)
assert np.allclose(alike, plain, atol=1e-5)
"""
    ended = python(copy, "-c", program)
    assert ended.returncode == 0, ended.stderr


def test_the_examples_pass_the_linters(copy):
    new = [text.partition("\n")[0].removeprefix("# ") for kind, text in BLOCKS if kind == "python"]
    assert len(new) == 2
    for command in (("check", "--no-cache"), ("format", "--check", "--no-cache")):
        ended = python(copy, "-m", "ruff", *command, *new)
        assert ended.returncode == 0, ended.stdout


def test_nothing_is_left_behind():
    from lexalign.aligners import ALIGNERS
    from lexalign.evaluation import PROTOCOLS
    from lexalign.vectors import FORMATS

    assert not {"zipf", "json-lines", "strict"} & {*ALIGNERS, *FORMATS, *PROTOCOLS}


PAGES = (
    "CONTRIBUTING", "CODE_OF_CONDUCT", "SECURITY",
    "docs/reference/systems", "docs/explanation/architecture",
)  # fmt: skip


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_somewhere(name):
    page = ROOT / f"{name}.md"
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        if "://" in target:
            continue
        path, _, anchor = target.partition("#")
        linked = page.parent / path
        assert linked.exists(), target
        if anchor:
            headings = re.findall(r"^#+ (.*)$", linked.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in {slug(heading) for heading in headings}, target


def slug(heading: str) -> str:
    """The anchor of a heading, as GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def test_every_target_of_the_page_is_in_the_makefile():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in set(re.findall(r"`make (\w+)`|^\$ make (\w+)", GUIDE, re.MULTILINE)):
        assert re.search(rf"^{''.join(target)}:", makefile, re.MULTILINE), target
