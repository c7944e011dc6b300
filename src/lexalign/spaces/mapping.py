"""A map applied to files of any length, block by block."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from lexalign.errors import InputError, about
from lexalign.progress import Advance
from lexalign.spaces.linear_map import Side
from lexalign.vectors import Block, Census, Policy, detect_format, read_stream, write_stream
from lexalign.vectors.fasttext_binary import compose


def map_file(
    vectors: Path,
    side: Side,
    output: Path,
    *,
    limit: int | None = None,
    policy: Policy | None = None,
    language: str | None = None,
    normalisation: tuple[str, ...] = (),
    overwrite: bool = False,
    advance: Advance | None = None,
) -> Census:
    """Map the words of ``vectors`` into the shared space and write them to ``output``.

    The format of ``output`` follows from its name; a folder also keeps ``language`` and
    ``normalisation``. Memory holds the words and one block of vectors.
    """
    census = Census()

    def mapped() -> Iterator[Block]:
        blocks = read_stream(vectors, limit=limit, policy=policy or Policy(), census=census)
        for block in blocks:
            with about(vectors):
                mapped_rows = side.apply(block.matrix)
            yield block.with_matrix(mapped_rows)
            if advance is not None:
                advance(len(block))

    write_stream(
        output, mapped(), language=language, normalisation=normalisation, overwrite=overwrite
    )
    return census


def map_words(
    model: Path, words: Sequence[str], side: Side, output: Path, *, overwrite: bool
) -> None:
    """Map words of a fastText model, also those that it has to compose from their n-grams."""
    found = detect_format(model)
    if found != "fasttext-binary":
        raise InputError(
            f"only a fastText model can compose words, and this is {found}",
            path=model,
            remedy="map the whole file, or name the .bin of fastText",
        )
    block = compose(model, list(dict.fromkeys(words)))
    write_stream(
        output,
        [block.with_matrix(side.apply(block.matrix))],
        normalisation=side.normalisation.steps,
        overwrite=overwrite,
    )
