"""Evaluation protocols: the counting rules of the tools of the field, by name.

All tools measure bilingual lexicon induction and call it accuracy, but their figures differ for the
same vectors and dictionary. A protocol sets what is counted, how unknown words, case and repeated
words are treated, and how translations are retrieved:

    name         counted       unknown words      case           repeated   retrieval
    muse         source words  dropped            lower          first      csls
    vecmap       source words  dropped            as it is       last       nn
    fasttext     source words  wrong              as it is       first      csls
    joint        source words  wrong, unless      lower lexicon  first      csls
                               spelled the same
    xling        pairs         dropped            lower          first      nn
    fipp         pairs         dropped            lower          first      nn, inner product
    contrastive  source words  dropped            lower          first      csls

Sources: Conneau et al. 2018 (muse), Artetxe et al. 2018 (vecmap), Joulin et al. 2018 (fasttext),
Wang et al. 2020 (joint), Glavaš et al. 2019 (xling), Sachidananda et al. 2021 (fipp), Li et al.
2022 (contrastive).
"""

from __future__ import annotations

from typing import Any, ClassVar

import attrs

from lexalign.errors import LexalignError
from lexalign.parameters import parameter
from lexalign.retrieval.penalties import beta_parameter, neighbours_parameter

_IN_WORDS = {
    "unit": {"word": "counting source words", "pair": "counting pairs"},
    "oov": {
        "drop": "unknown words dropped",
        "wrong": "unknown words wrong",
        "identical": "unknown words wrong unless identical",
    },
    "case": {
        "lower": "lower case",
        "lower-lexicon": "lexicon in lower case",
        "as-is": "case as it is",
    },
    "duplicates": {"first": "first of repeated words", "last": "last of repeated words"},
    "similarity": {"cosine": "cosine", "dot": "inner product"},
    "zero_vectors": {"zero": "zero vectors left", "axis": "zero vectors kept"},
}


