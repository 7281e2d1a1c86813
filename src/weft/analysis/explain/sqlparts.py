"""A run's SQL by the operators of its plans: the numbers that pages, terminal and JSON share."""

from collections.abc import Mapping

from weft.analysis.read.part import Part


class OperatorRow(Part):
    """An operator of a plan that ran. Numbers are over all its tasks; None where the engine counted none."""

    query: int
    kind: str
    name: str
    stages: tuple[str, ...] = ()
    rows: int | None = None
    bytes: int | None = None
    """Of files read or written, of blocks written, or sent to Python workers."""
    files: int | None = None
    partitions: int | None = None
    """Of an exchange, as its readers have them."""
    spilled: int | None = None
    seconds: float | None = None
    """Of tasks, by the engine's timer of the operator's own work."""
    share: float = 0.0
    """Of the job's slot time, that the stages took in which it ran."""


class OperatorTimes(Part):
    """What its queries did."""

    queries: int
    operators: tuple[OperatorRow, ...]
    """Those first whose stages took most."""
    left_out: int = 0
    """Operators that are not listed."""
    kinds: Mapping[str, float] = {}
    """Slot-seconds of tasks by kind of operator; of several without timers of their own, by all of them."""
