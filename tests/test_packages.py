"""What is in the wheel and the sdist, and that versions and dependencies agree everywhere."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml

from lexalign import __version__

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
NOT_PACKED = ".ci/"
ALWAYS = {"LICENSE", "pyproject.toml", ".gitignore"}
"""Files that the builder adds to every sdist."""


def built(kind: str) -> set[str]:
    """The files that hatchling would pack."""
    module = pytest.importorskip(
        f"hatchling.builders.{kind}", reason="hatchling is not installed; make test installs it"
    )
    builder = getattr(module, f"{kind.title()}Builder")(str(ROOT))
    return {Path(file.distribution_path).as_posix() for file in builder.recurse_included_files()}


def tracked() -> list[str]:
    """The files under version control."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("this is no clone of the repository")
    return [name for name in listed.stdout.split("\0") if name and (ROOT / name).exists()]


@pytest.mark.parametrize(
    "needed",
    [
        "demo/en.npy", "demo/de.words", "demo/en-de.seeds.tsv", "demo/en-de.test.tsv",
        "experiments/grids/table1a.toml", "experiments/public.toml", "experiments/new_grid.toml",
        "experiments/new_inputs.toml", "experiments/data/catalogue.toml",
        "explore/static/explore.css", "explore/static/shell.html", "explore/static/icon.svg",
        "report/templates/page.html", "report/templates/report.css", "py.typed",
    ],
)  # fmt: skip
def test_the_wheel_holds_what_commands_read(needed):
    assert f"lexalign/{needed}" in built("wheel")


def test_the_wheel_holds_the_whole_package_and_nothing_else():
    package = {name.removeprefix("src/") for name in tracked() if name.startswith("src/lexalign/")}
    found = built("wheel")
    assert package <= found
    assert all(name.startswith("lexalign/") for name in found)
    assert not [name for name in found if "__pycache__" in name or "lexalign-part" in name]


def test_the_sdist_holds_all_that_the_tests_need():
    missing = {*tracked()} - built("sdist") - ALWAYS
    assert all(name.startswith(NOT_PACKED) for name in missing), sorted(missing)


def test_the_version_is_one():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    recipe = yaml.safe_load((ROOT / "recipe" / "recipe.yaml").read_text(encoding="utf-8"))
    assert PROJECT["version"] == __version__
    assert citation["version"] == recipe["context"]["version"] == PROJECT["version"]


def test_the_citation_is_of_version_1_2_of_its_format():
    """The keys that cff 1.2.0 asks for; a validator is run by hand."""
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert {"cff-version", "message", "title", "authors"} <= citation.keys()
    assert (citation["cff-version"], citation["type"]) == ("1.2.0", "software")
    assert citation["authors"] == [{"name": "The Lexalign developers"}]
    paper = citation["preferred-citation"]
    assert [author["family-names"] for author in paper["authors"]] == ["Peng", "Lin", "Stevenson"]
    assert re.fullmatch(r"10\.\d{4,9}(\.\d+)?/\S+", paper["doi"])


def test_conda_gets_the_same_dependencies():
    recipe = yaml.safe_load((ROOT / "recipe" / "recipe.yaml").read_text(encoding="utf-8"))
    run = [line.replace(" ", "") for line in recipe["requirements"]["run"]]
    assert run[0].startswith("python>=")
    assert run[1:] == PROJECT["dependencies"]
    host = [line.replace(" ", "") for line in recipe["requirements"]["host"]]
    assert host[-1] == "hatchling>=1.26"
    minimum = PROJECT["requires-python"].removeprefix(">=")
    assert recipe["context"]["python_min"] == minimum


def test_the_image_copies_what_its_build_needs():
    """The build context leaves out everything that the Dockerfile does not copy."""
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    allowed = {line[1:] for line in ignored if line.startswith("!")}
    dockerfile = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    copied = {
        name
        for line in re.findall(r"^COPY (?!--)(.*)$", dockerfile, re.MULTILINE)
        for name in line.split()[:-1]
    }
    assert copied == allowed
    assert all((ROOT / name).exists() for name in copied)
    assert {"readme": "README.md", "license-files": ["LICENSE"]}.items() <= PROJECT.items()
    assert {"README.md", "LICENSE"} <= copied
    assert re.search(r"^USER lexalign$", dockerfile, re.MULTILINE)
