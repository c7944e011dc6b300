"""The figures of the mutation tester."""

import pytest
from benchmarks.mutants import Stratum, own, sample, weighted, widened, wilson


def test_the_interval_is_that_of_wilson():
    """With z² = 3.84, 9 of 10 have the centre (0.9 + 0.192)/1.384 and half the width 0.193."""
    assert wilson(9, 10) == pytest.approx((0.5958, 0.9821), abs=1e-3)
    low, high = wilson(50, 50)
    assert low == pytest.approx(50 / 53.84, abs=1e-3)
    assert high == pytest.approx(1.0)


def test_packages_count_by_their_mutants():
    rate, half = weighted([Stratum(300, 50, 50), Stratum(100, 50, 25)])
    assert rate == pytest.approx(0.75 + 0.25 * 0.5)
    assert half == pytest.approx(1.96 * 0.25 * (0.25 / 50) ** 0.5, rel=1e-3)


def test_a_sample_is_drawn_by_its_seed_from_every_package():
    names = [f"lexalign.{package}.x_f__mutmut_{n}" for package in "ab" for n in range(50)]
    drawn = sample(names, "ab", 5, seed=1)
    assert [name.split(".")[1] for name in drawn] == ["a"] * 5 + ["b"] * 5
    assert drawn == sample(names[::-1], "ab", 5, seed=1) != sample(names, "ab", 5, seed=2)
    assert len(set(drawn)) == 10
    assert len(sample(names, "a", 80, seed=0)) == 50


def test_shared_fixtures_count_for_all_tests_of_their_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.py").write_text('@pytest.fixture(scope="module")')
    (tmp_path / "b.py").write_text("")
    tests = ["a.py::one", "a.py::two", "b.py::one", "b.py::two"]
    found = widened({"f": ["a.py::one", "b.py::one"]}, tests)
    assert found == {"f": ["a.py::one", "a.py::two", "b.py::one"]}


def test_a_function_is_tested_by_its_own_package():
    tests = ["tests/a/t.py::one", "tests/b/t.py::two"]
    assert own("lexalign.b.x_f", tests) == tests[1:]
    assert own("lexalign.c.x_f", tests) == tests
