"""From two monolingual spaces to a dictionary: choose a method, learn to rank, calibrate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar

import attrs
import numpy as np

from lexalign.aligners.alignment import Alignment
from lexalign.aligners.pairs import Pairs, known_seeds
from lexalign.arrays import device_parameter
from lexalign.errors import LexalignError
from lexalign.induction.cross_fitting import SeedFolds
from lexalign.induction.dictionary import Dictionary
from lexalign.induction.language_pair import LanguagePair
from lexalign.induction.learned_ranking import LearnedRanking, RankedCandidates
from lexalign.induction.methods import named_method
from lexalign.induction.ranker import Boosting
from lexalign.induction.ranking_model import RankingModel, learn_ranking
from lexalign.induction.selection import Choice, Selection
from lexalign.induction.view import ViewMaps
from lexalign.parameters import parameter, seed_parameter
from lexalign.progress import Progress
from lexalign.spaces import NormalisedSpace, normalise, require_one_space
from lexalign.spaces.normalise import normalise_parameter
from lexalign.vectors import Embeddings, Lexicon, require_embeddings
from lexalign.vectors.case_folding import case_parameter

AUTO = "auto"
RANKINGS = (AUTO, "learned", "csls")
TRANSLATIONS = 5


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
    >>> induced.predict(["house", "xyzzy"])
    ['haus', None]
    """

    role: ClassVar[str] = "induction"

    method: str = parameter(
        AUTO, help="auto: choose by cross-validation on the seeds; otherwise a method to align by."
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
        whole = _matrices(aligned, choice)
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
        return InducedTranslation(self, pair, choice, aligned, model, whole, seeds, progress)

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


@attrs.frozen(eq=False, slots=False)
class InducedTranslation:
    """What ``Inducer.fit`` returns: translates words with probabilities.

    Attributes
    ----------
    choice : Choice
        The chosen aligner, and what else was tried.
    alignment : Alignment
        By the chosen aligner.
    model : RankingModel
        The rankers of both directions.
    """

    inducer: Inducer
    pair: LanguagePair
    choice: Choice
    alignment: Alignment
    model: RankingModel
    maps: ViewMaps
    seeds: Pairs
    progress: Progress

    @cached_property
    def rankings(self) -> dict[str, LearnedRanking]:
        """The ranking of each direction: "forward", and "backward" if it was learned."""
        return self.model.on(self.pair)

    def predict(self, words: Sequence[str]) -> list[str | None]:
        """The best translation of every word, None for an unknown one."""
        found = dict(self.translate(words, top=1).pairs)
        return [found.get(word) for word in words]

    def translate(
        self, words: Sequence[str], *, top: int = TRANSLATIONS, direction: str = "forward"
    ) -> Dictionary:
        """The translations of some words; unknown ones are left out."""
        index = self._side(direction).index
        rows = [index[word] for word in dict.fromkeys(words) if word in index]
        return self._dictionary(np.array(rows, dtype=np.int64), top, direction)

    def dictionary(
        self,
        *,
        top: int = TRANSLATIONS,
        max_rank: int | None = None,
        direction: str = "forward",
        min_probability: float = 0.0,
    ) -> Dictionary:
        """The translations of all words, or of the ``max_rank`` most frequent ones.

        Parameters
        ----------
        top : int
            Number of translations a word.
        max_rank : int, optional
            Translate only this number of most frequent words.
        direction : {"forward", "backward"}
            From source to target, or back.
        min_probability : float
            Leave out translations that are less likely to be right.
        """
        count = len(self._side(direction))
        rows = np.arange(min(count, max_rank or count))
        found = self._dictionary(rows, top, direction)
        return found.at_least(min_probability) if min_probability > 0 else found

    def _dictionary(self, rows: np.ndarray, top: int, direction: str) -> Dictionary:
        with self.progress.stage("ranking") as advance:
            found = self.rankings[direction].rank(rows, top, advance)
        return named_dictionary(
            found, self._side(direction), self._side(_OTHER[direction]), self.record
        )

    def _side(self, direction: str) -> Embeddings:
        if direction not in self.model.directions and direction != _OTHER["forward"]:
            known = tuple(self.model.directions)
            raise LexalignError(f"The `direction` must be one of {known}. Got {direction!r}.")
        return self.pair.source if direction == "forward" else self.pair.target

    @property
    def seed_lexicon(self) -> Lexicon:
        """The seeds that have vectors, as the vocabularies spell them."""
        return self.seeds.lexicon(self.pair.source, self.pair.target)

    @property
    def record(self) -> dict[str, Any]:
        """How the dictionary came about, JSON-ready."""
        return {
            "seeds": len(self.seeds),
            "choice": self.choice.as_dict(),
            "ranking": {
                name: {"kind": model.kind, **model.record}
                for name, model in self.model.directions.items()
            },
        }


_OTHER = {"forward": "backward", "backward": "forward"}


def named_dictionary(
    found: RankedCandidates,
    source: Embeddings,
    target: Embeddings,
    record: dict[str, Any] | None = None,
) -> Dictionary:
    """Ranked rows as words."""
    return Dictionary(
        tuple(source.words[row] for row in found.rows.tolist()),
        tuple(target.words[key] for key in found.keys.tolist()),
        found.probabilities,
        found.places,
        record,
    )


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
    >>> found.translate("house")[0][0]
    'haus'
    """
    induced = Inducer(**parameters).fit(source, target, lexicon, progress)
    return induced.dictionary(top=top, max_rank=max_rank, min_probability=min_probability)


def _normalised_like(space: NormalisedSpace, whole: Embeddings) -> Embeddings:
    """All words, normalised as the frequent ones were."""
    if len(whole) == len(space.words):
        return space.words
    return whole.with_matrix(space.normalisation.apply(whole.matrix))


def _matrices(aligned: Alignment, choice: Choice) -> ViewMaps:
    """The maps of an alignment as one matrix a side."""
    matrices = [
        None
        if not (found := [stage.matrix for stage in side.stages if stage.matrix is not None])
        else np.linalg.multi_dot(found)
        if len(found) > 1
        else found[0]
        for side in (aligned.map.source, aligned.map.target)
    ]
    return ViewMaps(*matrices)
