"""Telling the user how far long work has come, without the library knowing how it is shown."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Advance = Callable[[int], None]


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
    >>> with progress.stage("counting") as advance:
    ...     advance(3)
    >>> list(progress.seconds)
    ['counting']
    """

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[Advance]:
        """Time a named stage and yield a function to call with each number of units done."""
        began = time.perf_counter()
        try:
            with self.shown(name) as advance:
                yield advance
        finally:
            elapsed = time.perf_counter() - began
            self.seconds[name] = self.seconds.get(name, 0.0) + elapsed

    @contextmanager
    def shown(self, name: str) -> Iterator[Advance]:
        """Show a stage; a subclass overrides this."""
        yield lambda units: None
