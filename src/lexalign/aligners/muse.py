"""MUSE: adversarial training of a map, then refits to the mutual pairs."""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass, field
from typing import Any, ClassVar

import attrs
import numpy as np

from lexalign.aligners.adversary import Adversary, require_torch
from lexalign.aligners.aligner import Aligner, Fit
from lexalign.aligners.health import matching_similarity
from lexalign.aligners.pairs import NO_SEEDS, Pairs
from lexalign.aligners.rounds import CRITERION_WORDS, Round, best_round, rounds_parameter
from lexalign.arrays import device_parameter
from lexalign.checkpoint import Checkpoint, State, checkpoint_parameter
from lexalign.parameters import parameter
from lexalign.procrustes.orthogonal import polish
from lexalign.progress import Progress
from lexalign.retrieval.mutual import max_rank_parameter
from lexalign.retrieval.penalties import neighbours_parameter

DECAY = 0.98
SMALLEST_RATE = 1e-6
STEPS_WORTH_A_TRIAL = 1000
SECONDS_WORTH_A_WARNING = 600.0

logger = logging.getLogger("lexalign")


@dataclass
class AdversarialTraining:
    """The state between two epochs; a checkpoint holds all of it.

    ``best`` is the rotation of the best epoch, float64. ``history`` has one entry per epoch; epoch
    0 is the identity.
    """

    adversary: Adversary
    rate: float
    best: np.ndarray
    drops: int = 0
    history: list[dict[str, Any]] = field(default_factory=list)

    @property
    def epoch(self) -> int:
        """The number of finished epochs; -1 before the identity is scored."""
        return len(self.history) - 1

    def note(self, rotation: np.ndarray, criterion: float, loss: float | None = None) -> None:
        """Record an epoch, keep its rotation if it is the best, and set the next learning rate."""
        highest = max((entry["criterion"] for entry in self.history), default=-np.inf)
        self.history.append(
            {
                "epoch": self.epoch + 1,
                "discriminator_loss": loss,
                "criterion": criterion,
                "learning_rate": self.rate,
            }
        )
        logger.info("adversarial training: %s", json.dumps(self.history[-1]))
        if criterion > highest:
            self.best = rotation
        if self.epoch > 0:
            self.rate *= DECAY
            self.drops += criterion < highest
            if criterion < highest and self.drops > 1:
                self.rate /= 2

    def state(self) -> State:
        """The state for a checkpoint."""
        facts = {"rate": self.rate, "drops": self.drops, "history": self.history}
        return State({**self.adversary.state(), "best": self.best}, facts)

    def resume(self, state: State) -> None:
        """Resume from a result of ``state``."""
        arrays, facts = state
        self.adversary.restore(arrays)
        self.best, self.rate = arrays["best"], facts["rate"]
        self.drops, self.history = facts["drops"], facts["history"]


