"""Joint-Align: align the words of one language only; shared words keep one vector.

Joint training gives two languages one space because they share words: names, numbers, loanwords. It
does too little for words that only one language has. So these words are aligned like two
monolingual spaces.

A shared word has one vector and takes no part in the fit. The aligned parts meet in the space of
the target part. Shared words are normalised and mapped like the target, so they have the same
vector in both languages. If the target is neither centred nor moved, as in rcsls, only their length
changes.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from lexalign.aligners import Aligner, Alignment
from lexalign.aligners.retries import Retries
from lexalign.progress import Progress
from lexalign.spaces import LinearMap, normalise
from lexalign.spaces.probes import probes_of
from lexalign.training.joint.reallocation import Reallocation
from lexalign.vectors import Embeddings, Lexicon

CITATION = (
    "Zirui Wang, Jiateng Xie, Ruochen Xu, Yiming Yang, Graham Neubig and Jaime Carbonell. 2020. "
    "Cross-lingual Alignment vs Joint Training: A Comparative Study and A Simple Unified "
    "Framework. ICLR 2020."
)
PRESETS = {"ja-muse": "muse", "ja-rcsls": "rcsls"}
"""The published pipelines, and the aligner of each."""

REMEDIES = (
    "another `threshold`, other seeds of the random numbers (`seed`, `restarts`), another "
    "`aligner`, or `fallback=True` to try others"
)


def align_joint(
    joint: Embeddings,
    words: Reallocation,
    aligner: Aligner,
    lexicon: Lexicon | None = None,
    *,
    retries: Retries | None = None,
    progress: Progress | None = None,
) -> Alignment:
    """Align the words that the languages of a jointly trained space do not share, and merge all
    words.

    ``words`` assigns them to languages. Only pairs of the ``lexicon`` count whose words each belong
    to one language. The result has all words of both languages, most frequent words first. Its map
    is for words of one language; ``shared_map`` returns the map of shared words.
    """
    words.require_alignable(lexicon, aligner.case)
    own = [
        normalise(_chosen(joint, joint.matrix, rows), aligner.normalise)
        for rows in (words.own_source, words.own_target)
    ]
    retries = retries or Retries(remedies=REMEDIES)
    aligned = retries.fit(aligner, own[0], own[1], lexicon, progress)
    mapped = np.zeros_like(joint.matrix)
    for rows, side in (
        (words.own_source, aligned.map.source),
        (words.own_target, aligned.map.target),
        (np.flatnonzero(words.shared), aligned.map.target),
    ):
        mapped[rows] = side.apply(joint.matrix[rows])
    steps = (*joint.normalisation, *aligned.map.target.steps)
    return replace(
        aligned,
        map=replace(aligned.map, provenance={**aligned.map.provenance, "words": "own"}),
        source_of=partial(_chosen, joint, mapped, words.source, steps),
        target_of=partial(_chosen, joint, mapped, words.target, steps),
    )


def shared_map(aligned: Alignment, joint: Embeddings, words: Reallocation) -> LinearMap:
    """The map of shared words into the space, equal to the map of the target."""
    rows = np.flatnonzero(words.shared)
    probes = probes_of(_chosen(joint, joint.matrix, rows)) if len(rows) else ()
    side = replace(aligned.map.target, probes=probes)
    return LinearMap(side, side, provenance={**aligned.map.provenance, "words": "shared"})


def _chosen(
    joint: Embeddings, matrix: np.ndarray, rows: np.ndarray, steps: tuple[str, ...] = ()
) -> Embeddings:
    """Some words with their rows of a normalised matrix."""
    return Embeddings([joint.words[row] for row in rows], matrix[rows], normalisation=steps)
