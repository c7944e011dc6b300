"""The workflows, issue forms and hooks: what can be checked of them without running them."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
WORKFLOWS = {
    path.stem: yaml.safe_load(path.read_text(encoding="utf-8"))
    for path in sorted((ROOT / ".github" / "workflows").glob("*.yml"))
}
FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
PINNED = re.compile(r"(actions/[\w-]+@v\d+|pypa/gh-action-pypi-publish@release/v\d+)")
TARGETS = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def jobs():
    """All jobs, with the names of their workflows."""
    return [
        pytest.param(job, id=f"{workflow}-{name}")
        for workflow, content in WORKFLOWS.items()
        for name, job in content["jobs"].items()
    ]


def test_all_workflows_are_there():
    assert set(WORKFLOWS) == {"docs", "package", "release", "tests"}


@pytest.mark.parametrize("name", WORKFLOWS)
def test_a_workflow_may_only_read(name):
    assert WORKFLOWS[name]["permissions"] == {"contents": "read"}
    assert True in WORKFLOWS[name], "YAML reads the key `on` as true"


@pytest.mark.parametrize("job", jobs())
def test_jobs_end_and_use_actions_of_a_known_version(job):
    if "uses" in job:
        assert (ROOT / job["uses"]).is_file()
        return
    assert job["timeout-minutes"] <= 120
    for step in job["steps"]:
        assert ("uses" in step) != ("run" in step)
        if "uses" in step:
            assert PINNED.fullmatch(step["uses"])
        if step.get("uses", "").startswith("actions/checkout"):
            assert step["with"]["persist-credentials"] is False


@pytest.mark.parametrize("job", jobs())
def test_jobs_run_targets_of_the_makefile(job):
    for step in job.get("steps", ()):
        for target in re.findall(r"make ([\w${}. ]+?)(?= PYTHON|$)", step.get("run", "")):
            wanted = {target}
            if "matrix.target" in target:
                matrix = job["strategy"]["matrix"]
                wanted = {*matrix["target"], *(row["target"] for row in matrix["include"])}
            assert wanted <= TARGETS


def test_all_versions_of_python_are_tested_on_both_systems():
    matrix = WORKFLOWS["tests"]["jobs"]["test"]["strategy"]["matrix"]
    every = {(system, python) for system in matrix["os"] for python in matrix["python"]}
    excluded = {(row["os"], row["python"]) for row in matrix["exclude"]}
    assert excluded == {(row["os"], row["python"]) for row in matrix["include"]}
    prefix = "Programming Language :: Python :: "
    versions = {
        label.removeprefix(prefix) for label in PROJECT["classifiers"] if label.startswith(prefix)
    } - {"3"}
    assert every == {(name, one) for name in ("ubuntu-latest", "macos-latest") for one in versions}


def test_only_the_job_that_publishes_gets_an_identity():
    for workflow, content in WORKFLOWS.items():
        for name, job in content["jobs"].items():
            publishes = (workflow, name) == ("release", "publish")
            given = job.get("permissions", {"contents": "read"})
            assert given == ({"id-token": "write"} if publishes else {"contents": "read"})
    publish = WORKFLOWS["release"]["jobs"]["publish"]
    assert publish["environment"]["name"] == "pypi"
    assert publish["steps"][-1]["with"] == {"attestations": True}
    assert WORKFLOWS["release"][True] == {"push": {"tags": ["v*"]}}
    assert WORKFLOWS["release"]["jobs"]["build"]["needs"] == "tests"


def test_no_text_of_strangers_reaches_a_shell():
    for content in WORKFLOWS.values():
        for job in content["jobs"].values():
            for step in job.get("steps", ()):
                assert "github.event" not in step.get("run", "")


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_issue_forms_are_complete(path):
    form = yaml.safe_load(path.read_text(encoding="utf-8"))
    if path.stem == "config":
        assert form == {"blank_issues_enabled": True}
        return
    assert set(form) == {"name", "description", "labels", "body"}
    names = [part["id"] for part in form["body"]]
    assert len(set(names)) == len(names)
    for part in form["body"]:
        assert part["type"] in ("textarea", "dropdown", "checkboxes", "input")
        assert part["attributes"]["label"]
    assert any(part.get("validations", {}).get("required") for part in form["body"])


def test_hooks_are_programs_of_the_environment():
    """They need no other host, and their versions are those of the constraints."""
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
    assert [source["repo"] for source in hooks["repos"]] == ["local"]
    entries = [hook["entry"].split()[0] for hook in hooks["repos"][0]["hooks"]]
    assert all(entry.startswith(".venv/bin/") for entry in entries)
    pinned = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    dev = " ".join(PROJECT["optional-dependencies"]["dev"])
    for package in ("ruff", "pre-commit", "pre-commit-hooks"):
        assert re.search(rf"^{package}==", pinned, re.MULTILINE)
        assert package in dev
