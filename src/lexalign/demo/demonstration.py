"""Align, refine and induce a dictionary from the bundled vectors, as runs in a folder."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from lexalign.aligners import Procrustes
from lexalign.atomic import FolderKind, atomic_folder, claim_folder
from lexalign.demo.data import demo_lexicon, write_demo_files
from lexalign.evaluation import Accuracy, evaluate
from lexalign.induction import Inducer
from lexalign.induction.learned_translator import LearnedTranslator
from lexalign.pipelines.align import FileAlignment
from lexalign.pipelines.induce import FileInduction
from lexalign.pipelines.ranked_accuracy import ranked_accuracy
from lexalign.pipelines.refine import refine_files
from lexalign.procrustes import PAPER_HORIZON
from lexalign.progress import Progress
from lexalign.refinement import Refiner
from lexalign.retrieval import Translator
from lexalign.runs import LAYOUT, Run
from lexalign.spaces import unit_length

WORDS = ("parliament", "water", "monday", "cheap", "agriculture", "russia")
METHOD = "procb --variant once --final vecmap"
EVERY_WORD = slice(500, None, 1000)
"""Ten words from frequent to rare, at equal steps of rank."""
MARKER = "demo.json"
FORMAT = "lexalign-demo-1"
RUNS = ("aligned", "refined", "induced")


@dataclass(frozen=True)
class DemoResult:
    """The results of the demonstration.

    ``aligned`` and ``refined`` are runs with their vectors in memory. ``dictionary`` has the first
    translation of some words, with its probability.
    """

    aligned: Run
    refined: Run
    before: Mapping[str, Accuracy]
    after: Mapping[str, Accuracy]
    translations: Mapping[str, list[str]]
    plain: Accuracy
    learned: Accuracy
    dictionary: Mapping[str, tuple[str, float]]


def write_demo_run(output: Path, *, words: int = 10_000) -> None:
    """Align the bundled vectors into the folder ``output``, as a run for first experiments."""
    with TemporaryDirectory() as folder:
        files = write_demo_files(Path(folder), words=words)
        FileAlignment(Procrustes()).align(*files, str(Path(folder) / "seeds.tsv"), output)


def run_demo(
    progress: Progress | None = None, *, output: Path | None = None, overwrite: bool = False
) -> DemoResult:
    """Align with the seeds, refine as in the paper, induce a dictionary, and evaluate on the test
    words.

    Parameters
    ----------
    progress : Progress, optional
        Receives the stages of the work.
    output : Path, optional
        A folder for the vectors, the lexicons, and the runs aligned, refined and induced. It is
        complete or does not exist.
    overwrite : bool
        Whether to replace the folder of an earlier demonstration.

    Raises
    ------
    OutputError
        If the folder exists and must not be replaced.
    """
    progress = progress or Progress()
    if output is None:
        with TemporaryDirectory() as name:
            # The dictionary of all words takes as long as everything else, and would be lost.
            return _demonstrate(Path(name), progress, dictionary_words=1)
    claim = claim_folder(output, DEMO_FOLDER, overwrite=overwrite)
    with atomic_folder(claim, DEMO_FOLDER) as folder:
        result = _demonstrate(folder, progress, dictionary_words=None)
        _name_final_place(folder, output.resolve())
        listed = [path.relative_to(folder).as_posix() for path in sorted(folder.rglob("*"))
                  if path.is_file()]  # fmt: skip
        record = {"format": FORMAT, "files": listed}
        (folder / MARKER).write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    return result


def _demonstrate(folder: Path, progress: Progress, *, dictionary_words: int | None) -> DemoResult:
    test, seeds = demo_lexicon("test"), str(folder / "seeds.tsv")
    source, target = write_demo_files(folder)
    with progress.stage("aligning with 600 seed pairs"):
        FileAlignment(Procrustes(rounds=3), output_format="folder").align(
            source, target, seeds, folder / "aligned"
        )
    aligned = Run.open(folder / "aligned")
    with progress.stage("refining"):
        refine_files(
            *aligned.files,
            folder / "refined",
            Refiner(horizon=PAPER_HORIZON),
            output_format="folder",
        )
    refined = Run.open(folder / "refined")
    with progress.stage("evaluating"):
        before, after = (
            {
                retrieval: evaluate(run.source, run.target, test, retrieval=retrieval)
                for retrieval in ("nn", "csls")
            }
            for run in (aligned, refined)
        )
        translator = Translator(source=refined.source, target=refined.target)
        translations = {
            word: [found.word for found in best or ()]
            for word, best in zip(WORDS, translator.translate(WORDS, k=3), strict=True)
        }
    FileInduction(
        inducer=Inducer(method=METHOD, both_directions=False),
        max_rank=dictionary_words,
        output_format="folder",
        progress=progress,
    ).induce(source, target, seeds, folder / "induced")
    with progress.stage("ranking translations"):
        induced = Run.open(folder / "induced")
        english, german = (unit_length(side) for side in (induced.source, induced.target))
        rankings = induced.rankings(english, german)
        plain = evaluate(english, german, test)
        learned = ranked_accuracy(plain, rankings["forward"], english, german)
        words = english.words[EVERY_WORD]
        best = LearnedTranslator(english, german, rankings).translate(words, 1)
        dictionary = {
            word: (found[0].word, found[0].score)
            for word, found in zip(words, best, strict=True)
            if found
        }
    return DemoResult(aligned, refined, before, after, translations, plain, learned, dictionary)


def _name_final_place(folder: Path, place: Path) -> None:
    """Change the records to name the files at their final place."""
    for run in RUNS:
        path = folder / run / LAYOUT.record
        text = path.read_text(encoding="utf-8")
        for ascii in (True, False):
            one, other = (
                json.dumps(str(name), ensure_ascii=ascii)[1:-1] for name in (folder, place)
            )
            text = text.replace(one, other)
        path.write_text(text, encoding="utf-8")


def _written(folder: Path) -> set[str] | None:
    """The files that a demonstration wrote, and the caches of the explorer in its runs."""
    try:
        record: Any = json.loads((folder / MARKER).read_text(encoding="utf-8"))
        listed = {str(name) for name in record["files"]}
    except (ValueError, KeyError, TypeError):
        return None
    caches = (path for run in RUNS for path in (folder / run / LAYOUT.cache).rglob("*"))
    return listed | {path.relative_to(folder).as_posix() for path in caches}


DEMO_FOLDER = FolderKind(MARKER, _written, decisions=LAYOUT.review)
