"""The bundled vectors and lexicons, in memory or as files."""

from __future__ import annotations

from importlib.resources import as_file
from importlib.resources import files as resources
from pathlib import Path

import numpy as np

from lexalign.vectors import Embeddings, Lexicon, write

LANGUAGES = ("en", "de")
LEXICONS = ("seeds", "test")
PACKAGE = "lexalign.demo"


def demo_embeddings(language: str) -> Embeddings:
    """Return the bundled vectors of "en" or "de", most frequent words first."""
    home = resources(PACKAGE)
    words = (home / f"{language}.words").read_text(encoding="utf-8").split("\n")
    with as_file(home / f"{language}.npy") as path:
        matrix = np.load(path, allow_pickle=False).astype(np.float32)
    return Embeddings(words[: len(matrix)], matrix, language=language)


def demo_lexicon(name: str) -> Lexicon:
    """Return the bundled lexicon "seeds" (600 pairs) or "test" (1,200 pairs)."""
    with as_file(resources(PACKAGE) / f"en-de.{name}.tsv") as path:
        return Lexicon.read(path)


def write_demo_files(folder: Path, *, words: int = 10_000) -> tuple[Path, Path]:
    """Write the vectors and lexicons into a folder: en.bin, de.bin, seeds.tsv and test.tsv.

    Writes ``words`` words of each language, and returns the files of vectors.
    """
    for language in LANGUAGES:
        write(demo_embeddings(language).top(words), folder / f"{language}.bin")
    for name in LEXICONS:
        demo_lexicon(name).write(folder / f"{name}.tsv")
    source, target = (folder / f"{language}.bin" for language in LANGUAGES)
    return source, target
