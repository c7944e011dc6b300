"""Fewer seeds than dimensions: the same map on any number of threads, and a warning."""

import os
import subprocess
import sys

import numpy as np
import pytest

from lexalign.aligners import ProcB, Procrustes
from lexalign.demo import demo_embeddings, demo_lexicon
from lexalign.vectors import Lexicon

PROGRAM = """
import sys
import numpy as np
from lexalign.aligners import Procrustes
from lexalign.demo import demo_embeddings, demo_lexicon
from lexalign.vectors import Lexicon
sides = [demo_embeddings(language).top(2000) for language in ("en", "de")]
aligned = Procrustes().fit(*sides, Lexicon(demo_lexicon("seeds").pairs[:250]))
np.save(sys.argv[1], aligned.map.source.stages[-1].matrix)
"""


def test_the_number_of_threads_does_not_change_the_map(tmp_path):
    found = []
    for threads in ("1", "2"):
        names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
        file = tmp_path / f"{threads}.npy"
        environment = {**os.environ, **dict.fromkeys(names, threads)}
        subprocess.run([sys.executable, "-c", PROGRAM, file], check=True, env=environment)
        found.append(np.load(file))
    np.testing.assert_allclose(*found, atol=1e-5)


@pytest.fixture(scope="module")
def sides():
    return [demo_embeddings(language).top(6000) for language in ("en", "de")]


def test_it_is_said_that_seeds_are_too_few(sides):
    pairs = demo_lexicon("seeds").pairs
    few = Procrustes().fit(*sides, Lexicon(pairs[:100]))
    assert few.warning is not None
    assert few.warning.endswith(
        "different words cannot determine a map of 300 dimensions; give at least 300 seeds, or use "
        "a method that finds more pairs, such as procb."
    )
    assert Procrustes().fit(*sides, Lexicon(pairs)).warning is None
    assert ProcB().fit(*sides, Lexicon(pairs[:100])).warning is None
