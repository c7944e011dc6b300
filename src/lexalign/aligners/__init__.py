"""Aligners: from two monolingual spaces, with seeds or without, to one space."""

from __future__ import annotations

from typing import Any

from lexalign.aligners.aligner import Aligner
from lexalign.aligners.alignment import Alignment
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
    aligner.name: aligner for aligner in (Procrustes, ProcB, Rcsls, Dlv, VecMap, Muse, Icp, Gwa)
}
"""Every aligner by its name; the command line, the tests and the documentation go by this list."""

__all__ = [
    "ALIGNERS",
    "SEEDS",
    "Aligner",
    "Alignment",
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
    """Align by the method of this name; the keyword arguments are those of its class.

    ``lexicon`` holds the seeds, or is "identical" or "numerals" for words spelled the same;
    unsupervised methods take none. ``restarts``, ``fallback`` and ``strict`` say what to do about
    a bad start or a bad end, see ``lexalign.aligners.retries``.
    """
    if name not in ALIGNERS:
        raise LexalignError(f"The aligner must be one of {tuple(ALIGNERS)}. Got {name!r} instead.")
    retries = Retries(restarts=restarts, fallback=fallback, strict=strict)
    aligner = ALIGNERS[name](**parameters)
    require_embeddings(source, target)
    seeds = seed_lexicon(lexicon, source, target) if isinstance(lexicon, str) else lexicon
    one, other = (normalise(side, aligner.normalise) for side in (source, target))
    return retries.fit(aligner, one, other, seeds)
