"""What single aligners do inside, on cases small enough to check."""

import numpy as np
import pytest
from scipy.optimize import check_grad

from lexalign.aligners import ProcB, Rcsls, VecMap
from lexalign.aligners.dlv import match
from lexalign.aligners.pairs import Pairs
from lexalign.aligners.procb import frequent_mutual_pairs
from lexalign.aligners.symmetric_maps import symmetric_maps
from lexalign.errors import LexalignError
from lexalign.progress import Progress
from lexalign.retrieval import mutual_pairs, top_k
from lexalign.vectors import Lexicon
from tests.conftest import planted_pair


def same_rows(count):
    return Pairs(np.column_stack((np.arange(count), np.arange(count))))


def translations(numbers):
    return Lexicon([(f"s{i}", f"t{i}") for i in numbers])


def test_the_gradient_of_rcsls_is_that_of_its_loss():
    source, target, _ = planted_pair(words=60, dimension=5, noise=0.3)
    aligner, seeds = Rcsls(neighbours=3), same_rows(20)

    def evaluate(flat):
        return aligner._evaluate(source.matrix, target.matrix, seeds, flat.reshape(5, 5))

    point = np.eye(5).ravel() + 0.1 * np.random.default_rng(0).standard_normal(25)
    error = check_grad(
        lambda flat: evaluate(flat)[0], lambda flat: evaluate(flat)[1].ravel(), point
    )
    assert error < 1e-4


def test_the_loss_of_rcsls_is_that_of_its_definition():
    source, target, _ = planted_pair(words=40, dimension=4, noise=0.3)
    x, y = source.matrix.astype(np.float64), target.matrix.astype(np.float64)
    similarity = x @ y.T
    expected = np.mean(
        [
            -2 * similarity[i, i]
            + np.sort(similarity[i])[-3:].mean()
            + np.sort(similarity[:, i])[-3:].mean()
            for i in range(10)
        ]
    )
    found, _ = Rcsls(neighbours=3)._evaluate(source.matrix, target.matrix, same_rows(10), np.eye(4))
    assert found == pytest.approx(expected, abs=1e-6)


def test_words_of_several_seeds_count_once_a_seed_in_rcsls():
    source, target, _ = planted_pair(words=40, dimension=4, noise=0.3)
    rows = np.array([[0, 0], [0, 1], [2, 1], [3, 3], [3, 3]])
    weights, aligner = np.array([1.0, 2.0, 3.0, 0.5, 0.5]), Rcsls(neighbours=3)
    found = aligner._evaluate(source.matrix, target.matrix, Pairs(rows, weights), np.eye(4))
    single = [
        aligner._evaluate(source.matrix, target.matrix, Pairs(row[None]), np.eye(4)) for row in rows
    ]
    for one, each in zip(found, zip(*single, strict=True), strict=True):
        expected = np.tensordot(weights / weights.sum(), np.array(each), 1)
        np.testing.assert_allclose(one, expected, atol=1e-12)


def test_a_step_of_rcsls_that_makes_it_worse_is_taken_back():
    source, target, _ = planted_pair(words=200, dimension=10, noise=0.3)
    wild = Rcsls(learning_rate=50.0, iterations=12)
    learned = wild.learn(source.matrix, target.matrix, same_rows(100), Progress())
    kept = [entry["loss"] for entry in learned.history if entry.get("kept", True)]
    assert any(not entry.get("kept", True) for entry in learned.history)
    assert kept == sorted(kept, reverse=True)
    value, _ = wild._evaluate(source.matrix, target.matrix, same_rows(100), learned.source)
    assert value == pytest.approx(kept[-1])


def test_spectral_rcsls_stays_within_norm_one():
    source, target, _ = planted_pair(words=200, dimension=10, noise=0.3)
    for spectral in (False, True):
        alignment = Rcsls(learning_rate=5.0, spectral=spectral).fit(
            source, target, translations(range(100))
        )
        norm = np.linalg.norm(alignment.map.source.matrix, 2)
        assert (norm <= 1 + 1e-9) == spectral


def test_matching_gives_every_word_one_partner_at_the_least_cost():
    """Both sources prefer target 0; the better total gives it to the second."""
    source = np.array([[1.0, 0.0], [0.98, -0.2]], dtype=np.float32)
    target = np.array([[0.995, -0.1], [0.8, 0.6]], dtype=np.float32)
    pairs, similarity = match(source, target, top_k(source, target, 2))
    assert {tuple(pair) for pair in pairs.tolist()} == {(0, 1), (1, 0)}
    assert similarity == pytest.approx((0.8 + 0.98 * 0.995 + 0.02) / 2, abs=1e-3)
    alone, _ = match(source, target, top_k(source, target, 1))
    assert len(alone) == 1


def test_matching_agrees_with_a_dense_assignment():
    from scipy.optimize import linear_sum_assignment

    source, target, _ = planted_pair(words=80, dimension=6, noise=0.3)
    x, y = source.matrix, target.matrix
    pairs, _ = match(x, y, top_k(x, y, 80))
    rows, columns = linear_sum_assignment(-(x @ y.T))
    assert {tuple(pair) for pair in pairs.tolist()} == set(
        zip(rows.tolist(), columns.tolist(), strict=True)
    )


