"""Searches report the comparisons that they make, as many as were expected, and nothing changes."""

import numpy as np
import pytest

from lexalign.progress import Stage
from lexalign.retrieval import (
    Translator,
    inverted_ranks,
    log_partition,
    mutual_pairs,
    neighbourhood,
    penalty,
    ranks,
    top_k,
)
from lexalign.retrieval.penalties import comparisons
from lexalign.spaces.normalise import unit_rows
from lexalign.vectors import Embeddings

N, M = 700, 500


@pytest.fixture(scope="module")
def sides():
    random = np.random.default_rng(0)
    x = unit_rows(random.standard_normal((N, 8)).astype(np.float32))
    return x, unit_rows((x[:M] + 0.2 * random.standard_normal((M, 8))).astype(np.float32))


def test_a_search_reports_all_comparisons(sides):
    stage = Stage("searching")
    found = top_k(*sides, 3, advance=stage)
    assert stage.done == N * M
    np.testing.assert_array_equal(found.indices, top_k(*sides, 3).indices)


@pytest.mark.parametrize(
    "work",
    [
        lambda x, z, stage: neighbourhood(x, z, 10, stage),
        lambda x, z, stage: log_partition(x, z, 30.0, stage),
        lambda x, z, stage: ranks(x, z, np.arange(N) % M, advance=stage),
    ],
)
def test_every_search_reports_all_comparisons(sides, work):
    stage = Stage("searching")
    work(*sides, stage)
    assert stage.done == N * M


def test_inverted_ranks_report_every_key(sides):
    stage, wanted = Stage("ranking"), np.array([3, 3, 9])
    inverted_ranks(np.array([0, 1, 2]), *sides, wanted, stage)
    assert stage.done == 2 + M


@pytest.mark.parametrize("retrieval", ["csls", "nn", "invsoftmax"])
@pytest.mark.parametrize("head", [None, 5, 100, 10_000])
def test_penalties_make_as_many_comparisons_as_expected(sides, retrieval, head):
    x, z = sides
    stage = Stage("preparing")
    penalty(retrieval, z, x, head=head, advance=stage)
    assert stage.done == comparisons(retrieval, M, N, head=head)


@pytest.mark.parametrize("retrieval", ["csls", "nn", "invsoftmax"])
@pytest.mark.parametrize("max_rank", [50, 300, 10_000])
def test_mutual_pairs_estimate_their_comparisons(sides, retrieval, max_rank):
    totals = []

    class Watched(Stage):
        def expect(self, total, certainty="exactly"):
            totals.append((total, certainty))
            super().expect(total, certainty)

    stage = Watched("finding mutual pairs")
    options = {"retrieval": retrieval, "max_rank": max_rank}
    found, plain = mutual_pairs(*sides, **options, stage=stage), mutual_pairs(*sides, **options)
    np.testing.assert_array_equal(found.pairs, plain.pairs)
    np.testing.assert_array_equal(found.margins, plain.margins)
    assert [certainty for _, certainty in totals] == ["about"] * 2
    assert 0.4 < totals[0][0] / stage.done < 2
    assert 0.7 < totals[1][0] / stage.done < 1.4


def test_a_translator_reports_every_word_once(sides):
    x, z = sides
    source = Embeddings([f"s{row}" for row in range(N)], x)
    target = Embeddings([f"t{row}" for row in range(M)], z)
    translator, stage = Translator(source=source, target=target), Stage("translating")
    translator.translate(["s1", "s2", "s1"], stage=stage)
    assert (stage.done, stage.total) == (2, 2)
    translator.reverse.translate(["t1"], stage=stage)
    assert (stage.done, stage.total) == (3, 3)
