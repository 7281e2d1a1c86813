"""A job that Flink archived for its History Server (`historyserver.archive.fs.dir`), as weft's own file of Flink's REST answers.

The archive is one JSON object: `archive` is a list of `path` and `json`, what the REST interface answered there as text.
It has neither the TaskManagers' slots nor Flink's version: a TaskManager has as many slots as it ran
subtasks of one vertex at one time.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import accumulate
from pathlib import Path
from typing import Any

from weft.errors import UsageError
from weft.facts.engines.flink.checkpoints import savepoint
from weft.facts.jobmetrics import MOST
from weft.facts.loglines import DAMAGED, decode

_START = '"archive"'

_CHUNK, _ENTRY, _PAGES = 1 << 20, 1 << 24, 1 << 26
"""Characters that are read at once, of one entry, and of all pages that are kept."""
_BETWEEN = re.compile(r"[\s,]+")
_ATTEMPT = r"/vertices/[^/]+/subtasks/\d+/attempts/\d+"
_NEEDED = re.compile(
    rf"/jobs/[^/]+(/exceptions|/checkpoints|/checkpoints/config|/vertices/[^/]+|{_ATTEMPT})?|/config|/jobs/[^/]+/config"
)
"""Paths of the pages that a record is made of."""

_FINISHED = "FINISHED"
STREAMING = "STREAMING"
"""The type of a job whose operators run at the same time, until their input ends or somebody stops it."""
_BATCH, _STREAM_EDGE = "BATCH", "pipelined_bounded"
_STATES = ("read-bytes", "write-bytes", "read-records", "write-records")


def begins(data: bytes) -> bool:
    """Whether a file that begins so is taken for an archive."""
    return data.lstrip().startswith(b"{") and _START.encode() in data[:1000]


def convert(source: Path, name: str, gaps: list[str]) -> dict[str, Any]:
    """The content of `flink.json`. Raises UsageError if nothing of the job can be read."""
    pages = _pages(source, name, gaps)
    jobs = [page for path, page in pages.items() if path.count("/") == 2 and "vertices" in page]
    found = []
    for job in jobs:
        try:
            found.append(_job(job, pages, gaps))
        except DAMAGED as error:
            gaps.append(f"a job of {name} is damaged and was skipped: {error or type(error).__name__}")
    if not found:
        raise UsageError(
            f"{name} is an archive of Flink without the page of a job{''.join(f'; {gap}' for gap in gaps)}",
            hint="name a file of historyserver.archive.fs.dir, which Flink writes when a job ends",
        )
    return {
        "overview": {"flink-version": _version(pages)},
        "jobs": found,
        "taskmanagers": [manager for job in found for manager in _managers(job)],
    }


def _pages(source: Path, name: str, gaps: list[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    left = _PAGES
    for entry in _entries(source, name, gaps):
        try:
            if not _NEEDED.fullmatch(entry["path"]):
                continue
            page = decode(entry["json"])
            if "/attempts/" in entry["path"] and page["status"] == _FINISHED:
                continue  # the page of the vertex has it
            left -= len(entry["json"])
            if left < 0:
                gaps.append(f"{name} has more than {_PAGES >> 20} MiB of pages, and was read up to there")
                break
            if isinstance(page, dict):
                found[entry["path"]] = page
        except DAMAGED:
            gaps.append(f"a page of {name} is damaged and was skipped")
    return found


def _entries(source: Path, name: str, gaps: list[str]) -> Iterator[Any]:
    """The list's entries one by one, so that those before a damage are read, and only one is in memory."""
    decoder = json.JSONDecoder()
    with source.open(encoding="utf-8", errors="replace") as file:
        text = file.read(_CHUNK)
        at = text.find("[", text.find(_START)) + 1
        while at > 0:
            if between := _BETWEEN.match(text, at):
                at = between.end()
            if text[at : at + 1] == "]":
                return
            try:
                entry, end = decoder.raw_decode(text, at)
            except RecursionError:
                break
            except ValueError:
                more = file.read(_CHUNK)
                if not more or len(text) - at > _ENTRY:
                    break
                text, at = text[at:] + more, 0
                continue
            yield entry
            at = end
    gaps.append(f"{name} is damaged or cut off, and its pages were read up to there")


