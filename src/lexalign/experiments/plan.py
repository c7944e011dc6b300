"""Derive the jobs of a grid from the inputs of a machine, and the cells that cannot be filled."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import attrs

from lexalign.aligners import SEEDS
from lexalign.atomic import atomic_file
from lexalign.digests import sha256
from lexalign.experiments.grid import AlignerChoice, Grid, Pair, Refinement
from lexalign.experiments.inputs import Inputs, MissingInputError
from lexalign.experiments.jobs import Job
from lexalign.json_text import json_text
from lexalign.parameters import unknown

FORMAT = "lexalign-experiment-1"
SUFFIX = ".experiment.json"


@dataclass(frozen=True)
class PlannedRun:
    """One run of one table cell: its job, or why there is none."""

    aligner: str
    refinement: str
    pair: str
    seed: int
    job: Job | None
    missing: str = ""

    def as_dict(self) -> dict[str, Any]:
        """The run in JSON types, with the job as the names of its chain."""
        chain = [job.name for job in self.job.chain] if self.job else []
        return {**asdict(replace(self, job=None)), "job": chain}


@dataclass(frozen=True)
class Plan:
    """All runs of a grid on this machine."""

    grid: Grid
    titles: Mapping[str, str]
    cells: tuple[PlannedRun, ...]

    @property
    def jobs(self) -> tuple[Job, ...]:
        """Every job once, in an order in which needed jobs come first."""
        return self.jobs_of(())

    def jobs_of(self, aligners: Collection[str]) -> tuple[Job, ...]:
        """The jobs of the aligners with these labels; all jobs without labels."""
        known = {choice.label for choice in self.grid.aligners}
        for label in aligners:
            if label not in known:
                raise unknown(f"aligner of the grid {self.grid.name}", label, known)
        found = {
            job.name: job
            for cell in self.cells
            if cell.job and (not aligners or cell.aligner in aligners)
            for job in cell.job.chain
        }
        return tuple(found.values())

    def write(self, root: Path) -> None:
        """Write the plan beside the jobs, for the table."""
        content = {
            "format": FORMAT,
            "grid": asdict(self.grid),
            "titles": dict(self.titles),
            "cells": [cell.as_dict() for cell in self.cells],
        }
        root.mkdir(parents=True, exist_ok=True)
        with atomic_file(root / f"{self.grid.name}{SUFFIX}", overwrite=True) as temporary:
            text = json_text(content, indent=1)
            temporary.write_text(text + "\n", encoding="utf-8")


def plan(grid: Grid, inputs: Inputs, device: str = "cpu") -> Plan:
    """The jobs of all cells; a missing input leaves out the cells that need it."""
    grid = inputs.grid(grid)
    planner = _Planner(grid, inputs, device)
    cells = tuple(
        cell
        for choice in grid.aligners
        for pair in grid.pairs
        for seed in grid.seeds
        for cell in planner.cells(choice, pair, seed)
    )
    titles = {pair.vectors: inputs.title(pair.vectors) for pair in grid.pairs}
    return Plan(grid, titles, cells)


def _digest(path: Path) -> str:
    """The digest of a file, which is read again only if it changed."""
    stat = path.stat()
    return _digest_of(path, stat.st_size, stat.st_mtime_ns)


@cache
def _digest_of(path: Path, size: int, changed: int) -> str:
    return sha256(path)


class _Planner:
    """The shared parts of the cells of one grid."""

    def __init__(self, grid: Grid, inputs: Inputs, device: str) -> None:
        self._grid, self._inputs, self._device = grid, inputs, device

    def cells(self, choice: AlignerChoice, pair: Pair, seed: int) -> list[PlannedRun]:
        """The run without refinement, and one with each."""
        refinements = self._grid.refinements if choice.refine else ()
        labels = ["", *(refinement.label for refinement in refinements)]
        try:
            base = self._aligned(choice, pair, seed)
            spaces = [base, *(self._refined(base, refinement) for refinement in refinements)]
            jobs = [self._evaluated(space, pair, seed) for space in spaces]
        except MissingInputError as error:
            return [
                PlannedRun(choice.label, label, str(pair), seed, None, str(error))
                for label in labels
            ]
        return [
            PlannedRun(choice.label, label, str(pair), seed, job)
            for label, job in zip(labels, jobs, strict=True)
        ]

    def _job(
        self,
        step: str,
        title: str,
        settings: Mapping[str, Any],
        inputs: Mapping[str, Path],
        needs: Job | None = None,
    ) -> Job:
        digests = {name: _digest(path) for name, path in inputs.items()}
        return Job(step, title, settings, inputs, digests, needs, self._device)

    def _aligned(self, choice: AlignerChoice, pair: Pair, seed: int) -> Job:
        settings: dict[str, Any] = {
            "method": choice.method,
            "joint": choice.joint,
            "limit": self._grid.limit,
            "lowercase": self._grid.lowercase,
        }
        if choice.is_given:
            seed = seed if self._inputs.depends_on_seed(choice.aligned) else 0
            source, target = self._inputs.aligned_by(choice.aligned, pair, seed)
            title = f"{choice.aligned} {pair} {seed}"
            return self._job("align", title, settings, {"source": source, "target": target})
        aligner = choice.aligner(seed)
        if not aligner.draws_random_numbers and not choice.joint:
            # The seed changes nothing, so that all seeds share one job.
            seed = 0
            aligner = attrs.evolve(aligner, seed=seed)
        inputs, needs = dict[str, Path](), None
        if choice.joint:
            needs = self._trained(pair, seed)
        else:
            inputs["source"], inputs["target"] = self._inputs.vectors_of(pair)
        if choice.lexicon in SEEDS:
            settings["seeds"] = choice.lexicon
        elif choice.lexicon is not None:
            inputs["lexicon"] = self._inputs.lexicon(choice.lexicon, pair)
        settings["parameters"] = aligner.parameters
        if self._grid.lowercase:
            # Vectors and lexicon have one case, so that how to look words up changes nothing.
            del settings["parameters"]["case"]
        title = f"{'ja-' if choice.joint else ''}{choice.method} {pair} {seed}"
        return self._job("align", title, settings, inputs, needs)

    def _trained(self, pair: Pair, seed: int) -> Job:
        source, target = self._inputs.corpora_of(pair)
        trainer = attrs.evolve(self._grid.training.trainer, seed=seed)
        settings = {"parameters": attrs.asdict(trainer), "keep_case": not self._grid.lowercase}
        inputs = {"source": source, "target": target}
        return self._job("train", f"{pair} {seed}", settings, inputs)

    def _refined(self, base: Job, refinement: Refinement) -> Job:
        refiner = refinement.refiner()
        settings = {"parameters": attrs.asdict(refiner)}
        return self._job("refine", f"{base.title} {refiner.loss}", settings, {}, base)

    def _evaluated(self, space: Job, pair: Pair, seed: int) -> Job:
        evaluation = self._grid.evaluation
        settings: dict[str, Any] = {"kind": evaluation.kind}
        if evaluation.kind == "translation":
            inputs = {"lexicon": self._inputs.lexicon(evaluation.lexicon, pair)}
            settings |= {
                "protocol": evaluation.protocol,
                "rules": evaluation.rules.rules,
                "lowercase": self._grid.lowercase,
            }
        else:
            learner = attrs.evolve(evaluation.learner, seed=seed)
            settings |= {
                "parameters": attrs.asdict(learner),
                "source": pair.source,
                "target": pair.target,
            }
            inputs = {
                name: self._inputs.inference(name, pair.source) for name in ("train", "dev")
            } | {
                f"test {language}": self._inputs.inference("test", language)
                for language in (pair.source, pair.target)
            }
        return self._job("evaluate", space.title, settings, inputs, space)
