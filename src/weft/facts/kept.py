"""What is kept of a log: as many rows as have room in memory, and the tasks of a large job in files, whatever the log's length."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import polars

from weft.facts import jobmetrics
from weft.facts.jobmetrics import JobMetrics, TaskFiles

IN_MEMORY = 750_000
"""Tasks of the largest job whose table is in memory: the attribution of 832,000 took 951 MB."""
MOST_TASKS = 20_000_000
MOST = 1 << 28
"""Bytes of all rows that are not tasks, and of the texts that tasks have."""
_ROW = 1000
"""Bytes of a row without its texts, and of a text that no task had before."""
_NUMBER = 40
"""Bytes of a number in a list."""
_PART, _BATCH = 250_000, 10_000
"""Tasks of a file, and rows that become a table at once."""
_TEXTS = ("executor", "host", "reason", "failure")


def _size(values: Iterable[Any]) -> int:
    """Bytes of texts and of lists of numbers."""
    long = (value for value in values if isinstance(value, (str, list)))
    return sum(len(value) * (1 if isinstance(value, str) else _NUMBER) for value in long)


@dataclass
class KeptRows:
    """The rows of one reader. What has no room is counted, for a sentence."""

    left: int = field(default_factory=lambda: MOST)
    lost: int = 0
    tasks: int = 0
    tasks_lost: int = 0
    frames: list[polars.DataFrame] = field(default_factory=list)
    rows: list[dict[str, Any]] = field(default_factory=list)
    texts: set[str] = field(default_factory=set)
    files: TaskFiles | None = None

    def room(self, values: Iterable[Any], *, rows: int = 1) -> bool:
        """Whether there is room for a row, or, with `rows=0`, for more values of one that is kept."""
        needed = _size(values) + rows * _ROW
        if fits := needed <= self.left:
            self.left -= needed
        else:
            self.lost += 1
        return fits

    def free(self, values: Iterable[Any]) -> None:
        """Values that are not kept any more."""
        self.left += _size(values)

    def only(self, rows: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """The rows that have room."""
        return (row for row in rows if self.room(row.values()))

    def task(self, row: Mapping[str, Any]) -> None:
        """Add one. Raises ValueError if it does not fit its columns."""
        self.rows.append({**dict.fromkeys(jobmetrics.TASKS), **jobmetrics.fitting(jobmetrics.TASKS, row)})
        if len(self.rows) == _BATCH:
            self._batch()

    def _batch(self) -> None:
        rows, self.rows = self.rows, []
        self.add(polars.DataFrame(rows, dict(jobmetrics.TASKS)))

    def add(self, tasks: polars.DataFrame) -> None:
        """Add a table of them."""
        new = {text for name in _TEXTS for text in tasks[name].unique().drop_nulls()} - self.texts
        count = min(tasks.height, MOST_TASKS - self.tasks)
        if not self.room(new, rows=len(new)):
            self.lost -= 1
            count = 0
        else:
            self.texts |= new
        self.tasks_lost += tasks.height - count
        if not count:
            return
        self.tasks += count
        self.frames.append(tasks[:count])
        if sum(frame.height for frame in self.frames) >= _PART:
            self._spill()

    def _spill(self) -> None:
        self.files = self.files or TaskFiles()
        self.files.add(self._held())
        self.frames = []

    def _held(self) -> polars.DataFrame:
        return polars.concat([polars.DataFrame(schema=jobmetrics.TASKS), *self.frames], rechunk=True)

    def metrics(self, gaps: Iterable[str], **tables: polars.DataFrame) -> JobMetrics:
        """The tables, with the tasks; nothing may be added afterwards."""
        self._batch()
        if self.tasks > IN_MEMORY:
            self._spill()
        elif self.files:
            self.frames, self.files = [self.files.scan().collect(), *self.frames], None
        files = [self.files] if self.files else []
        return JobMetrics(**tables, tasks=self._held(), files=files, gaps=[*gaps, *self.gaps()])

    def gaps(self) -> list[str]:
        """What a report says of the rows that had no room."""
        return [
            f"{count:,} {what} were left out: the log has more than the {most} that weft keeps, and what follows is without them"
            for count, what, most in (
                (
                    self.lost,
                    "row(s) of applications, executors, jobs, stages and attempts",
                    f"{MOST >> 20} MiB",
                ),
                (self.tasks_lost, "task(s)", f"{MOST_TASKS:,} tasks with {MOST >> 20} MiB of texts"),
            )
            if count
        ]
