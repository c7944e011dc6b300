"""Both languages as vectors of unit length that are searched on disk, mapped into memory."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from lexalign.arrays import blocks
from lexalign.errors import InputError, about
from lexalign.explore.background import Background
from lexalign.explore.cache import alone_with
from lexalign.progress import Advance, Progress
from lexalign.runs import Run
from lexalign.spaces import Normalisation, require_one_space
from lexalign.spaces.linear_map import SIDES
from lexalign.vectors import Block, Embeddings, detect_format, read_stream, write_stream
from lexalign.vectors.block import Matrix
from lexalign.vectors.folder import LAYOUT, read_meta
from lexalign.vectors.row_count import row_count

ROWS_AT_ONCE = 8192
UNIT_ENOUGH = 1e-5


def open_languages(
    run: Run, cache: Path, limit: int, progress: Progress | None = None
) -> tuple[Embeddings, Embeddings]:
    """Source and target of a run, at most ``limit`` words each, memory-mapped.

    A folder of vectors of unit length is mapped as it is. Of anything else a copy of that kind is
    written to ``cache`` first, once.
    """
    paths = dict(zip(SIDES, run.files, strict=True))
    wanted = [name for name in SIDES if not _can_be_mapped(paths[name], cache / name, limit)]
    if wanted:
        with (progress or Progress()).stage("converting vectors, once", unit="words") as stage:
            stage.expect(_rows([paths[name] for name in wanted], limit), "about")
            _convert([(paths[name], cache / name) for name in wanted], limit, stage)
    source, target = (
        map_folder(cache / name if (cache / name).is_dir() else paths[name], limit)
        for name in SIDES
    )
    require_one_space(source, target, run.files)
    if run.rotation is not None and len(run.rotation) != source.dimension:
        raise InputError(
            f"the map takes vectors of {len(run.rotation)} numbers, but these have "
            f"{source.dimension}",
            path=run.files[0],
            remedy="refine again",
        )
    return source, target


def _can_be_mapped(path: Path, copy: Path, limit: int) -> bool:
    """Whether there is a copy already, or none is needed."""
    if copy.is_dir():
        return True
    return detect_format(path) == "folder" and _has_unit_length(map_folder(path, limit).matrix)


def _rows(paths: list[Path], limit: int) -> int | None:
    """How many words the files hold, as far as is known without reading them."""
    counts = [row_count(path, detect_format(path)) for path in paths]
    known = [min(count.rows, limit) for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None


def _convert(copies: list[tuple[Path, Path]], limit: int, advance: Advance) -> None:
    """Write the copies all at once, for reading text keeps one processor busy a file."""
    work = [Background(convert, *paths, limit, on_report=advance) for paths in copies]
    try:
        for one in work:
            one.wait()
    finally:
        for one in work:
            one.stop()


def convert(path: Path, copy: Path, limit: int, advance: Advance) -> None:
    """Write the first words of any file with unit length to the folder ``copy``.

    Several explorers of one run may want it at once; only the first of them writes it.
    """
    with alone_with(copy):
        if not copy.is_dir():
            write_stream(copy, _unit_blocks(path, limit, advance), normalisation=("unit",))


def map_folder(path: Path, limit: int) -> Embeddings:
    """The first words of a folder of vectors, the numbers left on disk until they are used."""
    meta = read_meta(path)
    words = (path / LAYOUT.words).read_bytes().split(b"\n")[: min(meta.rows, limit)]
    matrix = _mapped(path / LAYOUT.vectors, (meta.rows, meta.dimension))
    if len(words) != min(meta.rows, limit) or b"" in words:
        raise InputError(
            f"it ends before the last of {meta.rows} words",
            path=path / LAYOUT.words,
            remedy="write the folder again",
        )
    with about(path):
        return Embeddings(
            [word.decode("utf-8", "replace") for word in words],
            matrix[:limit],
            language=meta.language,
            normalisation=meta.normalisation,
            repeats=True,
        )


def _mapped(path: Path, shape: tuple[int, int]) -> Matrix:
    """The one tensor of a safetensors file: a length, a description in JSON, the numbers."""
    try:
        with path.open("rb") as file:
            length = int.from_bytes(file.read(8), "little")
            if length > path.stat().st_size:
                raise ValueError("its header is longer than the file")
            tensor = json.loads(file.read(length))[LAYOUT.tensor]
        if tensor["dtype"] != "F32" or tuple(tensor["shape"]) != shape:
            raise ValueError(f"{tensor['dtype']} {tensor['shape']} is not F32 {list(shape)}")
        start = 8 + length + int(tensor["data_offsets"][0])
        return np.asarray(np.memmap(path, dtype="<f4", mode="r", offset=start, shape=shape))
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise InputError(
            f"it cannot be mapped into memory ({error})", path=path, remedy="write it again"
        ) from error


def _unit_blocks(path: Path, limit: int, advance: Advance) -> Iterator[Block]:
    unit = Normalisation(("unit",))
    for block in read_stream(path, limit=limit):
        yield block.with_matrix(unit.apply(block.matrix))
        advance(len(block))


def _has_unit_length(matrix: Matrix) -> bool:
    for rows in blocks(len(matrix), ROWS_AT_ONCE):
        lengths = np.linalg.norm(matrix[rows], axis=1)
        if (np.abs(lengths[lengths > 0] - 1) > UNIT_ENOUGH).any():
            return False
    return True
