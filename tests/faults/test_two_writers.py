"""Two processes that write the same output: one wins, and neither result is lost."""

import time
from pathlib import Path

from tests.faults.commands import content
from tests.faults.conftest import left_over

SECONDS = 60


def kept(output: str) -> str:
    """The name of a result that cannot have its own."""
    path = Path(output)
    return f"{path.stem}.1{path.suffix}"


def overtake(bench, *, replaces):
    """Let one process finish while another one is about to write."""
    row = bench.row
    home = bench.home("replaced" if replaces else "new", old=replaces)
    slow = bench.start(home, overwrite=replaces, pause_at=row.first or row.outputs[0])
    end = time.monotonic() + SECONDS
    while not (home / "paused").exists():
        assert time.monotonic() < end, bench.warm.wait(slow).error
        time.sleep(0.002)
    fast = bench.run(home, overwrite=replaces)
    (home / "go").touch()
    ended = bench.warm.wait(slow)
    if row.refusal:
        assert (fast.code, ended.code) == (1, 0), (fast.error, ended.error)
        assert row.refusal in fast.sentence
    elif row.shares:
        assert (fast.code, ended.code) == (0, 0), (fast.error, ended.error)
    else:
        assert (fast.code, ended.code) == (0, 1), (fast.error, ended.error)
        assert "so it is not replaced; the result is in" in ended.sentence
        for output in row.outputs:
            assert content(home / kept(output)) == bench.whole[output]
            assert kept(output) in ended.sentence
    assert bench.contents(home) == bench.whole
    assert not left_over(home)


def test_a_writer_that_is_overtaken_keeps_its_result(bench):
    overtake(bench, replaces=False)
    if bench.row.overwrites:
        overtake(bench, replaces=True)


def test_of_two_writers_at_once_none_is_lost(bench):
    home = bench.home("at once")
    both = [bench.start(home) for _ in range(2)]
    ended = [bench.warm.wait(process) for process in both]
    assert not all(one.code for one in ended), [one.error for one in ended]
    for one in ended:
        told = one.sentence
        late = "already exists" in told or "the result is in" in told
        told_early = bool(bench.row.refusal) and bench.row.refusal in told
        assert one.code == 0 or late or told_early, one.error
        if "the result is in" in told:
            for output in bench.row.outputs:
                assert content(home / kept(output)) == bench.whole[output]
    assert bench.contents(home) == bench.whole
    assert not left_over(home)
