"""The table of commands is complete."""

from importlib import import_module

import click

from lexalign.cli import COMMANDS
from tests.faults.commands import ROWS, TESTED_ELSEWHERE, WRITE_NOTHING


def _names():
    """All commands; of groups, their commands, but the methods of align are one."""
    for name in COMMANDS:
        command = import_module(f"lexalign.cli.{name}").command
        if isinstance(command, click.Group) and name != "align":
            yield from (f"{name} {part}" for part in command.commands)
        else:
            yield name


def test_every_command_is_in_the_table_or_writes_nothing():
    run = {" ".join(row.arguments[:2]) for row in ROWS.values()}
    run |= {row.arguments[0] for row in ROWS.values()}
    for name in _names():
        assert (name in run) != (name in WRITE_NOTHING | TESTED_ELSEWHERE), name
    assert set(_names()) >= WRITE_NOTHING | TESTED_ELSEWHERE


def test_every_option_that_names_an_output_is_in_the_table():
    used = {part for row in ROWS.values() for part in row.arguments}
    for name in COMMANDS:
        command = import_module(f"lexalign.cli.{name}").command
        parts = command.commands.values() if isinstance(command, click.Group) else [command]
        for option in (option for part in parts for option in part.params):
            if option.name in ("output", "outputs", "inliers", "counts", "checkpoint", "exports"):
                assert not option.opts[0].startswith("--") or option.opts[0] in used, option.opts
