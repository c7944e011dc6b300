"""Read TOML with bounds: a short text can keep Python's parser busy for minutes."""

from __future__ import annotations

import re
import tomllib
from typing import Any

MOST_PARTS = 50
_STRING = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*'")
_LONG_KEY = re.compile(rf"(?:[\w-]{{1,100}}[ \t]*\.[ \t]*){{{MOST_PARTS}}}")


def parse_toml(text: str) -> dict[str, Any]:
    """Parse TOML.

    Raises
    ------
    tomllib.TOMLDecodeError
        If the text is not TOML, nests too deeply, has a number of thousands of digits, or has a
        key of more than ``MOST_PARTS`` parts.

    Examples
    --------
    >>> parse_toml("job.seeds = [0.5, 1.5]")
    {'job': {'seeds': [0.5, 1.5]}}
    """
    plain = _STRING.sub("string", text)
    if found := _LONG_KEY.search(plain):
        line = plain.count("\n", 0, found.start()) + 1
        raise tomllib.TOMLDecodeError(
            f"A key has more than {MOST_PARTS} parts between dots (at line {line})"
        )
    try:
        return tomllib.loads(text)
    except RecursionError as error:
        raise tomllib.TOMLDecodeError("It nests too deeply") from error
    except ValueError as error:
        if isinstance(error, tomllib.TOMLDecodeError):
            raise
        raise tomllib.TOMLDecodeError("A number has too many digits") from error
