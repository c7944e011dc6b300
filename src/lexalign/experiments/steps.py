"""What a job does: train, align, refine or evaluate, from folders into a folder.

A space is never written as vectors where a map says it all: what aligning and refining leave behind
is a map, and who needs the space applies the maps to the vectors again. Joint-Align alone, whose
words are not those of two files, writes its vectors.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol

import attrs

from lexalign.aligners import ALIGNERS, Muse, VecMap, seed_lexicon
from lexalign.aligners.aligner import Aligner, Found
from lexalign.atomic import atomic_folder
from lexalign.errors import LexalignError, about
from lexalign.evaluation import PROTOCOLS, bli
from lexalign.experiments.grid import GIVEN
from lexalign.experiments.jobs import Job
from lexalign.pipelines.align import health_of
from lexalign.progress import Progress
from lexalign.refinement import Refiner
from lexalign.refinement.refiner import CITATION
from lexalign.runs import RECORD, write_lexicon, write_record
from lexalign.spaces import LinearMap, Side
from lexalign.vectors import Embeddings, Lexicon, read, write

Space = tuple[Embeddings, Embeddings]
MAP, LEXICON, SCORES = "map.safetensors", "lexicon.tsv", "scores.json"


class Library(Protocol):
    """Where vectors are taken from, so that they need not be read for every job."""

    def vectors(self, path: Path, limit: int, lowercase: bool) -> Embeddings:
        """The most frequent words of a file, put into lower case if that is asked for."""


def carry_out(job: Job, root: Path, library: Library) -> None:
    """Do a job whose needs are done, and write its folder whole or not at all."""
    began, progress = time.perf_counter(), Progress()
    with atomic_folder(job.folder(root), RECORD, overwrite=True) as folder:
        figures = STEPS[job.step](job, root, folder, library, progress)
        record = {
            "method": job.step,
            "title": job.title,
            **job.settings,
            "parameters": job.parameters,
            "device": job.device,
            "inputs": {
                name: {"path": str(path), "sha256": job.digests[name]}
                for name, path in job.inputs.items()
            },
            "needs": job.needs.name if job.needs else None,
            **figures,
        }
        progress.seconds["all"] = time.perf_counter() - began
        write_record(folder, record, progress)


def space_of(job: Job, root: Path, library: Library) -> Space:
    """The space that an aligning or refining job left behind."""
    folder = job.folder(root)
    if job.step == "align" and job.settings["joint"]:
        return read(folder / "source.npz"), read(folder / "target.npz")
    if job.step == "align":
        source, target = (_vectors(job, name, library) for name in ("source", "target"))
    else:
        source, target = space_of(job.base, root, library)
    learned = LinearMap.load(folder / MAP)
    return (
        source.with_matrix(learned.apply(source.matrix, "source")),
        target.with_matrix(learned.apply(target.matrix, "target")),
    )


def _vectors(job: Job, name: str, library: Library) -> Embeddings:
    return library.vectors(job.inputs[name], job.settings["limit"], job.settings["lowercase"])


def _train(
    job: Job, root: Path, folder: Path, library: Library, progress: Progress
) -> dict[str, Any]:
    from lexalign.training import Trainer
    from lexalign.training.joint.text import JointText

    sides = (job.inputs["source"],), (job.inputs["target"],)
    text = JointText.read(
        *sides,
        Trainer(**job.parameters),
        keep_case=job.settings["keep_case"],
        progress=progress,
    )
    write(text.train(progress, str(job.checkpoints(root))), folder / "joint.npz")
    text.write_counts(folder)
    return text.as_dict()


def _align(
    job: Job, root: Path, folder: Path, library: Library, progress: Progress
) -> dict[str, Any]:
    if job.settings["method"] == GIVEN:
        LinearMap(Side(), Side()).save(folder / MAP)
        return {}
    aligner = ALIGNERS[job.settings["method"]](**job.parameters)
    if isinstance(aligner, (Muse, VecMap)):
        aligner = attrs.evolve(aligner, checkpoint=str(job.checkpoints(root)))
    aligner.require_packages()
    lexicon = _seeds(job)
    more = dict[str, Any]()
    if job.settings["joint"]:
        with about(job.inputs.get("lexicon")):
            found, more = _align_jointly(job, root, folder, aligner, lexicon, progress)
    else:
        source, target = (_vectors(job, name, library) for name in ("source", "target"))
        if "seeds" in job.settings:
            lexicon = seed_lexicon(job.settings["seeds"], source, target)
        with about(job.inputs.get("lexicon")):
            found = aligner.find(source, target, lexicon, progress)
    found.map.save(folder / MAP)
    write_lexicon(found.lexicon, folder / LEXICON)
    history = {"citation": found.citation, "history": found.history}
    return {"seed": aligner.seed, **history, **health_of(found), **more}


def _seeds(job: Job) -> Lexicon | None:
    if "lexicon" not in job.inputs:
        return None
    return Lexicon.read(job.inputs["lexicon"], lowercase=job.settings["lowercase"])


def _align_jointly(
    job: Job,
    root: Path,
    folder: Path,
    aligner: Aligner,
    lexicon: Lexicon | None,
    progress: Progress,
) -> tuple[Found, dict[str, Any]]:
    from lexalign.training import Counts
    from lexalign.training.joint import align_joint, reallocate

    trained = job.base.folder(root)
    joint = read(trained / "joint.npz")
    counts = [Counts.read(trained / f"{name}.counts.tsv") for name in ("source", "target")]
    words = reallocate(joint.words, counts[0], counts[1])
    aligned = align_joint(joint, words, aligner, lexicon, progress=progress)
    limit = job.settings["limit"]
    write(aligned.source.top(limit), folder / "source.npz")
    write(aligned.target.top(limit), folder / "target.npz")
    return aligned.found, {"words": words.as_dict()}


def _refine(
    job: Job, root: Path, folder: Path, library: Library, progress: Progress
) -> dict[str, Any]:
    refined = Refiner(**job.parameters).fit(*space_of(job.base, root, library))
    refined.map.save(folder / MAP)
    write_lexicon(refined.lexicon, folder / LEXICON)
    return {"history": refined.history, "citation": CITATION}


def _evaluate(
    job: Job, root: Path, folder: Path, library: Library, progress: Progress
) -> dict[str, Any]:
    space = space_of(job.base, root, library)
    measure = {"translation": _by_translation, "nli": _by_inference}[job.settings["kind"]]
    results = measure(job, space, root, progress)
    (folder / SCORES).write_text(json.dumps(results, ensure_ascii=False) + "\n", encoding="utf-8")
    return {"scores": [_without_ranks(result) for result in results]}


def _by_translation(job: Job, space: Space, root: Path, progress: Progress) -> list[dict[str, Any]]:
    path = job.inputs["lexicon"]
    protocol = PROTOCOLS[job.settings["protocol"]].but(**job.settings["rules"])
    with about(path):
        lexicon = Lexicon.read(path, lowercase=job.settings["lowercase"])
        found = bli(*space, lexicon, protocol=protocol, device=job.device, progress=progress)
    return [{"lexicon": path.name, **found.as_dict()}]


def _by_inference(job: Job, space: Space, root: Path, progress: Progress) -> list[dict[str, Any]]:
    from lexalign.evaluation.nli import Learner
    from lexalign.evaluation.nli.encoding import encode
    from lexalign.evaluation.nli.examples import Examples
    from lexalign.evaluation.nli.transfer import answer
    from lexalign.vectors.tokens import tokeniser

    _require_match(job, root)
    source, target = space
    learner, tokenise = Learner(**job.parameters), tokeniser("words")
    languages = job.settings["source"], job.settings["target"]
    train, dev = (
        encode(Examples.read(job.inputs[name], languages[0]), source.index, tokenise)
        for name in ("train", "dev")
    )
    trained = learner.train(source, train, dev, progress, str(job.checkpoints(root)))
    results = []
    for language, words in ((languages[1], target), (languages[0], source)):
        examples = Examples.read(job.inputs[f"test {language}"], language)
        found = answer(trained.model, words, examples, tokenise)
        results.append({"language": language, **found.as_dict()})
    return results


def _require_match(job: Job, root: Path) -> None:
    """Refuse to train for long on an alignment that is known to have failed."""
    aligned = next(one for one in job.chain if one.step == "align")
    record = json.loads((aligned.folder(root) / RECORD).read_text("utf-8"))
    health = record.get("health") or {}
    if health.get("matched") is False:
        raise LexalignError(
            "No model was trained: the health check of the alignment says that the two spaces were "
            "not matched."
        )


def _without_ranks(result: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in result.items() if name not in ("ranks", "rules")}


STEPS: dict[str, Callable[[Job, Path, Path, Library, Progress], dict[str, Any]]] = {
    "train": _train,
    "align": _align,
    "refine": _refine,
    "evaluate": _evaluate,
}
