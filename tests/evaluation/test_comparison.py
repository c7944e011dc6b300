import json

import numpy as np
import pytest

from lexalign.errors import InputError, LexalignError
from lexalign.evaluation.comparison import compare_files


def result(places, protocol="muse", prefix="w"):
    ranks = [[f"{prefix}{i}", [f"t{i}"], int(place)] for i, place in enumerate(places)]
    return {"protocol": protocol, "p@1": 0.0, "lexicon": "x", "ranks": ranks}


def places(right, of=100):
    return [1] * right + [0] * (of - right)


@pytest.fixture
def write(tmp_path):
    def write(name, content):
        path = tmp_path / name
        path.write_text(json.dumps(content), encoding="utf-8")
        return path

    return write


def test_three_runs_are_tested_over_runs_and_over_questions(write):
    def runs(*right):
        return [result(places(n), prefix=f"run{i}-") for i, n in enumerate(right)]

    base, same = (write(f"{name}.json", runs(40, 50, 60)) for name in ("base", "same"))
    better = write("better.json", runs(44, 55, 63))
    (found,) = compare_files([base, better, same])
    assert [system.score.mean for system in found.systems] == pytest.approx([0.5, 0.54, 0.5])
    gain = found.differences[0]
    # Differences 4, 5 and 3 points: t = 0.04 / (0.01 / sqrt(3)) = 6.93, p = 0.0202, twice that.
    assert gain.t_test.statistic == pytest.approx(6.9282, abs=1e-3)
    assert gain.t_test.corrected_p == pytest.approx(2 * 0.020204, abs=1e-4)
    assert gain.difference.mean == pytest.approx(0.04)
    assert 0 < gain.difference.low < 0.04 < gain.difference.high
    nothing = found.differences[1]
    assert (nothing.difference.mean, nothing.corrected_p, nothing.t_test) == (0, 1, None)
    assert gain.corrected_p == pytest.approx(2 * gain.difference.p)
    assert json.loads(json.dumps(found.as_dict()))["metric"] == "p@1"


def test_failed_runs_are_counted_and_left_out(write):
    base = write("base.json", [result(places(40)), result(places(50)), result(places(9))])
    other = write("other.json", [result(places(5)), result(places(52)), result(places(60))])
    (found,) = compare_files([base, other])
    assert [(system.runs, system.failed) for system in found.systems] == [(3, 1), (3, 1)]
    assert found.systems[0].score.mean == pytest.approx(0.45)
    assert found.differences[0].runs == 1
    assert found.differences[0].t_test is None
    assert found.differences[0].difference.mean == pytest.approx(0.02)
    assert compare_files([base, other], failed_below=0)[0].differences[0].runs == 3


def test_every_protocol_is_compared_by_itself(write):
    def both(csls, nn):
        return [result(places(csls)), result(places(nn), protocol="muse with nn")]

    found = compare_files([write("a.json", both(40, 30)), write("b.json", both(45, 29))])
    assert [one.protocol for one in found] == ["muse", "muse with nn"]
    gains = [one.differences[0].difference.mean for one in found]
    assert gains == pytest.approx([0.05, -0.01])
    assert [one.systems[0].runs for one in found] == [1, 1]


def leaking(places, leaked):
    return {**result(places), "leakage": {"leaked": leaked}}


def test_seeds_of_any_system_are_left_out_of_all(write):
    """The first four queries are right by A alone; two of them are its seeds, one is B's."""
    one = write("a.json", leaking([1, 1, 1, 1, 1, 2], [0, 1]))
    other = write("b.json", leaking([0, 0, 0, 0, 1, 1], [3]))
    plain = write("c.json", result([0, 0, 0, 0, 1, 1]))
    (found,) = compare_files([one, other, plain])
    assert [system.leaked for system in found.systems] == [2, 1, None]
    assert (found.excluded, found.systems[0].score.mean) == (0, pytest.approx(5 / 6))
    (found,) = compare_files([one, other, plain], exclude_seeds=True)
    assert (found.excluded, found.systems[0].queries) == (3, 3)
    assert [system.score.mean for system in found.systems] == pytest.approx([2 / 3] * 3)
    for paths, message in (
        ([plain, plain], "results do not record which queries are seeds"),
        ([write("d.json", leaking([1, 2], [0, 1]))] * 2, "All 2 queries of x are seeds"),
    ):
        with pytest.raises(LexalignError, match=message):
            compare_files(paths, exclude_seeds=True)
    for leaked in ([2], [True], ["a"], None):
        with pytest.raises(InputError, match="no result of a translation test"):
            compare_files([write("e.json", leaking([1, 2], leaked))] * 2)


