"""Progress on standard error: bars on a terminal, log lines elsewhere."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from lexalign.cli.printing import say, start_clock
from lexalign.cli.verbosity import Verbosity, verbosity
from lexalign.cli.wording import visible
from lexalign.progress import Progress, Stage

if TYPE_CHECKING:
    from rich.progress import Progress as Bars

SECONDS_BETWEEN_LINES = 10.0
SECONDS_WORTH_A_LINE = 2.0
BAR_WIDTH = 10
THOUSANDS = ((10**9, " billion"), (10**6, " million"))
SHORT_THOUSANDS = ((10**9, "G"), (10**6, "M"))
BYTES = ((10**9, " GB"), (10**6, " MB"), (10**3, " kB"), (1, " B"))
SIGNS = {"exactly": "", "about": "~", "at most": "≤ "}
FEWEST_A_SECOND = 0.5
"""Below this rate, the duration of a unit is shown instead."""


class TerminalProgress(Progress):
    """Bars with done, total, rate and time left; a bar disappears when its stage ends.

    Stages inside a stage have their own lines.
    """

    def __init__(self, *, verbose: bool = False) -> None:
        super().__init__()
        self._verbose = verbose
        self._bars: Bars | None = None

    @contextmanager
    def shown(self, stage: Stage) -> Iterator[None]:
        """Show the stage with rich, on standard error."""
        outermost = self._bars is None
        bars = self._bars = self._bars or _bars()
        task = bars.add_task(visible(stage.name), total=None, stage=stage)
        if outermost:
            bars.start()
        try:
            yield
        finally:
            bars.remove_task(task)
            if outermost:
                bars.stop()
                self._bars = None
        if self._verbose:
            say(closing_line(stage), err=True)


class LogProgress(Progress):
    """Log lines: one every ten seconds during a stage, and one after a stage of two seconds or
    more.

    A stage that repeats gets a closing line at most every ten seconds. With ``verbose``, every
    stage gets one.
    """

    def __init__(self, *, verbose: bool = False) -> None:
        super().__init__()
        self._verbose = verbose
        self._closed: dict[str, float] = {}

    @contextmanager
    def shown(self, stage: Stage) -> Iterator[None]:
        """Write lines to standard error from a separate thread, so that work never waits."""
        ended = threading.Event()
        writer = threading.Thread(target=self._write_lines, args=(stage, ended), daemon=True)
        writer.start()
        try:
            yield
        finally:
            ended.set()
            writer.join()
        if self._verbose or (stage.seconds >= SECONDS_WORTH_A_LINE and self._is_rare(stage.name)):
            say(closing_line(stage), err=True)

    def _write_lines(self, stage: Stage, ended: threading.Event) -> None:
        with suppress(OSError):  # nobody reads the log any more
            while not ended.wait(SECONDS_BETWEEN_LINES):
                say(running_line(stage), err=True)

    def _is_rare(self, name: str) -> bool:
        """Whether the last closing line of this stage is at least ten seconds old."""
        before, now = self._closed.get(name), time.monotonic()
        if before is not None and now - before < SECONDS_BETWEEN_LINES:
            return False
        self._closed[name] = now
        return True


def progress_for_humans() -> Progress:
    """Bars on a terminal, log lines elsewhere, nothing with --quiet."""
    start_clock()
    wanted = verbosity()
    if wanted is Verbosity.QUIET:
        return Progress()
    kind = TerminalProgress if sys.stderr and sys.stderr.isatty() else LogProgress
    return kind(verbose=wanted is Verbosity.VERBOSE)


def running_line(stage: Stage) -> str:
    """The state of a stage, for a log.

    Examples
    --------
    >>> running_line(Stage("sorting words")).endswith(" so far")
    True
    """
    return f"{stage.name}: {', '.join(filter(None, (amount(stage), pace(stage))))}"


def closing_line(stage: Stage) -> str:
    """What a stage did, and its time."""
    done = _counted(stage.done, stage.unit) + " " if stage.done and stage.unit else ""
    rate = _rate(stage)
    return f"{stage.name}: done, {done}in {duration(stage.seconds)}{f' ({rate})' if rate else ''}"


def amount(stage: Stage) -> str:
    """The finished amount, and the total.

    Examples
    --------
    >>> stage = Stage("reading", total=200_000, unit="words")
    >>> stage(62_000)
    >>> amount(stage)
    '31 % (62,000 of 200,000 words)'
    >>> stage.expect(200_000, "at most")
    >>> amount(stage)
    '62,000 of at most 200,000 words'
    """
    remark = f"{stage.remark}, " if stage.remark else ""
    if stage.share is None:
        return (remark + (_counted(stage.done, stage.unit) if stage.done else "")).rstrip(", ")
    certainty = "" if stage.certainty == "exactly" else f"{stage.certainty} "
    done = number(stage.done, stage.unit)
    both = f"{done} of {certainty}{_counted(stage.total or 0, stage.unit)}"
    if stage.certainty == "at most":
        return remark + both
    return f"{remark}{100 * stage.share:.0f} % ({both})"


def pace(stage: Stage) -> str:
    """The rate and the time left, or the time so far if the time left is unknown."""
    rate, left = _rate(stage), stage.seconds_left
    if left is None:
        spent = f"{duration(stage.seconds)} so far"
        return f"{rate}, {spent}" if rate else spent
    certainty = "at most" if stage.certainty == "at most" else "about"
    return f"{rate}, {certainty} {duration(left)} left"


def duration(seconds: float) -> str:
    """Format a time in suitable units.

    Examples
    --------
    >>> [duration(seconds) for seconds in (0, 0.03, 0.24, 9.9, 75, 600, 9000)]
    ['0 s', '30 ms', '0.2 s', '9.9 s', '1 min 15 s', '10 min', '2 h 30 min']
    """
    if 0.0005 <= seconds < 0.0995:
        return f"{1000 * seconds:.0f} ms"
    if 0.0005 <= seconds < 9.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 600:
        minutes, rest = divmod(whole, 60)
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    hours, minutes = divmod(round(seconds / 60), 60)
    if not hours:
        return f"{minutes} min"
    return f"{hours} h {minutes} min" if minutes else f"{hours} h"


def in_short(stage: Stage) -> str:
    """The state of a stage in few characters, for a bar; the time left comes first.

    Examples
    --------
    >>> stage = Stage("finding mutual pairs", 8_400_000_000, "comparisons", "about")
    >>> stage(3_140_000_000)
    >>> in_short(stage).split(", ", 1)[1].rpartition(", ")[0]
    '3.1G of ~8.4G comparisons'
    """
    rate, left = _rate(stage, SHORT_THOUSANDS), stage.seconds_left
    spent = f"{duration(stage.seconds)} so far" if left is None else f"{duration(left)} left"
    done = number(stage.done, stage.unit, SHORT_THOUSANDS)
    counted = f"{done} {stage.unit}" if stage.done else ""
    if stage.total:
        total = number(stage.total, stage.unit, SHORT_THOUSANDS)
        counted = f"{done} of {SIGNS[stage.certainty]}{total} {stage.unit}"
    counted = counted.removesuffix(" bytes")
    return ", ".join(filter(None, (spent, counted, rate, stage.remark)))


def number(value: float, unit: str = "", thousands: Sequence[tuple[int, str]] = THOUSANDS) -> str:
    """Format a number in few characters.

    Examples
    --------
    >>> number(62_000, "words"), number(3_140_000_000, "comparisons"), number(2_500_000, "bytes")
    ('62,000', '3.1 billion', '2.5 MB')
    """
    for size, name in BYTES if unit == "bytes" else thousands:
        if value >= size or size == 1:
            return f"{value / size:,.{size > 1:d}f}{name}"
    return f"{value:,.0f}" if value >= 10 or value == int(value) else f"{value:.1f}"


def _counted(value: float, unit: str) -> str:
    counted = number(value, unit)
    if unit == "bytes":
        return counted
    return f"{counted} {unit.removesuffix('s') if value == 1 else unit}".rstrip()


def _rate(stage: Stage, thousands: Sequence[tuple[int, str]] = THOUSANDS) -> str:
    """Units per second, or the time of one unit."""
    rate = stage.rate
    if rate is None or not stage.unit:
        return ""
    if rate < FEWEST_A_SECOND:
        return f"{duration(1 / rate)} each"
    return f"{number(rate, stage.unit, thousands)}/s"


def _bars() -> Bars:
    """Bars whose columns read the stages whenever they are drawn."""
    from rich import progress as bars
    from rich.console import Console
    from rich.progress_bar import ProgressBar
    from rich.table import Column
    from rich.text import Text

    class Bar(bars.ProgressColumn):
        def render(self, task: Any) -> ProgressBar:
            share = task.fields["stage"].share
            return ProgressBar(
                total=1.0,
                completed=share or 0.0,
                width=BAR_WIDTH,
                pulse=share is None,
                animation_time=task.get_time(),
            )

    class Facts(bars.ProgressColumn):
        def render(self, task: Any) -> Text:
            return Text(in_short(task.fields["stage"]))

    columns = (
        bars.SpinnerColumn(),
        bars.TextColumn("{task.description}", markup=False),
        Bar(),
        Facts(table_column=Column(no_wrap=True, overflow="ellipsis")),
    )
    return bars.Progress(*columns, console=Console(stderr=True), transient=True)
