"""Logs of tasks, as weft has its engines of Python write them, for tests."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from weft.facts.joblog import JobLog
from weft.facts.jobmetrics import JobMetrics
from weft.text.entry import Entry


def read_lines(log: JobLog, file: Path, lines: Iterable[Any]) -> JobMetrics:
    """The job metrics of these lines; a text is a line as it stands."""
    texts = [each if isinstance(each, str) else json.dumps(each) for each in lines]
    file.write_text("".join(f"{text}\n" for text in texts))
    folder = Entry(file.parent)
    assert log.found(folder)
    return log.read(folder)
