"""More than two languages: all of them in the space of one, the pivot."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from lexalign.aligners.aligner import Aligner
from lexalign.aligners.alignment import Alignment
from lexalign.aligners.pairs import seed_lexicon
from lexalign.errors import InputError, LexalignError
from lexalign.vectors import Embeddings, Lexicon
from lexalign.vectors.lexicon_indices import DirectionError


def fit_to_pivot(
    aligner: Aligner,
    languages: Mapping[str, Embeddings],
    pivot: str,
    lexicons: Mapping[str, Lexicon | str] | None = None,
) -> dict[str, Alignment]:
    """Align every language to the language ``pivot``; returned by name, without the pivot.

    ``lexicons`` has the seeds of each other language, from it to the pivot, or "identical" or
    "numerals"; unsupervised methods take none. All alignments have the same target, so any two of
    their sources lie in one space.
    """
    require_pivot(aligner, languages, pivot)
    target, alignments = languages[pivot], dict[str, Alignment]()
    for name, source in languages.items():
        if name == pivot:
            continue
        seeds = (lexicons or {}).get(name)
        if isinstance(seeds, str):
            seeds = seed_lexicon(seeds, source, target)
        with exchanged_remedy(f"give the lexicon of {name!r} as lexicon.swapped()"):
            alignments[name] = aligner.fit(source, target, seeds)
        require_untouched_pivot(alignments[name], name)
    return alignments


def require_pivot(aligner: Aligner, languages: Mapping[str, Any], pivot: str) -> None:
    """Raise if the pivot is not one of the languages, or the method would move it."""
    if pivot not in languages or len(languages) < 2:
        raise LexalignError(
            f"The `pivot` must be one of at least two languages. Got {pivot!r} among "
            f"{tuple(languages)} instead."
        )
    if aligner.moves_target:
        rotation = 'set `final="rotation"`, or ' if "final" in aligner.parameters else ""
        raise LexalignError(
            f"The method {aligner.name} with these parameters moves the target, but a pivot must "
            f"not move; {rotation}choose another method."
        )


def require_untouched_pivot(found: Alignment, name: str) -> None:
    """Raise if the pivot would lose dimensions to fit a smaller language."""
    if found.map.target.matrix is not None:
        raise InputError(
            f"the pivot has more dimensions than {name} and would lose some by pca",
            remedy='set `unequal="rectangular"`, or choose the smallest space as the pivot',
        )


@contextmanager
def exchanged_remedy(remedy: str) -> Iterator[None]:
    """Let the error about a lexicon that has its words exchanged name this remedy."""
    try:
        yield
    except DirectionError as error:
        raise InputError(error.problem, path=error.path, remedy=remedy) from error
