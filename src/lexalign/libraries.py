"""Optional libraries, and the environment variables that they read when they are loaded."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from lexalign.errors import MissingExtraError


def load(
    module: str, *, feature: str, extra: str, variables: Mapping[str, str] | None = None
) -> Any:
    """Import a module of an optional package.

    ``variables`` are set in the environment during the import.

    Raises
    ------
    MissingExtraError
        If it is not installed. The message names the ``feature`` and the command that installs the
        ``extra``.
    """
    try:
        with environment(variables or {}):
            import_module(module.partition(".")[0])
            return import_module(module)
    except ImportError as error:
        raise MissingExtraError(feature, extra) from error


def require(*modules: str, feature: str, extra: str) -> None:
    """Raise MissingExtraError if a module is missing, before any work and without importing it."""
    if any(find_spec(module) is None for module in modules):
        raise MissingExtraError(feature, extra)


@contextmanager
def environment(variables: Mapping[str, str]) -> Iterator[None]:
    """Set environment variables inside the block and restore them afterwards."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
