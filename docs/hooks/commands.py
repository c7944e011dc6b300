"""One page for every command, made of what the commands say about themselves."""

from __future__ import annotations

from collections.abc import Iterator

import click
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from lexalign.cli import COMMANDS
from lexalign.cli import lexalign as program

FOLDER = "reference/commands"
SHARED = ("--help", "--quiet", "--verbose")
"""Options of every command: the overview names them once."""

OVERVIEW = """# Commands

This page lists every command. Each has a page with its arguments and options, made from the same
text as `lexalign COMMAND --help`.

`lexalign --version` prints the version. Every command takes `--help`, `--quiet` and `--verbose`
([progress](../command-line.md#progress)).

| command | does |
|---|---|
"""


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Put the pages into the menu, where it names the folder of the commands."""
    pages = [f"{FOLDER}/index.md", *(f"{FOLDER}/{name}.md" for name in sorted(COMMANDS))]
    config.nav = [_replaced(entry, pages) for entry in config.nav or []]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages."""
    context = click.Context(program, info_name="lexalign")
    overview = OVERVIEW
    for name in sorted(COMMANDS):
        command = program.get_command(context, name)
        if command is None:
            raise LookupError(name)
        overview += f"| [`{name}`]({name}.md) | {_cell(COMMANDS[name])} |\n"
        text = "\n".join(_described(command, click.Context(command, context, name), 1)) + "\n"
        files.append(File.generated(config, f"{FOLDER}/{name}.md", content=text))
    files.append(File.generated(config, f"{FOLDER}/index.md", content=overview))
    return files


def _replaced(entry: object, pages: list[str]) -> object:
    if isinstance(entry, dict):
        return {title: _replaced(value, pages) for title, value in entry.items()}
    if isinstance(entry, list):
        return [_replaced(value, pages) for value in entry]
    return pages if entry == FOLDER else entry


def _described(command: click.Command, context: click.Context, level: int) -> Iterator[str]:
    """The lines of one command and of those within it."""
    yield f"{'#' * level} {context.command_path}\n"
    usage = " ".join(command.collect_usage_pieces(context))
    yield f"```text\n{context.command_path} {usage}\n```\n"
    for paragraph in (command.help or "").split("\n\n"):
        if paragraph.startswith("\b"):
            yield f"```text\n{paragraph[2:]}\n```\n"
        else:
            yield _plain(" ".join(paragraph.split())) + "\n"
    options = [one for one in command.get_params(context) if _is_shown(one)]
    if options:
        yield "| option | default | meaning |\n|---|---|---|"
        for option in options:
            yield _row(option, context)
        yield ""
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            if inner is not None:
                yield from _described(inner, click.Context(inner, context, name), level + 1)


def _is_shown(parameter: click.Parameter) -> bool:
    if not isinstance(parameter, click.Option) or parameter.hidden:
        return False
    return not set(SHARED) & set(parameter.opts)


def _row(option: click.Parameter, context: click.Context) -> str:
    """A line of the table: click's own words for names and default."""
    assert isinstance(option, click.Option)
    record = option.get_help_record(context)
    names, text = record if record else ("", "")
    extra = option.get_help_extra(context)
    default, bounds = str(extra.get("default", "")), extra.get("range")
    for note in [f"default: {default}", *filter(None, [bounds])]:
        text = text.replace(f"[{note}]", "").replace(f"{note}; ", "").replace(f"; {note}", "")
    if bounds:
        text += f" ({bounds.replace('<=', ' ≤ ').replace('>=', ' ≥ ')})"
    shown = f"`{_line(default)}`" if default else ""
    return f"| `{_line(names)}` | {shown} | {_cell(text)} |"


def _line(text: str) -> str:
    return " ".join(text.split())


def _cell(text: str) -> str:
    """Text that fits a cell of a table."""
    return _plain(_line(text)).replace("|", "\\|")


def _plain(text: str) -> str:
    """Text without marks that Markdown would take for its own."""
    return text.replace("<", "&lt;").replace("*", "\\*").replace("_", "\\_").replace("[", "\\[")
