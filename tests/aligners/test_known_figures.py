"""Figures, records and choices of the aligners, on cases worked by hand or by brute force."""

import logging
from contextlib import nullcontext
from itertools import islice

import attrs
import numpy as np
import pytest

import lexalign
from lexalign.aligners import (
    Dlv,
    Gwa,
    Icp,
    ProcB,
    Procrustes,
    Rcsls,
    VecMap,
    contrastive,
    gwa,
    infonce,
    rcsls,
)
from lexalign.aligners.adversary import Adversary
from lexalign.aligners.contrastive import TunedMaps, _decision
from lexalign.aligners.health import (
    Agreement,
    _agreement,
    _eigenvalue_gap,
    _laplacian_eigenvalues,
    _singular_value_gap,
    _skewness,
    examine,
    matching_similarity,
    misalignment_warning,
)
from lexalign.aligners.held_out_seeds import frequent_pairs, held_out_score, split
from lexalign.aligners.icp import closest_points, principal_components
from lexalign.aligners.pairs import Pairs, known_seeds, seed_lexicon
from lexalign.aligners.procb import _filled
from lexalign.aligners.retries import Retries, _described, _figures, _quality, _vecmap_like
from lexalign.aligners.rounds import Round, best_round, induced_rounds
from lexalign.aligners.self_learning import Rounds, SelfLearning
from lexalign.aligners.similarity_distribution import match_by_similarity_distribution
from lexalign.aligners.vecmap import _chosen_twice
from lexalign.errors import InputError, LexalignError
from lexalign.progress import Progress
from lexalign.retrieval import mutual_pairs
from lexalign.retrieval.both_ways import BothWays, Ranking
from lexalign.vectors import Embeddings, Lexicon
from tests.conftest import random_rotation

PROGRESS = Progress()


def unit(rows):
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def clouds(words=60, dimension=5, noise=0.3, seed=0):
    """A space, and one that is stretched, turned and noisy, both of unit length."""
    generator = np.random.default_rng(seed)
    x = generator.standard_normal((words, dimension))
    y = x * np.linspace(1.5, 0.5, dimension) @ random_rotation(dimension, generator)
    y += noise * generator.standard_normal(y.shape)
    return unit(x).astype(np.float32), unit(y).astype(np.float32)


def csls(x, z, k):
    similarity = x @ z.T
    r_x, r_z = (-np.sort(-one, axis=1)[:, :k].mean(axis=1) for one in (similarity, similarity.T))
    return 2 * similarity - r_x[:, None] - r_z


def procrustes(a, b):
    left, _, right = np.linalg.svd(a.T.astype(float) @ b)
    return left @ right


def named(matrix, letter):
    return Embeddings([f"{letter}{number}" for number in range(len(matrix))], matrix)


def identical(words):
    return Pairs(np.column_stack((np.arange(words), np.arange(words))))


def test_rounds_fit_a_rotation_to_the_pairs_that_the_last_one_finds():
    x, z = clouds()
    rounds = Procrustes(rounds=2, neighbours=3, max_rank=40).learn(x, z, identical(8), PROGRESS)
    matrix = procrustes(x[:8], z[:8])
    counts = [8]
    for _ in range(2):
        mapped = unit(x @ matrix).astype(np.float32)
        found = mutual_pairs(mapped, z, neighbours=3, max_rank=40)
        matrix = procrustes(x[found.pairs[:, 0]], z[found.pairs[:, 1]])
        counts.append(len(found))
    np.testing.assert_allclose(rounds.source, matrix, atol=1e-5)
    assert rounds.target is None
    np.testing.assert_array_equal(rounds.pairs.rows, found.pairs)
    np.testing.assert_allclose(rounds.pairs.weights, found.margins, atol=1e-5)
    assert rounds.history == tuple({"round": n, "pairs": count} for n, count in enumerate(counts))


def test_rounds_use_ten_neighbours_among_ten_thousand_words():
    x, z = clouds()
    plain, explicit = (
        next(induced_rounds(x, z, np.eye(5), **options))
        for options in ({}, {"loss": "l2", "neighbours": 10, "max_rank": 10_000, "device": "cpu"})
    )
    np.testing.assert_array_equal(plain.matrix, explicit.matrix)
    robust = next(induced_rounds(x, z, np.eye(5), loss="l1"))
    assert np.abs(robust.matrix - plain.matrix).max() > 1e-3


