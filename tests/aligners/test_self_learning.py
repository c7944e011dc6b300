"""Self-learning: the dropout has the right distribution, and the rounds end as they should."""

import numpy as np
import pytest

from lexalign.aligners import VecMap
from lexalign.aligners.self_learning import (
    CANDIDATES,
    IMPROVEMENT,
    Rounds,
    SelfLearning,
    drawn_ranks,
)
from lexalign.errors import LexalignError
from lexalign.progress import Progress
from lexalign.retrieval.both_ways import BothWays, ranked
from tests.conftest import StoppedError, Stops, planted_pair

KEYS = 80


@pytest.fixture(scope="module")
def keys():
    """Unit vectors at growing angles from the first axis, so that their order is known."""
    angles = np.linspace(0.1, 1.4, KEYS)
    return np.column_stack((np.cos(angles), np.sin(angles))).astype(np.float32)


@pytest.mark.parametrize("keep", [0.5, 0.02])
def test_the_rank_of_the_first_kept_partner_is_geometric(keys, keep):
    """Also beyond the candidates that are searched for all words, as 0.02 often needs."""
    draws = 20_000
    words = np.tile(np.float32([1, 0]), (draws, 1))
    drawn = drawn_ranks(np.random.default_rng(0), keep, draws, KEYS)
    asked = ranked(words, keys, np.zeros(KEYS, dtype=np.float32), CANDIDATES, drawn).asked
    expected = keep * (1 - keep) ** np.arange(KEYS)
    expected[-1] += 1 - expected.sum()  # nothing kept at all: the last remains
    observed = np.bincount(asked, minlength=KEYS) / draws
    assert np.abs(observed - expected).max() < 0.015
    if keep == 0.02:
        assert observed[CANDIDATES:-1].sum() == pytest.approx(
            expected[CANDIDATES:-1].sum(), abs=0.02
        )


def test_the_neighbourhoods_come_from_what_a_search_found():
    generator = np.random.default_rng(1)
    words, keys = (generator.standard_normal((60, 6)).astype(np.float32) for _ in range(2))
    penalty = generator.random(60).astype(np.float32)
    similarity = words @ keys.T
    found = ranked(words, keys, penalty, CANDIDATES, np.zeros(60, dtype=int))
    partners = VecMap(neighbours=4).self_learning._partners(found, penalty)
    assert partners.indices.tolist() == (similarity - penalty).argmax(axis=1).tolist()
    nearest = -np.sort(-similarity, axis=1)[:, :4]
    # Of the 60 keys 32 were looked at, by CSLS; hardly any nearest one is missing.
    assert np.median(np.abs(partners.penalty - nearest.mean(axis=1) / 2)) < 1e-6


def test_an_interrupted_run_ends_with_the_same_bits(tmp_path, monkeypatch):
    monkeypatch.setattr("lexalign.aligners.self_learning.SECONDS_BETWEEN_CHECKPOINTS", 0)
    source, target, _ = planted_pair(words=400, dimension=12, noise=0.3)
    settings = {"preset": "unsupervised", "patience": 4, "start_words": 400, "explore_words": 200}
    whole = VecMap(**settings).fit(source, target)
    vecmap = VecMap(**settings, checkpoint=str(tmp_path / "states"))
    for after in (2, 7, 11):
        with pytest.raises(StoppedError):
            vecmap.fit(source, target, progress=Stops("self-learning", after))
    (kept,) = (tmp_path / "states").iterdir()
    assert kept.name.startswith("vecmap-")
    resumed = vecmap.fit(source, target)
    np.testing.assert_array_equal(resumed.source.matrix, whole.source.matrix)
    assert resumed.history == whole.history
    assert {entry["words"] for entry in resumed.history} == {200, 400}
    assert resumed.history[-1]["same partner"] > 0.99


