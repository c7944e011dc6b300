"""One declaration of a parameter: default, type, choices, bounds and help.

A class declares its parameters once:

    @attrs.frozen(kw_only=True)
    class ProcB(Aligner):
        max_pairs: int = parameter(10_000, at_least=1, help="Maximum size of the dictionary.")

This declaration gives the validation of objects, the options of the command line
(``lexalign.cli.options``), the keys of TOML grids and the reference in
``docs/reference/parameters.md``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping
from difflib import get_close_matches
from numbers import Integral, Real
from typing import Any, TypeVar

import attrs

from lexalign.errors import LexalignError, ParameterError

KINDS = {bool: "True or False", int: "a whole number", float: "a finite number", str: "a text"}
"""The types of a parameter, in words."""

_KEY = "lexalign.parameter"
Declaring = TypeVar("Declaring")


@attrs.frozen(kw_only=True)
class Parameter:
    """The declaration of one parameter.

    Parameters
    ----------
    default
        The value if none is given; ``attrs.NOTHING`` for a required parameter. If the default is
        None, None is a valid value.
    kind
        bool, int, float or str. An int is a valid float; a bool is not a number.
    help
        One sentence, with the names of other parameters in backquotes: `` `solver` ``.
    choices
        The valid values of a text.
    words
        Valid texts of a numeric parameter, such as "auto".
    at_least, above, at_most, below
        Bounds of a number.
    form, has_form
        The required form of a text in words, and a function that checks it.
    check
        A function that raises if this machine cannot use the value.
    default_text
        Description of the default, if the value does not explain itself.
    metavar
        Placeholder of the value in the help of the command line.
    """

    default: Any
    kind: type
    help: str
    choices: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    at_least: float | None = None
    above: float | None = None
    at_most: float | None = None
    below: float | None = None
    form: str = ""
    has_form: Callable[[str], bool] | None = None
    check: Callable[[Any], object] | None = None
    default_text: str = ""
    metavar: str = ""

    @property
    def bounds(self) -> str:
        """The bounds in words: "above 0 and at most 1"."""
        found = {
            "at least": self.at_least,
            "above": self.above,
            "at most": self.at_most,
            "below": self.below,
        }
        return " and ".join(
            f"{words} {_number(bound)}" for words, bound in found.items() if bound is not None
        )

    @property
    def wanted(self) -> str:
        """The valid values, in words."""
        if self.choices:
            parts = [f"one of {', '.join(map(repr, self.choices))}"]
        else:
            parts = [self.form or KINDS[self.kind], *([self.bounds] if self.bounds else [])]
        return ", or ".join([", ".join(parts), *map(repr, self.words)])

    def allows(self, value: Any) -> bool:
        """Whether a value is valid."""
        if value is None:
            return self.default is None
        if isinstance(value, str):
            return self._allows_text(value)
        if self.kind is bool or isinstance(value, bool):
            return self.kind is bool and isinstance(value, bool)
        if self.kind is str or not isinstance(value, Integral if self.kind is int else Real):
            return False
        try:
            number = float(value)
        except OverflowError:  # a whole number beyond all floats
            return False
        return math.isfinite(number) and self._is_within_bounds(number)

    def require(self, name: str, value: Any, owner: str) -> None:
        """Raise unless the value is valid.

        Raises
        ------
        ParameterError
            If it is not. The message names the parameter, its owner, the valid values and the
            value.
        """
        if not self.allows(value):
            raise ParameterError(
                f"The `{name}` parameter of {owner} must be {self.wanted}. Got {value!r} instead."
            )
        if self.check is not None:
            self.check(value)

    def parse(self, text: str) -> Any:
        """Convert a text to a value.

        Raises
        ------
        ValueError
            If the text is no value of this type.
        """
        if text in self.words or self.kind is str:
            return text
        if self.kind is not bool:
            return self.kind(text)
        if text not in ("true", "false"):
            raise ValueError("expected true or false")
        return text == "true"

    def _allows_text(self, value: str) -> bool:
        if value in self.words:
            return True
        if self.choices:
            return value in self.choices
        return self.kind is str and (self.has_form is None or self.has_form(value))

    def _is_within_bounds(self, value: float) -> bool:
        return (
            (self.at_least is None or value >= self.at_least)
            and (self.above is None or value > self.above)
            and (self.at_most is None or value <= self.at_most)
            and (self.below is None or value < self.below)
        )


def parameter(
    default: Any = attrs.NOTHING, *, help: str, kind: type | None = None, **more: Any
) -> Any:
    """Declare a parameter of a class made by ``attrs.frozen``.

    ``kind`` defaults to the type of the default; ``more`` are fields of ``Parameter``.
    """
    return field_of(Parameter(default=default, kind=kind or type(default), help=help, **more))


def field_of(declared: Parameter) -> Any:
    """The attrs field of a declaration that several classes share."""
    return attrs.field(
        default=declared.default, converter=_plain, validator=_validate, metadata={_KEY: declared}
    )


def seed_parameter(help: str = "Seed of the random numbers.", below: int | None = None) -> Any:
    """Declare the seed of the random numbers."""
    return parameter(0, at_least=0, below=below, help=help)


def parameters_of(kind: type) -> dict[str, Parameter]:
    """The declarations of a class by name, those of its base classes first.

    A parameter that a class declares again keeps its place.
    """
    bases = [base for base in reversed(kind.__mro__) if attrs.has(base)]
    names = dict.fromkeys(field.name for base in bases for field in attrs.fields(base))
    found = attrs.fields_dict(kind)
    return {name: found[name].metadata[_KEY] for name in names if _KEY in found[name].metadata}


def declaration(field: Any) -> Parameter:
    """The declaration in a field that ``parameter`` returned."""
    found: Parameter = field.metadata[_KEY]
    return found


def owner_of(kind: type) -> str:
    """The name of a class in messages: its ``role`` if it has one, otherwise its ``name``."""
    return str(getattr(kind, "role", None) or getattr(kind, "name", kind.__name__))


def from_mapping(
    kind: type[Declaring], values: Mapping[str, Any], *, without: Collection[str] = ()
) -> Declaring:
    """Create an object from a TOML table.

    Parameters
    ----------
    kind
        The class.
    values
        Its parameters by name.
    without
        Parameters that the table must not set.

    Raises
    ------
    LexalignError
        If a name is unknown, or a value is not valid.
    """
    known = [name for name in parameters_of(kind) if name not in without]
    for name in values:
        if name not in known:
            raise unknown(f"parameter of {owner_of(kind)}", name, known)
    return kind(**values)


def parse_settings(kind: type, texts: Iterable[str]) -> dict[str, Any]:
    """Parse texts of the form NAME=VALUE into a dictionary.

    A dash in a name stands for an underscore.

    Raises
    ------
    ParameterError
        If a name is unknown, or a value has another type.
    """
    known, found = parameters_of(kind), dict[str, Any]()
    for text in texts:
        name, equals, value = text.partition("=")
        name = name.replace("-", "_")
        if not equals or name not in known:
            names = ", ".join(known)
            raise ParameterError(
                f"{text}: write NAME=VALUE with a parameter of {owner_of(kind)}: {names}."
            )
        try:
            found[name] = known[name].parse(value)
        except ValueError as error:
            wanted = "true or false" if known[name].kind is bool else known[name].wanted
            raise ParameterError(f"{text}: {value!r} is not {wanted}.") from error
    return found


def unknown(what: str, got: str, names: Iterable[str]) -> LexalignError:
    """The error about an unknown name, with the closest known name."""
    known = sorted(names)
    close = get_close_matches(got, known, n=1)
    meant = f"perhaps it is {close[0]!r}" if close else f"choose one of {', '.join(known)}"
    return LexalignError(f"There is no {what} called {got!r}; {meant}.")


def reference_table(declared: Mapping[str, Parameter]) -> str:
    """A Markdown table of these parameters, for the documentation."""
    lines = ["| parameter | type | default | bounds | meaning |", "|---|---|---|---|---|"]
    for name, one in declared.items():
        values = ", ".join(f"`{choice}`" for choice in one.choices) or one.kind.__name__
        values = ", ".join([values, *(f"`{word}`" for word in one.words)])
        default = "required" if one.default is attrs.NOTHING else f"`{one.default!r}`"
        cells = (f"`{name}`", values, one.default_text or default, one.bounds, one.help)
        lines.append(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |")
    return "\n".join(lines) + "\n"


def _plain(value: Any) -> Any:
    """Convert a NumPy scalar to a Python number, which JSON can hold."""
    is_scalar = hasattr(value, "item") and getattr(value, "shape", None) == ()
    return value.item() if is_scalar else value


def _validate(instance: Any, field: Any, value: Any) -> None:
    field.metadata[_KEY].require(field.name, value, owner_of(type(instance)))


def _number(bound: float) -> str:
    return str(bound) if isinstance(bound, int) else f"{bound:g}"
