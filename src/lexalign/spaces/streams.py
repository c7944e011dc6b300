"""A map applied to files of any length, block by block."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from lexalign.progress import Advance
from lexalign.spaces.linear_map import Side
from lexalign.vectors import Block, Census, Policy, read_stream, write_stream


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
            yield block.with_matrix(side.apply(block.matrix))
            if advance is not None:
                advance(len(block))

    write_stream(
        output, mapped(), language=language, normalisation=normalisation, overwrite=overwrite
    )
    return census