def test_the_dropout_fades_until_all_is_kept():
    source, target, _ = planted_pair(words=300, dimension=12, noise=0.1)
    learner = VecMap(keep=0.3, patience=3).self_learning
    pairs, history = learner.learn(
        source.matrix, target.matrix, np.eye(12), np.random.default_rng(0), Progress()
    )
    kept = [entry["keep"] for entry in history]
    assert list(dict.fromkeys(kept)) == [0.3, 0.6, 1.0]
    assert kept.count(0.3) > 3
    assert history[-1]["same partner"] >= learner.settled
    assert history[-1]["objective"] > history[0]["objective"]
    assert len(pairs) == 600
    right = pairs.rows[:, 0] == pairs.rows[:, 1]
    assert right.mean() > 0.95


@pytest.mark.parametrize(
    ("keep", "stages"),
    [
        (0.2, [(100, 0.2), (200, 0.4), (300, 0.8), (300, 1)]),
        (0.5, [(100, 0.5), (200, 1), (300, 1)]),
        (1, [(100, 1), (200, 1), (300, 1)]),
    ],
)
def test_the_number_of_words_doubles_with_the_probability(keep, stages, monkeypatch):
    """The objective begins anew among more words: it need not reach that of the frequent ones."""
    source, target, _ = planted_pair(words=300, dimension=12, noise=0.02)
    unrelated = planted_pair(words=100, dimension=12, seed=7)[1].matrix
    monkeypatch.setattr(SelfLearning, "_match", lambda *_: True)
    other = np.concatenate((target.matrix[:200], unrelated))
    rules = {"patience": 3, "later_patience": 3, "settled": 1}
    pairs, history = VecMap(keep=keep, explore_words=100, **rules).self_learning.learn(
        source.matrix, other, np.eye(12), np.random.default_rng(0), Progress()
    )
    assert list(dict.fromkeys((entry["words"], entry["keep"]) for entry in history)) == stages
    objectives = {
        words: [entry["objective"] for entry in history if entry["words"] == words]
        for words in (100, 300)
    }
    assert max(objectives[300]) < max(objectives[100])
    assert len(objectives[300]) > 3
    assert len(pairs) == 600


@pytest.mark.parametrize(("matched", "patience"), [(True, 2), (False, 9)])
def test_later_stages_have_a_patience_of_their_own_if_the_spaces_match(
    matched, patience, monkeypatch
):
    """Rounds with dropout end exactly when their objective has not risen for so many of them."""
    source, target, _ = planted_pair(words=300, dimension=12, noise=0.3)
    monkeypatch.setattr(SelfLearning, "_match", lambda *_: matched)
    learner = VecMap(keep=0.3, patience=9, later_patience=2).self_learning
    _, history = learner.learn(
        source.matrix, target.matrix, np.eye(12), np.random.default_rng(0), Progress()
    )
    objectives = {
        keep: [entry["objective"] for entry in history if entry["keep"] == keep]
        for keep in (0.3, 0.6)
    }
    assert np.argmax(objectives[0.3]) == len(objectives[0.3]) - 1 - 9
    so_far = objectives[0.3] + objectives[0.6][:-patience]
    assert max(objectives[0.6][-patience:]) < max(so_far) + IMPROVEMENT
    assert (len(objectives[0.6]) < 9) == matched


def test_all_words_take_part_at_once_if_nobody_knows_whether_the_spaces_match(monkeypatch):
    """Once they match, that is not examined again."""
    source, target, _ = planted_pair(words=300, dimension=12, noise=0.1)
    verdicts = iter([None, True])
    monkeypatch.setattr(SelfLearning, "_match", lambda *_: next(verdicts))
    _, history = VecMap(keep=0.2, explore_words=100, patience=3).self_learning.learn(
        source.matrix, target.matrix, np.eye(12), np.random.default_rng(0), Progress()
    )
    stages = list(dict.fromkeys((entry["words"], entry["keep"]) for entry in history))
    assert stages == [(100, 0.2), (300, 0.4), (300, 0.8), (300, 1)]


