"""The work of a job: train, align, refine or evaluate, from folders into a folder.

Aligning and refining write only a map, and later steps apply the maps to the vectors again. Only
Joint-Align writes vectors, because its words are not those of two files.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol

import attrs

from lexalign.aligners import ALIGNERS, Aligner, Alignment, Muse, VecMap, seed_lexicon
from lexalign.errors import LexalignError, about
from lexalign.evaluation import PROTOCOLS, Evaluator, Leakage
from lexalign.experiments.grid import GIVEN
from lexalign.experiments.jobs import Job
from lexalign.progress import Progress
from lexalign.refinement import Refiner
from lexalign.runs import LAYOUT, SIDES, Run, RunWriter, claim_run, new_run, read_record
from lexalign.spaces import LinearMap, Side
from lexalign.vectors import Embeddings, Lexicon

Space = tuple[Embeddings, Embeddings]
VECTORS = ".npz"


class Library(Protocol):
    """Caches vectors, so that not every job has to read them."""

    def vectors(self, path: Path, limit: int, lowercase: bool) -> Embeddings:
        """The most frequent words of a file, optionally in lower case."""


def carry_out(job: Job, root: Path, library: Library) -> None:
    """Run a job whose needed jobs are done, and write its folder completely or not at all."""
    began, progress = time.perf_counter(), Progress()
    with new_run(claim_run(job.folder(root), overwrite=True), progress=progress) as run:
        figures = STEPS[job.step](job, root, run, library)
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
        run.record(record)


def space_of(job: Job, root: Path, library: Library) -> Space:
    """The space after an alignment or refinement job."""
    run = Run.open(job.folder(root))
    if job.step == "align" and job.settings["joint"]:
        return run.source, run.target
    if job.step == "align":
        source, target = (_vectors(job, name, library) for name in SIDES)
        learned = run.map
    else:
        source, target = space_of(job.base, root, library)
        learned = run.step or run.map
    return (
        source.with_matrix(learned.source.apply(source.matrix)),
        target.with_matrix(learned.target.apply(target.matrix)),
    )


def _vectors(job: Job, name: str, library: Library) -> Embeddings:
    return library.vectors(job.inputs[name], job.settings["limit"], job.settings["lowercase"])


def _train(job: Job, root: Path, run: RunWriter, library: Library) -> dict[str, Any]:
    from lexalign.training import Trainer
    from lexalign.training.joint.joint_text import JointText

    sides = (job.inputs["source"],), (job.inputs["target"],)
    text = JointText.read(
        *sides,
        Trainer(**job.parameters),
        keep_case=job.settings["keep_case"],
        progress=run.progress,
    )
    run.vectors(text.train(run.progress, str(job.checkpoints(root))), LAYOUT.joint, VECTORS)
    for name, counts in zip(SIDES, text.counts, strict=True):
        run.counts(counts, name)
    return text.as_dict()


def _align(job: Job, root: Path, run: RunWriter, library: Library) -> dict[str, Any]:
    if job.settings["method"] == GIVEN:
        run.map(LinearMap(Side(), Side()))
        return {}
    aligner = ALIGNERS[job.settings["method"]](**job.parameters)
    if isinstance(aligner, (Muse, VecMap)):
        aligner = attrs.evolve(aligner, checkpoint=str(job.checkpoints(root)))
    aligner.require_packages()
    lexicon = _seeds(job)
    more = dict[str, Any]()
    if job.settings["joint"]:
        with about(job.inputs.get("lexicon")):
            aligned, more = _align_jointly(job, root, run, aligner, lexicon)
    else:
        source, target = (_vectors(job, name, library) for name in SIDES)
        if "seeds" in job.settings:
            lexicon = seed_lexicon(job.settings["seeds"], source, target)
        with about(job.inputs.get("lexicon")):
            aligned = aligner.fit(source, target, lexicon, run.progress)
    run.map(aligned.map)
    run.lexicon(aligned.lexicon)
    run.seeds(aligned.seeds)
    facts = {"citation": aligned.citation, "history": aligned.history, "warning": aligned.warning}
    return {"seed": aligner.seed, **facts, **aligned.health_record(), **more}


def _seeds(job: Job) -> Lexicon | None:
    if "lexicon" not in job.inputs:
        return None
    return Lexicon.read(job.inputs["lexicon"], lowercase=job.settings["lowercase"])


def _align_jointly(
    job: Job, root: Path, run: RunWriter, aligner: Aligner, lexicon: Lexicon | None
) -> tuple[Alignment, dict[str, Any]]:
    from lexalign.training.joint import align_joint, reallocate, shared_map

    trained = Run.open(job.base.folder(root))
    joint, counts = trained.joint, trained.counts
    words = reallocate(joint.words, counts[0], counts[1])
    aligned = align_joint(joint, words, aligner, lexicon, progress=run.progress)
    limit = job.settings["limit"]
    run.vectors(aligned.source.top(limit), "source", VECTORS)
    run.vectors(aligned.target.top(limit), "target", VECTORS)
    if words.shared.any():
        run.map(shared_map(aligned, joint, words), LAYOUT.shared)
    return aligned, {"words": words.as_dict()}


def _refine(job: Job, root: Path, run: RunWriter, library: Library) -> dict[str, Any]:
    base = Run.open(job.base.folder(root))
    refined = Refiner(**job.parameters).fit(*space_of(job.base, root, library))
    for name, map_ in base.maps.items():
        run.map(map_.followed_by(refined.map), name)
    run.rotation(refined.map)
    run.lexicon(refined.lexicon)
    return {"history": refined.history, "citation": refined.citation}


def _evaluate(job: Job, root: Path, run: RunWriter, library: Library) -> dict[str, Any]:
    space = space_of(job.base, root, library)
    measure = {"translation": _by_translation, "nli": _by_inference}[job.settings["kind"]]
    results = measure(job, space, root, run.progress)
    run.scores(results)
    return {"scores": [_without_ranks(result) for result in results]}


def _by_translation(job: Job, space: Space, root: Path, progress: Progress) -> list[dict[str, Any]]:
    path = job.inputs["lexicon"]
    protocol = PROTOCOLS[job.settings["protocol"]].but(**job.settings["rules"])
    with about(path):
        lexicon = Lexicon.read(path, lowercase=job.settings["lowercase"])
        evaluator = Evaluator(*space, protocol, device=job.device, progress=progress)
        found = [
            evaluator.evaluate(lexicon, retrieval=retrieval) for retrieval in protocol.retrievals
        ]
    seeds = Run.open(_alignment_of(job).folder(root)).seeds
    leakage = [None if seeds is None else Leakage.of(result, seeds).as_dict() for result in found]
    return [
        {"lexicon": path.name, "leakage": leaked, **result.as_dict()}
        for result, leaked in zip(found, leakage, strict=True)
    ]


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
    """Raise before long training if the alignment has failed."""
    health = read_record(_alignment_of(job).folder(root)).get("health") or {}
    if health.get("matched") is False:
        raise LexalignError(
            "No model was trained: the health check shows that the two spaces do not match."
        )


def _alignment_of(job: Job) -> Job:
    """The job that aligned this space."""
    return next(one for one in job.chain if one.step == "align")


def _without_ranks(result: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in result.items() if name not in ("ranks", "rules")}


STEPS: dict[str, Callable[[Job, Path, RunWriter, Library], dict[str, Any]]] = {
    "train": _train,
    "align": _align,
    "refine": _refine,
    "evaluate": _evaluate,
}
