"""A median and how sure it is: what tables show of it. It is worked out in `statistics`."""

from dataclasses import dataclass

LEVEL = 0.95
LEAST = 3
"""With fewer values there is no estimate of their spread."""


@dataclass(frozen=True)
class Estimate:
    """A median with its bootstrap interval, in the unit of the values; no interval if there are too few."""

    median: float
    low: float | None
    high: float | None
    count: int

    @property
    def coverage(self) -> float:
        """The best possible coverage of the interval: so few values cannot bracket a median more often."""
        return min(LEVEL, 1 - 2.0 ** (1 - self.count)) if self.low is not None else 0.0

    @property
    def caveat(self) -> str:
        """A caveat about the interval; empty if it has its nominal coverage."""
        if self.low is None:
            return f"no interval: {self.count} of at least {LEAST} valid runs"
        if self.coverage < LEVEL:
            return f"{self.count} runs: the interval covers {self.coverage:.0%} at best, not {LEVEL:.0%}"
        return ""
