"""What a running job of MapReduce does, from its client's log: shares of its map and reduce tasks' work."""

import re
from dataclasses import dataclass, field

from weft.facts.activity import Activity, Growing, StageActivity
from weft.text.entry import Entry

_SHARE = re.compile(rb" Job: +map (\d+)% reduce (\d+)%")
_BEGAN = re.compile(rb" Job: Running job: ")
_ENDED = re.compile(rb" Job: Job \S+ (?:completed|failed) ")
_LOG = "logs/*/client.log"


@dataclass
class HadoopActivity:
    """The jobs of a client, one after the other."""

    growing: Growing = field(default_factory=Growing)
    found: Activity = field(default_factory=Activity)

    def update(self, record: Entry) -> Activity:
        """Everything that is known by now."""
        for file in record.files(_LOG):
            for line in self.growing.lines(file):
                if _BEGAN.search(line):
                    self.found.jobs += 1
                elif share := _SHARE.search(line):
                    self._share("map", int(share[1]))
                    self._share("reduce", int(share[2]))
                elif _ENDED.search(line):
                    self.found.jobs_done += 1
        return self.found

    def _share(self, phase: str, done: int) -> None:
        stage = self.found.stages.setdefault(
            f"{self.found.jobs} {phase}", StageActivity(phase, total=100, percent=True)
        )
        stage.done, stage.ended = done, done >= 100


LIVE = HadoopActivity
"""Reads what a running job does."""
