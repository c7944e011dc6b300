"""JSON as text that every file, terminal and library can hold."""

from __future__ import annotations

import json
from typing import Any


def json_text(value: Any, *, indent: int | None = None, allow_nan: bool = True) -> str:
    r"""Write a value as JSON: letters as they are, lone surrogates escaped.

    Python stands a lone surrogate for each byte of a file name or an argument that is not UTF-8. A
    text with one cannot be encoded; its escape in JSON can, and reads back as the same text.

    Examples
    --------
    >>> print(json_text({"path": "Straße/\udcff.vec"}))
    {"path": "Straße/\udcff.vec"}
    """
    text = json.dumps(value, ensure_ascii=False, indent=indent, allow_nan=allow_nan)
    return text.encode("utf-8", "backslashreplace").decode()