@attrs.frozen(kw_only=True)
class Protocol:
    """The rules by which translations are retrieved and counted.

    ``base`` is the name of the original protocol. The rules are:

    - ``unit``: with "word", a source word is right if any of its references is found. With "pair",
      every line of the lexicon counts, including repeated lines.
    - ``oov``: queries with an unknown word are dropped ("drop") or wrong ("wrong"). With
      "identical", such a query is right if word and reference are identical. The denominator is the
      number of known queries for "drop", otherwise the number of all queries.
    - ``case``: change vocabularies and lexicon to lower case ("lower"), only the lexicon
      ("lower-lexicon"), or nothing ("as-is").
    - ``duplicates``: the row of a repeated word. With "first", later rows are dropped. With "last",
      all rows remain candidates.
    - ``retrieval``: "nn", "csls" over ``neighbours``, "invnn", or "invsoftmax" with inverse
      temperature ``beta``; ``similarity`` is "cosine" or "dot". "learned" is the ranking of a run
      that induced a dictionary.
    - ``zero_vectors``: leave them ("zero"), or put them on the first axis as MUSE does ("axis").

    Raises
    ------
    ParameterError
        If the value of a rule is not valid.

    Examples
    --------
    >>> from lexalign.evaluation import PROTOCOLS
    >>> protocol = PROTOCOLS["muse"].but(retrieval="nn")
    >>> protocol.name
    'muse with nn'
    >>> protocol.rules["oov"]
    'drop'
    """

    role: ClassVar[str] = "the protocol"

    base: str
    unit: str = parameter(
        kind=str, choices=("word", "pair"), help="Count test words, or word pairs."
    )
    oov: str = parameter(
        kind=str,
        choices=("drop", "wrong", "identical"),
        help=(
            "Test words without a vector. drop: leave them out; wrong: count them as wrong; "
            "identical: count them as right if the translation has the same spelling."
        ),
    )
    case: str = parameter(
        kind=str,
        choices=("lower", "lower-lexicon", "as-is"),
        help="Change to lower case: everything, only the lexicon, or nothing.",
    )
    duplicates: str = parameter(
        kind=str,
        choices=("first", "last"),
        help="If the vectors repeat a word: use its first or its last row.",
    )
    retrieval: str = parameter(
        kind=str,
        choices=("nn", "csls", "invnn", "invsoftmax", "learned"),
        help="How translations are found: nearest neighbour (nn), CSLS, inverted nearest neighbour "
        "(invnn), inverted softmax, or the learned ranking of a run. docs/explanation/protocols.md "
        "explains each.",
    )
    neighbours: int = neighbours_parameter()
    beta: float = beta_parameter()
    similarity: str = parameter(
        "cosine", choices=("cosine", "dot"), help="Similarity of two vectors in the search."
    )
    zero_vectors: str = parameter(
        "zero",
        choices=("zero", "axis"),
        help="Zero vectors. zero: keep them; axis: replace them by (1, 0, 0, …), like MUSE.",
    )

    @property
    def rules(self) -> dict[str, Any]:
        """Return all rules by name."""
        return {rule: value for rule, value in attrs.asdict(self).items() if rule != "base"}

    @property
    def retrievals(self) -> tuple[str, ...]:
        """Return the retrievals to report side by side.

        The retrieval of the protocol comes first. If it is "nn" or "csls", the other one follows.
        """
        other = {"nn": ("csls",), "csls": ("nn",)}
        return (self.retrieval, *other.get(self.retrieval, ()))

    @property
    def name(self) -> str:
        """Return the base and every changed rule, such as "muse with nn".

        The number of neighbours matters only to CSLS, and ``beta`` only to the inverted softmax.
        """
        base, matters = PROTOCOLS.get(self.base, self), {"neighbours": "csls", "beta": "invsoftmax"}
        differences = [
            _in_words(rule, value)
            for rule, value in self.rules.items()
            if value != base.rules[rule] and matters.get(rule, self.retrieval) == self.retrieval
        ]
        return f"{self.base} with {', '.join(differences)}" if differences else self.base

    def but(self, **rules: Any) -> Protocol:
        """Return this protocol with changed rules.

        Parameters
        ----------
        **rules
            New values by the name of the rule; None keeps the rule.

        Raises
        ------
        LexalignError
            If a rule is unknown or its value is not valid.
        """
        if unknown := set(rules) - set(self.rules):
            raise LexalignError(
                f"A protocol has no rule {sorted(unknown)[0]!r}; the rules are "
                f"{', '.join(self.rules)}."
            )
        given = {rule: value for rule, value in rules.items() if value is not None}
        return attrs.evolve(self, **given)


def named(name: str | Protocol) -> Protocol:
    """The protocol of this name."""
    if isinstance(name, Protocol):
        return name
    if name not in PROTOCOLS:
        raise LexalignError(
            f"The `protocol` must be one of {tuple(PROTOCOLS)}. Got {name!r} instead."
        )
    return PROTOCOLS[name]


def _in_words(rule: str, value: Any) -> str:
    if rule in _IN_WORDS:
        return _IN_WORDS[rule][value]
    if rule == "neighbours":
        return f"{value} neighbours"
    return f"β = {value:g}" if rule == "beta" else str(value)


def _protocol(
    base: str, unit: str, oov: str, case: str, duplicates: str, retrieval: str, **more: Any
) -> Protocol:
    """One line of the table above."""
    return Protocol(
        base=base, unit=unit, oov=oov, case=case, duplicates=duplicates, retrieval=retrieval, **more
    )


PROTOCOLS = {
    known.base: known
    for known in (
        _protocol("muse", "word", "drop", "lower", "first", "csls", zero_vectors="axis"),
        _protocol("vecmap", "word", "drop", "as-is", "last", "nn", beta=1.0),
        _protocol("fasttext", "word", "wrong", "as-is", "first", "csls"),
        _protocol("joint", "word", "identical", "lower-lexicon", "first", "csls"),
        _protocol("xling", "pair", "drop", "lower", "first", "nn"),
        _protocol("fipp", "pair", "drop", "lower", "first", "nn", similarity="dot"),
        _protocol("contrastive", "word", "drop", "lower", "first", "csls"),
    )
}
