"""A median and how sure it is: what tables show of it. It is worked out in `statistics`."""

from dataclasses import dataclass

LEVEL = 0.95
LEAST = 3
"""Fewer values than this say nothing about how they scatter."""


@dataclass(frozen=True)
class Estimate:
    """A median with its bootstrap interval, in the unit of the values; no interval where there are too few."""

    median: float
    low: float | None
    high: float | None
    count: int

    @property
    def coverage(self) -> float:
        """How sure the interval is at best: so few values cannot bracket a median more often than this."""
        return min(LEVEL, 1 - 2.0 ** (1 - self.count)) if self.low is not None else 0.0

    @property
    def caveat(self) -> str:
        """What a reader must know of the interval; empty where it is as good as its name."""
        if self.low is None:
            return f"no interval: {self.count} of at least {LEAST} valid runs"
        if self.coverage < LEVEL:
            return f"{self.count} runs: the interval covers {self.coverage:.0%} at best, not {LEVEL:.0%}"
        return ""
