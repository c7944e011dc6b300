"""The binary format of fastText, which holds a whole model; gensim reads it, and it is never
written.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any

import numpy as np

from lexalign.errors import InputError
from lexalign.libraries import load
from lexalign.vectors.block import Block, Quota, rows_per_block

MAGIC = (793712314).to_bytes(4, "little")

# Magic number and version, twelve integers and a double; then five numbers, and the words, each
# with a NUL, a count (eight bytes) and a type (one byte) after it.
_DICTIONARY = 4 * 2 + 4 * 12 + 8
_WORDS = _DICTIONARY + 4 * 3 + 8 * 2
_AFTER_WORD = 1 + 8 + 1


def read_blocks(path: Path, quota: Quota) -> Iterator[Block]:
    """The word vectors of a fastText model, including n-grams; the whole file is loaded."""
    model = _load(path)
    words, vectors = model.index_to_key, model.vectors
    start = 0
    while quota.remaining and start < len(words):
        stop = min(len(words), start + min(quota.remaining, rows_per_block(4 * vectors.shape[1])))
        yield Block(words[start:stop], vectors[start:stop], range(start + 1, stop + 1))
        start = stop


def compose(path: Path, words: Sequence[str], known: Sequence[str] = ()) -> tuple[Block, Block]:
    """The vectors of any words: the model's own vectors, or the mean of their n-grams.

    The second block has the words of ``known`` that have their own vectors.
    """
    model = _load(path)
    if getattr(model, "bucket", 0) == 0 and any(word not in model.key_to_index for word in words):
        raise InputError(
            "this fastText model was trained without n-grams, so it cannot compose words",
            path=path,
            remedy="leave unknown words out",
        )
    return (
        _block(model, list(words)),
        _block(model, [word for word in known if word in model.key_to_index]),
    )


def stated_rows(path: Path) -> int:
    """The number of words of a model, from its header."""
    with path.open("rb") as file:
        file.seek(_DICTIONARY)
        return int(struct.unpack("<i", file.read(4))[0])


def _block(model: Any, words: list[str]) -> Block:
    rows = np.array([model.get_vector(word) for word in words], dtype=np.float32)
    matrix = rows.reshape(len(words), model.vector_size)
    return Block(words, matrix, range(1, len(words) + 1))


def _load(path: Path) -> Any:
    """The model, by gensim."""
    gensim = load("gensim.models.fasttext", feature="Reading a fastText .bin file", extra="train")
    _require_all_words(path)
    try:
        model = gensim.load_facebook_vectors(str(path))
        _ = model.index_to_key, model.vectors
    # gensim has no error of its own for a bad file: anything from struct.error to AssertionError.
    except Exception as error:
        raise InputError(
            f"gensim cannot read this fastText model ({type(error).__name__}: {error})",
            path=path,
            remedy="download it again, or use the .vec file",
        ) from error
    return model


def _require_all_words(path: Path) -> None:
    """Raise if a file ends among its words; gensim would not stop reading it."""
    with path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as content:
        position = _WORDS
        count = struct.unpack_from("<i", content, _DICTIONARY)[0] if len(content) > _WORDS else 1
        for _ in range(count):
            end = content.find(b"\0", position)
            if end < 0:
                raise InputError(
                    "this fastText model ends among its words",
                    path=path,
                    remedy="download it again, or use the .vec file",
                )
            position = end + _AFTER_WORD
