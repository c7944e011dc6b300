"""Induce a dictionary from two monolingual spaces: choose a method, learn to rank, calibrate."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar

import attrs
import numpy as np

from lexalign.aligners.alignment import Alignment
from lexalign.aligners.pairs import NO_SEEDS, SEEDS, Pairs, known_seeds, require_kind
from lexalign.arrays import device_parameter
from lexalign.errors import InputError
from lexalign.induction.dictionary import Dictionary
from lexalign.induction.induced_translation import TRANSLATIONS, InducedTranslation
from lexalign.induction.labels import FEWEST_JUDGES, FEWEST_WORDS, Labels
from lexalign.induction.language_pair import LanguagePair
from lexalign.induction.methods import (
    GIVEN,
    METHOD_NAMES,
    UNSUPERVISED,
    Method,
    maps_of,
    named_method,
)
from lexalign.induction.ranker import Boosting
from lexalign.induction.ranking_model import learn_ranking
from lexalign.induction.selection import Choice, Selection
from lexalign.induction.start import (
    BY_SEEDS,
    Start,
    given_start,
    spelled_alike,
    start_by_health,
    start_from_seeds,
)
from lexalign.induction.view import ViewMaps
from lexalign.parameters import parameter, seed_parameter
from lexalign.progress import Progress
from lexalign.spaces import NormalisedSpace, normalise, require_one_space
from lexalign.spaces.normalise import normalise_parameter
from lexalign.threads import single_threaded_products
from lexalign.vectors import Embeddings, Lexicon, require_embeddings
from lexalign.vectors.case_folding import case_parameter

AUTO = "auto"
FOR_WEAK_LABELS = "procb --variant once --final vecmap"
GROWING = ("procb --final vecmap", "vecmap --preset semi-supervised")
"""The methods to try from identical words, if there are no seeds."""

GIVEN_NORMALISATION = "unit"
MOST_SEEN = 0.1
"""Maximum share of the labels to which a given alignment can be fitted and still be a view."""

RANKINGS = (AUTO, "learned", "csls")


@attrs.frozen(kw_only=True)
class Inducer:
    """Induce a dictionary from two spaces and a seed lexicon, or without one.

    1. Choose an aligner by cross-validation on the seeds (see ``induction.selection``), and fit it
       to all seeds. Without seeds, identical words replace them (see ``induction.start``). With the
       method "given", the two embeddings already share one space.
    2. Collect candidates from several views and from spelling, and learn to rank them from the
       seeds. With fewer than 300 seeds, learn from the mutual pairs of the alignment (see
       ``induction.labels``, ``induction.features`` and ``induction.cross_fitting``).
    3. Calibrate the scores, which gives each translation a probability.

    Examples
    --------
    >>> from lexalign.demo import demo_embeddings, demo_lexicon
    >>> english, german = (demo_embeddings(language).top(2000) for language in ("en", "de"))
    >>> inducer = Inducer(method="procrustes", ranking="csls")
    >>> induced = inducer.fit(english, german, demo_lexicon("seeds"))
    >>> induced.predict(["agriculture", "xyzzy"])
    ['landwirtschaft', None]
    """

    role: ClassVar[str] = "induction"

    method: str = parameter(
        AUTO,
        choices=(AUTO, *METHOD_NAMES),
        metavar="NAME",
        help="auto: choose by cross-validation on the seeds; given: the vectors are already "
        "aligned; or a method with its options, such as 'procb --final vecmap'.",
    )
    ranking: str = parameter(
        AUTO,
        choices=RANKINGS,
        help="Ranking of the candidates. auto: a learned ranking if it beats CSLS on held-out "
        "seeds.",
    )
    budget: float = parameter(
        120.0, above=0, help="Approximate time limit for choosing a method, in seconds."
    )
    folds: int = parameter(3, at_least=2, help="Number of folds of the seed words.")
    both_directions: bool = parameter(True, help="Also learn to rank from target to source.")
    limit: int = parameter(
        50_000,
        at_least=100,
        help="Fit the aligner and the ranking to this number of most frequent words per side.",
    )
    normalise: str = normalise_parameter("unit,centre,unit")
    case: str = case_parameter()
    seed: int = seed_parameter("Random seed of the folds and of the learned ranking.", below=2**31)
    device: str = device_parameter()
    boosting: Boosting = attrs.field(factory=Boosting)

    @single_threaded_products()
    def fit(
        self,
        source: Embeddings,
        target: Embeddings,
        lexicon: Lexicon | str | None = None,
        progress: Progress | None = None,
        *,
        fitted_to: Lexicon | None = None,
    ) -> InducedTranslation:
        """Learn to translate.

        Parameters
        ----------
        source, target : Embeddings, shapes (n, d) and (m, d)
            Two monolingual spaces, most frequent words first.
        lexicon : Lexicon, "identical", "numerals" or None
            The seed lexicon, or the kind of identical words to use as seeds; None tries both kinds.
        progress : Progress, optional
            Receives the stages of the work.
        fitted_to : Lexicon, optional
            With the method "given": the seeds of the alignment. The alignment looks better on them
            than on other words, so the ranker does not use it for them.

        Returns
        -------
        InducedTranslation
            Translates words, and whole vocabularies.

        Raises
        ------
        InputError
            If no pair of the lexicon has vectors, or the sides have different dimensions.
        LexalignError
            If no method can be fitted to the seeds, or the spaces do not match without seeds.
        """
        require_embeddings(source, target)
        require_one_space(source, target)
        if isinstance(lexicon, str):
            require_kind(lexicon)
            if self.method == GIVEN:
                raise InputError(
                    f"the method 'given' cannot use {lexicon!r} as seeds",
                    remedy="give a seed lexicon, or none",
                )
        progress = progress or Progress()
        steps = GIVEN_NORMALISATION if self.method == GIVEN else self.normalise
        spaces = (
            normalise(source.top(self.limit), steps),
            normalise(target.top(self.limit), steps),
        )
        one, other = spaces[0].words, spaces[1].words
        seeds = NO_SEEDS
        if lexicon is not None and not isinstance(lexicon, str):
            seeds = known_seeds(one, other, lexicon, self.case)
        known = NO_SEEDS if not fitted_to else known_seeds(one, other, fitted_to, self.case)
        start = self._start(spaces, seeds, lexicon, known, progress)
        labels = self._labels(start, seeds, one.matrix, other.matrix)
        aligned = start.alignment
        if labels.weak and start.kind != GIVEN:
            aligned = self._refit.align(*spaces, Pairs(labels.folds.seeds), progress)
        pair = LanguagePair(one, other, self.device)
        model = learn_ranking(
            pair,
            labels,
            self._chosen_maps(start, labels, aligned, one.matrix, other.matrix),
            attrs.evolve(self.boosting, seed=self.seed),
            ranking=self.ranking,
            both=self.both_directions,
            progress=progress,
        )
        if max(len(source), len(target)) > self.limit:
            one, other = map(_normalised_like, spaces, (source, target))
            pair = LanguagePair(one, other, self.device)
        return InducedTranslation(pair, start, seeds.joined(start.pairs), aligned, model, progress)

    def _start(
        self,
        spaces: tuple[NormalisedSpace, NormalisedSpace],
        seeds: Pairs,
        lexicon: Lexicon | str | None,
        fitted_to: Pairs,
        progress: Progress,
    ) -> Start:
        """The alignment by the given method, or by the best method on held-out seeds."""

        def choose(pairs: Pairs) -> Choice:
            if self.method != AUTO:
                method = named_method(self.method, self.device, self.seed)
                return Choice(method, reason=f"You chose the method {method.name}.")
            folds = Labels.of_seeds(pairs.rows, self.folds, self.seed).folds
            one, other = (space.words.matrix for space in spaces)
            selection = Selection(budget=self.budget, seed=self.seed)
            return selection.choose(
                one,
                other,
                folds,
                both=self.both_directions,
                device=self.device,
                progress=progress,
            )

        if self.method == GIVEN:
            return given_start(spaces, fitted_to, progress)
        if len(np.unique(seeds.rows[:, 0])) >= FEWEST_JUDGES:
            return start_from_seeds(spaces, seeds, choose, progress)
        named = partial(named_method, device=self.device, seed=self.seed)
        methods = [named(name) for name in GROWING] if self.method == AUTO else [named(self.method)]
        starts = {BY_SEEDS: seeds} if len(seeds) else {}
        if self.method == UNSUPERVISED:
            starts = {}
        else:
            kinds = (lexicon,) if isinstance(lexicon, str) else SEEDS
            starts |= spelled_alike(spaces, kinds, seeds)
        return start_by_health(spaces, starts, methods, named(UNSUPERVISED), progress)

    def _labels(self, start: Start, seeds: Pairs, source: np.ndarray, target: np.ndarray) -> Labels:
        """The seeds, or weak labels if there are few seeds."""
        if len(np.unique(seeds.rows[:, 0])) >= FEWEST_WORDS:
            return Labels.of_seeds(seeds.rows, self.folds, self.seed)
        maps = maps_of(start.alignment)
        return Labels.weak_labels(
            source, target, maps, seeds.rows, self.folds, self.seed, self.device
        )

    @property
    def _refit(self) -> Method:
        """Refit to weak labels."""
        name = FOR_WEAK_LABELS if self.method in (AUTO, UNSUPERVISED) else self.method
        return named_method(name, self.device, self.seed)

    def _chosen_maps(
        self,
        start: Start,
        labels: Labels,
        aligned: Alignment,
        source: np.ndarray,
        target: np.ndarray,
    ) -> Callable[[int | None], ViewMaps | None]:
        """The maps of the alignment, fitted without a fold of the labels, or to all labels for
        None.

        None if there are none: a given alignment was fitted to the labels, or found them.
        """
        if start.kind == GIVEN:
            seen = labels.weak or labels.folds.share_of(start.pairs.rows) > MOST_SEEN
            return lambda fold: None if seen else ViewMaps(None, None)
        method = self._refit if labels.weak else start.choice.method
        tried, whole = start.choice.fold_maps(), maps_of(aligned)

        def chosen(fold: int | None) -> ViewMaps:
            if fold is None:
                return whole
            if not labels.weak and len(tried) == labels.folds.count:
                return tried[fold]
            return method.fit(source, target, Pairs(labels.folds.known(fold)))

        return chosen


def induce(
    source: Embeddings,
    target: Embeddings,
    lexicon: Lexicon | str | None = None,
    *,
    top: int = TRANSLATIONS,
    max_rank: int | None = None,
    min_probability: float = 0.0,
    progress: Progress | None = None,
    **parameters: Any,
) -> Dictionary:
    """Induce a dictionary from two spaces and a seed lexicon, or without one.

    Parameters
    ----------
    source, target : Embeddings, shapes (n, d) and (m, d)
        Two monolingual spaces, most frequent words first; with ``method="given"``, aligned spaces.
    lexicon : Lexicon, "identical", "numerals" or None
        The seed lexicon, or the kind of identical words to use as seeds; None tries both kinds.
    top : int
        Number of translations per word.
    max_rank : int, optional
        Translate only this number of most frequent source words.
    min_probability : float
        Leave out translations with a lower probability.
    progress : Progress, optional
        Receives the stages of the work.
    **parameters
        Parameters of ``Inducer``, such as ``method="vecmap"``. See docs/reference/parameters.md.

    Returns
    -------
    Dictionary
        Translations with the probability that they are right.

    Raises
    ------
    InputError
        If no pair of the lexicon has vectors, or the sides have different dimensions.
    ParameterError
        If the value of a parameter is not valid.

    Examples
    --------
    >>> import lexalign
    >>> from lexalign.demo import demo_embeddings, demo_lexicon
    >>> english, german = (demo_embeddings(language).top(2000) for language in ("en", "de"))
    >>> quick = {"method": "procrustes", "ranking": "csls", "max_rank": 500}
    >>> found = lexalign.induce(english, german, demo_lexicon("seeds"), **quick)
    >>> found.translate("europe")[0][0]
    'europa'
    """
    induced = Inducer(**parameters).fit(source, target, lexicon, progress)
    return induced.dictionary(top=top, max_rank=max_rank, min_probability=min_probability)


def _normalised_like(space: NormalisedSpace, whole: Embeddings) -> Embeddings:
    """All words, normalised like the frequent words."""
    if len(whole) == len(space.words):
        return space.words
    return whole.with_matrix(space.normalisation.apply(whole.matrix))
