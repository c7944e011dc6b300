"""Errors of Lexalign. Each is one sentence: what happened, where, and what to do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike

LONGEST_MESSAGE = 900
LONGEST_QUOTE = 60
_LONG_WORD = re.compile(r"[^\s/]{150,}")
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]+")


class LexalignError(Exception):
    """Base class of all errors that the user can correct.

    The command line prints the message without a traceback. A message is always one printable line
    of at most 900 characters. Words of 150 characters or more are shortened in the middle.

    Examples
    --------
    >>> import lexalign
    >>> try:
    ...     lexalign.Lexicon([("dog", "Hund")]).writable("csv")
    ... except lexalign.LexalignError as error:
    ...     print(error)
    The `format` must be one of ('tsv', 'xling', 'muse', 'vecmap'). Got 'csv' instead.
    """

    def __init__(self, message: str = "") -> None:
        super().__init__(_one_line(message))


def _one_line(message: str) -> str:
    """The message as one printable line, shortened if it is long."""
    line = _UNPRINTABLE.sub(" ", message.encode("utf-8", "backslashreplace").decode())
    return _cut(_LONG_WORD.sub(lambda found: shortened(found[0]), line), LONGEST_MESSAGE)


def _cut(text: str, longest: int) -> str:
    """The text with at most ``longest`` characters; a longer one is cut in the middle."""
    if len(text) <= longest:
        return text
    half = (longest - 1) // 2
    return f"{text[: longest - 1 - half]}…{text[-half:]}"


class InputError(LexalignError):
    """A file or value that cannot be used.

    Parameters
    ----------
    problem : str
        The problem, without a full stop.
    path : str or path-like, optional
        The file.
    line : int, optional
        The line of the file, counted from 1.
    remedy : str, optional
        The remedy, without a full stop.

    Examples
    --------
    >>> print(InputError("a number is missing", path="en.vec", line=7, remedy="remove the row"))
    en.vec, line 7: a number is missing; remove the row.
    """

    def __init__(
        self,
        problem: str,
        *,
        path: str | PathLike[str] | None = None,
        line: int | None = None,
        remedy: str | None = None,
    ) -> None:
        self.problem, self.path, self.line, self.remedy = problem, path, line, remedy
        place = "" if path is None else f"{path}, line {line}: " if line else f"{path}: "
        super().__init__(f"{place}{problem}" + (f"; {remedy}." if remedy else "."))


def shortened(text: str) -> str:
    """Shorten a quoted text in the middle if it is long.

    Examples
    --------
    >>> shortened("word"), len(shortened("x" * 5000))
    ('word', 60)
    """
    return _cut(text, LONGEST_QUOTE)


@contextmanager
def about(path: str | PathLike[str] | None) -> Iterator[None]:
    """Add this file to any InputError that names no file."""
    try:
        yield
    except InputError as error:
        if error.path is not None or path is None:
            raise
        kind = type(error)
        raise kind(error.problem, path=path, line=error.line, remedy=error.remedy) from error


class ParameterError(LexalignError):
    """A parameter whose value is not valid.

    Messages name arguments as Python code in backquotes. The command line prints options instead.
    """


class OutputError(LexalignError):
    """A result that cannot be written."""


class UnknownWordWarning(UserWarning):
    """Warning that some words have no vector; their entries in the result are None."""


class MissingExtraError(LexalignError):
    """A feature that needs an optional package which is not installed."""

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(
            f"{feature} needs optional packages: pip install 'lexalign[{extra}]', or in a clone "
            f"pip install '.[{extra}]'."
        )
