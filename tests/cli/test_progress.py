import pytest

from lexalign.cli import progress as shown
from lexalign.progress import Progress


def test_log_lines_tell_begin_end_and_between(capsys, monkeypatch):
    monkeypatch.setattr(shown, "SECONDS_BETWEEN_LINES", 0.0)
    with shown.LogProgress().stage("writing") as advance:
        advance(3)
        advance(4)
    lines = capsys.readouterr().err.strip().split("\n")
    assert lines[:3] == ["writing ...", "writing: 3 so far", "writing: 7 so far"]
    assert lines[3].startswith("writing: done in 0.")


def test_a_bar_runs_on_a_terminal(monkeypatch):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    progress = shown.progress_for_humans()
    assert isinstance(progress, shown.TerminalProgress)
    with progress.stage("solving") as advance:
        advance(2)


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