def test_the_best_round_is_judged_by_its_matching_similarity(caplog):
    x, z = clouds()
    start = Round(procrustes(x[:8], z[:8]), identical(8))
    settings = {"loss": "l2", "neighbours": 3, "max_rank": 40, "device": "cpu"}
    with caplog.at_level(logging.INFO, logger="lexalign"):
        best, history = best_round(x, z, start, rounds=4, progress=PROGRESS, **settings)
    found = list(islice(induced_rounds(x, z, start.matrix, **settings), 4))
    criteria = [
        matching_similarity((x @ one.matrix).astype(np.float32), z, neighbours=3) for one in found
    ]
    np.testing.assert_array_equal(best.matrix, found[int(np.argmax(criteria))].matrix)
    assert [entry["round"] for entry in history] == [1, 2, 3, 4]
    assert [entry["pairs"] for entry in history] == [len(one.pairs) for one in found]
    assert [entry["criterion"] for entry in history] == pytest.approx(criteria)
    assert caplog.messages[0].startswith('refining: {"round": 1, "pairs": ')
    nothing, none = best_round(x, z, start, rounds=0, progress=PROGRESS, **settings)
    assert nothing is start
    assert none == []


def test_the_matching_similarity_is_that_of_its_definition():
    x, z = (3 * side for side in clouds())
    scores, cosine = csls(unit(x[:30]), unit(z[:30]), 4), unit(x[:30]) @ unit(z[:30]).T
    expected = cosine[np.arange(30), scores.argmax(axis=1)].mean()
    assert matching_similarity(x, z, words=30, neighbours=4) == pytest.approx(expected, abs=1e-6)
    plain = matching_similarity(x, z)
    assert plain == pytest.approx(matching_similarity(x, z, words=60, neighbours=10))
    assert matching_similarity(x[:4], z[:4]) <= 1.0  # fewer words than neighbours


def test_the_figures_of_a_health_check():
    x, z = clouds(words=80, dimension=6)
    matrix = procrustes(x, z)
    mapped = (x @ matrix).astype(np.float32)
    names = tuple({f"{letter}{n}": n for n in range(80)} for letter in "st")
    health = examine((x, z), (mapped, 2 * z), names)
    scores, cosine = csls(unit(mapped), z, 10), unit(mapped) @ z.T
    forward, backward = scores.argmax(axis=1), scores.argmax(axis=0)
    assert (health.words, health.dimension, health.found_again) == (80, 6, None)
    assert health.mutual == (backward[forward] == np.arange(80)).mean()
    assert health.mean_csls == pytest.approx(scores.max(axis=1).mean(), abs=1e-5)
    assert health.mean_cosine == pytest.approx(cosine[np.arange(80), forward].mean(), abs=1e-5)
    counts = np.bincount(np.argsort(-cosine, axis=1)[:, :10].ravel(), minlength=80)
    spread = counts - counts.mean()
    skewness = (spread**3).mean() / (spread**2).mean() ** 1.5
    assert health.hubness == pytest.approx(skewness)
    singular = [np.log(np.linalg.svd(side.astype(float), compute_uv=False)) for side in (x, z)]
    gap = ((singular[0] - singular[1]) ** 2).sum()
    assert health.singular_value_gap == pytest.approx(gap, rel=1e-4)
    assert health.identical is None
    assert health.numerals is None
    assert health.as_dict()["matched"] is None
    assert health.as_dict()["verdict"] == health.verdict
    assert health.as_dict()["mutual"] == health.mutual
    assert examine((x[:19], z), (mapped[:19], z), names) is None
    assert examine((x[:20], z), (mapped[:20], z), names).words == 20


def test_skewness_by_hand():
    assert _skewness(np.array([1, 1, 1])) == 0.0
    # Deviations −1, −1, 2: mean cube 6/3, mean square 6/3.
    assert _skewness(np.array([0, 0, 3])) == pytest.approx(2 / 2**1.5)


