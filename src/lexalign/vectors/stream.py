"""Reading, writing and converting word vectors of any format, as streams of blocks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from lexalign.atomic import atomic_file, atomic_folder
from lexalign.errors import InputError, OutputError
from lexalign.vectors import folder
from lexalign.vectors.block import Block, Quota, first_non_finite_row, rows_per_block
from lexalign.vectors.embeddings import Embeddings
from lexalign.vectors.formats import FORMATS, detect_format, file_writer
from lexalign.vectors.policy import DEFAULT_POLICY, Census, Policy, apply_policy


def read_stream(
    path: str | Path,
    *,
    limit: int | None = None,
    policy: Policy = DEFAULT_POLICY,
    census: Census | None = None,
) -> Iterator[Block]:
    """The rows of ``path``, in any format, as blocks of bounded size that obey ``policy``.

    ``limit`` is the number of rows to deliver: the first that survive the policy. What follows
    them in the file is not looked at. A ``census``, if given, is filled on the way.
    """
    path, quota = Path(path), Quota(limit)
    blocks = FORMATS[detect_format(path)].read_blocks(path, quota)
    census = Census() if census is None else census
    for block in apply_policy(blocks, policy, census, path):
        quota.take(len(block))
        yield block
    if not census.rows_kept:
        raise InputError(
            "no rows are left" if census.rows_read else "there are no rows",
            path=path,
            remedy="name a file that holds word vectors, or choose another policy",
        )


def read(
    path: str | Path,
    *,
    limit: int | None = None,
    policy: Policy = DEFAULT_POLICY,
    language: str | None = None,
    census: Census | None = None,
) -> Embeddings:
    """The word vectors of ``path`` in memory; the arguments are those of ``read_stream``.

    A folder knows its language and normalisation; ``language`` overrules the former.
    """
    words: list[str] = []
    matrix = np.empty((0, 0), dtype=np.float32)
    for block in read_stream(path, limit=limit, policy=policy, census=census):
        # Growing in place moves no numbers on Linux, and needs no trust in any header.
        matrix.resize((len(words) + len(block), block.dimension), refcheck=False)
        matrix[len(words) :] = block.matrix
        words.extend(block.words)
    known_language, normalisation = _facts(path)
    repeats = policy.duplicates == "keep"
    return Embeddings(words, matrix, language or known_language, normalisation, repeats)


def write_stream(
    path: str | Path,
    blocks: Iterable[Block],
    *,
    language: str | None = None,
    normalisation: tuple[str, ...] = (),
    overwrite: bool = False,
) -> None:
    """Write ``blocks`` in the format that the name of ``path`` asks for, all of them or nothing.

    ``.vec`` and ``.txt`` are text, also with ``.gz``, ``.bz2`` or ``.xz`` after it, ``.bin`` is
    word2vec's binary format, ``.npz`` a NumPy archive; a name without suffix or with a slash at its
    end is a folder, the only format that keeps ``language`` and ``normalisation``.
    """
    write_file = file_writer(path)
    path, blocks = Path(path), _checked(blocks)
    if write_file:
        with atomic_file(path, overwrite=overwrite) as temporary:
            write_file(temporary, blocks)
    else:
        with atomic_folder(path, folder.LAYOUT.meta, overwrite=overwrite) as temporary:
            folder.write_blocks(temporary, blocks, language=language, normalisation=normalisation)


def write(embeddings: Embeddings, path: str | Path, *, overwrite: bool = False) -> None:
    """Write ``embeddings`` to ``path``; see ``write_stream`` for the formats."""
    write_stream(
        path,
        _blocks_of(embeddings),
        language=embeddings.language,
        normalisation=embeddings.normalisation,
        overwrite=overwrite,
    )


def convert(
    source_path: str | Path,
    target_path: str | Path,
    *,
    limit: int | None = None,
    policy: Policy = DEFAULT_POLICY,
    overwrite: bool = False,
) -> Census:
    """Stream ``source_path`` into ``target_path``, whatever their formats, without any loss."""
    census = Census()
    language, normalisation = _facts(source_path)
    write_stream(
        target_path,
        read_stream(source_path, limit=limit, policy=policy, census=census),
        language=language,
        normalisation=normalisation,
        overwrite=overwrite,
    )
    return census


def _facts(path: str | Path) -> tuple[str | None, tuple[str, ...]]:
    """Language and normalisation, where the format keeps them."""
    if detect_format(path) != "folder":
        return None, ()
    meta = folder.read_meta(Path(path))
    return meta.language, meta.normalisation


def _blocks_of(embeddings: Embeddings) -> Iterator[Block]:
    step = rows_per_block(4 * embeddings.dimension)
    for start in range(0, len(embeddings), step):
        words = embeddings.words[start : start + step]
        matrix = embeddings.matrix[start : start + step]
        yield Block(words, matrix, range(start + 1, start + 1 + len(words)))


def _checked(blocks: Iterable[Block]) -> Iterator[Block]:
    """``blocks``, as long as any format can hold them."""
    dimension: int | None = None
    for block in blocks:
        if dimension not in (None, block.dimension):
            raise OutputError(
                f"Vectors of {dimension} and of {block.dimension} numbers cannot go into one file; "
                "check what made them."
            )
        if (row := first_non_finite_row(block.matrix)) is not None:
            raise OutputError(
                f"The vector of {block.words[row]!r} is not finite and therefore not written; "
                "check what made it."
            )
        for word in block.words:
            if not word or not _is_unicode(word):
                raise OutputError(
                    f"The word {word!a} is empty or not valid Unicode and is not written; "
                    "rename it."
                )
        dimension = block.dimension
        yield block
    if dimension is None:
        raise OutputError("There are no vectors to write; check where they should come from.")


def _is_unicode(word: str) -> bool:
    """Whether UTF-8 can encode ``word``; lone surrogates it cannot."""
    try:
        word.encode()
    except UnicodeEncodeError:
        return False
    return True
