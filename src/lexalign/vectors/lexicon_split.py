"""Split a lexicon into a training and a test part."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import attrs
import numpy as np

from lexalign.errors import InputError
from lexalign.parameters import parameter, seed_parameter


@attrs.frozen(kw_only=True)
class LexiconSplit:
    """Draw the source words of the test part at random.

    All pairs of a source word go to the same part, so that no word is in both. Source words that
    differ only in case count as one word, because most protocols ignore case.

    Raises
    ------
    ParameterError
        If a value is not valid.

    Examples
    --------
    >>> pairs = [("dog", "Hund"), ("cat", "Katze"), ("dog", "Rüde"), ("sun", "Sonne")]
    >>> LexiconSplit(test_share=0.4).rows(pairs)
    ([0, 1, 2], [3])
    """

    role: ClassVar[str] = "the split"

    test_share: float = parameter(
        0.2, above=0, below=1, help="Share of the source words in the test part."
    )
    seed: int = seed_parameter()

    def rows(self, pairs: Sequence[tuple[str, str]]) -> tuple[list[int], list[int]]:
        """Return the numbers of the training pairs and of the test pairs, both in order.

        Each part has at least one source word.

        Raises
        ------
        InputError
            If the pairs have fewer than two source words.
        """
        words = list(dict.fromkeys(source.lower() for source, _ in pairs))
        if len(words) < 2:
            raise InputError(
                f"the lexicon has {len(words)} source words, but each part needs at least one",
                remedy="use a larger lexicon",
            )
        count = min(max(round(self.test_share * len(words)), 1), len(words) - 1)
        order = np.random.default_rng(self.seed).permutation(len(words))
        tested = {words[place] for place in order[:count]}
        parts: tuple[list[int], list[int]] = ([], [])
        for row, (source, _) in enumerate(pairs):
            parts[source.lower() in tested].append(row)
        return parts
