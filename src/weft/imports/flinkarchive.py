"""A job that Flink archived for its History Server (`historyserver.archive.fs.dir`), as weft's own file of Flink's REST answers.

The archive is one JSON object: `archive` is a list of `path` and `json`, what the REST interface answered there as text.
It has neither the TaskManagers' slots nor Flink's version: a TaskManager has as many slots as it ran
subtasks of one vertex at one time.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from weft.errors import RecordError

START = '"archive"'
"""A file is taken for an archive if this is in its first bytes."""

_STATES = ("read-bytes", "write-bytes", "read-records", "write-records")


def convert(text: str, name: str, gaps: list[str]) -> dict[str, Any]:
    """The content of `flink.json`. Raises RecordError if nothing of the job can be read."""
    pages = _pages(text, name, gaps)
    jobs = [
        page
        for path, page in pages.items()
        if path.count("/") == 2 and path.startswith("/jobs/") and "vertices" in page
    ]
    if not jobs:
        raise RecordError(
            f"{name} is an archive of Flink without the page of a job",
            hint="name a file of historyserver.archive.fs.dir, which Flink writes when a job ends",
        )
    found = [_job(job, pages, gaps) for job in jobs]
    return {
        "overview": {"flink-version": _version(pages)},
        "jobs": found,
        "taskmanagers": [manager for job in found for manager in _managers(job)],
    }


def _pages(text: str, name: str, gaps: list[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for entry in _entries(text, name, gaps):
        try:
            page = json.loads(entry["json"])
            if isinstance(page, dict):
                found[str(entry["path"])] = page
        except (ValueError, KeyError, TypeError):
            gaps.append(f"a page of {name} is damaged and was skipped")
    return found


def _entries(text: str, name: str, gaps: list[str]) -> Iterator[Any]:
    """The list's entries one by one, so that those before a damage are read."""
    decoder, at = json.JSONDecoder(), text.find("[", text.find(START)) + 1
    while at > 0:
        while text[at : at + 1].isspace() or text[at : at + 1] == ",":
            at += 1
        if text[at : at + 1] == "]":
            return
        try:
            entry, at = decoder.raw_decode(text, at)
        except ValueError:
            break
        yield entry
    gaps.append(f"{name} is damaged or cut off, and its pages were read up to there")


def _job(job: Mapping[str, Any], pages: Mapping[str, Any], gaps: list[str]) -> dict[str, Any]:
    base = f"/jobs/{job['jid']}"
    exceptions = pages.get(f"{base}/exceptions", {})
    history = exceptions.get("exceptionHistory", {}).get("entries", [])
    vertices = [
        _vertex(vertex, pages.get(f"{base}/vertices/{vertex['id']}", {})) for vertex in job["vertices"]
    ]
    if lacking := [vertex["name"] for vertex in vertices if not vertex["subtasks"]]:
        gaps.append(
            f"the archive has no page of the vertices {', '.join(lacking)}: their subtasks are missing"
        )
    return {
        "jid": str(job["jid"]),
        "name": str(job.get("name") or job["jid"]),
        "state": str(job.get("state") or "UNKNOWN"),
        "start-time": _number(job.get("start-time")),
        "end-time": _number(job.get("end-time")),
        "exceptions": {"exceptionHistory": {"entries": history}},
        "vertices": vertices,
    }


def _vertex(vertex: Mapping[str, Any], page: Mapping[str, Any]) -> dict[str, Any]:
    subtasks = [_subtask(each) for each in page.get("subtasks", []) if isinstance(each, dict)]
    parallelism = _number(vertex.get("parallelism")) or len(subtasks)
    return {
        "id": vertex["id"],
        "name": str(vertex.get("name") or vertex["id"]),
        "parallelism": parallelism,
        "subtasks": subtasks,
    }


def _subtask(found: Mapping[str, Any]) -> dict[str, Any]:
    """Names of hosts differ between versions: `host` before 1.17, `endpoint` since."""
    start, end = (_number(found.get(key)) for key in ("start-time", "end-time"))
    measured = found.get("metrics")
    metrics = dict(measured) if isinstance(measured, dict) else {}
    numbers = {key: value for key, value in metrics.items() if isinstance(value, (int, float))}
    return {
        "subtask": _number(found.get("subtask")),
        "attempt": _number(found.get("attempt")),
        "endpoint": str(found.get("endpoint") or found.get("host") or ""),
        "taskmanager-id": str(found.get("taskmanager-id") or ""),
        "status": str(found.get("status") or ""),
        "start-time": start,
        "end-time": end,
        "duration": max(0, end - start) if end > 0 else 0,
        "status-duration": found.get("status-duration") or {},
        "metrics": {**dict.fromkeys(_STATES, 0), **numbers},
    }


def _managers(job: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    tasks = [(number, task) for number, vertex in enumerate(job["vertices"]) for task in vertex["subtasks"]]
    for name in dict.fromkeys(task["taskmanager-id"] for _, task in tasks):
        mine = [(number, task) for number, task in tasks if task["taskmanager-id"] == name]
        slots = max(_at_once([task for each, task in mine if each == number]) for number, _ in mine)
        yield {"id": name, "path": f"flink@{mine[0][1]['endpoint']}", "slotsNumber": slots}


def _at_once(tasks: Sequence[Mapping[str, Any]]) -> int:
    """Subtasks of one vertex that ran at one time: they never share a slot."""
    return max(
        sum(other["start-time"] <= task["start-time"] < other["end-time"] for other in tasks) or 1
        for task in tasks
    )


def _version(pages: Mapping[str, Any]) -> str | None:
    for path, page in pages.items():
        if path.endswith("/config") and isinstance(version := page.get("flink-version"), str):
            return version
    return None


def _number(value: Any) -> int:
    return int(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else 0


def write(source: Path, target: Path, name: str) -> list[str]:
    """Convert an archive to a record's file. Returns what could not be read. Raises RecordError."""
    gaps: list[str] = []
    found = convert(source.read_text(encoding="utf-8", errors="replace"), name, gaps)
    target.write_text(json.dumps(found))
    return gaps
