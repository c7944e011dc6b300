"""One declaration of a parameter, and all that is made from it."""

import ast
from pathlib import Path
from typing import ClassVar

import attrs
import click
import numpy as np
import pytest
from benchmarks.parameters import page
from click.testing import CliRunner

from lexalign import cli
from lexalign.aligners import ALIGNERS, ProcB, VecMap
from lexalign.cli.options import parameter_options
from lexalign.cli.wording import in_options
from lexalign.errors import LexalignError, ParameterError
from lexalign.parameters import (
    from_mapping,
    parameter,
    parameters_of,
    parse_settings,
    reference_table,
)
from lexalign.refinement import Refiner


@attrs.frozen(kw_only=True)
class Tool:
    """Parameters of all kinds."""

    role: ClassVar[str] = "the tool"

    rounds: int = parameter(3, at_least=1, help="Number of rounds.")
    share: float = parameter(0.5, above=0, at_most=1, help="Share of words, see `rounds`.")
    dropout: float = parameter(0.1, at_least=0, below=1, help="Dropout.")
    stop: float | str | None = parameter(
        None, kind=float, words=("auto",), above=0, default_text="as in `rounds`", help="Stop."
    )
    colour: str = parameter("red", choices=("red", "blue"), help="Colour.")
    long_name: bool = parameter(False, help="Switch.")
    even: str = parameter(
        "aa", form="a text of even length", has_form=lambda text: len(text) % 2 == 0, help="Text."
    )


@pytest.mark.parametrize(
    ("name", "value", "wanted"),
    [
        ("rounds", 0, "a whole number, at least 1"),
        ("rounds", 2.0, "a whole number, at least 1"),
        ("rounds", True, "a whole number, at least 1"),
        ("rounds", "3", "a whole number, at least 1"),
        ("rounds", None, "a whole number, at least 1"),
        ("share", 0, "a finite number, above 0 and at most 1"),
        ("share", 1.01, "a finite number, above 0 and at most 1"),
        ("share", False, "a finite number, above 0 and at most 1"),
        ("dropout", 1, "a finite number, at least 0 and below 1"),
        ("dropout", -0.1, "a finite number, at least 0 and below 1"),
        ("stop", float("inf"), "a finite number, above 0, or 'auto'"),
        ("stop", float("nan"), "a finite number, above 0, or 'auto'"),
        ("stop", "soon", "a finite number, above 0, or 'auto'"),
        ("colour", "green", "one of 'red', 'blue'"),
        ("colour", 1, "one of 'red', 'blue'"),
        ("long_name", 1, "True or False"),
        ("even", "a", "a text of even length"),
    ],
)
def test_a_bad_value_gets_the_uniform_sentence(name, value, wanted):
    with pytest.raises(ParameterError) as caught:
        Tool(**{name: value})
    sentence = f"The `{name}` parameter of the tool must be {wanted}. Got {value!r} instead."
    assert str(caught.value) == sentence


@pytest.mark.parametrize(
    ("name", "value"),
    [("rounds", 1), ("share", 1), ("dropout", 0), ("stop", "auto"), ("stop", None), ("even", "")],
)
def test_values_at_the_bounds_are_valid(name, value):
    assert getattr(Tool(**{name: value}), name) == value


def test_numbers_of_numpy_become_those_of_python():
    tool = Tool(rounds=np.int64(2), share=np.float32(0.5), long_name=np.bool_(True))
    assert attrs.asdict(tool)["rounds"] == 2
    assert [type(value) for value in (tool.rounds, tool.share, tool.long_name)] == [
        int,
        float,
        bool,
    ]
    with pytest.raises(ParameterError, match="Got nan instead"):
        Tool(share=np.float64("nan"))


def test_a_changed_copy_is_validated_too():
    with pytest.raises(ParameterError, match="`max_pairs` parameter of procb must be a whole"):
        attrs.evolve(ProcB(), max_pairs=0)


def test_an_object_from_a_table_of_toml():
    assert from_mapping(Tool, {"rounds": 2, "share": 1}) == Tool(rounds=2, share=1)
    with pytest.raises(LexalignError, match="no parameter of the tool called 'round'; .*'rounds'"):
        from_mapping(Tool, {"round": 2})
    with pytest.raises(LexalignError, match="no parameter of the tool called 'colour'"):
        from_mapping(Tool, {"colour": "red"}, without=("colour",))
    with pytest.raises(ParameterError, match="`rounds` .* Got True instead"):
        from_mapping(Tool, {"rounds": True})


