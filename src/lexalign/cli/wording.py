"""Translate the wording of the library (Python) to that of the command line.

Messages and help texts of the library write arguments as Python code in backquotes. Here

    `max_pairs`                         becomes  --max-pairs
    `final="rotation"`                  becomes  --final rotation
    `overwrite=True`                    becomes  --overwrite
    The `max_pairs` parameter of procb  becomes  The option --max-pairs of procb
    The `limit` must                    becomes  The option --limit must

Words and file names are untrusted text: control characters in them must not reach the terminal.
"""

from __future__ import annotations

import re
from collections.abc import Container

NAMES = {
    "checkpoints": "--checkpoint",
    "k": "-k",
    "lexicon_format": "--format",
    "losses": "--loss",
    "output_format": "--format",
    "rule": "--tokens",
    "steps": "--normalise",
}
"""Options whose names differ from the argument."""

_SUBJECT = re.compile(r"\bThe (`\w+`)( parameter)?(?= )")
_CODE = re.compile(r"`([a-z]\w*)(?:=([^`]*))?`")
_LITERAL = re.compile(r"``([^`]*)``")
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")
_CONTROL_IN_LINES = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f]")


def option_name(argument: str) -> str:
    """The option of an argument."""
    return NAMES.get(argument, f"--{argument.replace('_', '-')}")


def in_options(text: str) -> str:
    """Replace Python code in a text by options."""
    return _CODE.sub(_option, _SUBJECT.sub(r"The option \1", text))


def with_options(description: str, parameters: Container[str]) -> str:
    """Replace the parameters in a docstring, in double backquotes, by their options.

    Examples
    --------
    >>> with_options("Rounds end after ``max_iterations``; see ``lexalign.aligners``.",
    ...              ["max_iterations"])
    'Rounds end after --max-iterations; see lexalign.aligners.'
    """

    def plain(found: re.Match[str]) -> str:
        name, equals, value = found[1].partition("=")
        if name not in parameters:
            return found[1]
        return f"{option_name(name)} {value}" if equals else option_name(name)

    return _LITERAL.sub(plain, description)


def _option(found: re.Match[str]) -> str:
    name, value = option_name(found[1]), found[2]
    return name if value in (None, "True") else f"{name} {value.strip(chr(34))}"


def visible(text: str, *, line_ends: bool = False) -> str:
    """Replace control characters by U+FFFD.

    ``line_ends`` keeps the line ends of a text.
    """
    return (_CONTROL_IN_LINES if line_ends else _CONTROL).sub("\ufffd", text)
