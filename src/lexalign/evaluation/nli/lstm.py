"""A bidirectional LSTM over packed sentences, as fast as its matrix products on a CPU.

Let x be the vector of a word, and h' and c' the state of the previous word. Then

    i, f, o = σ(W x + R h' + b),   g = tanh(W x + R h' + b),   c = f ⊙ c' + i ⊙ g,   h = o ⊙ tanh c,

where i, f, g and o each have their own rows of W, R and b. The second direction starts at the last
word.

The derivatives are written out. Torch differentiates every step of packed sentences separately, and
fills a matrix of all words with zeros for each step. That time grows with the square of the length
and exceeds the time of the products. Here the gradient of each weight is one product.

Source: Hochreiter and Schmidhuber 1997, "Long short-term memory"; the weights are torch's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable


def states(lstm: nn.LSTM, vectors: Tensor, sizes: Sequence[int]) -> Tensor:
    """Compute what ``lstm(PackedSequence(vectors, sizes))`` does, on the CPU.

    Parameters
    ----------
    lstm
        One bidirectional layer of h units.
    vectors
        The first words of all sentences, then the second words, and so on, (m, d); longest sentence
        first.
    sizes
        The numbers of sentences with a first word, a second word, and so on; their sum is m.

    Returns
    -------
    Tensor
        The states of both directions at every word, (m, 2h).
    """
    weights = [getattr(lstm, f"{name}_l0{end}") for end in ("", "_reverse") for name in WEIGHTS]
    return _BothDirections.apply(vectors, tuple(sizes), *weights)


WEIGHTS = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")


class _Step(NamedTuple):
    """The rows of one word position, and the rows that continue the first of them."""

    rows: slice
    continuing: slice
    before: slice


def _steps(sizes: Sequence[int], *, backwards: bool) -> Iterator[_Step]:
    """The steps in the order of computation."""
    starts = [0]
    for size in sizes:
        starts.append(starts[-1] + size)
    order = range(len(sizes))
    for place in reversed(order) if backwards else order:
        start, other = starts[place], place + 1 if backwards else place - 1
        # The longest sentences come first, so those that have both words are the first ones.
        count = min(sizes[place], sizes[other]) if 0 <= other < len(sizes) else 0
        before = starts[other] if count else 0
        yield _Step(
            slice(start, start + sizes[place]),
            slice(start, start + count),
            slice(before, before + count),
        )


class _Direction(NamedTuple):
    """The values that the derivatives need: the gates i, f, g, o (m, 4h), c and tanh c (m, h)."""

    gates: Tensor
    cells: Tensor
    squashed: Tensor


class _BothDirections(torch.autograd.Function):  # type: ignore[misc]
    @staticmethod
    def forward(ctx: Any, vectors: Tensor, sizes: tuple[int, ...], *weights: Tensor) -> Tensor:
        hidden = weights[1].shape[1]
        found = vectors.new_empty(len(vectors), 2 * hidden)
        ctx.directions = [
            _run(vectors, sizes, weights[:4], found[:, :hidden], backwards=False),
            _run(vectors, sizes, weights[4:], found[:, hidden:], backwards=True),
        ]
        ctx.sizes = sizes
        ctx.save_for_backward(vectors, found, *weights)
        return found

    @staticmethod
    @once_differentiable  # type: ignore[untyped-decorator]
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        vectors, found, *weights = ctx.saved_tensors
        hidden = weights[1].shape[1]
        first, second = slice(0, hidden), slice(hidden, 2 * hidden)
        later = found[ctx.sizes[0] :]
        before = _continued(ctx.sizes)
        whole: Tensor | None = None
        result: list[Tensor] = []
        for number, half in enumerate((first, second)):
            direction, backwards = ctx.directions[number], number == 1
            inward, recurrent = weights[4 * number], weights[4 * number + 1]
            errors = _derive(
                direction, ctx.sizes, recurrent, gradient[:, half], backwards=backwards
            )
            if backwards:
                of_recurrent = errors[before].t() @ later[:, half]
            else:
                of_recurrent = errors[ctx.sizes[0] :].t() @ found[before, half]
            bias = errors.sum(0)
            # Gradients are added and scaled in place, so those of the biases share no memory.
            result += [errors.t() @ vectors, of_recurrent, bias, bias.clone()]
            if ctx.needs_input_grad[0]:
                whole = errors @ inward if whole is None else whole.addmm_(errors, inward)
        ctx.directions = None
        return (whole, None, *result)


def _continued(sizes: Sequence[int]) -> Tensor:
    """The row before every row that has one: of rows n, n + 1, ... if there are n sentences."""
    steps = list(_steps(sizes, backwards=False))[1:]
    rows = [torch.arange(step.before.start, step.before.stop) for step in steps]
    return torch.cat(rows) if rows else torch.empty(0, dtype=torch.int64)


def _run(
    vectors: Tensor,
    sizes: Sequence[int],
    weights: Sequence[Tensor],
    found: Tensor,
    *,
    backwards: bool,
) -> _Direction:
    """Compute the states of one direction into ``found``, (m, h)."""
    inward, recurrent, *biases = weights
    hidden = recurrent.shape[1]
    gates = torch.addmm(biases[0] + biases[1], vectors, inward.t())
    cells, squashed = gates.new_empty(len(gates), hidden), gates.new_empty(len(gates), hidden)
    turned = recurrent.t().contiguous()
    for step in _steps(sizes, backwards=backwards):
        if step.before.stop:
            gates[step.continuing].addmm_(found[step.before], turned)
        both, inner, out = gates[step.rows].split((2 * hidden, hidden, hidden), dim=1)
        both.sigmoid_()
        inner.tanh_()
        out.sigmoid_()
        cell = torch.mul(both[:, :hidden], inner, out=cells[step.rows])
        if count := step.before.stop - step.before.start:
            cell[:count].addcmul_(both[:count, hidden:], cells[step.before])
        torch.mul(out, torch.tanh(cell, out=squashed[step.rows]), out=found[step.rows])
    return _Direction(gates, cells, squashed)


def _derive(
    direction: _Direction,
    sizes: Sequence[int],
    recurrent: Tensor,
    gradient: Tensor,
    *,
    backwards: bool,
) -> Tensor:
    """Differentiate by the gate inputs, (m, 4h), in place, from the last step."""
    gates, cells, squashed = direction
    of_states = gradient.clone(memory_format=torch.contiguous_format)
    of_cells = torch.zeros_like(cells)
    hidden = cells.shape[1]
    sigmoid_backward, tanh_backward = torch.ops.aten.sigmoid_backward, torch.ops.aten.tanh_backward
    for step in reversed(list(_steps(sizes, backwards=backwards))):
        rows, count = step.rows, step.before.stop - step.before.start
        entry, forget, inner, out = gates[rows].split(hidden, dim=1)
        of_state, of_cell, tanh = of_states[rows], of_cells[rows], squashed[rows]
        of_cell += tanh_backward(of_state * out, tanh)
        sigmoid_backward.grad_input(of_state * tanh, out, grad_input=out)
        if count:
            kept = forget[:count]
            torch.mul(of_cell[:count], kept, out=of_cells[step.before])
            sigmoid_backward.grad_input(of_cell[:count] * cells[step.before], kept, grad_input=kept)
        forget[count:] = 0
        of_entry = of_cell * inner
        tanh_backward.grad_input(of_cell * entry, inner, grad_input=inner)
        sigmoid_backward.grad_input(of_entry, entry, grad_input=entry)
        if count:
            of_states[step.before].addmm_(gates[step.continuing], recurrent)
    return gates
