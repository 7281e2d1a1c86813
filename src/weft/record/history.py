"""Durations of earlier runs of the same spec."""

import statistics
from collections.abc import Sequence

from weft.record.record import PHASES, Stored


def expected_phases(records: Sequence[Stored], key: str) -> dict[str, float]:
    """Median seconds of each phase over valid runs of the same spec; empty if there are none."""
    same = [stored.head.phases for stored in records if stored.head.key == key and stored.verdict == "VALID"]
    found = {phase: [phases[phase] for phases in same if phase in phases] for phase in PHASES}
    return {phase: statistics.median(seconds) for phase, seconds in found.items() if seconds}


def before(records: Sequence[Stored], stored: Stored) -> Stored | None:
    """The newest run of the same spec that was created before a run; None if there is none."""
    same = [
        other
        for other in records
        if other.head.key == stored.head.key != "" and other.head.begun < stored.head.begun
    ]
    return same[-1] if same else None


def equal_runs(records: Sequence[Stored], host: str) -> list[list[float]]:
    """Seconds of the results of valid runs on a host, of those specs that were run more than once."""
    found: dict[str, list[float]] = {}
    for stored in records:
        seconds = stored.head.measured
        if stored.verdict == "VALID" and stored.head.host == host and seconds:
            found.setdefault(stored.head.key, []).append(seconds)
    return [times for times in found.values() if len(times) > 1]
