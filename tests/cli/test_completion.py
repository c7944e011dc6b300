"""Completion in a shell: it knows commands, methods and options, and imports nothing heavy."""

import json
import os
import subprocess
import sys

import pytest

from lexalign.cli import COMMANDS

HEAVY = {
    "faiss", "gensim", "jinja2", "lightgbm", "matplotlib", "ot", "polars", "pooch", "rapidfuzz",
    "ray", "rich", "scipy", "sklearn", "starlette", "torch", "uvicorn",
}  # fmt: skip
PROGRAM = """
import json, sys
from lexalign.cli import main
try:
    main()
finally:
    print(json.dumps(sorted(name for name in sys.modules if "." not in name)), file=sys.stderr)
    print(sum(name.startswith("lexalign.cli.") for name in sys.modules), file=sys.stderr)
"""


def completed(*words, shell="bash"):
    """What a shell is offered for the last word, the packages imported, and command modules."""
    given = {
        "_LEXALIGN_COMPLETE": f"{shell}_complete",
        "COMP_WORDS": " ".join(("lexalign", *words)),
        "COMP_CWORD": words[-1] if shell == "fish" else str(len(words)),
    }
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=os.environ | given, capture_output=True, text=True
    )
    assert ended.returncode == 0, ended.stderr
    packages, commands = ended.stderr.splitlines()
    return ended.stdout.split("\n"), set(json.loads(packages)), int(commands)


def test_names_of_commands_need_no_command():
    offered, packages, commands = completed("")
    assert "plain,align" in offered
    assert [line.removeprefix("plain,") for line in offered[:-1]] == sorted(COMMANDS)
    assert not packages & (HEAVY | {"numpy"})
    assert commands <= 2
    assert completed("al")[0] == ["plain,align", ""]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["align", ""], ["plain,procrustes", "plain,vecmap", "plain,joint"]),
        (["align", "vecmap", "--"], ["plain,--lexicon", "plain,--preset", "plain,--pivot-first"]),
        (["align", "vecmap", "--preset", ""], ["plain,supervised", "plain,unsupervised"]),
        (["align", "vecmap", "en"], ["file,en"]),
        (["align", "vecmap", "--lexicon", "i"], ["plain,identical", "file,i"]),
        (["align", "muse", "--checkpoint", ""], ["dir,"]),
        (["experiment", "run", "ta"], ["plain,table1a", "file,ta"]),
        (["data", "fetch", "mu"], ["plain,muse", "plain,muse.en-de"]),
        (["report", "run", "--protocol", "x"], ["plain,xling"]),
        (["evaluate", "--protocol", "v"], ["plain,vecmap"]),
        (["convert", "a.vec", "b"], ["file,b"]),
        (["translate", "r"], ["file,r"]),
        (["refine", "--"], ["plain,--horizon"]),
    ],
)
def test_methods_options_and_files_are_offered_fast(words, expected):
    offered, packages, _ = completed(*words)
    assert set(expected) <= set(offered)
    assert not packages & HEAVY


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_get_the_help_too(shell):
    offered = "\n".join(completed("al", shell=shell)[0])
    assert "align" in offered
    assert "Align two embeddings, or train and align two corpora." in offered


@pytest.mark.parametrize("shell", ["bash", "fish", "zsh"])
def test_the_script_of_a_shell_is_printed(shell):
    given = os.environ | {"_LEXALIGN_COMPLETE": f"{shell}_source"}
    command = [sys.executable, "-c", PROGRAM]
    ended = subprocess.run(command, env=given, capture_output=True, text=True)
    assert ended.returncode == 0
    assert f"_LEXALIGN_COMPLETE={shell}_complete" in ended.stdout


def test_every_file_is_completed_by_the_shell():
    """A parameter that is a word of any kind has no completion; these alone are no files."""
    import click

    from lexalign.cli import lexalign

    def parameters(command, path):
        if isinstance(command, click.Group):
            for name in command.list_commands(context):
                yield from parameters(command.get_command(context, name), [*path, name])
        else:
            yield from ((path, parameter) for parameter in command.params)

    context = click.Context(lexalign)
    words = {
        parameter.name
        for path, parameter in parameters(lexalign, [])
        if type(parameter.type) is type(click.STRING) and parameter._custom_shell_complete is None
    }
    assert {path[0] for path, _ in parameters(lexalign, [])} == set(COMMANDS)
    assert words == {
        "normalise", "pivot", "settings", "source_language", "target_language", "language",
        "mirror", "breakdowns", "only", "metric", "host", "names",
        "grids",  # of `experiment table`: names in a folder
    }  # fmt: skip