@pytest.mark.parametrize(
    ("verdicts", "stages"),
    [
        ([False, False, True], [(80, 0.3), (160, 0.3), (300, 0.3), (300, 0.6), (300, 1)]),
        ([False, True], [(80, 0.3), (160, 0.3), (300, 0.6), (300, 1)]),
        ([False] * 5, [(80, 0.3), (160, 0.3), (300, 0.3), (300, 0.6), (300, 1)]),
    ],
)
def test_a_first_stage_without_a_match_starts_over_among_more_words(verdicts, stages, monkeypatch):
    """It starts from the first rotation, and the words double until they are all in."""
    source, target, _ = planted_pair(words=300, dimension=12, noise=0.1)
    answers, starts = iter(verdicts), []
    monkeypatch.setattr(SelfLearning, "_match", lambda *_: next(answers))
    stage = SelfLearning._stage

    def noted(self, x, z, matrix, keep, words):
        starts.append((words, keep, np.array_equal(matrix, first)))
        return stage(self, x, z, matrix, keep, words)

    monkeypatch.setattr(SelfLearning, "_stage", noted)
    first = np.eye(12, dtype=np.float32)[:, ::-1]
    _, history = VecMap(keep=0.3, explore_words=80, patience=3).self_learning.learn(
        source.matrix, target.matrix, first, np.random.default_rng(0), Progress()
    )
    assert list(dict.fromkeys((entry["words"], entry["keep"]) for entry in history)) == stages
    for words, keep, from_the_first in starts:
        assert from_the_first == (keep == 0.3), words


def test_the_health_check_tells_whether_the_spaces_match():
    source, target, _ = planted_pair(words=2000, dimension=50, noise=0.05)
    start = np.eye(50, dtype=np.float32)
    learner, rounds = VecMap().self_learning, Rounds(start, (), (), BothWays(10), 0.1, 2000)
    assert learner._match(rounds, source.matrix, target.matrix)
    other = planted_pair(words=2000, dimension=50, seed=7)[1].matrix
    assert learner._match(rounds, source.matrix, other) is False
    assert learner._match(rounds, source.matrix[:15], target.matrix[:15]) is None


def same_partners(settled, patience):
    """The share of words that kept their partner, round by round without dropout."""
    source, target, _ = planted_pair(words=300, dimension=12, noise=0.3)
    learner = VecMap(keep=1, patience=patience, settled=settled, explore_words=300).self_learning
    _, history = learner.learn(
        source.matrix, target.matrix, np.eye(12), np.random.default_rng(0), Progress()
    )
    return [entry["same partner"] for entry in history]


def test_rounds_without_dropout_end_when_the_partners_settle():
    """They need not wait until the objective has stagnated, nor for the last word."""
    to_the_last = same_partners(settled=1, patience=50)
    assert len(to_the_last) < 50
    assert to_the_last[-1] == 1
    assert max(to_the_last[:-1]) < 1
    sooner = same_partners(settled=0.9, patience=50)
    assert sooner == to_the_last[: len(sooner)]
    assert max(sooner[:-1]) < 0.9 <= sooner[-1] < 1


def test_wrong_parameters_are_refused():
    with pytest.raises(LexalignError, match="`keep` parameter of vecmap .* above 0 and at most 1"):
        VecMap(keep=0)
    with pytest.raises(LexalignError, match="`patience` parameter of vecmap .* at least 1"):
        VecMap(patience=0)
    with pytest.raises(LexalignError, match="`later_patience` parameter of vecmap .* at least 1"):
        VecMap(later_patience=0)
    with pytest.raises(LexalignError, match="`settled` parameter of vecmap .* above 0 and at most"):
        VecMap(settled=0)
    with pytest.raises(
        LexalignError, match="`explore_words` parameter of vecmap must be at least 10"
    ):
        VecMap(explore_words=9)
    few = np.eye(3, dtype=np.float32)
    with pytest.raises(LexalignError, match="needs at least 10 words per side. Got 3 and 3"):
        VecMap().self_learning.learn(few, few, np.eye(3), np.random.default_rng(0), Progress())


@pytest.mark.gpu
def test_on_a_gpu_it_learns_the_same():
    source, target, _ = planted_pair(words=3000, dimension=20, noise=0.05)
    found = {}
    for device in ("cpu", "cuda"):
        learner = VecMap(patience=4, device=device).self_learning
        start, random = np.eye(20), np.random.default_rng(0)
        found[device], _ = learner.learn(source.matrix, target.matrix, start, random, Progress())
    same = (found["cpu"].rows == found["cuda"].rows).all(axis=1)
    assert same.mean() > 0.99
