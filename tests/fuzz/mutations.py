"""Strategies that damage valid files: at random, and with an eye on their structure.

A structure is a function ``(draw, content) -> content``. It parses the content, puts an odd value
somewhere, and writes it again, so that the damage gets past the first checks of a reader. What a
structure cannot parse, because it was damaged before, gets random damage instead.
"""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import re
import struct
from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.errors import UnsatisfiedAssumption

Draw = Callable[..., Any]
Structure = Callable[[Draw, bytes], bytes]

LONG = "x" * 5000
"""A field that no message may quote in full."""

_DEEP, _DIGITS = "deep nesting", "many digits"
ODD_TEXTS = (
    *("", " ", "\t", "\n", "\r", "\r\n", "\v", "\0", "\x1c", "\x85", "\u2028", "\u3000", "\ufeff"),
    *("nan", "-nan", "inf", "-inf", "Infinity", "1e400", "-1e400", "1e-400", "3.5e38", "-0.0"),
    *("0", "-1", "1", "2", "65537", "2147483648", "-9223372036854775809", "9" * 30, "9" * 5000),
    *("1_000", "0x10", "1,5", "٣", "½", "1e", "True", "null", "a b", "a\tb", "../a", "/", "."),
    *("\ud800", "\udcff", "a\udfffb", "e\u0301", "שלום", "\U0001f600", "[" * 2000, '"', "\\", LONG),
)
odd_texts = st.one_of(st.sampled_from(ODD_TEXTS), st.text(max_size=8))
odd_bytes = st.one_of(
    odd_texts.map(lambda text: text.encode("utf-8", "surrogatepass")), st.binary(max_size=8)
)
ODD_VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 2, 1.5, -0.0, 1e308, 2**31, -(2**63) - 1, 2**80, 10**400),
    *(float("nan"), float("inf"), float("-inf"), [], {}, [[]], [{}], [None], {"": None}, [1, 2, 3]),
    *(_DEEP, _DIGITS, "unit", "centre", "source"),
)
odd_values = st.one_of(st.sampled_from(ODD_VALUES), st.sampled_from(ODD_VALUES), odd_texts)
_ODD_NUMBERS = tuple(
    [struct.pack("<i", number) for number in (-1, 0, 1, 2, 1000, 2**31 - 1, -(2**31))]
    + [struct.pack("<q", number) for number in (-1, 2**62, 2**63 - 1, -(2**63), 1 << 40)]
    + [struct.pack("<f", number) for number in (np.nan, np.inf, -np.inf, 3e38, 1e-45, -0.0)]
    + [struct.pack("<d", number) for number in (np.nan, np.inf, 1e308)]
)
_FIELDS = re.compile(rb"([ \t\n=,]+)")


@st.composite
def damaged(draw: Draw, content: bytes, structures: tuple[Structure, ...]) -> bytes:
    """``content`` with up to three pieces of damage, or, rarely, any bytes."""
    if draw(st.integers(0, 19)) == 19:
        return bytes(draw(st.binary(max_size=200)))
    for _ in range(draw(st.integers(1, 3))):
        structure = draw(st.sampled_from(structures))
        try:
            content = structure(draw, content)
        except UnsatisfiedAssumption:
            raise
        except Exception:  # parsers of damaged files raise whatever they like
            content = at_random(draw, content)
    return content


def at_random(draw: Draw, content: bytes) -> bytes:
    """Bytes flipped, deleted, inserted, repeated or cut off."""
    place = draw(st.integers(0, max(0, len(content) - 1)))
    kind = draw(st.sampled_from(["flip", "delete", "insert", "repeat", "cut"]))
    if kind == "cut":
        return content[:place]
    if kind == "insert" or not content:
        return content[:place] + draw(odd_bytes) + content[place:]
    if kind == "flip":
        changed = content[place] ^ draw(st.integers(1, 255))
        return content[:place] + bytes([changed]) + content[place + 1 :]
    length = draw(st.sampled_from([1, 2, 3, 4, 8, 20]))
    if kind == "delete":
        return content[:place] + content[place + length :]
    return content[: place + length] + content[place:]


