"""JSON text that any file, terminal and library can hold."""

from __future__ import annotations

import json
from typing import Any


def json_text(value: Any, *, indent: int | None = None, allow_nan: bool = True) -> str:
    r"""Return a value as JSON, with letters unchanged and lone surrogates escaped.

    Python replaces each byte of a file name or argument that is not UTF-8 by a lone surrogate. Such
    a text cannot be encoded. Its JSON escape can, and reads back as the same text.

    Examples
    --------
    >>> print(json_text({"path": "Straße/\udcff.vec"}))
    {"path": "Straße/\udcff.vec"}
    """
    text = json.dumps(value, ensure_ascii=False, indent=indent, allow_nan=allow_nan)
    return text.encode("utf-8", "backslashreplace").decode()
