"""What a run's job does now, in a line: for the progress of a run that somebody looks at."""

import time
from collections.abc import Callable
from contextlib import suppress

from weft.analysis.read import resolved
from weft.analysis.read.moment import RunWatch, line
from weft.facts.loglines import DAMAGED
from weft.record.record import Record, Stored

_OFTEN = 2.0
"""Seconds between two readings."""


def activity(record: Record) -> Callable[[], str]:
    """Returns the line, which is worked out only if it is asked for; empty where nothing is known."""
    watch: RunWatch | None = None
    last, text = 0.0, ""

    def now() -> str:
        nonlocal watch, last, text
        if time.monotonic() - last < _OFTEN:
            return text
        last = time.monotonic()
        with suppress(OSError, *DAMAGED):  # a line of progress ends no run
            stored = Stored(record.directory, record.head)
            watch = watch or RunWatch(stored.folder, slots=resolved.of_record(stored).slots)
            text = line(watch.observe(stored))
        return text

    return now