def test_the_gap_of_singular_values_leaves_out_those_that_are_zero():
    one = np.diag([4.0, 2.0, 0.0])
    other = np.diag([2.0, 1.0, 1.0])
    assert _singular_value_gap(one, other) == pytest.approx(2 * np.log(2) ** 2)


def test_the_eigenvalues_of_a_full_graph():
    """All 5 points join all others: the Laplacian has 5 four times and 0 once."""
    rows = np.eye(5)
    np.testing.assert_allclose(_laplacian_eigenvalues(rows), [5, 5, 5, 5, 0], atol=1e-9)
    # 90 % of 15 need 3 eigenvalues of a graph of 4 points, 4 × 3 times: (5 − 4)² thrice.
    assert _eigenvalue_gap(rows, np.eye(4)) == pytest.approx(3.0)


def test_agreement_of_words_spelled_alike():
    source = {"a": 0, "b": 1, "7": 2, "c": 3, "x9": 4, "--": 5, "late": 6}
    target = {"b": 0, "a": 1, "7": 2, "x9": 4, "--": 5, "c": 9, "late": 3}
    forward = np.array([1, 3, 2, 0, 4, 5])
    # Letters: a and x9 choose themselves, b does not; c and late are too rare.
    assert _agreement((source, target), forward, digits=False) == Agreement(3, 2 / 3)
    assert _agreement((source, target), forward, digits=True) == Agreement(1, 1.0)
    assert _agreement(({"a": 0}, {"b": 0}), forward, digits=False) is None


def test_a_warning_compares_pairs_with_nearest_neighbours():
    """Pairs have a cosine of 0.3, the nearest words of the source one of 0.8."""
    angle = np.arccos(0.8)
    source = np.zeros((20, 40))
    for number in range(10):
        source[2 * number, 2 * number] = 1
        source[2 * number + 1, 2 * number : 2 * number + 2] = np.cos(angle), np.sin(angle)
    target = np.roll(np.eye(40)[:20], 20, axis=1) * np.sqrt(1 - 0.09) + 0.3 * source
    sides = source.astype(np.float32), target.astype(np.float32)
    rows = np.column_stack((np.arange(20), np.arange(20)))

    class Found:
        pairs = rows

    sentence = misalignment_warning(*sides, Found, 20)
    assert "a mean similarity of 0.30, but words of one language 0.80 to their nearest" in sentence
    Found.pairs = rows[:10]
    assert misalignment_warning(*sides, Found, 20) is not None
    Found.pairs = rows[:9]
    assert misalignment_warning(*sides, Found, 20) is None
    assert misalignment_warning(sides[0], sides[0], type("All", (), {"pairs": rows}), 20) is None


def test_held_out_seeds_are_whole_words():
    seeds = Pairs(np.array([[0, 1], [0, 2], [1, 3], [2, 4], [3, 5]]), np.arange(5.0) + 1)
    fitted, held_out = split(seeds, 0.5, np.random.default_rng(0))
    words = [set(part.rows[:, 0].tolist()) for part in (fitted, held_out)]
    assert len(words[0]) == len(words[1]) == 2
    assert not words[0] & words[1]
    for part in (fitted, held_out):
        for (word, partner), weight in zip(part.rows, part.weights, strict=True):
            place = seeds.rows.tolist().index([word, partner])
            assert weight == seeds.weights[place]
    assert frequent_pairs(seeds, 4).rows.tolist() == [[0, 1], [0, 2], [1, 3]]
    assert frequent_pairs(Pairs(seeds.rows), 1).rows.tolist() == []
    assert frequent_pairs(Pairs(seeds.rows), 2).weights is None


def test_the_score_of_held_out_seeds_is_by_csls_and_the_best_counts():
    x, z = clouds()
    rows = np.array([[0, 0], [0, 5], [7, 7], [9, 30]])
    order = np.argsort(-csls(x, z, 4), axis=1, kind="stable")
    place = [int(np.flatnonzero(order[word] == key)[0]) + 1 for word, key in rows]
    best = np.array([min(place[:2]), place[2], place[3]])
    found = held_out_score(x, z, Pairs(rows), 4)
    assert found.mrr == pytest.approx((1 / best).mean())
    assert found.precision == pytest.approx((best == 1).mean())


