"""Train ESIM on pairs of one language.

Training does not change the word vectors, so other vectors of the same space can replace them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import attrs
import numpy as np

from lexalign.arrays import device_parameter
from lexalign.checkpoint import Checkpoint, State
from lexalign.errors import LexalignError
from lexalign.evaluation.nli.encoding import EncodedPairs
from lexalign.evaluation.nli.inference import logits, predict, require_torch, word_table
from lexalign.evaluation.nli.shards import in_shards, shards
from lexalign.parameters import parameter, seed_parameter
from lexalign.progress import Advance, Progress
from lexalign.threads import one_thread_in_torch
from lexalign.vectors import Embeddings

if TYPE_CHECKING:
    import torch

    from lexalign.evaluation.nli.esim import Esim


@dataclass(frozen=True)
class TrainedModel:
    """A model, its settings, and one history entry per epoch."""

    model: Esim
    settings: Mapping[str, Any]
    history: tuple[Mapping[str, Any], ...]

    @property
    def dev_accuracy(self) -> float:
        """The accuracy of the best epoch, whose weights the model has."""
        return max(float(entry["dev_accuracy"]) for entry in self.history)


@attrs.frozen(kw_only=True)
class Learner:
    """The training of ESIM.

    Each layer has ``hidden`` units, with ``dropout`` between layers. Adam runs with learning
    ``rate`` on batches of ``batch`` pairs. The gradient is clipped to norm ``clip``. Training ends
    after ``epochs`` passes, or if the accuracy on the development set does not rise for
    ``patience`` passes. The best weights are kept. On a GPU (``device="cuda"``), all parts except
    the LSTMs use bfloat16. The same ``seed`` on the same machine gives the same model.

    Source: Chen et al. 2017, with the settings of Glavaš et al. 2019 and Peng et al. 2021. Only
    ``batch`` and ``rate`` differ (there 32 and 4e-4), because batches of 32 pairs leave a GPU idle.
    """

    role: ClassVar[str] = "the learner"

    hidden: int = parameter(300, at_least=1, help="Number of units per layer.")
    dropout: float = parameter(
        0.5, at_least=0, below=1, help="Share of units that are dropped in training."
    )
    rate: float = parameter(1e-3, above=0, help="Learning rate of Adam.")
    batch: int = parameter(512, at_least=1, help="Number of pairs in a batch.")
    clip: float = parameter(10.0, above=0, help="Maximum norm of the gradient.")
    epochs: int = parameter(20, at_least=1, help="Maximum number of passes over the pairs.")
    patience: int = parameter(
        3,
        at_least=1,
        help="End after this number of passes without better accuracy on the development set.",
    )
    seed: int = seed_parameter()
    device: str = device_parameter()

    def train(
        self,
        vectors: Embeddings,
        examples: EncodedPairs,
        dev: EncodedPairs,
        progress: Progress | None = None,
        checkpoints: str = "",
    ) -> TrainedModel:
        """Return the model of the epoch with the highest accuracy on ``dev``.

        The folder ``checkpoints`` keeps the state after every epoch, and training resumes from it.
        """
        torch = require_torch()
        with (
            torch.random.fork_rng(devices=range(torch.cuda.device_count())),
            one_thread_in_torch(self.device),
        ):
            return self._train(torch, vectors, examples, dev, progress or Progress(), checkpoints)

    def _train(
        self,
        torch: Any,
        vectors: Embeddings,
        examples: EncodedPairs,
        dev: EncodedPairs,
        progress: Progress,
        checkpoints: str,
    ) -> TrainedModel:
        from lexalign.evaluation.nli.esim import Esim

        torch.manual_seed(self._seed_of(0))
        table = word_table(vectors, self.device)
        model = Esim(vectors.dimension, self.hidden, self.dropout).to(self.device)
        optimiser = torch.optim.Adam(model.parameters(), lr=self.rate, fused=True)
        best, history = dict[str, Any](), list[Mapping[str, Any]]()
        settings = {**attrs.asdict(self), "dimension": vectors.dimension, "drawn": "by shard"}
        inputs = [
            array
            for side in (examples, dev)
            for array in (side.sentences.rows, side.sentences.starts, side.labels)
        ]
        checkpoint = Checkpoint.of(checkpoints, "nli", settings, vectors.matrix, *inputs)
        if (state := checkpoint.load()) is not None:
            best = _restore(torch, model, optimiser, state)
            history = list(state.facts["history"])
        with progress.stage(
            "training", total=self.epochs * len(examples), unit="pairs", certainty="at most"
        ) as advance:
            advance.resume(len(history) * len(examples))
            while len(history) < self.epochs and not self._is_over(history):
                epoch = len(history)
                # Of each epoch its own, so that nothing of them has to be kept for a restart.
                torch.manual_seed(self._seed_of(epoch + 1))
                random = np.random.default_rng((self.seed, epoch))
                loss = self.epoch(torch, model, optimiser, table, examples, random, advance)
                if not np.isfinite(loss):
                    raise LexalignError(
                        f"Training diverged in epoch {epoch + 1}: the loss is {loss}; lower the "
                        "`rate`."
                    )
                accuracy = float((predict(model, table, dev) == dev.labels).mean())
                if not history or accuracy > max(entry["dev_accuracy"] for entry in history):
                    best = {name: value.clone() for name, value in model.state_dict().items()}
                history.append({"epoch": epoch, "loss": loss, "dev_accuracy": accuracy})
                checkpoint.save(_state(model, optimiser, best, history))
        model.load_state_dict(best)
        return TrainedModel(model, settings, tuple(history))

    def _seed_of(self, stream: int) -> int:
        """Seeds of independent random streams: the initial weights, and each epoch."""
        return int(np.random.SeedSequence((self.seed, stream)).generate_state(1)[0])

    def _is_over(self, history: list[Mapping[str, Any]]) -> bool:
        accuracies = [entry["dev_accuracy"] for entry in history]
        return len(accuracies) - int(np.argmax(accuracies or [0])) > self.patience

    def epoch(
        self,
        torch: Any,
        model: Esim,
        optimiser: torch.optim.Optimizer,
        table: torch.Tensor,
        examples: EncodedPairs,
        random: np.random.Generator,
        advance: Advance,
    ) -> float:
        """Run one pass over the examples; return the mean loss."""
        model.train()
        total = torch.zeros((), device=table.device)
        for chosen in examples.order(self.batch, random):
            optimiser.zero_grad(set_to_none=True)
            if table.is_cuda:
                loss = _gradients_on_a_gpu(torch, model, table, examples, chosen)
            else:
                loss = _gradients_on_the_cpu(torch, model, table, examples, chosen, random)
            torch.nn.utils.clip_grad_norm_(model.parameters(), self.clip)
            optimiser.step()
            total += loss * len(chosen)
            advance(len(chosen))
        return float(total) / len(examples)


def _gradients_on_a_gpu(
    torch: Any, model: Esim, table: torch.Tensor, examples: EncodedPairs, chosen: np.ndarray
) -> torch.Tensor:
    """Compute the gradients of the mean loss of a batch; return the loss."""
    labels = torch.as_tensor(examples.labels[chosen], device=table.device)
    with torch.autocast(table.device.type, torch.bfloat16):
        found = logits(model, table, examples, chosen)
    loss = torch.nn.functional.cross_entropy(found.float(), labels)
    loss.backward()
    return loss.detach()


def _gradients_on_the_cpu(
    torch: Any,
    model: Esim,
    table: torch.Tensor,
    examples: EncodedPairs,
    chosen: np.ndarray,
    random: np.random.Generator,
) -> torch.Tensor:
    """The same in shards, which threads share; the gradients are added in a fixed order.

    The shards and their random numbers do not depend on the number of threads, so the result does
    not either.
    """
    parameters = list(model.parameters())
    chosen = chosen[::-1]  # the longest first, so that no thread begins with them at the end
    streams = random.spawn(shards(len(chosen)))

    def differentiate(shard: int, part: slice) -> tuple[torch.Tensor, Sequence[torch.Tensor]]:
        numbers = chosen[part]
        found = logits(model, table, examples, numbers, streams[shard])
        labels = torch.as_tensor(examples.labels[numbers])
        loss = torch.nn.functional.cross_entropy(found, labels, reduction="sum") / len(chosen)
        return loss.detach(), torch.autograd.grad(loss, parameters)

    (loss, gradients), *others = in_shards(differentiate, len(chosen))
    for other, more in others:
        loss += other
        torch._foreach_add_(gradients, more)
    for weights, gradient in zip(parameters, gradients, strict=True):
        weights.grad = gradient.contiguous()  # torch's fused optimisers ignore strides
    return loss


def _state(
    model: Esim, optimiser: torch.optim.Optimizer, best: Mapping[str, Any], history: list[Any]
) -> State:
    arrays = {f"model.{name}": value for name, value in model.state_dict().items()}
    arrays |= {f"best.{name}": value for name, value in best.items()}
    for number, values in optimiser.state_dict()["state"].items():
        arrays |= {f"adam.{number}.{name}": value for name, value in values.items()}
    found = {name: value.cpu().numpy() for name, value in arrays.items()}
    return State(found, {"history": history})


def _restore(
    torch: Any, model: Esim, optimiser: torch.optim.Optimizer, state: State
) -> dict[str, Any]:
    """Restore model and optimiser; return the best weights."""

    def named(prefix: str) -> dict[str, Any]:
        return {
            name.removeprefix(prefix): torch.as_tensor(array)
            for name, array in state.arrays.items()
            if name.startswith(prefix)
        }

    device = next(model.parameters()).device
    model.load_state_dict(named("model."))
    moments: dict[int, dict[str, Any]] = {}
    for name, value in named("adam.").items():
        number, _, what = name.partition(".")
        moments.setdefault(int(number), {})[what] = value.reshape(()) if what == "step" else value
    optimiser.load_state_dict({**optimiser.state_dict(), "state": moments})
    return {name: value.to(device) for name, value in named("best.").items()}
