"""Word vectors as text: a word and its numbers on each line, with or without a header.

The header ``rows dimension`` of word2vec and fastText is recognised (see ``header``). Without a
header, as in GloVe, the dimension is that of most of the first rows. ASCII blanks or tabs separate
the fields. The last ``dimension`` fields are the numbers, so a word can contain blanks (". . .").
Files can be compressed with gzip, bzip2 or xz.

Reading is fast for regular files: polars parses them in chunks. An irregular chunk is read again
line by line, and an error names the bad line.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from io import BytesIO
from pathlib import Path
from typing import IO

import numpy as np

from lexalign.errors import InputError, OutputError, shortened
from lexalign.vectors.block import Block, Matrix, Quota
from lexalign.vectors.compression import Compression, compressed, open_decompressed
from lexalign.vectors.header import MOST_DIMENSIONS, Header, parse_header
from lexalign.vectors.lines import BYTE_ORDER_MARK, Chunk, LineReader

_WHITESPACE = re.compile(r"[ \t\n\r\v\f]")
_MOST_EMPTY_LINES = 100_000


def read_blocks(path: Path, quota: Quota) -> Iterator[Block]:
    """The rows of a text file, as long as ``quota`` needs more."""
    with open_decompressed(path) as file:
        lines = LineReader(file, path)
        header, dimension = _shape(lines, path)
        rows = 0
        for block in _parsed(lines, dimension, path, quota):
            if header and rows + len(block) > header.rows:
                raise block.error(
                    header.rows - rows,
                    f"this row is beyond the {header.rows} rows that the header states",
                    path=path,
                    remedy="correct the header, or remove the extra rows",
                )
            rows += len(block)
            if len(block):
                yield block
        if quota.remaining:
            _require_promised_rows(rows, header, path)


def _parsed(lines: LineReader, dimension: int, path: Path, quota: Quota) -> Iterator[Block]:
    """The chunks of ``lines`` as blocks, as long as ``quota`` needs more.

    While a block is used, a second thread parses the next chunk, unless the current rows may be
    enough.
    """
    with ThreadPoolExecutor(1) as worker:
        coming, rows = None, 0
        while True:
            following, wanted = None, quota.remaining - rows
            chunk = lines.take(wanted) if wanted > 0 else None
            if chunk and chunk.data:
                following = worker.submit(_parse, chunk, dimension, path)
            if coming is not None:
                yield coming.result()
            if following is None and (coming is None or lines.ended):
                return
            coming, rows = following, chunk.lines if chunk and following else 0


def _parse(chunk: Chunk, dimension: int, path: Path) -> Block:
    block = _parse_fast(chunk, dimension)
    return _parse_carefully(chunk, dimension, path) if block is None else block


def _shape(lines: LineReader, path: Path) -> tuple[Header | None, int]:
    """The header, which is taken from ``lines``, and the dimension."""
    sample = lines.sample()
    header = parse_header(sample[0], path)
    if header:
        lines.take(1)
        return header, header.dimension
    widths = Counter(len(line.split()) for line in sample if line.strip())
    if not widths:
        raise InputError(
            "the file is empty", path=path, remedy="name a file that holds word vectors"
        )
    dimension = widths.most_common(1)[0][0] - 1
    if dimension < 1:
        raise InputError(
            "the first lines have one word each and no numbers",
            path=path,
            line=1,
            remedy="name a file that holds word vectors",
        )
    if dimension > MOST_DIMENSIONS:
        raise InputError(
            f"the rows have {dimension:,} numbers, but word vectors have at most "
            f"{MOST_DIMENSIONS:,}",
            path=path,
            line=1,
            remedy="name a file that holds word vectors",
        )
    return None, dimension


def _require_promised_rows(rows: int, header: Header | None, path: Path) -> None:
    if header and rows < header.rows:
        raise InputError(
            f"the header states {header.rows} rows, but the file ends after {rows}",
            path=path,
            remedy="the file may be incomplete: copy it again, or correct the header",
        )


def _parse_fast(chunk: Chunk, dimension: int) -> Block | None:
    """The rows of ``chunk`` if it is regular: one separator, one word, all numbers."""
    import polars

    data = chunk.data
    first = data[: data.find(b"\n") if chunk.lines > 1 else None]
    if first.endswith(b"\r"):
        data = data.replace(b"\r\n", b"\n")
    if first.endswith((b" ", b" \r")):  # fastText ends every row with a blank
        data = data.replace(b" \n", b"\n")
    # A byte order mark here belongs to a word, but polars would remove it.
    if len(first.split()) != dimension + 1 or data.startswith(BYTE_ORDER_MARK):
        return None
    columns = [str(column) for column in range(dimension)]
    try:
        frame = polars.read_csv(
            data,
            has_header=False,
            separator=" " if b" " in first else "\t",
            quote_char=None,
            schema={"word": polars.String} | dict.fromkeys(columns, polars.Float32),
        )
    except polars.exceptions.PolarsError:
        return None
    if frame.shape != (chunk.lines, dimension + 1) or any(frame.null_count().row(0)):
        return None
    words = frame["word"].to_list()
    if _WHITESPACE.search("".join(words)):
        return None
    return Block(
        words=words,
        matrix=frame.select(columns).to_numpy(order="c"),
        places=range(chunk.first_line, chunk.first_line + chunk.lines),
        unit="line",
    )


def _parse_carefully(chunk: Chunk, dimension: int, path: Path) -> Block:
    """The rows of ``chunk``, line by line; empty lines are skipped, a bad line is an error."""
    if chunk.lines > len(chunk.data) // (2 * dimension + 2) + _MOST_EMPTY_LINES:
        raise InputError(
            f"more than {_MOST_EMPTY_LINES:,} empty lines follow",
            path=path,
            line=chunk.first_line,
            remedy="name a file that holds word vectors",
        )
    words: list[str] = []
    vectors: list[Matrix] = []
    places: list[int] = []
    for place, line in enumerate(chunk.data.split(b"\n"), chunk.first_line):
        if not line.strip():
            continue
        try:
            word, vector = _parse_line(line, dimension)
        except ValueError as error:
            is_last = place == chunk.first_line + chunk.lines - 1
            remedy = "correct the row, or the header if it is wrong"
            if is_last and not chunk.data.endswith(b"\n"):
                remedy = "the file may end within this row: copy it again, or correct the row"
            raise InputError(str(error), path=path, line=place, remedy=remedy) from error
        words.append(word.decode("utf-8", "surrogateescape"))
        vectors.append(vector)
        places.append(place)
    return Block(words, np.array(vectors).reshape(len(words), dimension), places, unit="line")


def is_row(line: bytes, dimension: int) -> bool:
    """Whether ``line`` is a word and ``dimension`` numbers."""
    try:
        _parse_line(line, dimension)
    except ValueError:
        return False
    return True


def _parse_line(line: bytes, dimension: int) -> tuple[bytes, Matrix]:
    """The word of a line as bytes, and its numbers; ValueError states the problem."""
    word, *fields = line.strip().rsplit(None, dimension)
    if len(fields) < dimension or _has_number_after_blank(word):
        raise ValueError(
            f"expected a word and {dimension} numbers, found {len(line.split())} fields, "
            f"not {dimension + 1}"
        )
    return word, _singles(fields)


def _singles(fields: list[bytes]) -> Matrix:
    """Convert fields to numbers, each rounded once to float32.

    Python rounds a field to float64 first. If the result is half-way between two float32 numbers,
    the field itself decides.
    """
    doubles = np.array([_number(field) for field in fields])
    with np.errstate(all="ignore"):
        singles = doubles.astype(np.float32)
        towards = np.where(doubles > singles, np.inf, -np.inf).astype(np.float32)
        others = np.nextafter(singles, towards)
        halfway = doubles - singles == others.astype(np.float64) - doubles
    halfway &= np.isfinite(singles) & (doubles != singles)
    for place in np.flatnonzero(halfway).tolist():
        exact, double = Decimal(fields[place].decode()), Decimal(float(doubles[place]))
        if exact != double:
            both = singles[place], others[place]
            singles[place] = max(both) if exact > double else min(both)
    return singles


def _number(field: bytes) -> float:
    """The number in ``field``; unlike Python source code, files do not contain 1_000."""
    try:
        if b"_" not in field:
            return float(field)
    except ValueError:
        pass
    raise ValueError(f"{shortened(field.decode('utf-8', 'replace'))!r} is not a number")


def _has_number_after_blank(word: bytes) -> bool:
    """Whether ``word`` looks like the beginning of a row with too many numbers."""
    for field in word.split()[1:]:
        try:
            _number(field)
        except ValueError:
            continue
        return True
    return False


def write_blocks(
    path: Path, blocks: Iterable[Block], *, compression: Compression | None = None
) -> None:
    """Write a header and the rows, each number in the shortest form that reads back unchanged.

    The number of rows is known only at the end, so the rows are first written to a file beside
    ``path``.
    """
    with tempfile.TemporaryFile(dir=path.parent) as body:
        with compressed(body, compression) as file:
            header = _write_rows(file, blocks)
        body.seek(0)
        with path.open("wb") as whole:
            with compressed(whole, compression) as file:
                file.write(bytes(header))
            shutil.copyfileobj(body, whole, 1 << 20)


def _write_rows(file: IO[bytes], blocks: Iterable[Block]) -> Header:
    rows = dimension = 0
    for block in blocks:
        _refuse_unreadable_words(block)
        file.write(_as_text(block))
        rows, dimension = rows + len(block), block.dimension
    return Header(rows, dimension)


def _as_text(block: Block) -> bytes:
    import polars

    columns = np.ascontiguousarray(block.matrix.T)
    frame = polars.DataFrame(
        [polars.Series("word", block.words, dtype=polars.String)]
        + [polars.Series(str(number), column) for number, column in enumerate(columns)]
    )
    text = BytesIO()
    frame.write_csv(text, include_header=False, separator=" ", quote_style="never")
    return text.getvalue()


def _refuse_unreadable_words(block: Block) -> None:
    """Raise if ``read_blocks`` could not separate a word from the numbers or lines around it."""
    for word in filter(_WHITESPACE.search, block.words):
        encoded = word.encode()
        if "\n" in word or "\r" in word or encoded.strip() != encoded:
            problem = "contains a line break or has white space around it"
        elif _has_number_after_blank(encoded):
            problem = "has a number after a blank"
        else:
            continue
        raise OutputError(
            f"The word {word!r} {problem}, which a text file cannot hold; "
            "write to a folder or to .npz instead."
        )
