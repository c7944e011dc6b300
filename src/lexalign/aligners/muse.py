"""MUSE: a map that deceives a discriminator, then rounds of the pairs that it finds."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from lexalign.aligners.adversary import Adversary, require_torch
from lexalign.aligners.aligner import Aligner, Learned
from lexalign.aligners.criterion import matching_similarity
from lexalign.aligners.pairs import NO_SEEDS, Pairs
from lexalign.aligners.rounds import CRITERION_WORDS, Round, best_round
from lexalign.errors import InputError, LexalignError
from lexalign.files import atomic_file, require_writable
from lexalign.procrustes.orthogonal import polish
from lexalign.progress import Progress
from lexalign.spaces.arrays import require_device

DECAY = 0.98
SMALLEST_RATE = 1e-6
FORMAT = "lexalign-muse-checkpoint-1"

logger = logging.getLogger("lexalign")


@dataclass
class Training:
    """What is known between two epochs: all of it goes into a checkpoint.

    ``best`` is the rotation of the best epoch, float64; ``history`` has one entry an epoch, from
    epoch 0, the identity, on.
    """

    adversary: Adversary
    rate: float
    best: np.ndarray
    drops: int = 0
    history: list[dict[str, Any]] = field(default_factory=list)

    @property
    def epoch(self) -> int:
        """How many epochs are done; -1 before the identity has been judged."""
        return len(self.history) - 1

    def note(self, rotation: np.ndarray, criterion: float, loss: float | None = None) -> None:
        """Enter an epoch, keep its rotation if it is the best, and set the rate of the next one."""
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

    def save(self, path: Path, settings: Mapping[str, Any]) -> None:
        """Write all of it as one safetensors file, atomically."""
        from safetensors.numpy import save

        facts = {
            "format": FORMAT,
            "settings": settings,
            "rate": self.rate,
            "drops": self.drops,
            "history": self.history,
        }
        tensors = {**self.adversary.state(), "best": self.best}
        with atomic_file(path, overwrite=True) as temporary:
            temporary.write_bytes(save(tensors, {"lexalign": json.dumps(facts)}))

    def resume(self, path: Path, settings: Mapping[str, Any]) -> None:
        """Go on from a file that ``save`` wrote with the same settings, and from no other."""
        from safetensors import SafetensorError, safe_open

        try:
            with safe_open(path, framework="numpy") as file:
                facts = json.loads((file.metadata() or {}).get("lexalign", "{}"))
                tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
            if facts.get("format") != FORMAT:
                raise ValueError(f"its format is {facts.get('format')!r}, not {FORMAT!r}")
            _require_same(facts["settings"], settings, path)
            self.adversary.restore(tensors)
            self.best, self.rate = tensors["best"], facts["rate"]
            self.drops, self.history = facts["drops"], facts["history"]
        except (AttributeError, SafetensorError, KeyError, TypeError, ValueError) as error:
            raise InputError(
                f"this is not a checkpoint of muse ({error})",
                path=path,
                remedy="name another file, or one that is not there yet",
            ) from error
        logger.info("adversarial training goes on from %s, epoch %d", path, self.epoch)


@dataclass(frozen=True, kw_only=True)
class Muse(Aligner):
    """Learn a rotation without any seeds: deceive a discriminator, then refine.

    A discriminator D, two layers of ``hidden`` units, learns to tell mapped source words from
    target words, and the map M, from the identity on, learns to make them look the same:

        min over M, max over D of  mean log D(xM) + mean log(1 − D(z))

    by stochastic gradient descent over the ``vocabulary`` most frequent words of each side, with
    ``discriminator_steps`` updates of D for each of M, ``batch`` words of either side at a time,
    and M ← (1 + β)M − βMMᵀM after each (``beta``). An epoch shows M ``epoch_size`` words. After it
    ``learning_rate`` decays by 2 %, and is halved whenever the criterion is below its best, but for
    the first time. That criterion is the mean cosine of the best matches by CSLS, with so many
    ``neighbours``, under the rotation nearest to M; M itself can raise it by flattening the space.
    It chooses among the ``epochs``. Then, ``rounds`` times, a rotation is fitted to the mutual
    pairs among the ``max_rank`` most frequent words, and the round that is best by the criterion is
    the result; without rounds, the rotation of the best epoch.

    With a ``checkpoint``, the name of a file, every epoch is kept there until all is done, and
    training goes on from it if it exists.

    Source: Conneau, Lample, Ranzato, Denoyer & Jégou 2018.
    """

    name: ClassVar[str] = "muse"
    citation: ClassVar[str] = (
        "Alexis Conneau, Guillaume Lample, Marc'Aurelio Ranzato, Ludovic Denoyer and Hervé Jégou. "
        "2018. Word Translation Without Parallel Data. ICLR 2018."
    )

    epochs: int = 5
    epoch_size: int = 1_000_000
    hidden: int = 2048
    learning_rate: float = 0.1
    batch: int = 32
    discriminator_steps: int = 5
    vocabulary: int = 75_000
    beta: float = 0.001
    rounds: int = 5
    neighbours: int = 10
    max_rank: int = 15_000
    device: str = "cpu"
    checkpoint: str = ""

    def __post_init__(self) -> None:
        """Refuse parameters that lead nowhere."""
        super().__post_init__()
        for name in (
            *("epochs", "epoch_size", "hidden", "batch", "discriminator_steps"),
            *("vocabulary", "neighbours", "max_rank"),
        ):
            if getattr(self, name) < 1:
                raise LexalignError(
                    f"The '{name}' of muse must be at least 1. Got {getattr(self, name)} instead."
                )
        if self.rounds < 0:
            raise LexalignError(f"The 'rounds' must not be negative. Got {self.rounds} instead.")
        if not SMALLEST_RATE <= self.learning_rate < np.inf:
            raise LexalignError(
                f"The 'learning_rate' of muse must be finite and at least {SMALLEST_RATE}. "
                f"Got {self.learning_rate} instead."
            )
        if not 0 <= self.beta <= 0.5:
            raise LexalignError(
                f"The 'beta' of muse must be between 0 and 0.5. Got {self.beta} instead."
            )
        require_device(self.device)

    @property
    def needs_lexicon(self) -> bool:
        """Never."""
        return False

    @property
    def draws_random_numbers(self) -> bool:
        """The first weights, the words of every batch, and the dropout."""
        return True

    def learn(
        self, source: np.ndarray, target: np.ndarray, seeds: Pairs, progress: Progress
    ) -> Learned:
        """Train, refine, and remove the checkpoint, if there is one."""
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
        if self.checkpoint:
            Path(self.checkpoint).unlink(missing_ok=True)
        return Learned(best.matrix, None, best.pairs, (*training.history, *rounds))

    def _train(self, source: np.ndarray, target: np.ndarray, progress: Progress) -> Training:
        """The epochs, from the checkpoint on if there is one."""
        steps, path = -(-self.epoch_size // self.batch), Path(self.checkpoint)
        adversary = Adversary(
            source[: self.vocabulary],
            target[: self.vocabulary],
            hidden=self.hidden,
            batch=self.batch,
            discriminator_steps=self.discriminator_steps,
            beta=self.beta,
            seed=self.seed,
            device=self.device,
        )
        training = Training(adversary, self.learning_rate, np.eye(source.shape[1]))
        with progress.stage("adversarial training") as advance:
            if self.checkpoint:
                settings = self._settings(source, target)
                require_writable(path, overwrite=True)
                if path.exists():
                    training.resume(path, settings)
                    advance(training.epoch * steps * self.batch)
            if not training.history:
                training.note(training.best, self._criterion(source, target, training.best))
            while training.epoch < self.epochs and training.rate >= SMALLEST_RATE:
                loss = adversary.train(steps, training.rate, advance)
                rotation = polish(adversary.map.astype(np.float64))
                training.note(rotation, self._criterion(source, target, rotation), loss)
                if self.checkpoint:
                    training.save(path, settings)
        return training

    def _criterion(self, source: np.ndarray, target: np.ndarray, matrix: np.ndarray) -> float:
        mapped = source[:CRITERION_WORDS] @ matrix.astype(np.float32)
        return matching_similarity(
            mapped, target, words=CRITERION_WORDS, neighbours=self.neighbours, device=self.device
        )

    def _settings(self, source: np.ndarray, target: np.ndarray) -> dict[str, Any]:
        """What a checkpoint must have been made with: parameters of the training, and the data."""
        later = {"rounds", "max_rank", "loss", "checkpoint"}
        return {
            **{name: value for name, value in asdict(self).items() if name not in later},
            "source vectors": _fingerprint(source),
            "target vectors": _fingerprint(target),
        }


def _fingerprint(matrix: np.ndarray) -> str:
    shape = " × ".join(map(str, matrix.shape))
    return f"{shape} {sha256(np.ascontiguousarray(matrix).reshape(-1).data).hexdigest()[:16]}"


def _require_same(kept: Mapping[str, Any], wanted: Mapping[str, Any], path: Path) -> None:
    """Refuse a checkpoint that was made with other settings, and say which."""
    for name, value in wanted.items():
        if kept[name] != value:
            raise InputError(
                f"this checkpoint of muse was made with {name} {kept[name]}, not {value}",
                path=path,
                remedy="repeat that run, delete the file to start anew, or name another",
            )
