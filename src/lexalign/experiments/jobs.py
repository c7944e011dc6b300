"""A job: one step for one pair and one seed, with all that its result depends on.

There are four steps, and each needs what the one before it left behind:

    train ──► align ──► refine ──► evaluate
    (joint    (a map)   (another   (scores)
    vectors)            map)

A job is named after a digest of its settings, the contents of its inputs, the job it needs and the
version of Lexalign. So the same work is done once, however many grids ask for it, and again if
anything about it changed.
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
    """A ``step`` with its ``settings``, any JSON; ``inputs`` are paths, and ``digests`` theirs.

    On which ``device`` it is done makes no other job of it, so that some can be done on a machine
    with a GPU and the others elsewhere.
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
        """What its folder is called: readable, and different for all that differs."""
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
        """Those of its method, on its device."""
        given = dict(self.settings.get("parameters", {}))
        return {**given, "device": self.device} if "device" in given else given

    @property
    def base(self) -> Job:
        """The job that it needs."""
        if self.needs is None:
            raise ValueError(f"the job {self.title} needs none")
        return self.needs

    @property
    def chain(self) -> tuple[Job, ...]:
        """The jobs it needs, the first one first, and itself."""
        return (*(self.needs.chain if self.needs else ()), self)

    def folder(self, root: Path) -> Path:
        """Where its result goes."""
        return root / JOBS / self.name

    def failure(self, root: Path) -> Path:
        """Where it is told why it failed."""
        return root / FAILURES / f"{self.name}.json"

    def checkpoints(self, root: Path) -> Path:
        """Where its state is kept while it is being done."""
        return root / CHECKPOINTS / self.name

    def is_done(self, root: Path) -> bool:
        """Whether its result is there."""
        return is_run(self.folder(root))
