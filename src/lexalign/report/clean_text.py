"""Text for a page: words of a vocabulary may hold anything, also what a page must not hold."""

from __future__ import annotations

import re

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
