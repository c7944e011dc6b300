"""Work that is spread over threads of our own."""

import subprocess
import sys
import threading

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from lexalign import threads
from lexalign.procrustes import solve
from lexalign.retrieval import top_k
from lexalign.threads import in_blocks, product, single_threaded_products, spread
from tests.conftest import random_rotation


@pytest.fixture
def two_threads(monkeypatch):
    monkeypatch.setattr(threads, "processors", lambda: 2)
    threads._pool.cache_clear()
    yield
    threads._pool().shutdown()
    threads._pool.cache_clear()


def blas_threads():
    return {one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"}


def test_blocks_are_done_by_several_threads_and_come_back_in_order(two_threads):
    both = threading.Barrier(2, timeout=20)

    def work(rows):
        both.wait()  # passes only if two threads are here
        return rows.start, threading.current_thread().name

    found = spread(work, 8, 2)
    assert [start for start, _ in found] == [0, 2, 4, 6]
    assert len({name for _, name in found}) == 2


def test_a_block_inside_a_block_does_not_wait_for_a_thread(two_threads):
    def outer(rows):
        return spread(lambda inner: threading.current_thread().name, 4, 1)

    for names in spread(outer, 4, 1):
        assert len(set(names)) == 1


def test_an_error_in_a_block_reaches_the_caller(two_threads):
    def fail(rows):
        raise ValueError(f"block {rows.start}")

    with pytest.raises(ValueError, match="block 0"):
        spread(fail, 4, 2)
    assert threads._USERS.count == 0


def test_one_thread_takes_the_blocks_in_turn(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    assert spread(lambda rows: threading.current_thread(), 3, 1) == [threading.current_thread()] * 3


@pytest.mark.parametrize(("said", "expected"), [("3", 3), ("0", None), ("many", None), ("", None)])
def test_the_user_may_say_how_many_threads(monkeypatch, said, expected):
    monkeypatch.setenv("OMP_NUM_THREADS", said)
    assert threads.said_threads() == expected
    assert threads.processors() == (expected or threads.usable_cores())


def test_products_are_single_threaded_inside_and_as_before_afterwards():
    before = blas_threads()
    with single_threaded_products(), single_threaded_products():
        assert 1 in blas_threads()
        np.ones((2, 2)) @ np.ones((2, 2))
    assert blas_threads() == before


@pytest.mark.parametrize("shape", [(3, 4, 5), (700, 300, 300), (300, 2000, 300), (1, 9000, 3000)])
def test_products_are_those_of_numpy(two_threads, shape):
    rows, inner, columns = shape
    generator = np.random.default_rng(0)
    left = generator.standard_normal((inner, rows)).astype(np.float32).T
    right = generator.standard_normal((inner, columns)).astype(np.float32)
    np.testing.assert_allclose(product(left, right), left @ right, rtol=1e-3, atol=1e-3)
    out = np.empty((rows, columns), np.float32)
    assert product(left, right, out) is out
    assert product(left, right.astype(np.float64)).dtype == np.float64


def test_other_arrays_are_worked_on_in_turn():
    torch = pytest.importorskip("torch")
    rows = torch.ones(3, 2)
    assert in_blocks(lambda part: part.stop, rows, 5, 2) == [2, 4, 5]
    assert torch.equal(product(rows, torch.ones(2, 2)), 2 * torch.ones(3, 2))


@pytest.mark.parametrize("solver", ["flow", "minimum"])
def test_the_number_of_threads_does_not_change_a_refinement(two_threads, monkeypatch, solver):
    generator = np.random.default_rng(0)
    a = generator.standard_normal((1500, 80)).astype(np.float32)
    b = (a @ random_rotation(80, generator) + generator.laplace(size=a.shape)).astype(np.float32)
    two = solve(a, b, solver=solver, horizon=1e-4).rotation
    monkeypatch.setattr(threads, "processors", lambda: 1)
    np.testing.assert_array_equal(solve(a, b, solver=solver, horizon=1e-4).rotation, two)


def test_the_number_of_threads_does_not_change_a_search(two_threads, monkeypatch):
    generator = np.random.default_rng(0)
    x, y = (generator.standard_normal((n, 20)).astype(np.float32) for n in (2100, 500))
    two = top_k(x, y, 5)
    monkeypatch.setattr(threads, "processors", lambda: 1)
    one = top_k(x, y, 5)
    np.testing.assert_array_equal(one.indices, two.indices)
    np.testing.assert_array_equal(one.scores, two.scores)


@pytest.mark.skipif(sys.platform != "linux", reason="the libraries of macOS do not survive a fork")
def test_a_forked_process_has_threads_of_its_own():
    """In a process without other libraries, which do not survive a fork."""
    program = """
import multiprocessing
import numpy as np
from lexalign import threads

threads.processors = lambda: 2

def work(_):
    return float(threads.product(rows, rows.T).sum())

rows = np.ones((600, 300), np.float32)
expected = work(0)
with multiprocessing.get_context("fork").Pool(1) as pool:
    assert pool.map_async(work, [0]).get(60) == [expected]
"""
    done = subprocess.run([sys.executable, "-c", program], timeout=120, check=False)
    assert done.returncode == 0