def in_numbers(draw: Draw, content: bytes) -> bytes:
    """An odd number in the place of some bytes of a binary file."""
    number = draw(st.sampled_from(_ODD_NUMBERS))
    place = draw(st.integers(0, max(0, len(content) - len(number))))
    if draw(st.booleans()):
        place -= place % 4
    return content[:place] + number + content[place + len(number) :]


def in_fields(draw: Draw, content: bytes) -> bytes:
    """An odd field in a file of lines and fields, or fields and separators deleted or repeated."""
    parts = _FIELDS.split(content)
    place = draw(st.integers(0, len(parts) - 1))
    kind = draw(st.sampled_from(["replace", "replace", "replace", "delete", "repeat"]))
    if kind == "replace":
        parts[place] = draw(odd_bytes)
    elif kind == "delete":
        del parts[place : place + draw(st.integers(1, 4))]
    else:
        parts[place:place] = parts[place : place + draw(st.integers(1, 4))]
    return b"".join(parts)


def in_lines(draw: Draw, content: bytes) -> bytes:
    """Whole lines odd, deleted, repeated or exchanged."""
    lines = content.split(b"\n")
    one, other = (draw(st.integers(0, len(lines) - 1)) for _ in range(2))
    kind = draw(st.sampled_from(["replace", "delete", "exchange", "repeat"]))
    if kind == "replace":
        lines[one] = draw(odd_bytes)
    elif kind == "delete":
        del lines[one]
    elif kind == "exchange":
        lines[one], lines[other] = lines[other], lines[one]
    else:
        lines[one:one] = [lines[other]] * draw(st.sampled_from([1, 2, 200]))
    return b"\n".join(lines)


def in_json(draw: Draw, content: bytes) -> bytes:
    """An odd value somewhere in JSON, or one that is missing."""
    return _json_text(_odd_inside(draw, json.loads(content))).encode("utf-8", "surrogatepass")


def in_json_lines(draw: Draw, content: bytes) -> bytes:
    """The same in one line of several."""
    lines = content.split(b"\n")
    place = draw(st.integers(0, len(lines) - 1))
    lines[place] = in_json(draw, lines[place])
    return b"\n".join(lines)


def _json_text(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    text = text.replace(f'"{_DEEP}"', "[" * 100_000)
    return text.replace(f'"{_DIGITS}"', "9" * 5000)


def _odd_inside(draw: Draw, value: Any) -> Any:
    """A JSON value with one part replaced or removed."""
    paths = list(_paths(value))
    path = draw(st.sampled_from(paths))
    if not path:
        return draw(odd_values)
    parent = value
    for step in path[:-1]:
        parent = parent[step]
    kind = draw(st.sampled_from(["replace", "replace", "replace", "remove", "rename"]))
    if kind == "remove":
        del parent[path[-1]]
    elif kind == "rename" and isinstance(parent, dict):
        parent[draw(odd_texts)] = parent.pop(path[-1])
    else:
        parent[path[-1]] = draw(odd_values)
    return value


def _paths(value: Any, path: tuple[Any, ...] = ()) -> Any:
    yield path
    if isinstance(value, dict | list):
        for step, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _paths(inner, (*path, step))


def in_toml(draw: Draw, content: bytes) -> bytes:
    """An odd value after an equals sign of TOML, as TOML writes it where it can."""
    lines = content.split(b"\n")
    places = [place for place, line in enumerate(lines) if b"=" in line]
    place = draw(st.sampled_from(places))
    key = lines[place].partition(b"=")[0]
    value = _json_text(draw(odd_values)).replace("NaN", "nan").replace("Infinity", "inf")
    lines[place] = key + b"= " + value.encode("utf-8", "surrogatepass")
    return b"\n".join(lines)


def in_tensors(draw: Draw, content: bytes) -> bytes:
    """An odd array in safetensors, or odd facts beside the arrays."""
    from safetensors.numpy import load, save

    length = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + length])
    metadata = header.get("__metadata__") or {}
    kind = draw(st.sampled_from(["array", "facts", "header"]))
    if kind == "header":
        changed = _json_text(_odd_inside(draw, header)).encode("utf-8", "surrogatepass")
        return len(changed).to_bytes(8, "little") + changed + content[8 + length :]
    arrays = load(content)
    if kind == "facts" and "lexalign" in metadata:
        metadata["lexalign"] = _json_text(_odd_inside(draw, json.loads(metadata["lexalign"])))
    else:
        name = draw(st.sampled_from(sorted(arrays)))
        arrays[draw(st.sampled_from([name, name, name, "other"]))] = _odd_array(draw, arrays[name])
    return bytes(save({name: np.ascontiguousarray(a) for name, a in arrays.items()}, metadata))