def test_seeds_are_filled_up_with_new_pairs():
    seeds, found = np.array([[5, 5], [1, 1]]), np.array([[0, 0], [1, 1], [2, 2], [3, 3]])
    assert _filled(seeds, found, 3).tolist() == [[5, 5], [1, 1], [0, 0]]
    assert _filled(seeds, found, 9).tolist() == [[5, 5], [1, 1], [0, 0], [2, 2], [3, 3]]
    assert _filled(seeds, found, 1).tolist() == [[5, 5], [1, 1]]


def test_procb_grows_by_the_frequent_mutual_pairs():
    x, z = clouds(noise=0.1)
    fit = ProcB(growth=2.0, max_pairs=30).learn(x, z, identical(8), PROGRESS)
    pairs, counts = identical(8).rows, [8]
    while len(pairs) < 30:
        matrix = procrustes(x[pairs[:, 0]], z[pairs[:, 1]])
        found = mutual_pairs(unit(x @ matrix).astype(np.float32), z, retrieval="nn").pairs
        found = found[np.lexsort((found[:, 0], found.sum(axis=1)))]
        pairs = found[: min(2 * len(pairs), 30)]
        counts.append(len(pairs))
    np.testing.assert_array_equal(fit.pairs.rows, pairs)
    matrix = procrustes(x[pairs[:, 0]], z[pairs[:, 1]])
    np.testing.assert_allclose(fit.source, matrix, atol=1e-6)
    assert fit.history == tuple({"round": n, "pairs": count} for n, count in enumerate(counts))
    assert counts == [8, 16, 30]


def test_pairs_chosen_in_both_directions():
    rows = np.array([[0, 1], [2, 2], [0, 1], [3, 1]])
    assert _chosen_twice(Pairs(rows)).rows.tolist() == [[0, 1]]


def test_pairs_are_joined_once_and_named():
    joined = identical(2).joined(Pairs(np.array([[1, 1], [0, 1]])))
    assert joined.rows.tolist() == [[0, 0], [0, 1], [1, 1]]
    assert joined.weights is None
    source, target = named(np.eye(2), "s"), named(np.eye(2), "t")
    lexicon = Pairs(np.array([[0, 1]]), np.array([0.5])).lexicon(source, target)
    assert (lexicon.pairs, lexicon.weights.tolist()) == ((("s0", "t1"),), [0.5])


def test_seeds_are_looked_up_with_their_weights():
    source, target = (Embeddings(["Dog", "cat", "12", "1.5", "x1"], np.eye(5)) for _ in range(2))
    lexicon = Lexicon([("cat", "cat"), ("no", "cat"), ("dog", "Dog")], [2.0, 1.0, 3.0])
    seeds = known_seeds(source, target, lexicon)
    assert (seeds.rows.tolist(), seeds.weights.tolist()) == ([[1, 1], [0, 0]], [2.0, 3.0])
    assert seeds.folded == 1
    assert [word for word, _ in seed_lexicon("numerals", source, target)] == ["12", "1.5"]
    assert len(seed_lexicon("identical", source, target)) == 5
    with pytest.raises(InputError, match="share no numerals words"):
        seed_lexicon("numerals", named(np.eye(2), "s"), named(np.eye(2), "s"))
    with pytest.raises(InputError, match=r"the weight of \('cat', 'cat'\) is 0, but seeds need"):
        known_seeds(source, target, Lexicon([("Dog", "Dog"), ("cat", "cat")], [1.0, 0.0]))


def test_principal_components_are_coordinates_of_most_variance():
    generator = np.random.default_rng(0)
    rows = generator.exponential(size=(200, 3)) * [1, 5, 2] + 7
    found = principal_components(rows, 2)
    covariance = np.cov(rows.T)
    values, axes = np.linalg.eigh(covariance)
    expected = (rows - rows.mean(axis=0)) @ axes[:, [2, 1]]
    np.testing.assert_allclose(np.abs(found), np.abs(expected), atol=1e-4)
    assert ((found**3).sum(axis=0) > 0).all()
    assert found.dtype == np.float32
    np.testing.assert_allclose(found.var(axis=0, ddof=1), values[[2, 1]], rtol=1e-4)


