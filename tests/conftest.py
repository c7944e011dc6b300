"""What the tests share: small planted problems, and the way to real data and a GPU."""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

from lexalign.progress import Progress
from lexalign.vectors import Embeddings

settings.register_profile("lexalign", deadline=None)  # machines are noisy
settings.load_profile("lexalign")

DATA = Path(os.environ.get("LEXALIGN_TEST_DATA", Path(__file__).parents[2] / "shared" / "data"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip, saying why, what this machine has no data, no device or no browser for."""
    programs = [name for name in ("chromium", "chromedriver") if shutil.which(name) is None]
    for item in items:
        if item.get_closest_marker("shared") and not DATA.is_dir():
            reason = f"no real vectors in {DATA}; set LEXALIGN_TEST_DATA to run this"
            item.add_marker(pytest.mark.skip(reason=reason))
        if item.get_closest_marker("gpu") and not _has_cuda():
            item.add_marker(pytest.mark.skip(reason="no CUDA device on this machine"))
        if item.get_closest_marker("browser") and programs:
            reason = (
                f"no {' and no '.join(programs)} on this machine; install the browser to run it"
            )
            item.add_marker(pytest.mark.skip(reason=reason))


def _has_cuda() -> bool:
    import torch

    return torch.cuda.is_available()


@pytest.fixture
def data() -> Path:
    """The folder of real vectors and dictionaries."""
    return DATA


def random_rotation(dimension: int, generator: np.random.Generator) -> np.ndarray:
    """A rotation drawn uniformly."""
    q, r = np.linalg.qr(generator.standard_normal((dimension, dimension)))
    return q * np.sign(np.diag(r))


def small_rotation(dimension: int, size: float, generator: np.random.Generator) -> np.ndarray:
    """A rotation at about this distance from the identity."""
    from scipy.linalg import expm

    w = generator.standard_normal((dimension, dimension))
    w -= w.T
    return expm(size * w / np.linalg.norm(w))


def planted_pair(
    words: int = 400, dimension: int = 20, noise: float = 0.02, tilt: float = 0.4, seed: int = 0
) -> tuple[Embeddings, Embeddings, np.ndarray]:
    """Source and target that are translations of each other up to a small rotation and noise."""
    generator = np.random.default_rng(seed)
    target = generator.standard_normal((words, dimension))
    target /= np.linalg.norm(target, axis=1, keepdims=True)
    rotation = small_rotation(dimension, tilt, generator)
    source = target @ rotation.T + noise * generator.standard_normal(target.shape)
    return (
        Embeddings([f"s{i}" for i in range(words)], source.astype(np.float32)),
        Embeddings([f"t{i}" for i in range(words)], target.astype(np.float32)),
        rotation,
    )


def exit_code(*arguments) -> int:
    """What the command line ends with."""
    from lexalign.cli import main

    with pytest.raises(SystemExit) as end:
        main([str(argument) for argument in arguments])
    return end.value.code or 0


class StoppedError(Exception):
    """What stops a run."""


class Stops(Progress):
    """Raises when a stage has come so far."""

    def __init__(self, stage, after):
        super().__init__()
        self.stage_name, self.left = stage, after

    @contextmanager
    def shown(self, stage):
        """Count."""

        def advance(units):
            self.left -= units if stage.name == self.stage_name else 0
            if self.left < 0:
                raise StoppedError

        stage.listener = advance
        yield
