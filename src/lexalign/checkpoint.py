"""Checkpoints: files that hold the state of long work, so that it can resume after a stop."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from lexalign.atomic import atomic_file, put_right, require_writable
from lexalign.errors import InputError, OutputError
from lexalign.parameters import parameter

FORMAT = "lexalign-checkpoint-2"

logger = logging.getLogger("lexalign")


class State(NamedTuple):
    """Arrays by name, and facts in JSON types."""

    arrays: Mapping[str, np.ndarray]
    facts: Mapping[str, Any]


@dataclass(frozen=True)
class Checkpoint:
    """The file that keeps the state of one piece of work; without a ``path`` nothing is kept."""

    path: Path | None = None

    @classmethod
    def of(
        cls, folder: str, name: str, settings: Mapping[str, Any], *inputs: np.ndarray
    ) -> Checkpoint:
        """Return the checkpoint of this work in a folder, and create the folder; "" means no
        checkpoint.

        The file name is a digest of the settings and inputs of the work. So one folder can hold the
        checkpoints of several pieces of work, such as restarts with other seeds. None resumes from
        the state of another.
        """
        if not folder:
            return cls()
        digest = sha256(json.dumps(settings, sort_keys=True).encode())
        for array in inputs:
            digest.update(f"{array.dtype} {array.shape}".encode())
            digest.update(np.ascontiguousarray(array).reshape(-1).data)
        try:
            Path(folder).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OutputError(
                f"{folder} cannot be used as a folder for checkpoints ({error.strerror}); "
                "choose another folder."
            ) from error
        path = Path(folder) / f"{name}-{digest.hexdigest()[:16]}.safetensors"
        put_right(path)
        require_writable(path, overwrite=True)
        return cls(path)

    def save(self, state: State) -> None:
        """Save this state in place of the last one, atomically."""
        from safetensors.numpy import save_file

        if self.path is None:
            return
        arrays = {name: np.ascontiguousarray(array) for name, array in state.arrays.items()}
        facts = json.dumps(dict(state.facts))
        header = {"format": FORMAT, "sha256": _digest(facts, arrays), "facts": facts}
        with atomic_file(self.path, overwrite=True) as temporary:
            save_file(arrays, temporary, {"lexalign": json.dumps(header)})

    def load(self) -> State | None:
        """Return the saved state, if there is one.

        Raises
        ------
        InputError
            If the file is damaged. Resuming from it would give wrong results.
        """
        from safetensors import SafetensorError, safe_open

        if self.path is None or not self.path.exists():
            return None
        try:
            with safe_open(self.path, framework="numpy") as file:
                header = json.loads((file.metadata() or {}).get("lexalign", "{}"))
                arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
            if header.get("format") != FORMAT:
                raise ValueError(f"its format is {header.get('format')!r}, not {FORMAT!r}")
            if _digest(header["facts"], arrays) != header["sha256"]:
                raise ValueError("it is damaged")
            facts = json.loads(header["facts"])
        except (
            AttributeError, KeyError, OSError, SafetensorError, TypeError, ValueError,
            RecursionError,
        ) as error:  # fmt: skip
            raise InputError(
                f"this is not a checkpoint of Lexalign ({error})",
                path=self.path,
                remedy="delete it to start again",
            ) from error
        logger.info("resuming from %s", self.path)
        return State(arrays, facts)


NO_CHECKPOINT = Checkpoint()


def _digest(facts: str, arrays: Mapping[str, np.ndarray]) -> str:
    """The SHA-256 of a state, which detects damage."""
    digest = sha256(facts.encode())
    for name in sorted(arrays):
        array = arrays[name]
        digest.update(f"{name!r} {array.dtype} {array.shape}".encode())
        digest.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
    return digest.hexdigest()


def checkpoint_parameter() -> Any:
    """Declare the folder for checkpoints."""
    return parameter(
        "",
        metavar="FOLDER",
        default_text="none",
        help="Folder for checkpoints; after an interruption, the same command resumes from it.",
    )
