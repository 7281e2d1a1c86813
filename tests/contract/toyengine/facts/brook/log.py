"""Its log: a line for each task, after a line that says what it is."""

from pathlib import Path

from weft.facts import jobmetrics, loglines
from weft.facts.joblog import JobLog
from weft.facts.jobmetrics import JobMetrics
from weft.text.entry import Entry

_FIRST = "brook log\n"


def found(directory: Entry) -> bool:
    return bool(directory.files("*.brook"))


def read(directory: Entry) -> JobMetrics:
    lines = [line for path in directory.files("*.brook") for line in loglines.read(path)][1:]
    tasks = [{"app": "a", "begin": float(number), "end": number + 1.0} for number, _ in enumerate(lines)]
    metrics = jobmetrics.empty()
    metrics.tasks = jobmetrics.table(tasks, jobmetrics.TASKS)
    return metrics


def _adopt(plain: Path, source: Path) -> list[str]:
    plain.rename(plain.with_name(f"{source.name}.brook"))
    return []


LOG = JobLog(
    found,
    read,
    name="logs of Brook",
    begins=lambda data: data.startswith(_FIRST.encode()),
    adopt=_adopt,
    slots_unknown="a log of Brook says nothing of slots",
)
