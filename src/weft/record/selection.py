"""Which records are meant: by engine, workload, label, study, time, or the last ones. It reads record.json alone."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from weft.record.head import created
from weft.record.record import Stored
from weft.text.units import parse_duration


@dataclass(frozen=True)
class Selection:
    """What all of them have in common; empty: all records."""

    engine: str = ""
    """Its kind, with or without what follows, such as `on YARN`."""
    workload: str = ""
    label: str = ""
    study: str = ""
    since: float | None = None
    """Begun then or later, in seconds since the epoch."""
    before: float | None = None
    last: int | None = None
    """The newest ones of these."""

    def of(self, records: Sequence[Stored]) -> list[Stored]:
        """Those of them, oldest first as they are given."""
        found = [stored for stored in records if self._fits(stored)]
        return found if self.last is None else found[max(0, len(found) - self.last) :]

    def _fits(self, stored: Stored) -> bool:
        head = stored.head
        if self.engine and self.engine not in {head.engine, head.engine.partition(" ")[0]}:
            return False
        if self.workload and head.workload != self.workload:
            return False
        if self.label and self.label not in head.labels:
            return False
        if self.study and head.cell.study != self.study:
            return False
        if self.since is None and self.before is None:
            return True
        begun = created(head.created)
        return begun is not None and (self.since or 0.0) <= begun < (self.before or float("inf"))


def moment(text: str) -> float:
    """Seconds since the epoch of a date (2026-01-31, 2026-01-31T12:00), or of so long ago (7d, 12h). Raises ValueError."""
    if (found := created(text)) is not None:
        return found
    if text.strip().replace(".", "", 1).isdecimal():  # a year would be so many seconds ago
        raise ValueError(f"{text!r} is neither a date nor a time with its unit")
    return time.time() - parse_duration(text)
