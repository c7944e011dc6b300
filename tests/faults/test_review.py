"""A review of a dictionary is whole whatever happens: it is work of people, not of a machine."""

import signal

import pytest

from tests.faults.conftest import files, left_over
from tests.faults.test_full_disk import TOO_LARGE
from tests.faults.test_killed import moments, require_whole_and_run_again, watched

pytestmark = pytest.mark.parametrize("bench", ["a review"], indirect=True)


def test_a_killed_review_is_the_old_one_or_the_new_one(bench):
    seen, after = watched(bench, overwrite=True)
    for moment in moments(bench, seen, after):
        home = bench.home(f"killed at {moment}", old=True)
        before = bench.contents(home)
        ended = bench.run(home, kill_at=moment)
        assert ended.code == -signal.SIGKILL, ended.error
        require_whole_and_run_again(bench, home, before, overwrite=False)


@pytest.mark.parametrize("missing", ["all", "one byte"])
def test_a_review_that_has_no_room_stays_as_it_was(bench, missing):
    home = bench.home("limited", old=True)
    size = len((bench.folder / "reference" / "run" / "review.tsv").read_bytes())
    before = files(home)
    ended = bench.run(home, bytes=0 if missing == "all" else size - 1)
    assert ended.code == 1
    assert "review.tsv" in ended.sentence
    assert TOO_LARGE in ended.sentence
    assert files(home) == before
    assert not left_over(home)
