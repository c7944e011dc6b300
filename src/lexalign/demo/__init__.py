"""The embedded demonstration: English and German, 10,000 words each, ours to give away."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import as_file, files

import numpy as np

from lexalign.aligners import Procrustes
from lexalign.evaluate import TranslationAccuracy, translation_accuracy
from lexalign.progress import Progress
from lexalign.refinement import Refiner
from lexalign.retrieval import penalty, top_k
from lexalign.spaces import Alignment
from lexalign.vectors import Embeddings, Lexicon

WORDS = ("parliament", "water", "monday", "cheap", "agriculture", "russia")


@dataclass(frozen=True)
class DemoResult:
    """What the demonstration shows."""

    aligned: Alignment
    refined: Alignment
    before: dict[str, TranslationAccuracy]
    after: dict[str, TranslationAccuracy]
    translations: dict[str, list[str]]


def demo_embeddings(language: str) -> Embeddings:
    """The embedded vectors of "en" or "de", most frequent word first."""
    home = files(__name__)
    words = (home / f"{language}.words").read_text(encoding="utf-8").split("\n")
    with as_file(home / f"{language}.npy") as path:
        matrix = np.load(path, allow_pickle=False).astype(np.float32)
    return Embeddings(words[: len(matrix)], matrix, language=language)


def demo_lexicon(name: str) -> Lexicon:
    """The embedded "seeds" (600 pairs) or "test" (1,200 pairs) lexicon."""
    with as_file(files(__name__) / f"en-de.{name}.tsv") as path:
        return Lexicon.read(path)


def run_demo(progress: Progress | None = None) -> DemoResult:
    """Align with the seeds, refine, and measure before and after on the test pairs."""
    progress = progress or Progress()
    source, target = demo_embeddings("en"), demo_embeddings("de")
    test = demo_lexicon("test")
    with progress.stage("aligning with 600 seed pairs"):
        aligned = Procrustes(rounds=3).fit(source, target, demo_lexicon("seeds"))
    with progress.stage("refining"):
        refined = Refiner().fit(aligned.source, aligned.target)
    with progress.stage("measuring"):
        before, after = (
            {
                retrieval: translation_accuracy(
                    alignment.source, alignment.target, test, retrieval=retrieval
                )
                for retrieval in ("nn", "csls")
            }
            for alignment in (aligned, refined)
        )
        translations = translate(refined, WORDS)
    return DemoResult(aligned, refined, before, after, translations)


def translate(alignment: Alignment, words: Sequence[str], k: int = 3) -> dict[str, list[str]]:
    """The k best target words of each source word by CSLS."""
    source, target = alignment.source, alignment.target
    costs = penalty("csls", target.matrix, source.matrix).values
    queries = np.stack([source[word] for word in words])
    found = top_k(queries, target.matrix, k, costs).indices.tolist()
    return {
        word: [target.words[index] for index in row] for word, row in zip(words, found, strict=True)
    }
