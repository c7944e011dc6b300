"""Adversarial training in torch: a map against a discriminator.

The network is small and takes many steps, so starting operations costs more time than arithmetic.
The gradients are therefore written out: a step of gradient descent adds one product to the weights,
W ← W − hᵀδ, with the learning rate inside δ. Random numbers for many steps are drawn at once into
fixed buffers, and nothing is read back before the end of an epoch. On a GPU, all steps then have
the same operations, which are recorded once as a CUDA graph and replayed. They multiply in TF32 (10
bits of mantissa); the noise of the batches is much larger.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from lexalign.arrays import Array, to_numpy
from lexalign.errors import LexalignError
from lexalign.libraries import load
from lexalign.progress import Advance, unseen

DROPOUT = 0.1
SLOPE = 0.2
SMOOTHING = 0.1
STEPS_AT_ONCE = 50
NUMBERS_AT_ONCE = 2**23
STEPS_OF_TRIAL = 12
SMALLEST_STEP = 1e-6


@dataclass(frozen=True)
class Discriminator:
    """The network d → h → h → 1 with leaky rectifiers that separates mapped sources from targets.

    Layer l is a ↦ a·weights[l] + biases[l]; the output is the log-odds of a mapped source.
    """

    weights: tuple[Array, Array, Array]
    biases: tuple[Array, Array, Array]

    def layers(self, inputs: Array) -> list[Array]:
        """The inputs (n, d), both hidden layers (n, h), and the log-odds (n, 1)."""
        import torch

        layers, rectified = [inputs], torch.nn.functional.leaky_relu
        for weight, bias in zip(self.weights[:2], self.biases[:2], strict=True):
            layers.append(rectified(torch.addmm(bias, layers[-1], weight), SLOPE))
        return [*layers, torch.addmm(self.biases[2], layers[-1], self.weights[2])]

    def deltas(self, layers: list[Array], delta: Array) -> tuple[Array, Array, Array]:
        """The gradients at the outputs of the three products, for ``delta`` (n, 1) at the last."""
        import torch

        rectified_back = torch.ops.aten.leaky_relu_backward
        second = rectified_back(delta @ self.weights[2].T, layers[2], SLOPE, True)
        first = rectified_back(second @ self.weights[1].T, layers[1], SLOPE, True)
        return first, second, delta

    def descend(self, layers: list[Array], delta: Array) -> None:
        """One step of gradient descent; the learning rate is in ``delta``."""
        for number, slope in enumerate(self.deltas(layers, delta)):
            self.weights[number].addmm_(layers[number].T, slope, alpha=-1)
            self.biases[number].sub_(slope.sum(0))

    def input_gradient(self, layers: list[Array], delta: Array) -> Array:
        """The gradient (n, d) at the inputs."""
        return self.deltas(layers, delta)[0] @ self.weights[0].T


class Adversary:
    """A map M, which starts as the identity, and the discriminator that it learns to deceive.

    Draw x and z uniformly from the rows of ``source`` (n, d) and ``target`` (m, d). D is the
    probability of a mapped source, s the smoothing, and H the cross-entropy of two probabilities.
    One step first updates the discriminator ``discriminator_steps`` times by gradient descent on

        ½ mean H(1 − s, D(xM)) + ½ mean H(s, D(z))

    over ``batch`` rows of each side, with dropout. It then updates the map once on the same loss
    with exchanged labels and without dropout. Finally, M ← (1 + β)M − βMMᵀM with β = ``beta`` moves
    M towards the orthogonal matrices.
    """

    def __init__(
        self,
        source: np.ndarray,
        target: np.ndarray,
        *,
        hidden: int = 2048,
        batch: int = 32,
        discriminator_steps: int = 5,
        beta: float = 0.001,
        seed: int = 0,
        device: str = "cpu",
    ) -> None:
        torch, dimension = require_torch(), source.shape[1]
        self._batch, self._beta = batch, beta
        self._graph: Array = None

        def on_device(array: np.ndarray) -> Array:
            return torch.tensor(array, dtype=torch.float32, device=device)

        random = np.random.default_rng(seed)
        shapes = tuple(pairwise((dimension, hidden, hidden, 1)))
        self._generator = torch.Generator(device).manual_seed(int(random.integers(2**63)))
        self._discriminator = Discriminator(
            tuple(on_device(random.uniform(-1, 1, shape) * shape[0] ** -0.5) for shape in shapes),
            tuple(on_device(random.uniform(-1, 1, b) * a**-0.5) for a, b in shapes),
        )
        self._source, self._target, self._map = map(on_device, (source, target, np.eye(dimension)))
        self._labels = on_device(np.repeat([1 - SMOOTHING, SMOOTHING], batch)[:, None])
        self._rate, self._loss = on_device(np.zeros(())), on_device(np.zeros(()))
        # The buffers of the random numbers: rows of both sides, and what dropout leaves.
        left = (discriminator_steps, 2 * batch, dimension)
        self._at_once = int(np.clip(NUMBERS_AT_ONCE // np.prod(left), 1, STEPS_AT_ONCE))
        self._source_rows, self._target_rows = (
            torch.zeros((self._at_once, times, batch), dtype=torch.int64, device=device)
            for times in (discriminator_steps + 1, discriminator_steps)
        )
        self._kept = torch.zeros((self._at_once, *left), dtype=torch.float32, device=device)

    @property
    def map(self) -> np.ndarray:
        """The current matrix M, float32, nearly orthogonal."""
        return np.array(to_numpy(self._map))

    def train(self, steps: int, rate: float, advance: Advance) -> float:
        """Run ``steps`` steps at this learning rate; return the mean loss of the discriminator."""
        self._rate.fill_(rate / (2 * self._batch))
        self._loss.zero_()
        with _tensor_cores():
            for start in range(0, steps, self._at_once):
                count = min(self._at_once, steps - start)
                self._draw(count)
                self._play(count)
                advance(count * self._batch)
        if not all(bool(tensor.isfinite().all()) for tensor in self._tensors().values()):
            raise LexalignError(
                f"Adversarial training diverged at a learning rate of {rate:g}: some weights are "
                "not finite; lower `learning_rate`, or try another `seed`."
            )
        return float(self._loss) / steps

    def seconds_a_step(self) -> float:
        """The time of a step on this machine: the median of a few steps, which are then undone."""
        before, seconds = self.state(), list[float]()
        while len(seconds) < STEPS_OF_TRIAL:
            began = time.perf_counter()
            self.train(1, SMALLEST_STEP, unseen)
            seconds.append(time.perf_counter() - began)
        self.restore(before)
        return statistics.median(seconds[1:])

    def state(self) -> dict[str, np.ndarray]:
        """The state of training as arrays by name."""
        arrays = {name: np.array(to_numpy(tensor)) for name, tensor in self._tensors().items()}
        return {**arrays, "random": to_numpy(self._generator.get_state())}

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        """Resume from a result of ``state`` on the same device."""
        import torch

        for name, tensor in self._tensors().items():
            tensor.copy_(torch.tensor(state[name]))
        self._generator.set_state(torch.tensor(state["random"]))

    def _tensors(self) -> dict[str, Array]:
        network = self._discriminator
        named = {"map": self._map}
        named |= {f"weights.{number}": weight for number, weight in enumerate(network.weights)}
        return named | {f"biases.{number}": bias for number, bias in enumerate(network.biases)}

    def _draw(self, count: int) -> None:
        """Fill the buffers for this number of steps."""
        sides = (self._source_rows, self._source), (self._target_rows, self._target)
        for rows, side in sides:
            rows[:count].random_(len(side), generator=self._generator)
        self._kept[:count].bernoulli_(1 - DROPOUT, generator=self._generator).div_(1 - DROPOUT)

    def _play(self, count: int) -> None:
        """Run some steps; on a GPU, full buffers after the first replay the recorded graph."""
        import torch

        if self._graph is not None and count == self._at_once:
            self._graph.replay()
            return
        for number in range(count):
            self._step(number)
        if self._map.is_cuda and count == self._at_once:
            self._graph = torch.cuda.CUDAGraph()
            # This records, and computes nothing.
            with torch.cuda.graph(self._graph, capture_error_mode="thread_local"):
                for number in range(count):
                    self._step(number)

    def _step(self, number: int) -> None:
        """One step, with the random numbers at this place of the buffers."""
        import torch

        network, batch = self._discriminator, self._batch
        x, z = self._source[self._source_rows[number]], self._target[self._target_rows[number]]
        inputs = torch.cat((x[:-1] @ self._map, z), 1) * self._kept[number]
        scores = list[Array]()
        for drawn in inputs:
            layers = network.layers(drawn)
            network.descend(layers, self._delta(layers[-1], self._labels))
            scores.append(layers[-1])
        found = torch.stack(scores)
        self._loss.add_(
            torch.nn.functional.binary_cross_entropy_with_logits(
                found, self._labels.expand_as(found)
            )
        )
        # The labels exchanged: those of targets for the sources. The targets do not feel the map.
        layers = network.layers(x[-1] @ self._map)
        delta = self._delta(layers[-1], self._labels[batch:])
        self._map.addmm_(x[-1].T, network.input_gradient(layers, delta), alpha=-1)
        gram = self._map @ self._map.T
        self._map.copy_(
            torch.addmm(self._map, gram, self._map, beta=1 + self._beta, alpha=-self._beta)
        )

    def _delta(self, scores: Array, labels: Array) -> Array:
        """The gradient of the mean loss of two batches at the log-odds, times the learning rate."""
        return (scores.sigmoid() - labels) * self._rate


@contextmanager
def _tensor_cores() -> Iterator[None]:
    """Allow products in TF32 inside the block; the rest of the package needs full precision."""
    import torch

    settings = torch.backends.cuda.matmul
    before = settings.allow_tf32
    settings.allow_tf32 = True
    try:
        yield
    finally:
        settings.allow_tf32 = before


def require_torch() -> Array:
    """Return the module torch, an optional package."""
    return load("torch", feature="The method muse", extra="torch")