def test_values_from_texts():
    texts = ("rounds=2", "share=1e-1", "stop=auto", "long-name=true", "colour=blue")
    assert parse_settings(Tool, texts) == {
        "rounds": 2, "share": 0.1, "stop": "auto", "long_name": True, "colour": "blue",
    }  # fmt: skip
    for wrong in ("rounds=two", "long_name=yes", "stop=soon"):
        with pytest.raises(ParameterError, match=f"^{wrong}: '.*' is not "):
            parse_settings(Tool, (wrong,))
    for wrong in ("rounds", "nothing=1"):
        with pytest.raises(ParameterError, match="write NAME=VALUE with a parameter of the tool"):
            parse_settings(Tool, (wrong,))


@click.command()
@parameter_options(Tool, without=("even",), rounds={"default": 7})
def command(**values):
    click.echo(repr(values))


def test_options_come_from_the_declaration():
    got = CliRunner().invoke(command, ["--long-name", "--stop", "2", "--colour", "blue"])
    assert ast.literal_eval(got.output) == {
        "rounds": 7, "share": 0.5, "dropout": 0.1, "stop": 2.0, "colour": "blue", "long_name": True,
    }  # fmt: skip
    assert CliRunner().invoke(command, ["--colour", "green"]).exit_code == 2
    bad = CliRunner().invoke(command, ["--stop", "soon"])
    assert bad.exit_code == 2
    assert "'soon' is neither a number nor 'auto'" in bad.output
    shown = " ".join(CliRunner().invoke(command, ["--help"]).output.split())
    assert "Share of words, see --rounds. [default: 0.5]" in shown
    assert "[default: (as in --rounds)]" in shown


@pytest.mark.parametrize("name", ALIGNERS)
def test_every_parameter_of_a_method_is_an_option(name):
    arguments = ["align", name, "--help"]
    shown = CliRunner().invoke(cli.lexalign, arguments).output
    for parameter_name in parameters_of(ALIGNERS[name]):
        assert f"--{parameter_name.replace('_', '-')} " in shown


def test_every_parameter_of_refinement_is_an_option():
    shown = CliRunner().invoke(cli.lexalign, ["refine", "--help"]).output
    assert all(f"--{name.replace('_', '-')} " in shown for name in parameters_of(Refiner))


@pytest.mark.parametrize(
    ("python", "options"),
    [
        ("The `max_pairs` parameter of procb must", "The option --max-pairs of procb must"),
        ("The `limit` must be", "The option --limit must be"),
        ('set `final="rotation"` or `seed=1`.', "set --final rotation or --seed 1."),
        ("set `overwrite=True`.", "set --overwrite."),
        ("`rule`, `output_format` and `k`", "--tokens, --format and -k"),
        ("no code here", "no code here"),
    ],
)
def test_the_command_line_names_options(python, options):
    assert in_options(python) == options


def test_python_names_arguments_and_the_command_line_options(capsys, tmp_path):
    with pytest.raises(LexalignError, match="The `patience` parameter of vecmap must be"):
        VecMap(patience=0)
    with pytest.raises(SystemExit) as left:
        cli.main(["align", "vecmap", "a", "b", "--patience", "0", "--output", str(tmp_path / "o")])
    assert left.value.code == 1
    assert capsys.readouterr().err == (
        "lexalign: The option --patience of vecmap must be a whole number, at least 1. "
        "Got 0 instead.\n"
    )


def test_the_reference_lists_what_is_declared():
    line = reference_table(parameters_of(Tool)).splitlines()[3]
    assert (
        line
        == "| `share` | float | `0.5` | above 0 and at most 1 | Share of words, see `rounds`. |"
    )


def test_the_reference_page_is_up_to_date():
    written = Path(__file__).parents[1] / "docs" / "reference" / "parameters.md"
    command = "python -m benchmarks.parameters docs/reference/parameters.md"
    assert written.read_text("utf-8") == page(), f"out of date; run: {command}"
