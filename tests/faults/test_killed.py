"""``kill -9`` at any moment leaves the old output or the new one; the next run puts it right."""

import json
import os
import random
import signal
import time

import pytest

from tests.faults.conftest import left_over
from tests.faults.warm import digests

SEED = 0


def watched(bench, *, overwrite):
    """What the outputs held at every event of a run, and at its end."""
    home, before = bench.folder / "reference", dict[str, str]()
    if overwrite:
        home = bench.home("watched", old=True)
        before = digests(home, bench.row.outputs)
        ended = bench.run(home, overwrite=True, watch=bench.row.outputs)
        assert ended.code == 0, ended.error
    after = digests(home, bench.row.outputs)
    seen = [json.loads(line) for line in (home / "watched").read_text().splitlines()]
    for state in seen:
        for output in after:
            held = state.get(output)
            assert held in (before.get(output), after[output]), (output, bench.row.arguments)
    assert not left_over(home)
    return seen, after


def test_a_new_output_is_whole_at_every_moment(bench):
    seen, after = watched(bench, overwrite=False)
    assert not seen[0]
    assert seen[-1] == after


def moments(bench, seen, after):
    """Events to be killed at: one at random, the last before the last renaming, the one after."""
    last = next(number for number, state in enumerate(seen) if state == after)
    drawn = random.Random(f"{SEED} {bench.row.arguments}").randrange(last)
    return sorted({drawn, last - 1, last})


def require_whole_and_run_again(bench, home, before, *, overwrite):
    """Check what a killed command left, and that the next one puts it right and says so."""
    for output, held in bench.contents(home).items():
        assert held in (before.get(output), bench.whole[output]), output
    had_left = left_over(home)
    again = bench.run(home, overwrite=overwrite)
    assert again.code == 0, again.error
    assert bench.contents(home) == bench.whole
    assert not left_over(home)
    assert ("which a killed run left behind" in again.error) == bool(had_left)


def test_a_killed_command_loses_nothing_and_can_be_run_again(bench):
    replaces = bench.row.overwrites
    seen, after = watched(bench, overwrite=replaces)
    assert set(seen[0]) == (set(after) if replaces else set())
    for moment in moments(bench, seen, after):
        home = bench.home(f"killed at {moment}", old=replaces)
        before = bench.contents(home)
        ended = bench.run(home, overwrite=replaces, kill_at=moment)
        assert ended.code == -signal.SIGKILL, ended.error
        require_whole_and_run_again(bench, home, before, overwrite=replaces)


@pytest.mark.parametrize("bench", ["align", "convert to a file", "train"], indirect=True)
@pytest.mark.parametrize("draw", range(2))
def test_a_command_may_be_killed_at_any_time(bench, draw):
    """The moment depends on the machine; the process may be in the middle of anything."""
    began = time.monotonic()
    bench.run(bench.home("timed"))
    seconds = time.monotonic() - began
    home = bench.home("killed", old=True)
    before = bench.contents(home)
    process = bench.start(home, overwrite=True)
    time.sleep(seconds * random.Random(f"{SEED} {draw}").uniform(0.2, 1))
    os.kill(process, signal.SIGKILL)  # it stays until it is waited for
    bench.warm.wait(process)
    require_whole_and_run_again(bench, home, before, overwrite=True)
