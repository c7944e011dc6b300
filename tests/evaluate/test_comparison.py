import json

import numpy as np
import pytest

from lexalign.errors import InputError, LexalignError
from lexalign.evaluate.comparison import compare_files


def result(places, protocol="muse", unit="word"):
    questions = [[f"w{i}", [f"t{i}"], int(place)] for i, place in enumerate(places)]
    rules = {"unit": unit}
    return {
        "protocol": protocol,
        "p@1": 0.0,
        "lexicon": "x",
        "rules": rules,
        "questions": questions,
    }


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
    base = write("base.json", [result(places(40)), result(places(50)), result(places(60))])
    better = write("better.json", [result(places(44)), result(places(55)), result(places(63))])
    same = write("same.json", [result(places(40)), result(places(50)), result(places(60))])
    found = compare_files([base, better, same])
    assert [system.score.mean for system in found.systems] == pytest.approx([0.5, 0.54, 0.5])
    gain = found.differences[0]
    # Differences 4, 5 and 3 points: t = 0.04 / (0.01 / sqrt(3)) = 6.93, p = 0.0202, twice that.
    assert gain.t_test.statistic == pytest.approx(6.9282, abs=1e-3)
    assert gain.t_test.corrected_p == pytest.approx(2 * 0.020204, abs=1e-4)
    assert gain.difference.mean == pytest.approx(0.04)
    assert 0 < gain.difference.low < 0.04 < gain.difference.high
    nothing = found.differences[1]
    assert (nothing.difference.mean, nothing.difference.p, nothing.t_test.p) == (0, 1, 1)
    assert json.loads(json.dumps(found.as_dict()))["metric"] == "p@1"


def test_failed_runs_are_counted_and_left_out(write):
    base = write("base.json", [result(places(40)), result(places(50)), result(places(9))])
    other = write("other.json", [result(places(5)), result(places(52)), result(places(60))])
    found = compare_files([base, other])
    assert [(system.runs, system.failed) for system in found.systems] == [(3, 1), (3, 1)]
    assert found.systems[0].score.mean == pytest.approx(0.45)
    assert found.differences[0].runs == 1
    assert found.differences[0].t_test is None
    assert found.differences[0].difference.mean == pytest.approx(0.02)
    assert compare_files([base, other], failed_below=0).differences[0].runs == 3


def test_all_failed(write):
    path = write("a.json", result(places(1)))
    found = compare_files([path, path])
    assert found.systems[0].score is None
    assert found.differences[0].difference is None


def test_reciprocal_ranks(write):
    one, other = (write(f"{n}.json", result([1, 2, 0, n])) for n in (4, 2))
    found = compare_files([one, other], metric="mrr")
    assert found.systems[0].score.mean == pytest.approx((1 + 1 / 2 + 0 + 1 / 4) / 4)
    assert found.differences[0].difference.mean == pytest.approx((1 / 2 - 1 / 4) / 4)


def test_what_cannot_be_compared_is_refused(write, tmp_path):
    base = write("base.json", result(places(40)))
    for other, message in (
        (result(places(40), protocol="muse, but nn"), "counted by 'muse, but nn' and that of"),
        (result(places(40, of=99)), "99 questions .* 100 .* not the same"),
        ([result(places(40))] * 2, "it holds 2 runs and .* 1"),
        ({"p@1": 0.3}, "no result of a translation test"),
        ({"spearman": 0.3}, "no result of a translation test"),
        ([], "no result of a translation test"),
        (3, "no result of a translation test"),
        (result([]), "no result of a translation test"),
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
    with pytest.raises(LexalignError, match="'metric' must be one of"):
        compare_files([base, base], metric="p@3")


def test_pairs_are_told_apart_by_both_words(write):
    questions = [["w", ["t"], 1], ["w", ["u"], 2]]
    run = {**result(np.ones(1)), "rules": {"unit": "pair"}, "questions": questions}
    swapped = {**run, "questions": questions[::-1]}
    with pytest.raises(InputError, match="not the same"):
        compare_files([write("a.json", run), write("b.json", swapped)])
