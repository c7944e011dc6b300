"""Read, write and convert word vectors of any format, as streams of blocks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from lexalign.atomic import Claim, atomic_file, atomic_folder, claim_file, claim_folder
from lexalign.errors import InputError, OutputError
from lexalign.progress import Advance, Progress, Stage, unseen
from lexalign.vectors import folder
from lexalign.vectors.block import Block, Quota, first_non_finite_row, rows_per_block
from lexalign.vectors.embeddings import Embeddings
from lexalign.vectors.formats import FORMATS, detect_format, file_writer
from lexalign.vectors.policy import DEFAULT_POLICY, Census, Policy, apply_policy
from lexalign.vectors.row_count import announce_rows

FREQUENT_WORDS = 200_000
"""Default number of words read from a file; usual in the field."""


def read_stream(
    path: str | Path,
    *,
    limit: int | None = None,
    policy: Policy = DEFAULT_POLICY,
    census: Census | None = None,
    stage: Stage | None = None,
) -> Iterator[Block]:
    """The rows of ``path`` in any format, as blocks of bounded size that pass ``policy``.

    ``limit`` is the number of rows to return: the first that pass the policy. Later rows are not
    read. A ``census``, if given, counts the rows; a ``stage``, if given, receives the total and the
    used rows.
    """
    path, quota = Path(path), Quota(limit)
    format = detect_format(path)
    if stage is not None:
        announce_rows(stage, path, format, limit)
    blocks = FORMATS[format].read_blocks(path, quota)
    census = Census() if census is None else census
    for block in apply_policy(blocks, policy, census, path):
        quota.take(len(block))
        yield block
        if stage is not None:
            stage(len(block))
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
    stage: Stage | None = None,
) -> Embeddings:
    r"""Read word vectors into memory, from any supported format.

    The format follows from the content: text with or without a header, also compressed, word2vec
    binary, a fastText model, a NumPy archive, or a folder that Lexalign wrote.

    Parameters
    ----------
    path : str or Path
        A file or a folder.
    limit : int, optional
        Number of rows to read: the first that pass the policy. Without it all rows are read.
    policy : Policy
        How to treat repeated words, rows of zeros, bytes that are not UTF-8, and case.
    language : str, optional
        A tag such as "en". It replaces the one that a folder stores.
    census : Census, optional
        Receives the number of rows that the policy kept, changed and dropped.
    stage : Stage, optional
        Receives the total number of rows, and the number of rows read.

    Returns
    -------
    Embeddings
        n words and their vectors, shape (n, d), in the order of the file.

    Raises
    ------
    InputError
        If the file is missing, damaged or of an unknown format, or holds a row that the policy does
        not allow. For text formats, the message names the line.

    Examples
    --------
    >>> import tempfile, lexalign
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "en.vec"
    ...     _ = path.write_text("2 3\ndog 1 0 0\ncat 0 1 0\n")
    ...     lexalign.read(path, language="en")
    Embeddings(2 words x 3, language='en')
    """
    words: list[str] = []
    matrix = np.empty((0, 0), dtype=np.float32)
    for block in read_stream(path, limit=limit, policy=policy, census=census, stage=stage):
        # Growing in place moves no numbers on Linux, and needs no trust in any header.
        matrix.resize((len(words) + len(block), block.dimension), refcheck=False)
        matrix[len(words) :] = block.matrix
        words.extend(block.words)
    known_language, normalisation = _facts(path)
    repeats = policy.duplicates == "keep"
    return Embeddings(words, matrix, language or known_language, normalisation, repeats)


def claim_vectors(path: str | Path, *, overwrite: bool = False) -> Claim:
    """Claim a file or folder for vectors before long work; raise if it cannot be written."""
    if file_writer(path):
        return claim_file(Path(path), overwrite=overwrite)
    return claim_folder(Path(path), folder.KIND, overwrite=overwrite)


def write_stream(
    path: str | Path,
    blocks: Iterable[Block],
    *,
    language: str | None = None,
    normalisation: tuple[str, ...] = (),
    overwrite: bool = False,
    claim: Claim | None = None,
) -> None:
    """Write ``blocks`` in the format that the name of ``path`` selects; all of them or nothing.

    ``.vec`` and ``.txt`` are text; an additional ``.gz``, ``.bz2`` or ``.xz`` compresses it.
    ``.bin`` is the binary format of word2vec, and ``.npz`` a NumPy archive. A name without suffix
    or with a slash at the end is a folder. Only a folder keeps ``language`` and ``normalisation``.
    Long work makes a ``claim`` by ``claim_vectors`` before it begins.
    """
    write_file = file_writer(path)
    path, blocks = Path(path), _checked(blocks)
    if write_file:
        with atomic_file(path, overwrite=overwrite, claim=claim) as temporary:
            write_file(temporary, blocks)
    else:
        claim = claim or claim_folder(path, folder.KIND, overwrite=overwrite)
        with atomic_folder(claim, folder.KIND) as temporary:
            folder.write_blocks(temporary, blocks, language=language, normalisation=normalisation)


def write(
    embeddings: Embeddings,
    path: str | Path,
    *,
    overwrite: bool = False,
    advance: Advance = unseen,
) -> None:
    """Write word vectors in the format that the name of ``path`` selects.

    ========================  =======================================================
    name                      format
    ========================  =======================================================
    ``.vec``, ``.txt``        text, also compressed: ``.vec.gz``, ``.bz2``, ``.xz``
    ``.bin``                  word2vec binary
    ``.npz``                  NumPy archive
    no suffix, or ``name/``   folder, the only format that keeps language and normalisation
    ========================  =======================================================

    Parameters
    ----------
    embeddings : Embeddings, shape (n, d)
        The words and vectors to write.
    path : str or Path
        The file or folder. It appears only when it is complete.
    overwrite : bool
        Whether to replace an existing file or folder.
    advance : callable, optional
        Receives the numbers of written words.

    Raises
    ------
    OutputError
        If ``path`` already exists or cannot be written, or if no format matches its name.

    Examples
    --------
    >>> import tempfile, lexalign
    >>> from pathlib import Path
    >>> english = lexalign.Embeddings(["dog", "cat"], [[1, 0], [0, 1]], language="en")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     lexalign.write(english, Path(folder) / "en.bin")
    ...     lexalign.read(Path(folder) / "en.bin")
    Embeddings(2 words x 2)
    """
    write_embeddings(embeddings, path, claim_vectors(path, overwrite=overwrite), advance)


def write_embeddings(
    embeddings: Embeddings, path: str | Path, claim: Claim, advance: Advance = unseen
) -> None:
    """Write word vectors to a claimed output; report numbers of words."""
    write_stream(
        path,
        _blocks_of(embeddings, advance),
        language=embeddings.language,
        normalisation=embeddings.normalisation,
        claim=claim,
    )


def convert(
    source_path: str | Path,
    target_path: str | Path,
    *,
    limit: int | None = None,
    policy: Policy = DEFAULT_POLICY,
    overwrite: bool = False,
    progress: Progress | None = None,
) -> Census:
    """Convert word vectors from any format to any other in bounded memory.

    The numbers do not change. Only a folder keeps the language and the normalisation.

    Parameters
    ----------
    source_path : str or Path
        A file or folder that ``read`` can read.
    target_path : str or Path
        A file or folder. Its name selects the format, as in ``write``.
    limit : int, optional
        Number of rows to convert: the first that pass the policy.
    policy : Policy
        How to treat repeated words, rows of zeros, bytes that are not UTF-8, and case.
    overwrite : bool
        Whether to replace an existing file or folder at ``target_path``.
    progress : Progress, optional
        Receives the stages of the work.

    Returns
    -------
    Census
        The number of rows that the policy kept, changed and dropped.

    Raises
    ------
    InputError
        If the source cannot be read.
    OutputError
        If the target already exists or cannot be written.

    Examples
    --------
    >>> import tempfile, lexalign
    >>> from pathlib import Path
    >>> english = lexalign.Embeddings(["dog", "cat"], [[1, 0], [0, 1]])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     lexalign.write(english, Path(folder) / "en.vec")
    ...     print(lexalign.convert(Path(folder) / "en.vec", Path(folder) / "en.npz"))
    Rows read: 2, kept: 2.
    """
    claim, census = claim_vectors(target_path, overwrite=overwrite), Census()
    language, normalisation = _facts(source_path)
    with (progress or Progress()).stage("converting", unit="words") as stage:
        write_stream(
            target_path,
            read_stream(source_path, limit=limit, policy=policy, census=census, stage=stage),
            language=language,
            normalisation=normalisation,
            claim=claim,
        )
    return census


def _facts(path: str | Path) -> tuple[str | None, tuple[str, ...]]:
    """Language and normalisation, if the format keeps them."""
    if detect_format(path) != "folder":
        return None, ()
    meta = folder.read_meta(Path(path))
    return meta.language, meta.normalisation


def _blocks_of(embeddings: Embeddings, advance: Advance) -> Iterator[Block]:
    step = rows_per_block(4 * embeddings.dimension)
    for start in range(0, len(embeddings), step):
        words = embeddings.words[start : start + step]
        matrix = embeddings.matrix[start : start + step]
        yield Block(words, matrix, range(start + 1, start + 1 + len(words)))
        advance(len(words))


def _checked(blocks: Iterable[Block]) -> Iterator[Block]:
    """Check ``blocks``: every format must be able to hold them."""
    dimension: int | None = None
    for block in blocks:
        if dimension not in (None, block.dimension):
            raise OutputError(
                f"Vectors of {dimension} and of {block.dimension} numbers cannot be in one file; "
                "check the program that made them."
            )
        if (row := first_non_finite_row(block.matrix)) is not None:
            raise OutputError(
                f"The vector of {block.words[row]!r} is not finite and cannot be written; check "
                "the program that made it."
            )
        for word in block.words:
            if not word or not _is_unicode(word):
                raise OutputError(
                    f"The word {word!a} is empty or not valid Unicode and cannot be written; "
                    "rename it."
                )
        dimension = block.dimension
        yield block
    if dimension is None:
        raise OutputError("There are no vectors to write; check their source.")


def _is_unicode(word: str) -> bool:
    """Whether UTF-8 can encode ``word``; it cannot encode lone surrogates."""
    try:
        word.encode()
    except UnicodeEncodeError:
        return False
    return True
