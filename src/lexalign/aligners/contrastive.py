"""Contrastive tuning: both maps learn to separate translations from their near neighbours.

Examples
--------
>>> import lexalign
>>> from lexalign.demo import demo_embeddings, demo_lexicon
>>> english, german = (demo_embeddings(language).top(2000) for language in ("en", "de"))
>>> aligned = lexalign.align(
...     "contrastive", english, german, demo_lexicon("seeds"), rounds=1, steps=4, held_out=0
... )
>>> [(entry["start"], entry["round"]) for entry in aligned.history]
[('procb', 0), ('procb', 1)]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import islice
from typing import Any, ClassVar, NamedTuple

import attrs
import numpy as np

from lexalign.aligners.aligner import Aligner, Fit, require_enough_words
from lexalign.aligners.held_out_seeds import HeldOutScore, frequent_pairs, held_out_score, split
from lexalign.aligners.infonce import Descent, Maps, unit_mapped
from lexalign.aligners.pairs import Pairs
from lexalign.aligners.procb import ProcB
from lexalign.aligners.symmetric_maps import symmetric_maps
from lexalign.arrays import Array, device_parameter, to_device, to_numpy
from lexalign.errors import LexalignError, ParameterError
from lexalign.parameters import parameter
from lexalign.progress import Advance, Progress
from lexalign.retrieval import mutual_pairs
from lexalign.retrieval.penalties import neighbours_parameter

STARTS = ("auto", "procb", "seeds")
FEWEST_HELD_OUT = 10
"""With fewer held-out seeds, the score decides nothing."""


class TunedMaps(NamedTuple):
    """The maps after a round, their pairs, and the loss of the last batch.

    The ``loss`` is None in round 0.
    """

    maps: Maps
    pairs: Pairs
    loss: float | None

    def entry(self, start: str, number: int) -> dict[str, Any]:
        """The entry of the history."""
        figures = {"start": start, "round": number, "pairs": len(self.pairs)}
        return figures if self.loss is None else {**figures, "loss": self.loss}


@attrs.frozen(kw_only=True)
class Contrastive(Aligner):
    """Tune the symmetric maps of VecMap by InfoNCE with hard negatives, while held-out seeds
    improve.

    Round 0 fits the symmetric maps of VecMap (``reweight``) to the pairs of the ``start``. "seeds"
    uses only the seeds. "procb" first fits the maps to the dictionary of Proc-B, then to the seeds
    and the mutual CSLS pairs of these maps. Each round takes ``steps`` of gradient descent on the
    InfoNCE loss of its pairs (see ``lexalign.aligners.infonce``). The mutual CSLS pairs of the
    tuned maps among the ``vocabulary`` most frequent words then join the seeds. The next round
    starts from the symmetric maps of these pairs.

    Tuning helps some language pairs and hurts others. A share of the seeds is therefore
    ``held_out`` by source word. At most ``rounds`` rounds run while the mean reciprocal rank (CSLS)
    of the held-out words rises. The best round can be round 0. The start "auto" is the one with the
    higher final score. The chosen rounds then run with all seeds. With ``held_out=0``, all rounds
    run, and "auto" means "procb".

    The gradient for linear maps is written out, so tuning on the CPU needs no torch.

    Differences from stage C1 of the source: vectors are centred, and Proc-B can provide the start.
    Held-out seeds choose the number of rounds. Several steps share a batch of pairs and its
    negatives. A low temperature needs fewer steps.

    Source: Li, Liu, Collier, Korhonen & Vulić 2022.
    """

    name: ClassVar[str] = "contrastive"
    summary: ClassVar[str] = "Tune the maps of VecMap by a contrastive loss."
    citation: ClassVar[str] = (
        "Yaoyiran Li, Fangyu Liu, Nigel Collier, Anna Korhonen and Ivan Vulić. 2022. Improving "
        "Word Translation via Two-Stage Contrastive Learning. ACL 2022."
    )

    start: str = parameter(
        "auto",
        choices=STARTS,
        help="First pairs: seeds, dictionary of Proc-B, or the better one on held-out seeds.",
    )
    rounds: int = parameter(2, at_least=0, help="Maximum number of tuning rounds.")
    held_out: float = parameter(
        0.2,
        at_least=0,
        at_most=0.5,
        help="Share of the seeds that chooses start and rounds; 0: run all rounds.",
    )
    steps: int = parameter(20, at_least=1, help="Number of gradient steps per round.")
    learning_rate: float = parameter(2.0, above=0, help="Step length.")
    clip: float = parameter(0.15, above=0, help="Maximum norm of a gradient.")
    temperature: float = parameter(0.05, above=0, help="Temperature of the InfoNCE loss.")
    negatives: int = parameter(
        40, at_least=1, help="Number of hard negatives for each word of a pair."
    )
    batch: int = parameter(1500, at_least=1, help="Maximum number of pairs per step.")
    refresh: int = parameter(
        4, at_least=1, help="Number of steps with the same pairs and negatives."
    )
    reweight: float = parameter(
        0.5,
        at_least=0,
        help="Exponent of the correlations that weight the dimensions of the start.",
    )
    vocabulary: int = parameter(
        20_000,
        at_least=1,
        help="Search pairs and negatives among this number of most frequent words per side.",
    )
    neighbours: int = neighbours_parameter()
    device: str = device_parameter()

    def __attrs_post_init__(self) -> None:
        """Validate parameters that depend on each other."""
        require_enough_words(self, self.neighbours, vocabulary=self.vocabulary)
        if self.loss != "l2":
            raise ParameterError(
                f'The symmetric maps of contrastive need `loss="l2"`. Got {self.loss!r} instead.'
            )
        if self.unequal == "rectangular":
            raise ParameterError(
                "The symmetric maps of contrastive need spaces of equal dimension; set "
                '`unequal="pca"`.'
            )

    @property
    def draws_random_numbers(self) -> bool:
        """The held-out seeds and the pairs of the batches are random."""
        return True

    @property
    def moves_target(self) -> bool:
        """Both sides are mapped."""
        return True

    def learn(
        self, source: np.ndarray, target: np.ndarray, seeds: Pairs, progress: Progress
    ) -> Fit:
        """Choose the start and the number of rounds, then run them with all seeds."""
        history = list[Mapping[str, Any]]()
        start, rounds = "procb" if self.start == "auto" else self.start, self.rounds
        if self.held_out > 0:
            fitted, held_out = split(seeds, self.held_out, np.random.default_rng(self.seed))
            held_out = frequent_pairs(held_out, self.vocabulary)
            if len(np.unique(held_out.rows[:, 0])) < FEWEST_HELD_OUT:
                rounds = 0
                history.append({"decision": "stopped after 0 rounds: too few seeds to hold out"})
            else:
                most = self.rounds * self.steps * (2 if self.start == "auto" else 1)
                with progress.stage(
                    "held-out seeds", total=most, unit="steps", certainty="at most"
                ) as advance:
                    rounds_of = HeldOutRounds(self, source, target, fitted, held_out, advance)
                    start, rounds = rounds_of.best()
                history += rounds_of.history
        with progress.stage("aligning", total=rounds * self.steps, unit="steps") as advance:
            found = self.tuned_maps(source, target, seeds, start, advance)
            for number, tuned in enumerate(islice(found, rounds + 1)):
                history.append(tuned.entry(start, number))
        source_matrix, target_matrix = map(to_numpy, tuned.maps)
        return Fit(source_matrix, target_matrix, tuned.pairs, tuple(history))

    def tuned_maps(
        self, source: np.ndarray, target: np.ndarray, seeds: Pairs, start: str, advance: Advance
    ) -> Iterator[TunedMaps]:
        """Yield the maps after round 0, 1, …, starting from the pairs of ``start``; never ends."""
        random = np.random.default_rng(self.seed)
        sides = to_device(source, self.device), to_device(target, self.device)

        def fitted(pairs: Pairs) -> Maps:
            matrices = symmetric_maps(source, target, pairs, self.reweight)
            return Maps(*(to_device(matrix, self.device) for matrix in matrices))

        pairs = seeds
        if start == "procb":
            dictionary = self._grown(source, target, seeds)
            pairs = self._with_mutual(seeds, sides, fitted(dictionary))
        maps = fitted(pairs)
        yield TunedMaps(maps, pairs, None)
        while True:
            maps, loss = self.descent.tune(sides, self.vocabulary, maps, pairs, random, advance)
            yield TunedMaps(maps, pairs, loss)
            pairs = self._with_mutual(seeds, sides, maps)
            maps = fitted(pairs)

    @property
    def descent(self) -> Descent:
        """The gradient steps of a round."""
        return Descent(
            steps=self.steps,
            learning_rate=self.learning_rate,
            temperature=self.temperature,
            negatives=self.negatives,
            batch=self.batch,
            refresh=self.refresh,
            clip=self.clip,
        )

    def _grown(self, source: np.ndarray, target: np.ndarray, seeds: Pairs) -> Pairs:
        """The seeds, and the pairs that Proc-B adds to the frequent ones."""
        words = self.vocabulary
        frequent = frequent_pairs(seeds, words)
        if len(frequent) == 0:
            return seeds
        grown = ProcB(variant="once").learn(source[:words], target[:words], frequent, Progress())
        return joined(seeds, grown.pairs.rows)

    def _with_mutual(self, seeds: Pairs, sides: tuple[Array, Array], maps: Maps) -> Pairs:
        """The seeds, and the mutual CSLS pairs of the frequent words under the maps."""
        words = self.vocabulary
        frequent = (
            unit_mapped(side[:words], matrix) for side, matrix in zip(sides, maps, strict=True)
        )
        found = mutual_pairs(*frequent, neighbours=self.neighbours, max_rank=words)
        return joined(seeds, found.pairs)


class HeldOutRounds:
    """Rounds that are fitted to some seeds and scored on the ``held_out`` seeds."""

    def __init__(
        self,
        aligner: Contrastive,
        source: np.ndarray,
        target: np.ndarray,
        fitted: Pairs,
        held_out: Pairs,
        advance: Advance,
    ) -> None:
        self.history = list[Mapping[str, Any]]()
        self._aligner, self._held_out = aligner, held_out
        self._rounds = partial(aligner.tuned_maps, source, target, fitted, advance=advance)
        self._sides = tuple(
            to_device(side[: aligner.vocabulary], aligner.device) for side in (source, target)
        )

    def best(self) -> tuple[str, int]:
        """The start and the number of rounds with the best score on held-out seeds."""
        names = ("procb", "seeds") if self._aligner.start == "auto" else (self._aligner.start,)
        found, failures = dict[str, tuple[HeldOutScore, int]](), list[LexalignError]()
        for name in names:
            try:
                found[name] = self._followed(name)
            except LexalignError as error:
                failures.append(error)
        if not found:
            raise failures[0]
        start = max(found, key=lambda name: found[name][0])
        rounds = found[start][1]
        self.history.append({"start": start, "decision": _decision(rounds, self._aligner.rounds)})
        return start, rounds

    def _followed(self, start: str) -> tuple[HeldOutScore, int]:
        """The best score from this start, and its round."""
        rounds = self._rounds(start=start)
        best, last = self._score(start, 0, next(rounds)), 0
        for number in range(1, self._aligner.rounds + 1):
            score = self._score(start, number, next(rounds))
            if score <= best:
                break
            best, last = score, number
        return best, last

    def _score(self, start: str, number: int, tuned: TunedMaps) -> HeldOutScore:
        source, target = (unit_mapped(*one) for one in zip(self._sides, tuned.maps, strict=True))
        score = held_out_score(source, target, self._held_out, self._aligner.neighbours)
        figures = {"held_out_mrr": score.mrr, "held_out_precision": score.precision}
        self.history.append({**tuned.entry(start, number), **figures})
        return score


def joined(seeds: Pairs, found: np.ndarray) -> Pairs:
    """The seeds, then the found pairs that share no word with the seeds.

    If seeds have weights, each found pair gets their mean.
    """
    shares_word = [np.isin(found[:, side], seeds.rows[:, side]) for side in (0, 1)]
    new = found[~(shares_word[0] | shares_word[1])]
    weights = seeds.weights
    if weights is not None:
        weights = np.concatenate((weights, np.full(len(new), weights.mean())))
    return Pairs(np.concatenate((seeds.rows, new)), weights)


def _decision(rounds: int, most: int) -> str:
    if rounds == most:
        return f"all {rounds} rounds improve held-out seeds"
    if rounds == 0:
        return "stopped after 0 rounds: tuning does not improve held-out seeds"
    return f"stopped after {rounds} rounds: another round does not improve held-out seeds"
