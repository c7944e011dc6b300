"""Contrastive tuning: its gradient, what it learns, and when it stops."""

import numpy as np
import pytest
import torch
from scipy.optimize import check_grad

from lexalign.aligners import Contrastive
from lexalign.aligners.contrastive import joined
from lexalign.aligners.held_out_seeds import held_out_score, split
from lexalign.aligners.infonce import Descent, Maps, PairBatch, info_nce
from lexalign.aligners.pairs import Pairs
from lexalign.aligners.vecmap import symmetric_maps
from lexalign.errors import LexalignError
from lexalign.evaluation import evaluate
from lexalign.progress import Progress
from lexalign.vectors import Embeddings, Lexicon
from tests.conftest import planted_pair

SHORT = {"steps": 4, "refresh": 2, "negatives": 5, "batch": 30, "rounds": 1}


def same_rows(count):
    return Pairs(np.column_stack((np.arange(count), np.arange(count))))


def translations(numbers):
    return Lexicon([(f"s{i}", f"t{i}") for i in numbers])


def small_batch():
    """Six pairs in four dimensions with three negatives of each kind, one of them known."""
    generator = np.random.default_rng(0)
    known = np.zeros((6, 6))
    known[2, 1] = known[4, 5] = -np.inf
    return PairBatch(
        generator.standard_normal((6, 4)),
        generator.standard_normal((6, 4)),
        generator.standard_normal((9, 4)),
        generator.standard_normal((8, 4)),
        generator.integers(8, size=(6, 3)),
        generator.integers(9, size=(6, 3)),
        known,
        np.array([0.1, 0.2, 0.3, 0.1, 0.2, 0.1]),
    )


@pytest.mark.parametrize("temperature", [1.0, 0.3])
def test_the_gradient_is_that_of_the_loss(temperature):
    batch, point = small_batch(), np.random.default_rng(1).standard_normal(16)

    def evaluated(flat):
        return info_nce(flat.reshape(4, 4), batch, temperature)

    error = check_grad(
        lambda flat: evaluated(flat)[0], lambda flat: evaluated(flat)[1].ravel(), point
    )
    assert error < 1e-6


def test_the_loss_is_that_of_its_definition():
    batch, form = small_batch(), np.random.default_rng(1).standard_normal((4, 4))
    expected = 0.0
    for i in range(6):
        right = np.exp(batch.x[i] @ form @ batch.y[i] / 0.5)
        wrong = [batch.x[i] @ form @ batch.targets[j] for j in batch.far_targets[i]]
        wrong += [batch.sources[j] @ form @ batch.y[i] for j in batch.far_sources[i]]
        total = sum(
            np.exp(score / 0.5)
            for score, known in zip(wrong, batch.known[i], strict=True)
            if known == 0
        )
        expected -= batch.shares[i] * np.log(right / (right + total))
    assert info_nce(form, batch, 0.5)[0] == pytest.approx(expected)


def test_tensors_give_what_arrays_give():
    batch, form = small_batch(), np.random.default_rng(1).standard_normal((4, 4))
    loss, gradient = info_nce(form, batch, 1.0)
    same, of_tensors = info_nce(
        torch.tensor(form), PairBatch(*(torch.tensor(part) for part in batch)), 1.0
    )
    assert same == pytest.approx(loss)
    np.testing.assert_allclose(of_tensors.numpy(), gradient, atol=1e-12)


def test_negatives_are_the_nearest_words_and_translations_are_not():
    source, target, _ = planted_pair(words=50, dimension=6)
    descent = Descent(
        steps=1, learning_rate=1, temperature=1, negatives=3, batch=50, refresh=1, clip=1
    )
    maps, sides = Maps(np.eye(6), 2 * np.eye(6)), (source.matrix, target.matrix)
    batch = descent.drawn_batch(sides, 40, maps, same_rows(50), np.arange(30, 50))
    units = [side / np.linalg.norm(side, axis=1, keepdims=True) for side in sides]
    nearest = np.argsort(-(units[0][30:] @ units[1][:40].T), axis=1)[:, :3]
    np.testing.assert_array_equal(batch.far_targets, nearest)
    itself = np.arange(30, 50)[:, None]
    np.testing.assert_array_equal(
        np.isinf(batch.known), np.hstack((batch.far_targets, batch.far_sources)) == itself
    )
    np.testing.assert_allclose(np.linalg.norm(batch.x @ maps.source, axis=1), 1, atol=1e-6)
    np.testing.assert_allclose(np.linalg.norm(batch.targets @ maps.target, axis=1), 1, atol=1e-6)


