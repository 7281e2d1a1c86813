"""A median and how sure it is: what tables show of it. It is worked out in `statistics`."""

from dataclasses import dataclass

LEVEL = 0.95
LEAST = 6
"""With fewer values even the smallest and the largest one have the median between them in less than 95 % of cases."""


@dataclass(frozen=True)
class Estimate:
    """A median with its interval, in the unit of the values; if there are too few for one, with its range."""

    median: float
    low: float | None
    high: float | None
    count: int
    smallest: float | None = None
    largest: float | None = None
    """Of several values that are too few for an interval: of a ratio, by any value of each side."""

    @property
    def ends(self) -> tuple[float, float] | None:
        """Of the interval, else of the range; None of a single value."""
        for low, high in ((self.low, self.high), (self.smallest, self.largest)):
            if low is not None and high is not None:
                return low, high
        return None

    @property
    def caveat(self) -> str:
        """Why there is no interval; empty if there is one."""
        return f"no interval: {self.count} of at least {LEAST} valid runs" if self.low is None else ""
