"""Progress of long work; the library reports it, and subclasses decide how to show it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Literal

Advance = Callable[[int], None]

Certainty = Literal["exactly", "about", "at most"]
"""How well a total is known: exactly, as an estimate, or as an upper bound."""


def unseen(units: int) -> None:
    """Ignore progress."""


class Stage:
    """The progress of one stage: units done, total, and start time.

    Call it to add units of work, from any thread; a call takes about a microsecond. A display reads
    the stage when it has time, so work never waits for it.

    Parameters
    ----------
    name : str
        The work, such as "reading source".
    total : int, optional
        The total number of units, if known.
    unit : str
        The unit in the plural, such as "words".
    certainty : {"exactly", "about", "at most"}
        How well the total is known.

    Attributes
    ----------
    done : int
        The number of units done.
    remark : str
        A few words about the current state, such as "all words".
    listener : callable
        A function that also receives each number of units; does nothing by default.

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
        """Add finished units of work."""
        with self._lock:
            self.done += units
        self.listener(units)

    def expect(self, total: int | None, certainty: Certainty = "exactly") -> None:
        """Set or update the total."""
        self.total, self.certainty = total, certainty

    def resume(self, units: int) -> None:
        """Add units that an earlier process did; they do not count for the rate."""
        with self._lock:
            self.done += units
            self._earlier += units

    @property
    def seconds(self) -> float:
        """The time since the stage began."""
        return time.perf_counter() - self._began

    @property
    def share(self) -> float | None:
        """The finished share of the total, at most 1; None without a total."""
        return min(1.0, self.done / self.total) if self.total else None

    @property
    def rate(self) -> float | None:
        """Units per second since the stage began; None before the first unit."""
        units, seconds = self.done - self._earlier, self.seconds
        return units / seconds if units > 0 and seconds > 0 else None

    @property
    def seconds_left(self) -> float | None:
        """The estimated time left; None if it is unknown."""
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
        """Time a stage and yield it; call it with each number of finished units.

        Parameters
        ----------
        name : str
            The work. Use few names: leave out whatever differs from run to run.
        total : int, optional
            The total number of units. ``Stage.expect`` sets it later.
        unit : str
            The unit, in the plural and in the user's terms: "words", "rounds", "bytes".
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
        """Show a stage while it runs; override this in a subclass."""
        yield