def test_steps_lower_the_loss_and_are_clipped():
    source, target, _ = planted_pair(words=200, dimension=8, noise=0.3)
    pairs, sides = same_rows(60), (source.matrix, target.matrix)
    start = Maps(*symmetric_maps(*sides, pairs, 0.5))
    length = {}
    for clip in (1e-3, 10.0):
        descent = Descent(
            steps=20, learning_rate=0.5, temperature=0.2, negatives=10, batch=60, refresh=20,
            clip=clip,
        )  # fmt: skip
        tuned, mean_loss = descent.tune(
            sides, 200, start, pairs, np.random.default_rng(0), lambda steps: None
        )
        batch = descent.drawn_batch(sides, 200, start, pairs, np.arange(60))
        before, after = (
            info_nce((maps.source @ maps.target.T).astype(np.float32), batch, 0.2)[0]
            for maps in (start, tuned)
        )
        assert after < mean_loss < before
        length[clip] = np.linalg.norm(np.subtract(tuned, start))
    assert length[1e-3] <= 20 * 0.5 * 1e-3 + 1e-9 < length[10.0]


def half_shared_pair(words=600, shared=10, own=6, noise=0.3):
    """Both sides share ten directions; six more of each mean nothing to the other."""
    generator, sides = np.random.default_rng(0), []
    common = generator.standard_normal((words, shared))
    for name in "st":
        noisy = common + noise * generator.standard_normal(common.shape)
        vectors = np.hstack((noisy, generator.standard_normal((words, own))))
        sides.append(Embeddings([f"{name}{i}" for i in range(words)], vectors.astype(np.float32)))
    return sides


def precision(alignment, first, last):
    return evaluate(alignment.source, alignment.target, translations(range(first, last))).precision(
        1
    )


def test_tuning_learns_which_directions_count():
    """Without re-weighting the start takes all directions for equally good."""
    pair = half_shared_pair()
    plain, tuned = (
        Contrastive(rounds=rounds, reweight=0).fit(*pair, translations(range(300)))
        for rounds in (0, 3)
    )
    assert tuned.history[-1]["round"] >= 1
    assert precision(plain, 300, 600) < 0.5
    assert precision(tuned, 300, 600) > 0.75


def test_it_keeps_the_start_where_tuning_hurts():
    source, target, _ = planted_pair(words=400, dimension=10, noise=0.1)
    wild = Contrastive(learning_rate=1e4, clip=1e4, start="seeds")
    learned = wild.learn(source.matrix, target.matrix, same_rows(100), Progress())
    assert learned.history[-2]["decision"] == (
        "stopped after 0 rounds: tuning does not improve held-out seeds"
    )
    assert learned.history[-1] == {"start": "seeds", "round": 0, "pairs": 100}
    expected = symmetric_maps(source.matrix, target.matrix, same_rows(100), 0.5)
    np.testing.assert_array_equal(learned.source, expected[0])
    np.testing.assert_array_equal(learned.target, expected[1])


def test_the_rounds_of_the_trial_are_run_again_with_all_seeds():
    source, target, _ = planted_pair(words=400, dimension=10, noise=0.3)
    learned = Contrastive(**{**SHORT, "rounds": 2}).learn(
        source.matrix, target.matrix, same_rows(100), Progress()
    )
    trial = [entry for entry in learned.history if "held_out_mrr" in entry]
    assert {entry["start"] for entry in trial if entry["round"] == 0} == {"procb", "seeds"}
    decision = next(entry for entry in learned.history if "decision" in entry)
    scores = [entry["held_out_mrr"] for entry in trial if entry["start"] == decision["start"]]
    final = [entry for entry in learned.history if "held_out_mrr" not in entry][1:]
    assert [entry["round"] for entry in final] == list(range(len(final)))
    assert scores[: len(final)] == sorted(scores[: len(final)])
    assert max(entry["held_out_mrr"] for entry in trial) == scores[len(final) - 1]


def test_without_held_out_seeds_all_rounds_take_place():
    source, target, _ = planted_pair(words=300, dimension=10, noise=0.3)
    aligner = Contrastive(**{**SHORT, "rounds": 2}, held_out=0)
    learned = aligner.learn(source.matrix, target.matrix, same_rows(60), Progress())
    assert [entry["round"] for entry in learned.history] == [0, 1, 2]
    assert {entry["start"] for entry in learned.history} == {"procb"}
    assert learned.history[0]["pairs"] > 60
    assert ["loss" in entry for entry in learned.history] == [False, True, True]