def by(retrieval, places, leaked=None, **rules):
    """A result by MUSE's rules; nn and the learned ranking have protocols of their own."""
    name = "muse" if retrieval == "csls" else f"muse with {retrieval}"
    found = {**result(places, protocol=name), "rules": {"retrieval": retrieval, **rules}}
    return found if leaked is None else {**found, "leakage": {"leaked": leaked}}


def by_all(csls, nn, learned):
    retrievals = {"csls": csls, "nn": nn, "learned": learned}
    return [by(name, places(right)) for name, right in retrievals.items() if right is not None]


def gains(found):
    return [[one.difference.mean for one in comparison.differences] for comparison in found]


def test_a_learned_ranking_is_compared_with_csls_where_there_is_none(write):
    plain, induced = write("a.json", by_all(40, 30, None)), write("b.json", by_all(45, 29, 60))
    found = compare_files([plain, induced])
    assert [one.protocol for one in found] == ["muse", "muse with nn", "muse with learned"]
    assert [system.protocol for system in found[2].systems] == ["muse", "muse with learned"]
    assert [system.protocol for system in found[1].systems] == 2 * ["muse with nn"]
    assert gains(found) == [pytest.approx([gain]) for gain in (0.05, -0.01, 0.2)]
    turned = compare_files([induced, plain])
    assert gains(turned)[2] == pytest.approx([-0.2])
    assert [system.protocol for system in turned[2].systems] == ["muse with learned", "muse"]


def test_two_learned_rankings_are_compared_with_each_other(write):
    one, two = (write(f"{n}.json", by_all(40, 30, n)) for n in (50, 60))
    plain = write("plain.json", by_all(40, 30, None))
    found = compare_files([one, two, plain])[2]
    assert [system.protocol for system in found.systems] == [*2 * ["muse with learned"], "muse"]
    assert gains([found])[0] == pytest.approx([0.1, -0.1])


def test_results_of_the_learned_ranking_alone_can_be_compared(write):
    plain = write("a.json", by_all(40, 30, None))
    (found,) = compare_files([plain, write("b.json", by("learned", places(60)))])
    assert found.protocol == "muse with learned"
    assert gains([found])[0] == pytest.approx([0.2])


def test_seeds_are_left_out_of_a_learned_ranking(write):
    """The seeds of the learned ranking are the first two; the other system knows no seeds."""
    plain = write("a.json", by("csls", [0, 0, 1, 1]))
    found = [by("csls", [1, 1, 0, 0], [0, 1]), by("learned", [1, 1, 1, 0], [0, 1])]
    induced = write("b.json", found)
    whole = compare_files([plain, induced])[1]
    assert [system.leaked for system in whole.systems] == [None, 2]
    clean = compare_files([plain, induced], exclude_seeds=True)[1]
    assert (clean.excluded, clean.systems[1].queries, clean.systems[1].leaked) == (2, 2, 0)
    assert [system.score.mean for system in clean.systems] == [1.0, 0.5]