def test_one_epoch_of_closest_points():
    x, z = (2 * side for side in clouds(words=30, dimension=3))
    fit = closest_points(x, z, np.eye(3, dtype=np.float32), 1)
    distances = ((x[:, None, :] - z[None, :, :]) ** 2).sum(axis=2)
    assert fit.forward.tolist() == distances.argmin(axis=1).tolist()
    assert fit.backward.tolist() == distances.argmin(axis=0).tolist()
    nearest = distances.min(axis=1).mean() + distances.min(axis=0).mean()
    variance = (x**2).sum(axis=1).mean() + (z**2).sum(axis=1).mean()
    assert fit.reconstruction == pytest.approx(nearest / variance, abs=1e-5)
    np.testing.assert_array_equal(fit.matrix, np.eye(3))
    assert fit.epochs == 1
    second = closest_points(x, z, np.eye(3, dtype=np.float32), 2)
    a, b = np.concatenate((x, x[fit.backward])), np.concatenate((z[fit.forward], z))
    np.testing.assert_allclose(second.matrix, procrustes(a, b), atol=1e-5)


def test_the_record_of_closest_points():
    x, z = clouds(words=80, dimension=6, noise=0.05)
    options = {"components": 4, "starts": 3, "rounds": 1, "neighbours": 5, "epochs": 7}
    aligner = Icp(words=60, start_words=50, fine_words=70, **options)
    fit = aligner.learn(x, z, identical(0), PROGRESS)
    *starts, chosen, last = fit.history
    assert [entry["start"] for entry in starts] == [0, 1, 2]
    assert all(1 <= entry["epochs"] <= 7 for entry in starts)
    lowest = min(range(3), key=lambda number: starts[number]["reconstruction"])
    assert chosen["best start"] == lowest
    assert last["round"] == 1
    one = attrs.evolve(aligner, starts=1).learn(x, z, identical(0), PROGRESS)
    assert one.history[0] == starts[0]
    assert len(one.history) == 3


def test_a_coupling_has_the_marginals_and_balances_its_own_costs():
    """At the end T = diag(u) exp(−costs/ε) diag(v), so log T + costs/ε is a sum of two numbers."""
    x, z = clouds(words=12, dimension=3)
    history = []
    told = []
    aligner = Gwa(words=12, marginals="zipf", epsilon=0.5, start_epsilon=1.0, stages=2,
                  max_iterations=200)  # fmt: skip
    plan = aligner.couple(x, z, history, told.append)
    weights = 1 / np.arange(1, 13)
    weights /= weights.sum()
    np.testing.assert_allclose(plan.sum(axis=0), weights, atol=1e-3)
    np.testing.assert_allclose(plan.sum(axis=1), weights, atol=1e-9)
    distances = [(1 - side @ side.T).astype(float) for side in (x, z)]
    c, d = (one / one.mean() for one in distances)
    gradient = -4 * c @ plan @ d
    residual = np.log(plan) + gradient / 0.5
    residual -= residual.mean(axis=0)
    residual -= residual.mean(axis=1, keepdims=True)
    assert np.abs(residual).max() < 0.05
    assert [entry["epsilon"] for entry in history] == pytest.approx([1.0, 0.5])
    assert len(told) == sum(entry["iterations"] for entry in history)
    assert history[-1]["anchors"] == len(gwa.anchors(plan))
    misfit = (
        (c[:, None, :, None] - d[None, :, None, :]) ** 2 * plan[:, :, None, None] * plan
    ).sum()
    assert history[-1]["objective"] == pytest.approx(misfit, rel=1e-3)
    assert set(history[0]) == {"epsilon", "iterations", "change", "objective", "anchors"}


def test_words_match_by_the_distribution_of_their_similarities():
    x, z = clouds(words=40, dimension=4)
    profiles = []
    for side in (x[:30], z[:30]):
        values, axes = np.linalg.eigh(side.astype(float) @ side.T)
        root = (axes * np.sqrt(np.maximum(values, 0))) @ axes.T
        profiles.append(unit(np.sort(root, axis=1)))
    scores = csls(*profiles, 3)
    found = match_by_similarity_distribution(x, z, words=30, neighbours=3, steps="unit").rows
    assert found[:30, 0].tolist() == found[30:, 1].tolist() == list(range(30))
    assert (found[:30, 1] == scores.argmax(axis=1)).mean() > 0.9  # float32 may tip close ones
    assert (found[30:, 0] == scores.argmax(axis=0)).mean() > 0.9