def test_with_too_few_seeds_to_hold_out_nothing_is_tuned():
    source, target, _ = planted_pair(words=300, dimension=10)
    alignment = Contrastive().fit(source, target, translations(range(30)))
    assert "too few seeds to hold out" in alignment.history[0]["decision"]
    assert alignment.history[-1]["round"] == 0


def test_another_seed_holds_out_other_words():
    source, target, _ = planted_pair(words=300, dimension=10, noise=0.4)
    scores = {
        Contrastive(**SHORT, seed=seed)
        .learn(source.matrix, target.matrix, same_rows(100), Progress())
        .history[0]["held_out_mrr"]
        for seed in range(4)
    }
    assert len(scores) > 1


def test_all_seeds_of_a_word_are_held_out_together():
    rows = np.array([[i % 20, i] for i in range(60)])
    fitted, held_out = split(Pairs(rows, np.arange(60.0)), 0.25, np.random.default_rng(0))
    assert len(fitted) == 45
    assert len(held_out) == 15
    assert not set(fitted.rows[:, 0]) & set(held_out.rows[:, 0])
    np.testing.assert_array_equal(held_out.weights, held_out.rows[:, 1])


def test_of_several_held_out_translations_the_best_counts():
    words = np.eye(4, dtype=np.float32)
    score = held_out_score(words, words, Pairs(np.array([[0, 3], [0, 0], [1, 2]])), 2)
    assert score.precision == 0.5
    assert score.mrr == pytest.approx((1 + 1 / 3) / 2)


def test_found_pairs_join_the_seeds_unless_they_share_a_word():
    seeds = Pairs(np.array([[0, 0], [1, 5]]), np.array([1.0, 3.0]))
    pairs = joined(seeds, np.array([[0, 4], [2, 5], [3, 3]]))
    assert pairs.rows.tolist() == [[0, 0], [1, 5], [3, 3]]
    assert pairs.weights.tolist() == [1.0, 3.0, 2.0]


def test_seeds_beyond_the_vocabulary_take_part():
    source, target, _ = planted_pair(words=300, dimension=10, noise=0.1)
    seeds = Pairs(np.column_stack((np.arange(0, 300, 3), np.arange(0, 300, 3))))
    learned = Contrastive(**SHORT, vocabulary=150, held_out=0).learn(
        source.matrix, target.matrix, seeds, Progress()
    )
    assert {tuple(row) for row in seeds.rows} <= {tuple(row) for row in learned.pairs.rows}
    added = learned.pairs.rows[len(seeds) :]
    assert len(added) > 0
    assert added.max() < 150


@pytest.mark.gpu
def test_it_learns_on_a_gpu():
    source, target, _ = planted_pair(words=400, dimension=16, noise=0.1)
    one, other = (
        Contrastive(device=device).fit(source, target, translations(range(80)))
        for device in ("cpu", "cuda")
    )
    similarities = [found.source.matrix @ found.target.matrix.T for found in (one, other)]
    np.testing.assert_allclose(*similarities, atol=1e-2)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: Contrastive(start="vecmap"),
            "`start` parameter of contrastive must be one of .* Got 'vecmap'",
        ),
        (
            lambda: Contrastive(held_out=0.9),
            "`held_out` parameter of contrastive must be a finite number, at least 0 and at most",
        ),
        (
            lambda: Contrastive(temperature=0),
            "`temperature` parameter of contrastive must be a finite number, above 0",
        ),
        (
            lambda: Contrastive(vocabulary=5),
            "`vocabulary` parameter of contrastive must be at least 10",
        ),
        (lambda: Contrastive(loss="l1"), 'need `loss="l2"`. Got .l1. instead'),
        (lambda: Contrastive(unequal="rectangular"), 'set `unequal="pca"`'),
    ],
)
def test_bad_parameters(make, message):
    with pytest.raises(LexalignError, match=message):
        make()


@pytest.mark.parametrize("start", ["auto", "procb", "seeds"])
def test_too_few_pairs_for_whitening(start):
    source, target, _ = planted_pair(words=40, dimension=38, noise=1.0)
    with pytest.raises(LexalignError, match="span all 38 dimensions, but .* give more seeds"):
        Contrastive(start=start, held_out=0.5).fit(source, target, translations(range(24)))
