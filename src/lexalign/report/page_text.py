"""The text of the page: numbers with units and intervals, and words of any vocabulary.

Words may hold anything, also characters that a page must not hold.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from lexalign.evaluation import Bootstrap

NO_BREAK = "\u00a0"
TO = f"{NO_BREAK}to{NO_BREAK}"
# Control characters, of which NUL is an error in HTML, halves of surrogate pairs, which UTF-8 has
# no bytes for, and two code points that are no characters.
_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
# Characters that turn the direction of the text around them. Templates isolate words, and this
# keeps tooltips and captions, which cannot be isolated, from being turned.
_DIRECTION = re.compile("[\u202a-\u202e\u2066-\u2069]")
REPLACEMENT = "\ufffd"


def clean(text: str) -> str:
    r"""Replace characters that cannot be shown, or that reorder the text around them.

    Examples
    --------
    >>> clean("a\x00b")
    'a�b'
    """
    return _DIRECTION.sub(REPLACEMENT, _UNPRINTABLE.sub(REPLACEMENT, text))


def percent(share: float, digits: int = 1) -> str:
    """A share between 0 and 1 in percent, with its unit: "85.3 %"."""
    return f"{100 * share:.{digits}f}{NO_BREAK}%"


def percent_range(low: float, high: float, digits: int = 1) -> str:
    """Two shares in percent: "83.2 to 87.3 %"; one number if both look the same."""
    one, other = f"{100 * low:.{digits}f}", f"{100 * high:.{digits}f}"
    return f"{one}{TO}{other}{NO_BREAK}%" if one != other else f"{other}{NO_BREAK}%"


def points(share: float) -> str:
    """A difference of shares in points, with its sign: "+0.2", "−1.9", "+0.0"."""
    return f"{round(100 * share, 1) + 0.0:+.1f}".replace("-", "−")


def points_range(gain: Bootstrap) -> str:
    """The interval of a difference in points: "−1.9 to +2.3"."""
    return f"{points(gain.low)}{TO}{points(gain.high)}"


def tone_of(gain: Bootstrap | None) -> str:
    """Return "good" or "bad" if the interval of a difference excludes zero, else nothing."""
    if gain is None:
        return ""
    return "good" if gain.low > 0 else "bad" if gain.high < 0 else ""


def signed(value: float) -> str:
    """Two significant digits with a sign and a true minus."""
    return f"{value:+.2g}".replace("-", "−")


def short(value: float) -> str:
    """Four significant digits, without an exponent where readers expect none."""
    text = f"{value:,.0f}" if 10_000 <= abs(value) < 1e9 else f"{value:.4g}"
    return text.replace("-", "−")


def recorded(value: Any) -> str:
    """Any value of a record."""
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, Mapping):
        return ", ".join(f"{name}: {recorded(part)}" for name, part in value.items())
    return "–" if value is None else str(value)
