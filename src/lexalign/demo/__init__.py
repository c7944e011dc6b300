"""The embedded demonstration: English and German, 10,000 words each, ours to give away."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import as_file
from importlib.resources import files as resources
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from lexalign.aligners import Alignment, Procrustes
from lexalign.evaluation import Accuracy, evaluate
from lexalign.induction import Dictionary, Inducer
from lexalign.pipelines.align import FileAlignment
from lexalign.pipelines.ranked_accuracy import ranked_accuracy
from lexalign.procrustes import PAPER_HORIZON
from lexalign.progress import Progress
from lexalign.refinement import Refiner
from lexalign.retrieval import Translator
from lexalign.vectors import Embeddings, Lexicon, write

WORDS = ("parliament", "water", "monday", "cheap", "agriculture", "russia")
METHOD = "procb --variant once --final vecmap"
EVERY_WORD = slice(500, None, 1000)
"""Ten words from frequent to rare, none of them chosen."""


@dataclass(frozen=True)
class DemoResult:
    """What the demonstration shows."""

    aligned: Alignment
    refined: Alignment
    before: dict[str, Accuracy]
    after: dict[str, Accuracy]
    translations: dict[str, list[str]]
    plain: Accuracy
    learned: Accuracy
    dictionary: Dictionary


def demo_embeddings(language: str) -> Embeddings:
    """The embedded vectors of "en" or "de", most frequent word first."""
    home = resources(__name__)
    words = (home / f"{language}.words").read_text(encoding="utf-8").split("\n")
    with as_file(home / f"{language}.npy") as path:
        matrix = np.load(path, allow_pickle=False).astype(np.float32)
    return Embeddings(words[: len(matrix)], matrix, language=language)


def demo_lexicon(name: str) -> Lexicon:
    """The embedded "seeds" (600 pairs) or "test" (1,200 pairs) lexicon."""
    with as_file(resources(__name__) / f"en-de.{name}.tsv") as path:
        return Lexicon.read(path)


def write_demo_run(output: Path, *, words: int = 10_000) -> None:
    """Align the embedded vectors into the folder ``output``: a run to try things on."""
    with TemporaryDirectory() as folder:
        for language in ("en", "de"):
            write(demo_embeddings(language).top(words), Path(folder) / f"{language}.vec")
        demo_lexicon("seeds").write(Path(folder) / "seeds.tsv")
        files = Path(folder) / "en.vec", Path(folder) / "de.vec"
        FileAlignment(Procrustes()).align(*files, str(Path(folder) / "seeds.tsv"), output)


def run_demo(progress: Progress | None = None) -> DemoResult:
    """Align with the seeds and refine as in the paper; induce a dictionary; measure on the test."""
    progress = progress or Progress()
    source, target = demo_embeddings("en"), demo_embeddings("de")
    test = demo_lexicon("test")
    with progress.stage("aligning with 600 seed pairs"):
        aligned = Procrustes(rounds=3).fit(source, target, demo_lexicon("seeds"))
    with progress.stage("refining"):
        refined = Refiner(horizon=PAPER_HORIZON).fit(aligned.source, aligned.target)
    with progress.stage("measuring"):
        before, after = (
            {
                retrieval: evaluate(alignment.source, alignment.target, test, retrieval=retrieval)
                for retrieval in ("nn", "csls")
            }
            for alignment in (aligned, refined)
        )
        translator = Translator(source=refined.source, target=refined.target)
        translations = {
            word: [found.word for found in best or ()]
            for word, best in zip(WORDS, translator.translate(WORDS, k=3), strict=True)
        }
    induced = Inducer(method=METHOD, both_directions=False).fit(
        source, target, demo_lexicon("seeds"), progress
    )
    with progress.stage("ranking translations"):
        plain = evaluate(induced.alignment.source, induced.alignment.target, test)
        ranking, pair = induced.rankings["forward"], induced.pair
        learned = ranked_accuracy(plain, ranking, pair.source, pair.target)
        dictionary = induced.translate(source.words[EVERY_WORD], top=1)
    return DemoResult(aligned, refined, before, after, translations, plain, learned, dictionary)
