"""Telling the user how far long work has come, without the library knowing how it is shown."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Advance = Callable[[int], None]


class Progress:
    """Times the stages of a run and shows nothing; the command line has talkative subclasses."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[Advance]:
        """A named piece of work; call the yielded function with the units that got done."""
        began = time.perf_counter()
        try:
            with self.shown(name) as advance:
                yield advance
        finally:
            elapsed = time.perf_counter() - began
            self.seconds[name] = self.seconds.get(name, 0.0) + elapsed

    @contextmanager
    def shown(self, name: str) -> Iterator[Advance]:
        """Where subclasses show a stage."""
        yield lambda units: None
