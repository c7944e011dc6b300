"""From two monolingual spaces to a dictionary: choose a method, learn to rank, calibrate."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import attrs
import numpy as np

from lexalign.aligners.alignment import Alignment
from lexalign.aligners.pairs import Pairs, known_seeds
from lexalign.arrays import device_parameter
from lexalign.induction.cross_fitting import SeedFolds
from lexalign.induction.dictionary import Dictionary
from lexalign.induction.induced_translation import TRANSLATIONS, InducedTranslation
from lexalign.induction.language_pair import LanguagePair
from lexalign.induction.methods import METHOD_NAMES, named_method
from lexalign.induction.ranker import Boosting
from lexalign.induction.ranking_model import learn_ranking
from lexalign.induction.selection import Choice, Selection
from lexalign.induction.view import ViewMaps
from lexalign.parameters import parameter, seed_parameter
from lexalign.progress import Progress
from lexalign.spaces import NormalisedSpace, normalise, require_one_space
from lexalign.spaces.normalise import normalise_parameter
from lexalign.spaces.side import matrix_product
from lexalign.vectors import Embeddings, Lexicon, require_embeddings
from lexalign.vectors.case_folding import case_parameter

AUTO = "auto"
RANKINGS = (AUTO, "learned", "csls")


@attrs.frozen(kw_only=True)
class Inducer:
    """Induce a dictionary from two monolingual spaces and a seed lexicon.

    1. Choose an aligner by cross-validation on the seeds (see ``induction.selection``), and fit it
       to all of them.
    2. Take candidates from several views and from spelling, and learn from the seeds to rank them
       (see ``induction.features`` and ``induction.cross_fitting``).
    3. Calibrate the scores, so that every translation has the probability that it is right.

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
        help="auto: choose by cross-validation on the seeds; otherwise a method to align by.",
    )
    ranking: str = parameter(
        AUTO,
        choices=RANKINGS,
        help="What orders the candidates. auto: a learned ranking if it beats CSLS on held-out "
        "seeds.",
    )
    budget: float = parameter(
        150.0, above=0, help="Seconds for the choice of a method, at most about."
    )
    folds: int = parameter(3, at_least=2, help="Number of folds of the seed words.")
    both_directions: bool = parameter(True, help="Learn to rank from target to source too.")
    limit: int = parameter(
        50_000, at_least=100, help="Learn from this number of most frequent words per side."
    )
    normalise: str = normalise_parameter("unit,centre,unit")
    case: str = case_parameter()
    seed: int = seed_parameter("Seed of folds and trees.", below=2**31)
    device: str = device_parameter()
    boosting: Boosting = attrs.field(factory=Boosting)

    def fit(
        self,
        source: Embeddings,
        target: Embeddings,
        lexicon: Lexicon,
        progress: Progress | None = None,
    ) -> InducedTranslation:
        """Learn to translate.

        Parameters
        ----------
        source, target : Embeddings, shapes (n, d) and (m, d)
            Two monolingual spaces, most frequent words first.
        lexicon : Lexicon
            The seed lexicon.
        progress : Progress, optional
            Receives the stages of the work.

        Returns
        -------
        InducedTranslation
            Translates words, and whole vocabularies.

        Raises
        ------
        InputError
            If the two sides know no pair of the lexicon, or have different dimensions.
        LexalignError
            If no method can be fitted to the seeds.
        """
        require_embeddings(source, target)
        require_one_space(source, target)
        progress = progress or Progress()
        spaces = tuple(normalise(side.top(self.limit), self.normalise) for side in (source, target))
        one, other = spaces[0].words, spaces[1].words
        seeds = known_seeds(one, other, lexicon, self.case)
        folds = SeedFolds.drawn(np.unique(seeds.rows, axis=0), self.folds, self.seed)
        choice = self._choose(one.matrix, other.matrix, folds, progress)
        aligned = self._align(choice, spaces, seeds, progress)
        whole = _matrices(aligned)
        tried = choice.fold_maps()

        def chosen(fold: int | None) -> ViewMaps:
            if fold is None:
                return whole
            if len(tried) == folds.count:
                return tried[fold]
            return choice.method.fit(one.matrix, other.matrix, Pairs(folds.known(fold)))

        pair = LanguagePair(one, other, self.device)
        model = learn_ranking(
            pair,
            folds,
            chosen,
            attrs.evolve(self.boosting, seed=self.seed),
            ranking=self.ranking,
            both=self.both_directions,
            progress=progress,
        )
        if max(len(source), len(target)) > self.limit:
            one, other = map(_normalised_like, spaces, (source, target))
            pair = LanguagePair(one, other, self.device)
        return InducedTranslation(pair, choice, aligned, model, whole, seeds, progress)

    def _choose(
        self, source: np.ndarray, target: np.ndarray, folds: SeedFolds, progress: Progress
    ) -> Choice:
        """The given method, or the best on held-out seeds."""
        if self.method != AUTO:
            method = named_method(self.method, self.device, self.seed)
            return Choice(method, reason=f"{method.name} was given.")
        selection = Selection(budget=self.budget, seed=self.seed)
        return selection.choose(source, target, folds, device=self.device, progress=progress)

    def _align(
        self,
        choice: Choice,
        spaces: tuple[NormalisedSpace, ...],
        seeds: Pairs,
        progress: Progress,
    ) -> Alignment:
        """The chosen method, fitted to all seeds."""
        source, target = spaces
        lexicon = seeds.lexicon(source.words, target.words)
        aligned = choice.method.aligner.fit_normalised(source, target, lexicon, progress)
        if choice.method.refiner is None:
            return aligned
        refined = choice.method.refiner.fit(aligned.source, aligned.target)
        return replace(refined, map=aligned.map.followed_by(refined.map))


def induce(
    source: Embeddings,
    target: Embeddings,
    lexicon: Lexicon,
    *,
    top: int = TRANSLATIONS,
    max_rank: int | None = None,
    min_probability: float = 0.0,
    progress: Progress | None = None,
    **parameters: Any,
) -> Dictionary:
    """Induce a dictionary from two monolingual spaces and a seed lexicon.

    Parameters
    ----------
    source, target : Embeddings, shapes (n, d) and (m, d)
        Two monolingual spaces, most frequent words first.
    lexicon : Lexicon
        The seed lexicon.
    top : int
        Number of translations a word.
    max_rank : int, optional
        Translate only this number of most frequent source words.
    min_probability : float
        Leave out translations that are less likely to be right.
    progress : Progress, optional
        Receives the stages of the work.
    **parameters
        Parameters of ``Inducer``, such as ``method="vecmap"``. See docs/parameters.md.

    Returns
    -------
    Dictionary
        Translations with the probability that they are right.

    Raises
    ------
    InputError
        If the two sides know no pair of the lexicon, or have different dimensions.
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
    """All words, normalised as the frequent ones were."""
    if len(whole) == len(space.words):
        return space.words
    return whole.with_matrix(space.normalisation.apply(whole.matrix))


def _matrices(aligned: Alignment) -> ViewMaps:
    """The maps of an alignment as one matrix a side, whatever is normalised in between."""
    source, target = (
        matrix_product(*(stage.matrix for stage in side.stages))
        for side in (aligned.map.source, aligned.map.target)
    )
    return ViewMaps(source, target)
