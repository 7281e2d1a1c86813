"""What a running job of Flink does, from the JobManager's log: which tasks of which vertex have ended."""

import re
from typing import ClassVar

from weft.facts.activity import LogActivity, StageActivity

_TASK = re.compile(rb" - (.+) \((\d+)/(\d+)\) \([0-9a-f]+_[0-9a-f]+_\d+_\d+\) switched from (\w+) to (\w+)\b")
_JOB = re.compile(rb" - Job .+ \([0-9a-f]{32}\) switched from state (\w+) to (\w+)\b")


class FlinkActivity(LogActivity):
    """All jobs of a session."""

    logs: ClassVar[str] = "logs/*/jobmanager.log"

    def read(self, line: bytes) -> None:
        """A task or a job changed its state, or neither."""
        if task := _TASK.search(line):
            self._task(task[1].decode(errors="replace"), int(task[3]), task[5])
        elif job := _JOB.search(line):
            self._job(job[1], job[2])

    def _task(self, vertex: str, total: int, state: bytes) -> None:
        # vertices of two jobs may have one name
        stage = self.found.stages.setdefault(f"{self.found.jobs} {vertex}", StageActivity(vertex))
        stage.total = total
        if state == b"FINISHED":
            stage.done = min(total, stage.done + 1)
        elif state == b"FAILED":
            stage.failed += 1
        stage.ended = stage.done >= total

    def _job(self, before: bytes, after: bytes) -> None:
        if before == b"CREATED":
            self.found.jobs += 1
        if after in {b"FINISHED", b"FAILED", b"CANCELED"}:
            self.found.jobs_done += 1
            for stage in self.found.stages.values():
                stage.ended = True


LIVE = FlinkActivity
"""Reads what a running session does."""