def test_the_rounds_of_self_learning_count_since_the_last_rise():
    nobody = np.full(2, -1), np.full(2, -1)
    rounds = Rounds(np.eye(2), (np.zeros(2), np.zeros(2)), nobody, BothWays(2), 0.1, 50)
    chosen = np.array([0, 1]), np.array([1, 1])
    after = np.array([0, 0]), np.array([1, 1])
    without_gain = [
        rounds.note(value, choice)
        for value, choice in (
            (0.5, chosen), (0.6, after), (0.6, after), (0.55, chosen), (0.7, chosen)
        )
    ]  # fmt: skip
    assert without_gain == [0, 0, 1, 2, 0]
    assert rounds.best == 0.7
    assert [entry["same partner"] for entry in rounds.history] == [0, 0.75, 1, 0.75, 1]
    assert rounds.history[2] == {
        "round": 2, "objective": 0.6, "keep": 0.1, "words": 50, "same partner": 1.0
    }  # fmt: skip
    state = rounds.state(np.random.default_rng(0))
    assert state.facts["best"] == 0.7
    assert state.facts["last rise"] == 5
    assert (state.facts["count"], state.facts["keep"], state.facts["words"]) == (2, 0.1, 50)
    assert state.arrays["chosen by source"].tolist() == [0, 1]
    assert state.arrays["chosen by target"].tolist() == [1, 1]


def test_partners_take_the_best_similarity_and_half_the_mean_of_the_nearest():
    rules = {"keep": 0.5, "patience": 3, "later_patience": 3, "settled": 1, "explore_words": 50}
    learner = SelfLearning(neighbours=2, loss="l2", device="cpu", **rules)
    scores = np.float32([[0.5, 0.4, 0.1]])  # less the penalties 0.3, 0.1, 0.5 of the others
    found = Ranking(scores, np.array([[0, 1, 2]]), np.array([1]))
    partners = learner._partners(found, np.float32([0.3, 0.1, 0.5]))
    assert partners.indices.tolist() == [1]
    assert partners.best == pytest.approx(0.8)
    assert partners.penalty == pytest.approx([0.5 * (0.8 + 0.6) / 2])


def test_an_alignment_says_where_it_comes_from():
    x, z = clouds(words=40, dimension=5)
    source, target = named(x, "s"), named(z, "t")
    seeds = Lexicon([(f"s{n}", f"t{n}") for n in range(4)] + [("s9", "nowhere")])
    aligned = Procrustes(normalise="unit").fit(source, target, seeds)
    assert aligned.map.provenance["method"] == "procrustes"
    assert aligned.map.provenance["parameters"]["normalise"] == "unit"
    assert aligned.citation == Procrustes.citation
    assert aligned.seeds.pairs == seeds.pairs[:4]
    assert aligned.warning == (
        "4 different words cannot determine a map of 5 dimensions; give at least 5 seeds, or use a "
        "method that finds more pairs, such as procb."
    )
    assert aligned.health.words == 40
    assert aligned.attempts == ()
    enough = Lexicon([(f"s{n}", f"t{n}") for n in range(5)])
    assert Procrustes().fit(source, target, enough).warning is None
    one_target = Lexicon([(f"s{n}", "t1") for n in range(9)])
    assert Procrustes().fit(source, target, one_target).warning.startswith("1 different words")


def test_the_record_of_health_has_attempts_if_there_were_several():
    x, z = clouds(words=40, dimension=5)
    aligned = lexalign.align(
        "procrustes", named(x, "s"), named(z, "t"), Lexicon([("s1", "t1"), ("s2", "t2")])
    )
    assert set(aligned.health_record()) == {"health"}
    several = attrs.evolve(aligned) if attrs.has(type(aligned)) else aligned
    object.__setattr__(several, "attempts", ({"seed": 0}, {"seed": 1}))
    assert several.health_record()["attempts"] == ({"seed": 0}, {"seed": 1})
    assert several.health_record()["health"] == aligned.health.as_dict()
    assert repr(aligned) == "Alignment(2 pairs, 1 rounds)"


