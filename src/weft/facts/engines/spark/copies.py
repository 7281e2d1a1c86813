"""Speculative copies of tasks whose end a log lacks: Spark kills them as their stage ends, and a short application ends before they do."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import polars

TASK = ("app", "stage", "attempt", "task")
"""By which a task is known to be the same."""
MARK = '"Speculative":true'
"""In the line of a copy: the lines of all other tasks that begin need not be decoded."""
_MOST = 10_000
"""That are kept at one time."""

Key = tuple[str, int, int, int]


@dataclass
class OpenCopies:
    """Copies that have begun and not ended, by their task."""

    begun: dict[Key, dict[str, Any]] = field(default_factory=dict)

    def begin(self, app: str, event: dict[str, Any]) -> None:
        """One has begun. Raises KeyError or TypeError for what is none."""
        key = app, int(event["Stage ID"]), int(event["Stage Attempt ID"]), int(event["Task Info"]["Task ID"])
        if len(self.begun) < _MOST:
            self.begun[key] = event

    def end(self, tasks: polars.DataFrame) -> None:
        """These tasks have ended."""
        for key in tasks.filter("speculative").select(TASK).iter_rows():
            self.begun.pop(key, None)

    def killed(self, end_of: Callable[[tuple[str, int, int]], float | None]) -> Iterator[tuple[str, str]]:
        """Applications and lines as Spark would have logged them, of stages that have ended (seconds since the epoch)."""
        for (app, stage, attempt, _), event in self.begun.items():
            if (end := end_of((app, stage, attempt))) is None:
                continue
            info = {**event["Task Info"], "Finish Time": int(end * 1000)}
            reason = {"Reason": "TaskKilled", "Kill Reason": "another attempt succeeded"}
            own = {"Stage ID": stage, "Stage Attempt ID": attempt}
            yield app, json.dumps({**own, "Task End Reason": reason, "Task Info": info})
