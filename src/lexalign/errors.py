"""Errors are part of the interface: one sentence with the thing, what it was, and the way out."""

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
    """Report a failure that the user can correct; the base class of all errors of Lexalign.

    The command line prints the message as one sentence, without a traceback. Whatever a message
    quotes, it is one line that can be printed, of at most 900 characters; a word of 150 characters
    or more is cut in the middle.

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
    """A message without line ends, control characters and lone surrogates, cut if it is long."""
    line = _UNPRINTABLE.sub(" ", message.encode("utf-8", "backslashreplace").decode())
    return _cut(_LONG_WORD.sub(lambda found: shortened(found[0]), line), LONGEST_MESSAGE)


def _cut(text: str, longest: int) -> str:
    """A text of at most so many characters; what is too much is left out in the middle."""
    if len(text) <= longest:
        return text
    half = (longest - 1) // 2
    return f"{text[: longest - 1 - half]}…{text[-half:]}"


class InputError(LexalignError):
    """Report a file or a value that cannot be used.

    Parameters
    ----------
    problem : str
        What is wrong, without a full stop.
    path : str or path-like, optional
        The file.
    line : int, optional
        The line of the file, counted from 1.
    remedy : str, optional
        What to do, without a full stop.

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
    """Return a text that a message quotes, cut in the middle if it is long.

    Examples
    --------
    >>> shortened("word"), len(shortened("x" * 5000))
    ('word', 60)
    """
    return _cut(text, LONGEST_QUOTE)


@contextmanager
def about(path: str | PathLike[str] | None) -> Iterator[None]:
    """Let an InputError that names no file name this one, if there is one."""
    try:
        yield
    except InputError as error:
        if error.path is not None or path is None:
            raise
        kind = type(error)
        raise kind(error.problem, path=path, line=error.line, remedy=error.remedy) from error


class ParameterError(LexalignError):
    """A parameter whose value is not valid.

    Messages write arguments as Python code in backquotes; the command line turns them into options.
    """


class OutputError(LexalignError):
    """A result that cannot be written where it was asked for."""


class UnknownWordWarning(UserWarning):
    """Some words have no vector; their place in the result holds None."""


class MissingExtraError(LexalignError):
    """A feature that needs a package which the plain installation leaves out."""

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(f"{feature} needs more packages: pip install 'lexalign[{extra}]'.")
