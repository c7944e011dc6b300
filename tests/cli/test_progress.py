"""How stages are shown: bars on a terminal, lines elsewhere."""

import io
import re
import threading
import time
from contextlib import nullcontext

import pytest
from rich.console import Console

from lexalign.cli import progress as shown
from lexalign.cli.printing import closing_table, show_closing_table
from lexalign.cli.progress import LogProgress, TerminalProgress
from lexalign.progress import Progress, Stage


class Clock:
    """A clock that is set by hand."""

    def __init__(self):
        self.now = 100.0

    def __call__(self):
        """Tell the time."""
        return self.now


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr("lexalign.progress.time.perf_counter", clock)
    return clock


def lines(capsys):
    return capsys.readouterr().err.splitlines()


def test_a_short_stage_writes_no_line(capsys):
    with LogProgress().stage("reading", total=3, unit="words") as stage:
        stage(3)
    assert lines(capsys) == []


def test_a_stage_of_two_seconds_writes_one_line_at_its_end(capsys, clock):
    with LogProgress().stage("reading", total=300, unit="words") as stage:
        stage(300)
        clock.now += 2.5
    assert lines(capsys) == ["reading: done, 300 words in 2.5 s (120/s)"]


def test_a_stage_that_comes_again_writes_its_end_every_ten_seconds_at_most(
    capsys, clock, monkeypatch
):
    monkeypatch.setattr(shown.time, "monotonic", clock)
    progress = LogProgress()
    for _ in range(6):
        with progress.stage("solving"):
            clock.now += 4
    assert lines(capsys) == ["solving: done, in 4.0 s"] * 2


def test_verbose_writes_the_end_of_every_stage(capsys, clock):
    progress = LogProgress(verbose=True)
    for _ in range(3):
        with progress.stage("solving"):
            clock.now += 0.5
    assert lines(capsys) == ["solving: done, in 0.5 s"] * 3


def test_a_long_stage_writes_lines_between_also_if_it_reports_nothing(capsys, monkeypatch):
    monkeypatch.setattr(shown, "SECONDS_BETWEEN_LINES", 0.02)
    monkeypatch.setattr(shown, "SECONDS_WORTH_A_LINE", 60)
    written, echo = threading.Event(), shown.say

    def heard(line, err):
        echo(line, err=err)
        written.set()

    monkeypatch.setattr(shown, "say", heard)
    with LogProgress().stage("optimal transport"):
        assert written.wait(30)
    assert re.fullmatch(r"optimal transport: [\d.]+ m?s so far", lines(capsys)[0])


def test_lines_are_ten_seconds_apart(monkeypatch):
    """The thread that writes waits between lines for the whole time."""
    waited = []

    class Event:
        def wait(self, seconds):
            waited.append(seconds)
            return len(waited) == 3

    monkeypatch.setattr(shown, "say", lambda line, err: waited.append(line))
    LogProgress()._write_lines(Stage("reading"), Event())
    assert waited[0] == shown.SECONDS_BETWEEN_LINES == 10
    assert waited[1].startswith("reading: 0")


def test_the_writer_ends_with_its_stage():
    before = threading.active_count()
    with pytest.raises(KeyboardInterrupt), LogProgress().stage("reading"):
        assert threading.active_count() == before + 1
        raise KeyboardInterrupt
    assert threading.active_count() == before


@pytest.mark.parametrize(
    ("total", "certainty", "expected"),
    [
        (400, "exactly", "r: 25 % (100 of 400 words), 50/s, about 6.0 s left"),
        (400, "about", "r: 25 % (100 of about 400 words), 50/s, about 6.0 s left"),
        (400, "at most", "r: 100 of at most 400 words, 50/s, at most 6.0 s left"),
        (None, "exactly", "r: 100 words, 50/s, 2.0 s so far"),
        (0, "exactly", "r: 100 words, 50/s, 2.0 s so far"),
        (80, "about", "r: 100 % (100 of about 80 words), 50/s, about 0 s left"),
    ],
)
def test_a_line_says_done_total_rate_and_time_left(clock, total, certainty, expected):
    stage = Stage("r", total, "words", certainty)
    stage(100)
    clock.now += 2
    assert shown.running_line(stage) == expected


def test_a_slow_rate_is_said_as_the_time_of_one(clock):
    stage = Stage("aligning", 5, "rounds")
    clock.now += 40
    assert shown.running_line(stage) == "aligning: 0 % (0 of 5 rounds), 40 s so far"
    stage()
    assert shown.running_line(stage) == (
        "aligning: 20 % (1 of 5 rounds), 40 s each, about 2 min 40 s left"
    )


def test_bytes_have_their_units(clock):
    stage = Stage("hashing", 5_000_000, "bytes")
    stage(400)
    clock.now += 1
    assert shown.running_line(stage).startswith("hashing: 0 % (400 B of 5.0 MB), 400 B/s")
    assert shown.closing_line(stage) == "hashing: done, 400 B in 1.0 s (400 B/s)"


def test_one_unit_is_singular(clock):
    stage = Stage("ranking", 1, "words")
    stage(1)
    clock.now += 4
    assert shown.amount(stage) == "100 % (1 of 1 word)"
    assert shown.closing_line(stage) == "ranking: done, 1 word in 4.0 s (4.0 s each)"


def test_a_remark_says_where_the_work_stands(clock):
    stage = Stage("self-learning", unit="rounds")
    stage(7)
    stage.remark = "5,000 words"
    clock.now += 7
    assert shown.running_line(stage) == "self-learning: 5,000 words, 7 rounds, 1/s, 7.0 s so far"