@attrs.frozen(kw_only=True)
class Muse(Aligner):
    """Learn a rotation without seeds: adversarial training, then refits to mutual pairs.

    A discriminator D with two layers of ``hidden`` units learns to separate mapped source words
    from target words. The map M starts as the identity and learns to prevent this:

        min over M, max over D of  mean log D(xM) + mean log(1 − D(z))

    Stochastic gradient descent runs over the ``vocabulary`` most frequent words of each side, with
    ``batch`` words per side. Each update of M follows ``discriminator_steps`` updates of D, and
    ends with M ← (1 + β)M − βMMᵀM (``beta``). An epoch shows ``epoch_size`` words to M. After it,
    ``learning_rate`` decays by 2 %; from the second time that the criterion is below its best, it
    is also halved.

    The criterion is the mean cosine of the best CSLS matches (k = ``neighbours``) under the
    rotation nearest to M. (M itself could raise the criterion by flattening the space.) The epoch
    with the best criterion wins. The rotation is then refitted ``rounds`` times to the mutual pairs
    among the ``max_rank`` most frequent words. The result is the round with the best criterion;
    without rounds, it is the rotation of the best epoch.

    On a CPU, the defaults take hours: 156,250 steps of 10 billion operations each. A warning before
    the work estimates the time from a few steps.

    With a ``checkpoint`` folder, the state is saved after every epoch, and training resumes from
    it.

    Source: Conneau, Lample, Ranzato, Denoyer & Jégou 2018.
    """

    name: ClassVar[str] = "muse"
    summary: ClassVar[str] = "Adversarial training without seeds."
    extra: ClassVar[str] = "torch"
    citation: ClassVar[str] = (
        "Alexis Conneau, Guillaume Lample, Marc'Aurelio Ranzato, Ludovic Denoyer and Hervé Jégou. "
        "2018. Word Translation Without Parallel Data. ICLR 2018."
    )

    epochs: int = parameter(5, at_least=1, help="Maximum number of epochs of training.")
    epoch_size: int = parameter(1_000_000, at_least=1, help="Number of source words per epoch.")
    hidden: int = parameter(
        2048,
        at_least=1,
        help="Number of units in each of the two hidden layers of the discriminator.",
    )
    learning_rate: float = parameter(
        0.1,
        at_least=SMALLEST_RATE,
        help="Initial learning rate; decays every epoch and is halved when the criterion falls.",
    )
    batch: int = parameter(32, at_least=1, help="Number of words per side and step.")
    discriminator_steps: int = parameter(
        5, at_least=1, help="Number of discriminator updates for each update of the map."
    )
    vocabulary: int = parameter(
        75_000, at_least=1, help="Learn from this number of most frequent words per side."
    )
    beta: float = parameter(
        0.001,
        at_least=0,
        at_most=0.5,
        help="Size of the step towards the nearest rotation after each update.",
    )
    rounds: int = rounds_parameter(5)
    neighbours: int = neighbours_parameter()
    max_rank: int = max_rank_parameter(15_000)
    device: str = device_parameter()
    checkpoint: str = checkpoint_parameter()

    @property
    def needs_lexicon(self) -> bool:
        """No lexicon is used."""
        return False

    @property
    def draws_random_numbers(self) -> bool:
        """The initial weights, the batches and the dropout are random."""
        return True

    def learn(
        self, source: np.ndarray, target: np.ndarray, seeds: Pairs, progress: Progress
    ) -> Fit:
        """Train, then refit."""
        require_torch()
        training = self._train(source, target, progress)
        best, rounds = best_round(
            source,
            target,
            Round(training.best, NO_SEEDS),
            rounds=self.rounds,
            loss=self.loss,
            neighbours=self.neighbours,
            max_rank=self.max_rank,
            device=self.device,
            progress=progress,
        )
        return Fit(best.matrix, None, best.pairs, (*training.history, *rounds))

    def _train(
        self, source: np.ndarray, target: np.ndarray, progress: Progress
    ) -> AdversarialTraining:
        """Run the epochs, resuming from the checkpoint if there is one."""
        steps = -(-self.epoch_size // self.batch)
        frequent = source[: self.vocabulary], target[: self.vocabulary]
        adversary = Adversary(
            *frequent,
            hidden=self.hidden,
            batch=self.batch,
            discriminator_steps=self.discriminator_steps,
            beta=self.beta,
            seed=self.seed,
            device=self.device,
        )
        training = AdversarialTraining(adversary, self.learning_rate, np.eye(source.shape[1]))
        checkpoint = Checkpoint.of(self.checkpoint, self.name, self._settings(), *frequent)
        most = self.epochs * steps * self.batch
        with progress.stage(
            "adversarial training", total=most, unit="words", certainty="at most"
        ) as advance:
            kept = checkpoint.load()
            if kept is not None:
                training.resume(kept)
                advance.resume(training.epoch * steps * self.batch)
            self._warn_of_long_work(adversary, (self.epochs - max(0, training.epoch)) * steps)
            if kept is None:
                training.note(training.best, self._criterion(source, target, training.best))
            while training.epoch < self.epochs and training.rate >= SMALLEST_RATE:
                loss = adversary.train(steps, training.rate, advance)
                rotation = polish(adversary.map.astype(np.float64))
                training.note(rotation, self._criterion(source, target, rotation), loss)
                checkpoint.save(training.state())
        return training

    def _warn_of_long_work(self, adversary: Adversary, steps: int) -> None:
        """Warn before the work how long it takes without a GPU, and what to use instead."""
        if self.device != "cpu" or steps < STEPS_WORTH_A_TRIAL:
            return
        seconds = steps * adversary.seconds_a_step()
        if seconds >= SECONDS_WORTH_A_WARNING:
            logger.warning(long_work_sentence(seconds))

    def _criterion(self, source: np.ndarray, target: np.ndarray, matrix: np.ndarray) -> float:
        mapped = source[:CRITERION_WORDS] @ matrix.astype(np.float32)
        return matching_similarity(
            mapped, target, words=CRITERION_WORDS, neighbours=self.neighbours, device=self.device
        )

    def _settings(self) -> dict[str, Any]:
        """The settings that affect training, besides the vectors."""
        later = {"rounds", "max_rank", "loss", "checkpoint"}
        return {name: value for name, value in attrs.asdict(self).items() if name not in later}


def long_work_sentence(seconds: float) -> str:
    """How long training takes, and the alternatives."""
    minutes = round(seconds / 60)
    time = f"{seconds / 3600:.1f} hours" if minutes >= 90 else f"{minutes} minutes"
    return (
        f'muse takes about {time} on this CPU. Set `device="cuda"` if you have a GPU, or align '
        'by vecmap with `preset="unsupervised"`, which takes minutes.'
    )