@pytest.mark.parametrize("wanted", [1, 10, 50, 400])
def test_the_frequent_mutual_pairs_are_the_first_of_all(wanted):
    generator = np.random.default_rng(wanted)
    source, target = (
        generator.standard_normal((words, 5)).astype(np.float32) for words in (300, 400)
    )
    source[7] = target[9] = 0
    rank = max(len(source), len(target))
    expected = mutual_pairs(source, target, retrieval="nn", max_rank=rank).pairs
    expected = expected[np.lexsort((expected[:, 0], expected.sum(axis=1)))]
    found = frequent_mutual_pairs(source, target, wanted)
    assert len(found) >= min(wanted, len(expected))
    np.testing.assert_array_equal(found, expected[: len(found)])


def test_procb_once_keeps_the_seeds_and_growing_drops_them():
    source, target, _ = planted_pair(words=300, dimension=10, noise=0.2)
    wrong = Lexicon([*translations(range(40)), ("s7", "t200")])
    once = ProcB(variant="once", max_pairs=100).fit(source, target, wrong)
    assert ("s7", "t200") in once.lexicon.pairs
    assert len(once.lexicon) == 100
    growing = ProcB(max_pairs=100).fit(source, target, wrong)
    assert ("s7", "t200") not in growing.lexicon.pairs
    assert [entry["pairs"] for entry in growing.history][:3] == [41, 61, 91]
    ranks = [int(a[1:]) + int(b[1:]) for a, b in growing.lexicon]
    assert ranks == sorted(ranks)


@pytest.mark.parametrize("variant", ["once", "growing"])
def test_procb_ends_with_the_maps_of_vecmap_on_seeds_and_last_dictionary(variant):
    source, target, _ = planted_pair(words=300, dimension=10, noise=0.2)
    seeds = Lexicon([*translations(range(40)), ("s7", "t200")])
    rotated = ProcB(variant=variant, max_pairs=150).fit(source, target, seeds)
    mapped = ProcB(variant=variant, max_pairs=150, final="vecmap", reweight=0.7).fit(
        source, target, seeds
    )
    new = [pair for pair in rotated.lexicon if pair not in seeds.pairs]
    assert mapped.lexicon.pairs == (*seeds.pairs, *new)[:150]
    assert len(mapped.lexicon) == 150
    expected = VecMap(reweight=0.7).fit(source, target, mapped.lexicon)
    for side in ("source", "target"):
        np.testing.assert_array_equal(
            getattr(mapped.map, side).matrix, getattr(expected.map, side).matrix
        )


def test_procb_weighs_seeds_that_did_not_grow():
    source, target, _ = planted_pair(words=300, dimension=10, noise=0.2)
    seeds = Lexicon(translations(range(40)).pairs, np.linspace(1, 5, 40))
    mapped = ProcB(max_pairs=40, final="vecmap").fit(source, target, seeds)
    expected = VecMap().fit(source, target, seeds)
    np.testing.assert_array_equal(mapped.map.source.matrix, expected.map.source.matrix)


def test_procb_adds_mutual_pairs_also_if_they_are_too_few_to_grow_from():
    source, target, _ = planted_pair(words=300, dimension=10, noise=0.6)
    seeds = translations(range(280))
    growing, once = (
        ProcB(variant=variant, final="vecmap").fit(source, target, seeds)
        for variant in ("growing", "once")
    )
    assert len(growing.history) == 1
    assert len(growing.lexicon) > len(seeds)
    np.testing.assert_array_equal(growing.map.source.matrix, once.map.source.matrix)


def test_vecmap_maps_correlated_directions_together():
    """Whitened, rotated and de-whitened with r = 0 the maps are rotations of both sides."""
    source, target, _ = planted_pair(words=200, dimension=6, noise=0.1)
    pairs = same_rows(100)
    for matrix in symmetric_maps(source.matrix, target.matrix, pairs, 0.0):
        np.testing.assert_allclose(matrix.T @ matrix, np.eye(6), atol=1e-8)
    x, y = symmetric_maps(source.matrix, target.matrix, pairs, 0.5)
    before = np.linalg.norm(source.matrix - target.matrix)
    assert np.linalg.norm(source.matrix @ x - target.matrix @ y) < before


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ProcB(variant="r"), "`variant` parameter of procb must be one of .* Got 'r'"),
        (lambda: ProcB(growth=1.0), "`growth` parameter of procb must be a finite number, above 1"),
        (
            lambda: ProcB(final="vecmap", loss="l1"),
            r'symmetric maps of procb need `loss="l2"`. Got .l1. .* set `final="rotation"`\.$',
        ),
        (
            lambda: VecMap(loss="l1"),
            'of vecmap need `loss="l2"`. .* `preset="semi-supervised"` or `final="rotation"`',
        ),
        (
            lambda: ProcB(final="vecmap", unequal="rectangular"),
            'maps of procb need spaces of equal dimension.* `unequal="pca"` or `final="rotation"`',
        ),
        (
            lambda: ProcB(final="vecmap", reweight=-1),
            "`reweight` parameter of procb must be a finite number, at least 0",
        ),
        (
            lambda: Rcsls(iterations=0),
            "`iterations` parameter of rcsls must be a whole number, at least 1",
        ),
        (
            lambda: VecMap(reweight=-1),
            "`reweight` parameter of vecmap must be a finite number, at least 0",
        ),
    ],
)
def test_bad_parameters(make, message):
    with pytest.raises(LexalignError, match=message):
        make()


def test_too_few_seeds_for_whitening():
    source, target, _ = planted_pair(words=200, dimension=10)
    for aligner in (VecMap(), ProcB(final="vecmap", max_pairs=9)):
        with pytest.raises(
            LexalignError, match='all 10 dimensions, but the 9 pairs do not.* `final="rotation"`'
        ):
            aligner.fit(source, target, translations(range(9)))
