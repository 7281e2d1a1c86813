"""What was measured of tasks beside the time that they had: more of it than that is something counted twice."""

from collections.abc import Sequence

from weft.analysis.read.part import Part

MOST = 1.1
"""Seconds that were measured for each second that there was, from which there is no verdict."""
LEAST = 0.01
"""Share of slot time that is counted twice, below which it changes no verdict."""


class Balance(Part):
    """Of some tasks, in seconds."""

    causes: float
    """What must have blocked them, by all measurements: file calls, fetches, GC, less what of that may have been run-queue wait."""
    blocked: float
    """Neither on a CPU nor in its run queue."""
    running: float
    """On a CPU or in its run queue."""
    occupied: float
    """From their begins to their ends, without the way to executors and back."""
    held: float
    """With that way, on which a task's thread may wait for a CPU already."""

    @property
    def too_much(self) -> tuple[float, float]:
        """Seconds that were measured and that the tasks did not have: blocked, and running."""
        return max(0.0, self.causes - self.blocked), max(0.0, self.running - self.held)

    @property
    def sentence(self) -> str:
        """The larger of the two misfits."""
        causes, running = self.too_much
        if causes >= running:
            return f"{self.causes:.1f} s of causes were measured in {self.blocked:.1f} s that its tasks were blocked"
        return (
            f"{self.running:.1f} s on a CPU or in its run queue were measured in"
            f" {self.held:.1f} s that its tasks had"
        )


def doubt(stages: Sequence[tuple[str, Balance]], slot_time: float) -> str:
    """Why the measurements do not fit together, by the stage that they fit least; empty if they do.

    What one stage has too much of does not make up for what another one lacks. Seconds of slot time.
    """
    found = [each for _, each in stages]
    causes, running = (
        (sum(pair) for pair in zip(*(each.too_much for each in found), strict=True)) if found else (0, 0)
    )
    blocked, held = sum(each.blocked for each in found), sum(each.held for each in found)
    if causes + running < LEAST * slot_time:
        return ""
    if causes <= (MOST - 1) * blocked and running <= (MOST - 1) * held:
        return ""
    name, worst = max(stages, key=lambda each: sum(each[1].too_much))
    return f"of stage {name}, {worst.sentence}: something is counted twice"