def test_attempts_are_described_by_method_seed_and_figures():
    x, z = clouds(words=40, dimension=5)
    sides = named(x, "s"), named(z, "t")
    aligned = lexalign.align("procrustes", *sides, Lexicon([("s1", "t1"), ("s2", "t2")]))
    assert _figures(aligned) == {
        "matched": None,
        "found_again": None,
        "mean_csls": aligned.health.mean_csls,
    }
    assert _quality(aligned) == (True, 0.0, aligned.health.mean_csls)
    few = lexalign.align("procrustes", *(side.top(9) for side in sides), Lexicon([("s1", "t1")]))
    assert _figures(few) == {"matched": None}
    assert _quality(few) == (True, 0.0, 0.0)

    class Tried:
        aligner, change = VecMap(seed=4), "centred"

    assert _described(Tried) == {"method": "vecmap", "change": "centred", "seed": 4}


def test_remedies_leave_the_target_where_the_method_would():
    like = _vecmap_like(Procrustes(normalise="unit", loss="l1", seed=3, unequal="pca"))
    assert (like.normalise, like.loss, like.seed, like.unequal) == ("unit", "l1", 3, "pca")
    assert (like.preset, like.final, like.device) == ("unsupervised", "rotation", "cpu")
    assert _vecmap_like(ProcB(final="vecmap")).final == "symmetric"
    own = VecMap(seed=9)
    assert _vecmap_like(own) is own


def test_restarts_have_the_seeds_that_follow():
    retries, aligner = Retries(restarts=3), VecMap(preset="unsupervised", seed=5)
    with pytest.raises(LexalignError, match="3 restarts would give the same result"):
        retries.require_sense(Procrustes())
    retries.require_sense(aligner)
    attempts = list(retries._attempts(aligner, None, None, None))
    assert [attempt.aligner.seed for attempt in attempts] == [5, 6, 7]
    assert {attempt.change for attempt in attempts} == {""}


def test_rcsls_halves_its_rate_where_a_step_does_not_help():
    x, z = clouds()
    fit = Rcsls(iterations=6, learning_rate=50.0, neighbours=3).learn(x, z, identical(20), PROGRESS)
    assert fit.history[0] == {"iteration": 0, "loss": fit.history[0]["loss"], "learning_rate": 50.0}
    rate, best = 50.0, fit.history[0]["loss"]
    for number, entry in enumerate(fit.history[1:], 1):
        assert entry["iteration"] == number
        assert entry["kept"] == (entry["loss"] <= best)
        best = min(best, entry["loss"])
        rate = rate if entry["kept"] else rate / 2
        assert entry["learning_rate"] == rate
    assert not fit.history[1]["kept"]


def test_dlv_fits_a_rotation_to_its_matching():
    x, z = clouds(noise=0.05)
    fit = Dlv(vocabulary=50, candidates=2, max_iterations=1).learn(x, z, identical(10), PROGRESS)
    assert fit.pairs.rows.max() < 50
    rows = fit.pairs.rows
    matrix = procrustes(x[rows[:, 0]], z[rows[:, 1]])
    np.testing.assert_allclose(fit.source, matrix, atol=1e-6)
    mapped = unit(x[:50] @ procrustes(x[:10], z[:10]))
    cosines = (mapped[rows[:, 0]] * z[rows[:, 1]]).sum(axis=1)
    assert fit.history[0] == {"iteration": 0, "pairs": 10}
    assert fit.history[1]["pairs"] == len(rows)
    assert fit.history[1]["similarity"] == pytest.approx(cosines.mean(), abs=1e-5)


@pytest.mark.parametrize(
    ("rounds", "most", "sentence"),
    [
        (2, 2, "all 2 rounds improve held-out seeds"),
        (0, 2, "stopped after 0 rounds: tuning does not improve held-out seeds"),
        (1, 2, "stopped after 1 rounds: another round does not improve held-out seeds"),
    ],
)
def test_contrastive_tuning_says_where_it_stopped(rounds, most, sentence):
    assert _decision(rounds, most) == sentence


