"""Telling the user how far long work has come, without the library knowing how it is shown."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Literal

Advance = Callable[[int], None]

Certainty = Literal["exactly", "about", "at most"]
"""How well a total is known: for sure, by an estimate, or as a bound that may not be reached."""


def unseen(units: int) -> None:
    """Report to nobody."""


class Stage:
    """The work of one stage: how much is done, of how much, and since when.

    Calling it adds units of work, from any thread; it costs a microsecond. Whoever shows the stage
    looks at it when there is time: work never waits for a display.

    Parameters
    ----------
    name : str
        What is being done, such as "reading source".
    total : int, optional
        The number of units in all, if it is known.
    unit : str
        What is counted, in the plural, such as "words".
    certainty : {"exactly", "about", "at most"}
        How well the total is known.

    Attributes
    ----------
    done : int
        The number of units done.
    remark : str
        A few words on where the work stands, such as "now among all words".
    listener : callable
        Is called with the same units, in the thread that did them; by default it does nothing.

    Examples
    --------
    >>> stage = Stage("reading", total=200, unit="words")
    >>> stage(50)
    >>> stage.done, stage.share
    (50, 0.25)
    >>> stage.expect(100, "about")
    >>> stage.share
    0.5
    """

    def __init__(
        self, name: str, total: int | None = None, unit: str = "", certainty: Certainty = "exactly"
    ) -> None:
        self.name, self.unit = name, unit
        self.total, self.certainty = total, certainty
        self.done, self.remark = 0, ""
        self.listener: Advance = unseen
        self._earlier = 0
        self._began, self._lock = time.perf_counter(), threading.Lock()

    def __call__(self, units: int = 1) -> None:
        """Add units of work that are done."""
        with self._lock:
            self.done += units
        self.listener(units)

    def expect(self, total: int | None, certainty: Certainty = "exactly") -> None:
        """Set the total, which may become known, or better known, while the work goes on."""
        self.total, self.certainty = total, certainty

    def resume(self, units: int) -> None:
        """Add units that an earlier process did: they are done, but tell nothing of the rate."""
        with self._lock:
            self.done += units
            self._earlier += units

    @property
    def seconds(self) -> float:
        """The time since the beginning of the stage."""
        return time.perf_counter() - self._began

    @property
    def share(self) -> float | None:
        """The share of the total that is done, at most 1; None without a total."""
        return min(1.0, self.done / self.total) if self.total else None

    @property
    def rate(self) -> float | None:
        """Units a second since the beginning; None before the first unit."""
        units, seconds = self.done - self._earlier, self.seconds
        return units / seconds if units > 0 and seconds > 0 else None

    @property
    def seconds_left(self) -> float | None:
        """The time that the rest takes at the rate so far; None if that cannot be said."""
        rate = self.rate
        if not self.total or rate is None:
            return None
        return max(0.0, self.total - self.done) / rate


class Progress:
    """Measure the time of each stage of a run and show nothing.

    Pass it as ``progress`` to ``Aligner.fit``, ``Refiner.fit``, ``train`` or ``evaluate``. To show
    the stages, override ``shown`` in a subclass, as the command line does.

    Attributes
    ----------
    seconds : dict of str to float
        Time spent in each stage so far. Stages of the same name add up.

    Examples
    --------
    >>> progress = Progress()
    >>> with progress.stage("counting", total=4, unit="sheep") as advance:
    ...     advance(3)
    >>> list(progress.seconds)
    ['counting']
    """

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def stage(
        self, name: str, total: int | None = None, unit: str = "", certainty: Certainty = "exactly"
    ) -> Iterator[Stage]:
        """Time a stage and yield it, to be called with each number of units done.

        Parameters
        ----------
        name : str
            What is being done. Names are few: what differs from run to run is no part of them.
        total : int, optional
            The number of units in all. ``Stage.expect`` sets it later.
        unit : str
            What is counted, in the plural and in words of the user: "words", "rounds", "bytes".
        certainty : {"exactly", "about", "at most"}
            How well the total is known.
        """
        stage = Stage(name, total, unit, certainty)
        try:
            with self.shown(stage):
                yield stage
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + stage.seconds

    @contextmanager
    def shown(self, stage: Stage) -> Iterator[None]:
        """Show a stage while it lasts; a subclass overrides this."""
        yield
