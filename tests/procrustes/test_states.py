"""The states that a solver reports."""

from itertools import pairwise

import numpy as np
import pytest

from lexalign.procrustes import solve
from tests.conftest import planted_pair


@pytest.fixture(scope="module")
def pair():
    source, target, _ = planted_pair(words=200, dimension=8)
    return source.matrix, target.matrix


def test_the_flow_shows_every_point_from_the_identity_to_the_horizon(pair):
    seen = []
    solution = solve(*pair, horizon=2e-3, on_state=seen.append)
    assert np.array_equal(seen[0].rotation, np.eye(8))
    assert seen[0].time == 0.0
    assert seen[-1].time == pytest.approx(2e-3)
    assert all(one.time <= other.time for one, other in pairwise(seen))
    assert [state.loss for state in seen] == [record.loss for record in solution.history]
    assert np.allclose(seen[-1].rotation, solution.rotation, atol=1e-5)


@pytest.mark.parametrize(
    "options",
    [{}, {"solver": "minimum"}, {"loss": "l21", "solver": "minimum"}, {"horizon": 1e-5}],
)
def test_watching_changes_nothing(pair, options):
    seen = []
    watched = solve(*pair, **options, on_state=seen.append)
    alone = solve(*pair, **options)
    assert watched.rotation.tobytes() == alone.rotation.tobytes()
    assert len(seen) == len(watched.history)


def test_vode_is_watched_too(pair):
    seen = []
    solve(*pair, solver="vode", horizon=3e-6, on_state=seen.append)
    assert len(seen) == 4


def test_the_closed_form_has_no_states(pair):
    seen = []
    solve(*pair, loss="l2", on_state=seen.append)
    assert seen == []