def test_a_learned_ranking_needs_csls_by_the_same_rules(write):
    learned = write("b.json", by("learned", places(60)))
    for other in (by("nn", places(40)), by("csls", places(40), unit="pair")):
        with pytest.raises(InputError, match="no CSLS result to compare with 'muse with lear"):
            compare_files([write("a.json", other), learned])
    for neighbours in (5, 10):
        plain = write("a.json", by("csls", places(40), neighbours=neighbours))
        assert len(compare_files([plain, learned])) == 1
    with pytest.raises(InputError, match="has 99 queries .* they differ"):
        compare_files([learned, write("a.json", by("csls", places(40, of=99)))])


def test_all_failed(write):
    path = write("a.json", result(places(1)))
    (found,) = compare_files([path, path])
    assert found.systems[0].score is None
    assert found.differences[0].difference is None


def test_reciprocal_ranks(write):
    one, other = (write(f"{n}.json", result([1, 2, 0, n])) for n in (4, 2))
    (found,) = compare_files([one, other], metric="mrr")
    assert found.systems[0].score.mean == pytest.approx((1 + 1 / 2 + 0 + 1 / 4) / 4)
    assert found.differences[0].difference.mean == pytest.approx((1 / 2 - 1 / 4) / 4)


def test_what_cannot_be_compared_is_refused(write, tmp_path):
    base = write("base.json", result(places(40)))
    for other, message in (
        (
            result(places(40), protocol="muse with nn"),
            "has the protocol 'muse with nn', but that of",
        ),
        (result(places(40, of=99)), "99 queries .* 100 .* they differ"),
        ([result(places(40))] * 2, "it has 2 runs, but .* has 1"),
        ({"p@1": 0.3}, "no result of a translation test"),
        ({"spearman": 0.3}, "no result of a translation test"),
        ([], "no result of a translation test"),
        (3, "no result of a translation test"),
        ({**result([1]), "rules": 3}, "no result of a translation test"),
        (result([]), "no result of a translation test"),
        (result(places(40), prefix="v"), "they differ"),
        ({**result([1]), "ranks": [["w", ["t"], 1e400]]}, "no result of a translation test"),
        ({**result([1]), "ranks": [["w", ["t"], True]]}, "no result of a translation test"),
        ({**result([1]), "ranks": [["w", ["t"], 10**30]]}, "no result of a translation test"),
    ):
        with pytest.raises(InputError, match=message):
            compare_files([base, write("other.json", other)])
    (tmp_path / "no.json").write_text("{", encoding="utf-8")
    with pytest.raises(InputError, match="it is not JSON"):
        compare_files([base, tmp_path / "no.json"])
    with pytest.raises(InputError, match="cannot be read"):
        compare_files([base, tmp_path / "none.json"])
    with pytest.raises(LexalignError, match="at least two systems"):
        compare_files([base])
    with pytest.raises(LexalignError, match="`failed_below` must be between 0 and 1"):
        compare_files([base, base], failed_below=float("nan"))
    with pytest.raises(LexalignError, match="`metric` must be one of"):
        compare_files([base, base], metric="p@3")


def test_queries_are_told_apart_by_their_references(write):
    run = {**result([]), "ranks": [["w", ["t"], 1], ["w", ["u"], 2]]}
    other = {**run, "ranks": [["w", ["t"], 1], ["w", ["v"], 2]]}
    with pytest.raises(InputError, match="they differ"):
        compare_files([write("a.json", run), write("b.json", other)])


def test_copies_of_a_run_are_no_more_certain_than_the_run(write):
    """Runs that asked the same queries share what the bootstrap draws."""
    generator = np.random.default_rng(0)
    one, other = (result(generator.integers(0, 3, 400)) for _ in range(2))
    (single,) = compare_files([write("a.json", one), write("b.json", other)])
    (copies,) = compare_files([write("a.json", [one] * 5), write("b.json", [other] * 5)])
    assert copies.systems[0].score == single.systems[0].score
    assert copies.differences[0].difference == single.differences[0].difference


def test_a_run_fails_below_the_limit_and_not_at_it(write):
    files = [write(name, [result(places(50))]) for name in ("a.json", "b.json")]
    (found,) = compare_files(files, failed_below=0.5)
    assert [system.failed for system in found.systems] == [0, 0]
