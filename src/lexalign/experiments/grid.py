"""A grid: what is run against what, declared in a TOML file.

Vectors × pairs × aligners × refinements × seeds × evaluations. A grid says what is meant ("wiki",
"muse-test"); where that lies on a machine is said by the inputs (see ``experiments.inputs``).
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from difflib import get_close_matches
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeVar

from lexalign.aligners import ALIGNERS
from lexalign.aligners.aligner import Aligner
from lexalign.errors import InputError, LexalignError
from lexalign.evaluate.induction import METRICS
from lexalign.evaluate.protocols import Protocol, named
from lexalign.refinement import Refiner

EVALUATIONS = ("translation", "nli")
GIVEN = "given"
Declared = TypeVar("Declared")


@dataclass(frozen=True)
class Pair:
    """A source and a target language, and the set of vectors that both are taken from."""

    vectors: str
    source: str
    target: str

    def __str__(self) -> str:
        return f"{self.vectors}:{self.source}-{self.target}"

    @property
    def languages(self) -> str:
        """Without the vectors: "en-de"."""
        return f"{self.source}-{self.target}"

    @classmethod
    def parse(cls, text: str, vectors: str) -> Pair:
        """From "en-de", which takes the given vectors, or "news:en-de"."""
        head, _, languages = text.rpartition(":")
        source, dash, target = languages.partition("-")
        if not (dash and source and target) or "-" in target:
            raise LexalignError(
                f"The pair {text!r} is none; write two languages with a dash between them, such "
                "as 'en-de' or, of other vectors, 'news:en-de'."
            )
        return cls(head or vectors, source, target)


@dataclass(frozen=True)
class AlignerChoice:
    """A row of the table: a method with its parameters, and the lexicon of its seeds.

    With ``joint`` it aligns what joint training left apart, as Joint-Align does. The method "given"
    takes vectors that another program has aligned, under the name ``aligned`` of the inputs. Unless
    ``refine`` is false, the rows with refinements follow.
    """

    label: str
    method: str
    aligned: str = ""
    lexicon: str | None = None
    joint: bool = False
    refine: bool = True
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_given(self) -> bool:
        """Whether another program did the work."""
        return self.method == GIVEN

    def require_sense(self) -> None:
        """Refuse before long work what cannot be run after it."""
        if not self.is_given:
            self.aligner(seed=0)
        elif not self.aligned or self.joint or self.lexicon or self.parameters:
            raise LexalignError(
                f"The method '{GIVEN}' of {self.label!r} needs 'aligned', the name of its vectors "
                "among the inputs, and nothing else."
            )

    def aligner(self, seed: int, device: str = "cpu") -> Aligner:
        """The method, ready to run; the device matters to those that can use one."""
        kind = ALIGNERS.get(self.method)
        if kind is None:
            raise LexalignError(_unknown("method", self.method, (*ALIGNERS, GIVEN)))
        known = {parameter.name for parameter in fields(kind)} - {"seed", "checkpoint"}
        for name in self.parameters:
            if name not in known:
                raise LexalignError(_unknown(f"parameter of {self.method}", name, known))
        more = {"device": device} if "device" in known else {}
        aligner = kind(**{**more, **self.parameters, "seed": seed})
        aligner.require_supervision(given=self.lexicon is not None)
        return aligner


@dataclass(frozen=True)
class Refinement:
    """What follows the alignment: refinement with these parameters."""

    label: str
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def refiner(self, device: str = "cpu") -> Refiner:
        """The refiner, ready to run."""
        known = {parameter.name for parameter in fields(Refiner)}
        for name in self.parameters:
            if name not in known:
                raise LexalignError(_unknown("parameter of refinement", name, known))
        return Refiner(**{"device": device, **self.parameters})


@dataclass(frozen=True)
class Evaluation:
    """How a space is measured: by translation on a ``lexicon``, or by natural language inference.

    ``parameters`` are rules that overrule those of the ``protocol`` of translation, or settings of
    the learner of inference, whose sets are named ``train``, ``dev`` and ``test``.
    """

    kind: str = "translation"
    lexicon: str = ""
    protocol: str = "muse"
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @property
    def rules(self) -> Protocol:
        """The protocol with its rules overruled."""
        return named(self.protocol).but(**self.parameters)


@dataclass(frozen=True)
class Training:
    """How joint vectors are trained; the parameters are those of ``Trainer``."""

    parameters: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Grid:
    """One table of results.

    ``pairs`` are its columns, ``aligners`` its rows, each followed by those with its
    ``refinements``. ``metric`` is what the table shows of the evaluation. Of all vectors the
    ``limit`` most frequent words count, and words and lexicons are put into lower case if
    ``lowercase``. ``published`` has the figures of a publication, by the label of the row and the
    pair, in percent.
    """

    name: str
    title: str
    vectors: str
    pairs: tuple[Pair, ...]
    aligners: tuple[AlignerChoice, ...]
    evaluation: Evaluation
    metric: str
    refinements: tuple[Refinement, ...] = ()
    seeds: tuple[int, ...] = (0, 1, 2)
    limit: int = 200_000
    lowercase: bool = True
    training: Training = field(default_factory=Training)
    source: str = ""
    published: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    @classmethod
    def read(cls, name: str | Path) -> Grid:
        """A grid that ships with Lexalign, by its name, or one in a file."""
        text, path = _text(name)
        try:
            return _grid(path.stem, tomllib.loads(text))
        except tomllib.TOMLDecodeError as error:
            raise InputError(
                f"it is not TOML ({error})", path=path, remedy="correct that line"
            ) from error
        except InputError:
            raise
        except LexalignError as error:
            raise InputError(str(error).removesuffix("."), path=path) from error


def shipped() -> tuple[str, ...]:
    """The names of the grids that ship with Lexalign."""
    folder = files("lexalign.experiments") / "grids"
    return tuple(sorted(Path(file.name).stem for file in folder.iterdir()))


def _text(name: str | Path) -> tuple[str, Path]:
    path = Path(name)
    if str(name) in shipped():
        file = files("lexalign.experiments") / "grids" / f"{name}.toml"
        return file.read_text("utf-8"), Path(f"{name}.toml")
    try:
        return path.read_text("utf-8"), path
    except OSError as error:
        raise InputError(
            f"there is no such grid ({error.strerror})",
            path=path,
            remedy=f"name a file, or one of these: {', '.join(shipped())}",
        ) from error
    except UnicodeDecodeError as error:
        raise InputError("it is not UTF-8", path=path, remedy="save it as UTF-8") from error


def _grid(name: str, content: dict[str, Any]) -> Grid:
    vectors = str(content.get("vectors", ""))
    readers: dict[str, Callable[[Any], Any]] = {
        "pairs": lambda value: tuple(Pair.parse(str(pair), vectors) for pair in value),
        "aligners": lambda value: tuple(
            declared(AlignerChoice, row, "aligner", "parameters") for row in value
        ),
        "refinements": lambda value: tuple(
            declared(Refinement, row, "refinement", "parameters") for row in value
        ),
        "evaluation": lambda value: declared(Evaluation, value, "evaluation", "parameters"),
        "training": lambda value: Training(dict(value)),
        "seeds": lambda value: tuple(int(seed) for seed in value),
    }
    try:
        values = {key: readers.get(key, _as_it_is)(value) for key, value in content.items()}
    except (TypeError, ValueError, AttributeError) as error:
        raise LexalignError(f"A value has the wrong type ({error}).") from error
    grid = declared(Grid, {"name": name, **values}, "grid")
    _require_sense(grid)
    return grid


def _as_it_is(value: Any) -> Any:
    return value


def declared(
    kind: type[Declared], content: Mapping[str, Any], what: str, rest: str = ""
) -> Declared:
    """A dataclass from a table of TOML; keys that it does not know go into the field ``rest``.

    Without one they are refused, as is a missing key.
    """
    known = {entry.name: entry for entry in fields(kind)}  # type: ignore[arg-type]
    given = {key: value for key, value in content.items() if key in known and key != rest}
    more = {key: value for key, value in content.items() if key not in given}
    if more and not rest:
        raise LexalignError(_unknown(f"key of a {what}", next(iter(more)), known))
    for key, entry in known.items():
        required = entry.default is MISSING and entry.default_factory is MISSING
        if required and key not in given:
            raise LexalignError(f"The {what} has no '{key}'; add it.")
        wanted = {"str": str, "int": int, "bool": bool}.get(str(entry.type))
        if key in given and wanted is not None and type(given[key]) is not wanted:
            raise LexalignError(
                f"The '{key}' of the {what} must be {_IN_WORDS[wanted]}. Got {given[key]!r} "
                "instead."
            )
    return kind(**given, **({rest: more} if rest else {}))


_IN_WORDS = {str: "a text", int: "a whole number", bool: "true or false"}


def _require_sense(grid: Grid) -> None:
    """Refuse before long work what cannot be run after it."""
    for key in ("pairs", "aligners", "seeds"):
        if not getattr(grid, key):
            raise LexalignError(f"The grid has no '{key}'; add one at least.")
    labels = [row.label for row in grid.aligners] + [row.label for row in grid.refinements]
    for label in labels:
        if labels.count(label) > 1:
            raise LexalignError(f"The label {label!r} appears twice; name the rows differently.")
    for choice in grid.aligners:
        choice.require_sense()
    for refinement in grid.refinements:
        refinement.refiner()
    _require_evaluation(grid.evaluation, grid.metric)


def _require_evaluation(evaluation: Evaluation, metric: str) -> None:
    if evaluation.kind not in EVALUATIONS:
        raise LexalignError(_unknown("kind of evaluation", evaluation.kind, EVALUATIONS))
    metrics = METRICS if evaluation.kind == "translation" else ("accuracy",)
    if metric not in metrics:
        raise LexalignError(_unknown("metric", metric, metrics))
    if evaluation.kind == "nli":
        from lexalign.evaluate.nli.learner import Learner

        known = {parameter.name for parameter in fields(Learner)} - {"seed", "device"}
        for name in evaluation.parameters:
            if name not in known:
                raise LexalignError(_unknown("parameter of the learner", name, known))
        Learner(**evaluation.parameters)
        return
    if not evaluation.lexicon:
        raise LexalignError("The evaluation by translation has no 'lexicon'; name one.")
    _ = evaluation.rules


def _unknown(what: str, got: str, known: Iterable[str]) -> str:
    names = sorted(known)
    close = get_close_matches(got, names, n=1)
    meant = f"perhaps {close[0]!r} is meant" if close else f"it is one of {', '.join(names)}"
    return f"There is no {what} called {got!r}; {meant}."
