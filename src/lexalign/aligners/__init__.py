"""Aligners: methods that map two monolingual spaces into one, with or without seeds."""

from __future__ import annotations

from typing import Any

from lexalign.aligners.aligner import Aligner
from lexalign.aligners.alignment import Alignment
from lexalign.aligners.contrastive import Contrastive
from lexalign.aligners.dlv import Dlv
from lexalign.aligners.gwa import Gwa
from lexalign.aligners.icp import Icp
from lexalign.aligners.muse import Muse
from lexalign.aligners.pairs import SEEDS, seed_lexicon
from lexalign.aligners.pivot import fit_to_pivot
from lexalign.aligners.procb import ProcB
from lexalign.aligners.procrustes import Procrustes
from lexalign.aligners.rcsls import Rcsls
from lexalign.aligners.retries import Retries
from lexalign.aligners.vecmap import VecMap
from lexalign.errors import LexalignError
from lexalign.spaces import normalise
from lexalign.vectors import Embeddings, Lexicon, require_embeddings

ALIGNERS: dict[str, type[Aligner]] = {
    aligner.name: aligner
    for aligner in (Procrustes, ProcB, Rcsls, Dlv, VecMap, Contrastive, Muse, Icp, Gwa)
}
"""All aligners by name; the command line, the tests and the documentation use this list."""

__all__ = [
    "ALIGNERS",
    "SEEDS",
    "Aligner",
    "Alignment",
    "Contrastive",
    "Dlv",
    "Gwa",
    "Icp",
    "Muse",
    "ProcB",
    "Procrustes",
    "Rcsls",
    "VecMap",
    "align",
    "fit_to_pivot",
    "seed_lexicon",
]


def align(
    name: str,
    source: Embeddings,
    target: Embeddings,
    lexicon: Lexicon | str | None = None,
    *,
    restarts: int = 1,
    fallback: bool = False,
    strict: bool = False,
    **parameters: Any,
) -> Alignment:
    """Align two monolingual embeddings by a named method.

    Parameters
    ----------
    name : str
        A method of ``ALIGNERS``: "procrustes", "procb", "rcsls", "dlv", "vecmap", "contrastive",
        "muse", "icp" or "gwa".
    source, target : Embeddings, shapes (n, d) and (m, d)
        Two monolingual spaces, most frequent words first.
    lexicon : Lexicon or {"identical", "numerals"}, optional
        The seed lexicon, or the identical words or numerals of both sides. Unsupervised methods use
        none. Seeds without vectors are looked up again with case ignored; ``case="as-is"`` leaves
        them out.
    restarts : int
        Number of runs with different seeds of the random numbers. The health check keeps the best.
    fallback : bool
        Whether to try remedies if the two spaces do not match.
    strict : bool
        Whether to raise an error if the two spaces do not match.
    **parameters
        Parameters of the method, such as ``rounds=3`` for "procrustes". See
        docs/reference/parameters.md.

    Returns
    -------
    Alignment
        Both vocabularies in one space, the map, the pairs, and the health check.

    Raises
    ------
    LexalignError
        If the method is unknown, a needed lexicon is missing, or an unsupervised method gets one.
    ParameterError
        If the value of a parameter is not valid.
    InputError
        If no pair of the lexicon has vectors, or the sides have different dimensions.

    Examples
    --------
    >>> import lexalign
    >>> english = lexalign.Embeddings(["dog", "cat", "sun"], [[1, 0], [0, 1], [-1, 0]])
    >>> german = lexalign.Embeddings(["Hund", "Katze", "Sonne"], [[0, 1], [-1, 0], [0, -1]])
    >>> seeds = lexalign.Lexicon([("dog", "Hund"), ("cat", "Katze")])
    >>> aligned = lexalign.align("procrustes", english, german, seeds, normalise="unit")
    >>> aligned.source["sun"].round(1) == aligned.target["Sonne"]
    array([ True,  True])
    """
    if name not in ALIGNERS:
        raise LexalignError(f"The aligner must be one of {tuple(ALIGNERS)}. Got {name!r} instead.")
    retries = Retries(restarts=restarts, fallback=fallback, strict=strict)
    aligner = ALIGNERS[name](**parameters)
    require_embeddings(source, target)
    seeds = seed_lexicon(lexicon, source, target) if isinstance(lexicon, str) else lexicon
    one, other = (normalise(side, aligner.normalise) for side in (source, target))
    return retries.fit(aligner, one, other, seeds)