def _job(job: Mapping[str, Any], pages: Mapping[str, Any], gaps: list[str]) -> dict[str, Any]:
    base = f"/jobs/{job['jid']}"
    exceptions = pages.get(f"{base}/exceptions", {})
    history = exceptions.get("exceptionHistory", {}).get("entries", [])
    attempts = [(path, page) for path, page in pages.items() if "/attempts/" in path]
    vertices = [
        _vertex(
            vertex,
            pages.get(page := f"{base}/vertices/{vertex['id']}", {}),
            [attempt for path, attempt in attempts if path.startswith(f"{page}/")],
        )
        for vertex in job["vertices"]
    ]
    begun = [vertex for vertex in vertices if vertex["parallelism"]]
    if lacking := [vertex["name"] for vertex in begun if not vertex["subtasks"]]:
        gaps.append(
            f"the archive has no page of the vertices {', '.join(lacking)}: their subtasks are missing"
        )
    return {
        "jid": str(job["jid"]),
        "name": str(job.get("name") or job["jid"]),
        "state": str(job.get("state") or "UNKNOWN"),
        "job-type": str(job.get("job-type") or _kind(job, pages.get(f"{base}/checkpoints/config", {}))),
        "savepoint": savepoint(pages.get(f"{base}/checkpoints", {})),
        "start-time": _number(job.get("start-time")),
        "end-time": _number(job.get("end-time")),
        "exceptions": {"exceptionHistory": {"entries": history}},
        "vertices": vertices,
    }


def _kind(job: Mapping[str, Any], checkpoints: Mapping[str, Any]) -> str:
    """BATCH or STREAMING, where the page of the job does not say it, as before Flink 2: its plan says it since 1.15.

    Before, only streams have all their edges pipelined with a bounded number of buffers, and only they have checkpoints at intervals.
    """
    plan = job.get("plan") or {}
    edges: set[str] = set()
    with suppress(*DAMAGED):
        if plan.get("type") in {_BATCH, STREAMING}:
            return str(plan["type"])
        edges = {str(edge.get("exchange")) for node in plan["nodes"] for edge in node.get("inputs") or ()}
    if edges:
        return STREAMING if edges == {_STREAM_EDGE} else _BATCH
    return STREAMING if _number(checkpoints.get("interval")) > 0 else ""


def _vertex(
    vertex: Mapping[str, Any], page: Mapping[str, Any], attempts: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    subtasks = [_subtask(each) for each in page.get("subtasks", []) if isinstance(each, dict)]
    parallelism = max(0, _number(vertex.get("parallelism"))) or len(subtasks)
    last = {(task["subtask"], task["attempt"]) for task in subtasks}
    earlier = [_subtask(each) for each in attempts]
    return {
        "id": vertex["id"],
        "name": str(vertex.get("name") or vertex["id"]),
        "parallelism": parallelism,
        "subtasks": subtasks,
        "earlier": [task for task in earlier if (task["subtask"], task["attempt"]) not in last],
    }


def _subtask(found: Mapping[str, Any]) -> dict[str, Any]:
    """Names of hosts differ between versions: `host` before 1.17, `endpoint` since."""
    start, end = (_number(found.get(key)) for key in ("start-time", "end-time"))
    measured = found.get("metrics")
    metrics = dict(measured) if isinstance(measured, dict) else {}
    numbers = {key: _number(value) for key, value in metrics.items()}
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
    """Each has as many slots as it ran subtasks of one vertex at one time, which never share one."""
    tasks: dict[str, dict[int, list[Mapping[str, Any]]]] = {}
    for number, vertex in enumerate(job["vertices"]):
        # those that never began are of no TaskManager: their place is "(unassigned)"
        for task in (each for each in vertex["subtasks"] if each["start-time"] > 0):
            tasks.setdefault(task["taskmanager-id"], {}).setdefault(number, []).append(task)
    for name, mine in tasks.items():
        first = next(iter(mine.values()))[0]
        slots = max(_at_once(each) for each in mine.values())
        yield {"id": name, "path": f"flink@{first['endpoint']}", "slotsNumber": slots}


def _at_once(tasks: Sequence[Mapping[str, Any]]) -> int:
    steps = [(task["start-time"], 1) for task in tasks] + [(task["end-time"], -1) for task in tasks]
    return max(1, *accumulate(step for _, step in sorted(steps)))


def _version(pages: Mapping[str, Any]) -> str | None:
    for path, page in pages.items():
        if path.endswith("/config") and isinstance(version := page.get("flink-version"), str):
            return version
    return None


def _number(value: Any) -> int:
    """A whole number; 0 for what is none, or larger than any that Flink writes."""
    return int(value) if type(value) in {int, float} and -MOST < value < MOST else 0


def write(source: Path, target: Path, name: str) -> list[str]:
    """Convert an archive to a record's file. Returns what could not be read. Raises UsageError."""
    gaps: list[str] = []
    found = convert(source, name, gaps)
    target.write_text(json.dumps(found), encoding="utf-8")
    return gaps
