"""Words and their contexts as tiles that a GPU can multiply.

A text is cut into tiles of ``WIDTH`` consecutive words. One small matrix product multiplies all
words of a tile with all words of the tile and ``window`` more at each end. A mask selects the pairs
of a word and a context. So every word is fetched once, not once per context.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from lexalign.arrays import Array, blocks
from lexalign.training.encoded_text import END

WIDTH = 32


@dataclass(frozen=True)
class Tiles:
    """A batch of b tiles: their words, the words around them, and a mask of contexts.

    ``words`` is (b, WIDTH), ``around`` (b, WIDTH + 2·window), both of rows of the vocabulary;
    ``near`` (b, WIDTH, WIDTH + 2·window) is 1 for a word and a context of it, and otherwise 0.
    """

    words: Array
    around: Array
    near: Array


def tiles(numbers: Array, kept: Array, window: int, at_once: int, random: Any) -> Iterator[Tiles]:
    """The words of a block of encoded text and their contexts, in random order.

    Parameters
    ----------
    numbers : tensor of int64, shape (n,)
        Encoded text (see ``EncodedText``).
    kept : tensor of float, shape (v,)
        The probability that an occurrence of a word stays in the text. Other occurrences are left
        out, which brings their neighbours closer.
    window : int
        The maximum distance of a context. Each occurrence draws its distance between 1 and
        ``window``, so near contexts count more.
    at_once : int
        The number of tiles per batch.
    random : torch.Generator
        Source of the random numbers.
    """
    import torch

    def drawn(count: int) -> Array:
        return torch.rand(count, generator=random, device=numbers.device)

    piece = torch.cumsum(numbers == END, 0)
    stays = (numbers != END) & (drawn(len(numbers)) < kept[numbers.clamp(min=0)])
    words, piece = numbers[stays], piece[stays]
    if not len(words):
        return
    reach = 1 + (drawn(len(words)) * window).to(torch.int16).clamp(max=window - 1)

    missing = -len(words) % WIDTH
    pad = torch.nn.functional.pad
    around = pad(words, (window, missing + window))
    piece_around = pad(piece, (window, missing + window), value=-1)
    columns = WIDTH + 2 * window
    words, piece, reach = (
        pad(each, (0, missing), value=fill).view(-1, WIDTH)
        for each, fill in ((words, 0), (piece, -2), (reach, 0))
    )
    around, piece_around = (each.unfold(0, columns, WIDTH) for each in (around, piece_around))
    places = torch.arange(columns, device=numbers.device)
    distance = (places[None, :] - window - places[:WIDTH, None]).abs().to(torch.int16)
    distance[distance == 0] = window + 1
    near = (distance <= reach[:, :, None]) & (piece[:, :, None] == piece_around[:, None, :])
    order = torch.randperm(len(words), generator=random, device=numbers.device)
    words, around, near = words[order], around[order], near[order]
    for part in blocks(len(order), at_once):
        yield Tiles(words[part], around[part], near[part])