def in_archive(draw: Draw, content: bytes) -> bytes:
    """An odd array in an archive of NumPy."""
    with np.load(io.BytesIO(content), allow_pickle=False) as archive:
        arrays = {name: archive[name] for name in archive.files}
    name = draw(st.sampled_from(sorted(arrays)))
    if arrays[name].dtype.kind == "U" and draw(st.booleans()):
        words = arrays[name].tolist()
        words[draw(st.integers(0, len(words) - 1))] = draw(odd_texts)
        arrays[name] = np.array(words)
    else:
        arrays[name] = _odd_array(draw, arrays[name])
    file = io.BytesIO()
    draw(st.sampled_from([np.savez, np.savez_compressed]))(file, **arrays)
    return file.getvalue()


def _odd_array(draw: Draw, array: np.ndarray) -> np.ndarray:
    kind = draw(st.sampled_from(["value", "value", "type", "shape"]))
    if kind == "value" and array.size and array.dtype.kind in "fiu":
        array = array.copy()
        numbers = (np.nan, np.inf, -np.inf, 1e38, 0.0) if array.dtype.kind == "f" else (0, 1, 100)
        where = draw(st.sampled_from([slice(None), 0, -1]))
        with np.errstate(over="ignore"):
            array.reshape(-1)[where] = draw(st.sampled_from(numbers))
        return array
    if kind == "type":
        types = ("<f2", "<f8", "<f4", "<i4", "<i8", "|u1", "|b1")
        return np.zeros(array.shape, dtype=draw(st.sampled_from(types)))
    shapes: tuple[Callable[[np.ndarray], np.ndarray], ...] = (
        lambda a: a.reshape(-1),
        lambda a: a[:0],
        lambda a: a[None],
        lambda a: a[:-1],
        lambda a: a.T,
        lambda a: a[..., :1],
        lambda a: np.concatenate((a, a)),
        lambda a: np.zeros(()),
    )
    return np.asarray(draw(st.sampled_from(shapes))(array))


def in_word2vec(draw: Draw, content: bytes) -> bytes:
    """An odd word, number, count or line end in a word2vec binary file."""
    header, _, rest = content.partition(b"\n")
    rows, dimension = map(int, header.split())
    if not 0 < rows < 100 or not 0 < dimension < 100:
        raise ValueError("damaged before")
    words, numbers, ends = [], [], []
    for _ in range(rows):
        word, _, rest = rest.partition(b" ")
        words.append(word)
        numbers.append(rest[: 4 * dimension])
        end = b"\n" if rest[4 * dimension :].startswith(b"\n") else b""
        ends.append(end)
        rest = rest[4 * dimension + len(end) :]
    row = draw(st.integers(0, rows - 1))
    kind = draw(st.sampled_from(["word", "word", "number", "count", "end", "ends", "repeat"]))
    if kind == "word":
        words[row] = draw(odd_bytes)
    elif kind == "number":
        numbers[row] = in_numbers(draw, numbers[row])
    elif kind == "end":
        ends[row] = draw(odd_bytes)
    elif kind == "ends":
        ends = [b""] * rows
    elif kind == "repeat":
        words[row] = words[0]
    else:
        header = b" ".join((draw(odd_bytes), draw(odd_bytes)))
    body = (b" ".join(both) + end for *both, end in zip(words, numbers, ends, strict=True))
    return header + b"\n" + b"".join(body)


def compressed(compress: Callable[[bytes], bytes], inside: Structure) -> Structure:
    """Damage inside a compressed file."""
    modules = {gzip.compress: gzip, bz2.compress: bz2, lzma.compress: lzma}

    def damage(draw: Draw, content: bytes) -> bytes:
        return compress(inside(draw, modules[compress].decompress(content)))

    return damage
