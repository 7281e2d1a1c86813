"""What a running job of MapReduce does, from its client's log: shares of its map and reduce tasks' work."""

import re
from typing import ClassVar

from weft.facts.activity import LogActivity, StageActivity

_SHARE = re.compile(rb" Job: +map (\d+)% reduce (\d+)%")
_BEGAN = re.compile(rb" Job: Running job: ")
_ENDED = re.compile(rb" Job: Job \S+ (?:completed|failed) ")


class HadoopActivity(LogActivity):
    """The jobs of a client, one after the other."""

    logs: ClassVar[str] = "logs/*/client.log"

    def read(self, line: bytes) -> None:
        """A job began, went on or ended, or none of these."""
        if _BEGAN.search(line):
            self.found.jobs += 1
        elif share := _SHARE.search(line):
            self._share("map", int(share[1]))
            self._share("reduce", int(share[2]))
        elif _ENDED.search(line):
            self.found.jobs_done += 1

    def _share(self, phase: str, done: int) -> None:
        stage = self.found.stages.setdefault(
            f"{self.found.jobs} {phase}", StageActivity(phase, total=100, percent=True)
        )
        stage.done, stage.ended = done, done >= 100


LIVE = HadoopActivity
"""Reads what a running job does."""
