"""Several attempts: restarts with other seeds, and remedies if the spaces do not match."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, ClassVar, NamedTuple

import attrs

from lexalign.aligners.aligner import Aligner
from lexalign.aligners.alignment import Alignment
from lexalign.aligners.pairs import seed_lexicon
from lexalign.aligners.vecmap import VecMap
from lexalign.errors import InputError, LexalignError
from lexalign.parameters import parameter
from lexalign.progress import Progress
from lexalign.spaces import NormalisedSpace
from lexalign.vectors import Lexicon

FEWEST_IDENTICAL = 50
CENTRED = "unit,centre,unit"
REMEDIES = (
    'centre the vectors (`normalise="unit,centre,unit"`), use identical words as seeds (vecmap '
    'with `preset="semi-supervised"` and `lexicon="identical"`), try another start (`seed`, '
    "`restarts` or another method), or let `fallback=True` try these"
)


class Attempt(NamedTuple):
    """One attempt: the method, the seeds, and the reason."""

    change: str
    aligner: Aligner
    source: NormalisedSpace
    target: NormalisedSpace
    lexicon: Lexicon | None


@attrs.frozen(kw_only=True)
class Retries:
    """How many attempts, and which.

    ``restarts`` runs use the seeds s, s + 1, …; the best health check wins (see
    ``lexalign.aligners.health``). With ``fallback``, if the spaces do not match, the remedies are
    tried one after the other until one helps. With ``strict``, spaces that do not match are an
    error, which names the ``remedies``.
    """

    role: ClassVar[str] = "align"

    restarts: int = parameter(
        1,
        at_least=1,
        help="Number of runs with different random seeds; the best health check wins.",
    )
    fallback: bool = parameter(
        False,
        help="If the spaces do not match, try centred vectors, then identical words as seeds, then "
        "another initialisation.",
    )
    strict: bool = parameter(False, help="If the spaces do not match, stop with an error.")
    remedies: str = REMEDIES

    def require_sense(self, aligner: Aligner) -> None:
        """Raise if all restarts would give the same result."""
        if self.restarts > 1 and not aligner.draws_random_numbers:
            raise LexalignError(
                f"The method {aligner.name} with these parameters uses no random numbers, so all "
                f"{self.restarts} restarts would give the same result; leave out `restarts`."
            )

    def fit(
        self,
        aligner: Aligner,
        source: NormalisedSpace,
        target: NormalisedSpace,
        lexicon: Lexicon | None = None,
        progress: Progress | None = None,
    ) -> Alignment:
        """The best of all attempts, with the record of all."""
        self.require_sense(aligner)
        best: Alignment | None = None
        records = list[Mapping[str, Any]]()
        for attempt in self._attempts(aligner, source, target, lexicon):
            if attempt.change and _matched(best):
                break
            try:
                found = attempt.aligner.fit_normalised(
                    attempt.source, attempt.target, attempt.lexicon, progress
                )
            except InputError:
                raise
            except LexalignError as error:
                if best is None and not self.fallback and self.restarts == 1:
                    raise
                records.append({**_described(attempt), "error": str(error)})
                continue
            records.append({**_described(attempt), **_figures(found)})
            if best is None or _quality(found) > _quality(best):
                best = found
        if best is None:
            raise LexalignError(f"All attempts failed. The last error: {records[-1]['error']}")
        if self.strict and not _matched(best) and best.health is not None:
            raise LexalignError(f"{best.health.verdict} Remedies: {self.remedies}.")
        return replace(best, attempts=tuple(records))

    def _attempts(
        self,
        aligner: Aligner,
        source: NormalisedSpace,
        target: NormalisedSpace,
        lexicon: Lexicon | None,
    ) -> Iterator[Attempt]:
        """The requested method with all seeds first, then the remedies."""
        for number in range(self.restarts):
            chosen = attrs.evolve(aligner, seed=aligner.seed + number)
            yield Attempt("", chosen, source, target, lexicon)
        if not self.fallback:
            return
        if "centre" not in source.normalisation.steps:
            source, target = (side.normalised_again(CENTRED) for side in (source, target))
            aligner = attrs.evolve(aligner, normalise=CENTRED)
            yield Attempt("centred", aligner, source, target, lexicon)
        vecmap = _vecmap_like(aligner)
        try:
            shared = seed_lexicon("identical", source.words, target.words)
        except InputError:
            shared = Lexicon([])
        if len(shared) >= FEWEST_IDENTICAL:
            learner = attrs.evolve(vecmap, preset="semi-supervised")
            yield Attempt("seeds of identical words", learner, source, target, shared)
        seed = aligner.seed + self.restarts
        unsupervised = attrs.evolve(vecmap, preset="unsupervised", seed=seed)
        yield Attempt("another initialisation", unsupervised, source, target, None)


def _vecmap_like(aligner: Aligner) -> VecMap:
    """Self-learning that moves the target only if the aligner would."""
    if isinstance(aligner, VecMap):
        return aligner
    return VecMap(
        normalise=aligner.normalise,
        loss=aligner.loss,
        unequal=aligner.unequal,
        seed=aligner.seed,
        preset="unsupervised",
        final="symmetric" if aligner.moves_target else "rotation",
        device=getattr(aligner, "device", "cpu"),
    )


def _described(attempt: Attempt) -> dict[str, Any]:
    return {
        "method": attempt.aligner.name,
        "change": attempt.change,
        "seed": attempt.aligner.seed,
    }


def _figures(found: Alignment) -> dict[str, Any]:
    if found.health is None:
        return {"matched": None}
    return {
        "matched": found.health.matched,
        "found_again": found.health.found_again,
        "mean_csls": found.health.mean_csls,
    }


def _matched(found: Alignment | None) -> bool:
    return found is not None and found.health is not None and found.health.matched is not False


def _quality(found: Alignment) -> tuple[bool, float, float]:
    """The criterion that selects among attempts; larger is better."""
    if found.health is None:
        return (True, 0.0, 0.0)
    return (_matched(found), found.health.found_again or 0.0, found.health.mean_csls)
