"""A job: one step for one pair and one seed, with everything that affects its result.

There are four steps, and each needs the result of the previous one:

    train ──► align ──► refine ──► evaluate
    (joint    (a map)   (another   (scores)
    vectors)            map)

The name of a job is a digest of its settings, its input files, the job that it needs, and the
version of Lexalign. So grids share equal jobs, and a job runs again after any change.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

from lexalign import __version__
from lexalign.runs import is_run

JOBS, FAILURES, CHECKPOINTS = "jobs", "failures", "checkpoints"
LONGEST_NAME = 100


@dataclass(frozen=True, eq=False)
class Job:
    """A ``step`` with its ``settings``, in JSON types; ``inputs`` are paths with ``digests``.

    The ``device`` is not part of the name, so machines with and without a GPU can share the jobs.
    """

    step: str
    title: str
    settings: Mapping[str, Any]
    inputs: Mapping[str, Path] = field(default_factory=dict)
    digests: Mapping[str, str] = field(default_factory=dict)
    needs: Job | None = None
    device: str = "cpu"

    @cached_property
    def name(self) -> str:
        """The name of its folder: readable and unique."""
        facts = {
            "version": __version__,
            "step": self.step,
            "settings": self.settings,
            "inputs": self.digests,
            "needs": self.needs.name if self.needs else None,
        }
        digest = sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:12]
        words = f"{self.step} {self.title}".lower().replace("ℓ", "l")
        readable = re.sub(r"[^a-z0-9]+", "-", words).strip("-")
        return f"{readable[:LONGEST_NAME]}-{digest}"

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters of its method, on its device."""
        given = dict(self.settings.get("parameters", {}))
        return {**given, "device": self.device} if "device" in given else given

    @property
    def base(self) -> Job:
        """The job that it needs."""
        if self.needs is None:
            raise ValueError(f"the job {self.title} needs no other job")
        return self.needs

    @property
    def chain(self) -> tuple[Job, ...]:
        """The jobs that it needs, in order, and itself."""
        return (*(self.needs.chain if self.needs else ()), self)

    def folder(self, root: Path) -> Path:
        """Where its result goes."""
        return root / JOBS / self.name

    def failure(self, root: Path) -> Path:
        """The file that explains its failure."""
        return root / FAILURES / f"{self.name}.json"

    def checkpoints(self, root: Path) -> Path:
        """The folder of its checkpoints."""
        return root / CHECKPOINTS / self.name

    def is_done(self, root: Path) -> bool:
        """Whether its result exists."""
        return is_run(self.folder(root))
