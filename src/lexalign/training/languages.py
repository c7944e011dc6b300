"""The languages of a text, from a sample of its passages."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from lexalign.errors import InputError, MissingExtraError
from lexalign.libraries import load
from lexalign.parameters import Parameter
from lexalign.progress import Progress, Stage
from lexalign.training.language_names import language_code, language_name, names_language

LANGUAGE = Parameter(
    default="auto",
    kind=str,
    form="auto, none, or the code or English name of a language, such as de",
    has_form=lambda text: text in ("auto", "none") or names_language(text),
    metavar="CODE",
    help="Expected language of the text; auto detects it, none skips the check.",
)

SWITCHED_OFF = "switched off"

LEAST_CONFIDENCE = 0.5
"""Below this confidence, the language of a passage is undetermined."""

LARGEST_DOUBT = 0.3
LARGEST_DOUBT_IN_MIXTURE = 0.1
"""Maximum share of undetermined words for a known language. If no language has half of the words,
the second, smaller limit counts.
"""

LEAST_SHARE = 0.02
LEAST_PASSAGES = 10
"""A second language is reported if it has this share of the words in a sample of this size. It must
also have half as many words as are undetermined, because these indicate errors.
"""

REFUSED_BELOW = 0.05
REFUSED_DOUBT = 0.1
REFUSED_PASSAGES = 50
"""Text is an error if the expected language has less than this share of the words, at most this
share is undetermined, and the sample has this size.
"""

_CLOSE = (
    ("an", "es", "ext", "gl"),
    ("bs", "hr", "sr"),
    ("da", "nn", "no"),
    ("id", "ms"),
    ("wuu", "yue", "zh"),
)
"""Languages that 20 words can hardly distinguish; each group counts as one."""


@dataclass(frozen=True)
class LanguageShares:
    """The languages of a sample of passages.

    Parameters
    ----------
    shares : dict of str to float
        The share of the words of the sample in each language, by code, largest first. The other
        words are ``undetermined``.
    passages : int
        The size of the sample.
    expected : str
        The code of the expected language, "" if unknown.
    examples : dict of str to str
        A passage of each language.
    reason : str
        Why the check was skipped; "" if it ran.
    is_known : bool
        Whether the expected language, if given, can be identified.
    """

    shares: dict[str, float] = field(default_factory=dict)
    passages: int = 0
    expected: str = ""
    examples: dict[str, str] = field(default_factory=dict)
    reason: str = ""
    is_known: bool = True

    @property
    def is_off(self) -> bool:
        """Whether the user switched the check off."""
        return self.reason == SWITCHED_OFF

    @property
    def undetermined(self) -> float:
        """The share of words in passages of unclear language."""
        return max(0.0, 1.0 - sum(self.shares.values())) if self.passages else 0.0

    @property
    def main(self) -> str:
        """The expected language, otherwise that of more than half of the words; "" if none."""
        if self.expected:
            return self.expected
        first = next(iter(self.shares), "")
        return first if self._share_of(first) > 0.5 else ""

    @property
    def is_unclear(self) -> bool:
        """Whether the text may be in an unknown language."""
        first = next(iter(self.shares), "")
        has_main = self._share_of(first) > 0.5
        return self.undetermined > (LARGEST_DOUBT if has_main else LARGEST_DOUBT_IN_MIXTURE)

    def findings(self, without: Collection[str] = ()) -> list[str]:
        """Sentences about text in another language, except the languages in ``without``."""
        if self.reason or self.passages < LEAST_PASSAGES:
            return []
        if self.expected and self.is_known and self._share_of(self.expected) < 0.5:
            share = self._share_of(self.expected)
            part = f"only {percent_of(share)}" if share else "no part"
            return [
                f"{part} of this text looks {language_name(self.expected)} ({self._seen()}); the "
                f"sample is {self._summary()}"
            ]
        if not self.main and self.is_unclear:
            return []
        if not self.main:
            return [f"this text is a mixture of languages: {self._summary()} ({self._seen()})"]
        least = max(LEAST_SHARE, self.undetermined / 2)
        of = f"{language_name(self.main)} " if self.is_known else ""
        home = self._home()
        return [
            f"{percent_of(share)} of this {of}text looks {language_name(code)} "
            f"({self._seen()}, such as {self.examples[code]!r})"
            for code, share in self.shares.items()
            if code not in home and code not in without and share >= least
        ]

    def statement(self) -> str:
        """The languages of the text, in words."""
        if self.reason:
            return f"not checked: {self.reason}"
        if not self.is_known:
            return (
                f"{language_name(self.expected)} cannot be identified; "
                f"the text looks {self._summary()} ({self._seen()})"
            )
        if self.is_unclear:
            return (
                f"unclear, perhaps none of the {len(known_languages())} known languages; "
                f"{self._summary()} ({self._seen()})"
            )
        return f"{self._summary()} ({self._seen()})"

    def require_expected(self) -> None:
        """Raise if the text is clearly not in the expected language.

        Raises
        ------
        InputError
            If less than 5 % of the words look like the expected language, and at most 10 % are
            undetermined. This needs 50 passages.
        """
        if not self.expected or not self.is_known or self.passages < REFUSED_PASSAGES:
            return
        if self._share_of(self.expected) < REFUSED_BELOW and self.undetermined <= REFUSED_DOUBT:
            raise InputError(
                f"this text is hardly {language_name(self.expected)}: the sample is "
                f"{self._summary()}",
                remedy="use text of that language, or set the language to none",
            )

    def as_dict(self) -> dict[str, Any]:
        """The shares and the size of the sample, for records."""
        if self.reason:
            return {"checked": False, "reason": self.reason, "expected": self.expected}
        return {
            "checked": True,
            "expected": self.expected,
            "main": self.main,
            "shares": {code: round(share, 4) for code, share in self.shares.items()},
            "undetermined": round(self.undetermined, 4),
            "passages": self.passages,
        }

    def _home(self) -> tuple[str, ...]:
        """The main language, or the largest one, with its close languages."""
        main = self.main if self.is_known else next(iter(self.shares), "")
        return _close_to(main)

    def _share_of(self, code: str) -> float:
        """The share of a language and its close languages."""
        return sum(self.shares.get(other, 0.0) for other in _close_to(code))

    def _seen(self) -> str:
        return f"sample of {self.passages:,} passage{'s' if self.passages != 1 else ''}"

    def _summary(self) -> str:
        """The largest shares in words."""
        parts = [
            f"{percent_of(share)} {language_name(code)}"
            for code, share in list(self.shares.items())[:3]
            if share >= 0.005
        ]
        if self.undetermined >= 0.005 or not parts:
            parts.append(f"{percent_of(self.undetermined)} undetermined")
        return ", ".join(parts)


def identify(
    passages: Sequence[str], language: str = "auto", progress: Progress | None = None
) -> LanguageShares:
    """Identify the language of every passage.

    Parameters
    ----------
    passages : sequence of str
        Words with blanks between them.
    language : str
        The code or name of the expected language, "auto" or "none".
    progress : Progress, optional
        Receives the stage of the work.

    Returns
    -------
    LanguageShares
        The shares; or a ``reason`` without shares if the check is off or its library is missing.

    Examples
    --------
    >>> identify(["the house stands at the end of a long street"] * 50).main
    'en'
    """
    expected = "" if language in ("auto", "none") else language_code(language)
    if language == "none":
        return LanguageShares(reason=SWITCHED_OFF)
    try:
        with (progress or Progress()).stage(
            "identifying languages", total=len(passages), unit="passages"
        ) as stage:
            return _shares(passages, expected, _identifier(), stage)
    except MissingExtraError as error:
        return LanguageShares(expected=expected, reason=str(error).rstrip("."))
    except OSError as error:  # py3langid unpacks its model into a temporary file
        reason = f"The language check cannot write a temporary file ({error})"
        return LanguageShares(expected=expected, reason=reason)


def _shares(
    passages: Sequence[str], expected: str, identifier: Any, stage: Stage
) -> LanguageShares:
    """The languages of the passages by an identifier of py3langid."""
    total, words = 0, defaultdict[str, int](int)
    best = dict[str, tuple[float, str]]()
    for passage in passages:
        code, confidence = _language_of(identifier.rank(passage))
        size = passage.count(" ") + 1
        total += size
        if confidence >= LEAST_CONFIDENCE:
            words[code] += size
            best[code] = max(best.get(code, (0.0, "")), (confidence * min(size, 8), passage))
        stage(1)
    order = sorted(words, key=lambda code: (-words[code], code))
    return LanguageShares(
        shares={code: words[code] / total for code in order},
        passages=len(passages),
        expected=expected,
        examples={code: example_of(best[code][1]) for code in order},
        is_known=not expected or expected in identifier.labels,
    )


def _language_of(ranking: Sequence[tuple[str, float]]) -> tuple[str, float]:
    """The best language, with the summed confidence of it and its close languages."""
    best = ranking[0][0]
    close = _close_to(best)
    return best, sum(confidence for code, confidence in ranking if code in close)


def known_languages() -> frozenset[str]:
    """The codes of all languages that can be identified."""
    return frozenset(_identifier().labels)


@cache
def _identifier() -> Any:
    """The identifier of py3langid, with confidences between 0 and 1."""
    module = load("py3langid.langid", feature="The language check", extra="train")
    return module.LanguageIdentifier.from_model_file(module.MODEL_FILE, norm_probs=True)


def _close_to(code: str) -> tuple[str, ...]:
    return next((group for group in _CLOSE if code in group), (code,))


def example_of(passage: str) -> str:
    """The beginning of a passage, printable."""
    text = "".join(letter if letter.isprintable() else " " for letter in passage)
    return text if len(text) <= 40 else text[:40].rsplit(" ", 1)[0] + " …"


def percent_of(share: float) -> str:
    """A share in words, with a decimal if it is small."""
    return f"{100 * share:.0f} %" if share >= 0.095 or share == 0 else f"{100 * share:.1f} %"