def test_a_round_of_contrastive_tuning_in_the_history():
    tuned = TunedMaps(None, identical(3), None)
    assert tuned.entry("seeds", 0) == {"start": "seeds", "round": 0, "pairs": 3}
    assert TunedMaps(None, identical(3), 0.5).entry("procb", 2) == {
        "start": "procb",
        "round": 2,
        "pairs": 3,
        "loss": 0.5,
    }


def test_weights_of_found_pairs_are_the_mean_of_the_seeds():
    seeds = Pairs(np.array([[0, 0], [1, 1]]), np.array([1.0, 3.0]))
    found = np.array([[0, 5], [5, 1], [2, 3]])
    joined = contrastive.joined(seeds, found)
    assert joined.rows.tolist() == [[0, 0], [1, 1], [2, 3]]
    assert joined.weights.tolist() == [1.0, 3.0, 2.0]
    assert contrastive.joined(Pairs(seeds.rows), found).weights is None


def test_vectors_are_divided_by_their_mapped_lengths():
    words = np.float32([[1, 0], [0, 2], [0, 0]])
    matrix = np.array([[3.0, 4.0], [0.0, 1.0]])
    before, after = infonce._scaled(words, matrix)
    np.testing.assert_allclose(before, [[0.2, 0], [0, 1], [0, 0]], atol=1e-6)
    np.testing.assert_allclose(after, [[0.6, 0.8], [0, 1], [0, 0]], atol=1e-6)


def test_contrastive_tuning_hands_its_parameters_on():
    aligner = contrastive.Contrastive(
        steps=3, learning_rate=0.5, temperature=0.2, negatives=7, batch=11, refresh=2, clip=0.3
    )
    assert aligner.descent == infonce.Descent(
        steps=3, learning_rate=0.5, temperature=0.2, negatives=7, batch=11, refresh=2, clip=0.3
    )


def test_proc_b_grows_even_one_frequent_seed():
    x, z = clouds()
    aligner = contrastive.Contrastive(vocabulary=40)
    one = aligner._grown(x, z, Pairs(np.array([[3, 3]])))
    assert one.rows[0].tolist() == [3, 3]
    assert len(one) > 1
    rare = Pairs(np.array([[50, 50]]))
    assert aligner._grown(x, z, rare) is rare


def test_rcsls_ends_with_what_it_has_if_its_rate_becomes_tiny(monkeypatch):
    monkeypatch.setattr(rcsls, "SMALLEST_RATE", 20.0)
    x, z = clouds()
    fit = Rcsls(iterations=9, learning_rate=50.0, neighbours=3).learn(x, z, identical(20), PROGRESS)
    assert [entry["learning_rate"] for entry in fit.history] == [50.0, 25.0, 12.5]
    np.testing.assert_allclose(fit.source, procrustes(x[:20], z[:20]), atol=1e-5)


@pytest.mark.parametrize(
    ("aligner", "units"),
    [
        (Procrustes(rounds=2), [1, 1]),
        (ProcB(growth=2.0, max_pairs=30), [1, 1]),
        (Rcsls(iterations=3), [1, 1, 1]),
        (Dlv(max_iterations=2), [1, 1]),
    ],
)
def test_every_round_is_told(aligner, units):
    x, z = clouds(noise=0.1)
    told = []

    class Told(Progress):
        def shown(self, stage):
            stage.listener = told.append
            return nullcontext()

    aligner.learn(x, z, identical(8), Told())
    assert told == units


def test_an_adversary_has_the_published_settings():
    x, z = clouds()
    published = {"hidden": 2048, "batch": 32, "discriminator_steps": 5, "beta": 0.001, "seed": 0}
    plain, explicit = Adversary(x, z), Adversary(x, z, **published)
    losses = [one.train(2, 0.1, lambda units: None) for one in (plain, explicit)]
    assert losses[0] == losses[1]
    np.testing.assert_array_equal(plain.map, explicit.map)


def test_no_pairs_are_frequent_pairs_of_none():
    assert len(frequent_pairs(Pairs(np.empty((0, 2), dtype=np.int64)), 5)) == 0
    assert frequent_pairs(identical(3), 1).rows.tolist() == [[0, 0]]