@pytest.mark.parametrize(
    ("certainty", "expected"),
    [
        ("exactly", "8.0 s left, 2.0M of 10.0M words, 1.0M/s, round 3"),
        ("about", "8.0 s left, 2.0M of ~10.0M words, 1.0M/s, round 3"),
        ("at most", "8.0 s left, 2.0M of ≤ 10.0M words, 1.0M/s, round 3"),
    ],
)
def test_a_bar_has_short_facts(clock, certainty, expected):
    stage = Stage("reading", 10**7, "words", certainty)
    stage(2 * 10**6)
    stage.remark = "round 3"
    clock.now += 2
    assert shown.in_short(stage) == expected


def test_a_bar_without_a_total_shows_the_time_spent(clock):
    stage = Stage("hashing", unit="bytes")
    clock.now += 3
    assert shown.in_short(stage) == "3.0 s so far"
    stage(3_000_000)
    assert shown.in_short(stage) == "3.0 s so far, 3.0 MB, 1.0 MB/s"


def test_a_bar_fits_into_one_line(clock):
    progress = TerminalProgress()
    with progress.stage("finding mutual pairs", 10**10, "comparisons", "about") as stage:
        stage(5 * 10**9)
        clock.now += 50
        picture = drawn(progress._bars, width=80)
        assert picture.count("\n") == 1
        assert "50 s left, 5.0G of ~10.0G comparisons" in picture


def drawn(bars, width=120):
    """What a terminal shows of the bars at the moment."""
    console = Console(file=io.StringIO(), width=width)
    console.print(bars.get_renderable())
    return console.file.getvalue()


def test_bars_show_done_total_rate_and_time_left(clock):
    progress = TerminalProgress()
    with progress.stage("reading", total=400, unit="words") as stage:
        stage(100)
        clock.now += 2
        picture = drawn(progress._bars)
        assert "reading" in picture
        assert "6.0 s left, 100 of 400 words, 50/s" in picture


def test_a_stage_inside_another_has_a_bar_of_its_own():
    progress = TerminalProgress()
    with progress.stage("refining by l1"):
        with progress.stage("solving [bold]", unit="steps") as stage:
            stage(3)
            picture = drawn(progress._bars)
        assert "refining by l1" in picture
        assert "solving [bold]" in picture
        assert "3 steps" in picture
        assert "solving" not in drawn(progress._bars)
    assert progress._bars is None
    assert set(progress.seconds) == {"refining by l1", "solving [bold]"}


def test_verbose_bars_leave_a_line_for_every_stage(capsys):
    with TerminalProgress(verbose=True).stage("reading"):
        pass
    assert "reading: done, in" in capsys.readouterr().err


def test_a_failing_stage_ends_its_bar():
    progress = TerminalProgress()
    with pytest.raises(KeyboardInterrupt), progress.stage("solving"):
        raise KeyboardInterrupt
    assert progress._bars is None


def test_bars_run_on_a_terminal_and_lines_elsewhere(monkeypatch):
    assert isinstance(shown.progress_for_humans(), LogProgress)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    progress = shown.progress_for_humans()
    assert isinstance(progress, TerminalProgress)
    with progress.stage("solving") as stage:
        stage(2)


def test_stages_of_one_name_add_up():
    progress = Progress()
    for _ in range(2):
        with progress.stage("solving"):
            pass
    assert list(progress.seconds) == ["solving"]


def test_a_failing_stage_is_timed_and_fails():
    progress = Progress()
    with pytest.raises(KeyboardInterrupt), progress.stage("solving"):
        raise KeyboardInterrupt
    assert "solving" in progress.seconds


def test_units_of_many_threads_add_up():
    stage = Stage("searching")

    def work():
        for _ in range(20_000):
            stage(3)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert stage.done == 4 * 20_000 * 3


def test_a_unit_costs_next_to_nothing():
    """A block of a search takes a millisecond and more."""
    stage, began = Stage("searching", 10**9), time.process_time()
    for _ in range(10_000):
        stage(1)
    assert (time.process_time() - began) / 10_000 < 50e-6


def test_what_an_earlier_process_did_is_no_part_of_the_rate(clock):
    stage = Stage("training", 1000, "tokens")
    stage.resume(500)
    assert stage.rate is None
    stage(100)
    clock.now += 10
    assert (stage.done, stage.rate, stage.seconds_left) == (600, 10, 40)


def test_a_total_may_become_known_later(clock):
    stage = Stage("reading", unit="words")
    stage(10)
    clock.now += 1
    assert stage.share is stage.seconds_left is None
    stage.expect(40, "about")
    assert (stage.share, stage.seconds_left, stage.certainty) == (0.25, 3, "about")


def test_a_listener_hears_every_unit():
    heard = []

    class Listening(Progress):
        def shown(self, stage):
            stage.listener = heard.append
            return nullcontext()

    with Listening().stage("reading") as stage:
        stage(3)
        stage()
    assert heard == [3, 1]


def test_names_of_files_do_not_command_the_terminal(capsys, clock):
    with LogProgress(verbose=True).stage("reading \x1b[2J.vec"):
        clock.now += 3
    assert lines(capsys) == ["reading \ufffd[2J.vec: done, in 3.0 s"]


def test_cells_of_closing_tables_are_plain_text(capsys):
    table = closing_table("Training")
    table.add_row("input", "a\x1b[2J[bold]b")
    show_closing_table(table, {"seconds": {}, "output": "out"}, ["from \x07[red]c"])
    printed = capsys.readouterr().out
    assert "a\ufffd[2J[bold]b" in printed
    assert "from \ufffd[red]c" in printed
