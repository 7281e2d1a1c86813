"""Rows of evidence from the records of a study: one a run, with all that tables and rules need of it."""

import os
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

from figures import rows
from figures.rows import Row
from figures.shown import FAILED_BEFORE
from weft.analysis.compare.against import measured
from weft.analysis.compare.headline import Headline, failed_before, headlines
from weft.analysis.compare.operations import operations
from weft.analysis.compare.published import Measure
from weft.analysis.read import resolved
from weft.analysis.summary.gather import summarize
from weft.errors import UsageError
from weft.host import settings
from weft.record import record

MEASURES = get_args(Measure)
_FEW = 8
_NOTHING = 0.01
"""Seconds of a part that are left out."""


def collect(name: str) -> str:
    """Write the rows of a study in place of earlier ones; a sentence that says how many there are, and which cells have none now."""
    before, found = rows.read(name), of_study(name)
    path = rows.write(name, found)
    gone = sorted({_cell(row) for row in before} - {_cell(row) for row in found})
    lost = f"; without a run in {settings.runs()}, so without rows now: {', '.join(gone)}" if gone else ""
    return f"{len(found)} rows in {path} in place of {len(before)}{lost}"


def _cell(row: Row) -> str:
    """The coordinates as text."""
    return " ".join(f"{key}={value}" for key, value in row["cell"].items())


def of_study(name: str) -> list[Row]:
    """The newest record of each cell and repetition of a study in WEFT_RUNS, oldest first.

    Raises UsageError where there is none, or where one was made on another machine than this.
    """
    lines = headlines(record.all_records(settings.runs()), name)
    if not lines:
        raise UsageError(f"no run in {settings.runs()} belongs to a study {name!r}", hint="weft run it first")
    ordered = sorted(lines, key=lambda line: line.created)
    newest = {(tuple(line.coordinates.items()), line.size, line.repeat): line for line in ordered}
    return [{**_row(line), **_failed(line, ordered)} for line in newest.values()]


def _failed(line: Headline, every: Sequence[Headline]) -> Row:
    """How many INVALID runs of the same spec and repetition a run replaces; nothing where there are none."""
    before = failed_before(line, every)
    return {FAILED_BEFORE: before} if before else {}


def _row(line: Headline) -> Row:
    stored = record.read(Path(line.directory))
    head = stored.head
    summary = summarize(stored)
    line = replace(line, explanation=summary.explanation, operations=operations(stored.directory))
    if head.host != os.uname().nodename:
        raise UsageError(
            f"{line.id} was made on another machine", hint="collect the rows where the study ran"
        )
    values = {of: found[0] for of in MEASURES if (found := measured(line, of))}
    profile = summary.profile.columns if summary.profile else {}
    parts = line.explanation.rows(categories=line.explanation.sampled) if line.explanation else {}
    return {
        "run": line.id,
        "cell": dict(line.coordinates),
        "repeat": line.repeat,
        "machine": rows.machine(),
        "time": line.created,
        "commit": head.commit,
        **line.control,
        "verdict": line.verdict,
        **({"reason": line.reason} if line.reason else {"checked_by": head.checked_by}),
        "asked": _without_paths(tomllib.loads((stored.folder / "spec.toml").text())),
        "phases": dict(line.phases),
        "size": line.size,
        "cores": sum(node.cores for node in resolved.of_record(stored).nodes),
        "measures": _rounded(values),
        "facts": _facts(line.facts),
        "parts": _rounded({part: taken for part, taken in parts.items() if abs(taken) >= _NOTHING}),
        "sentence": line.explanation.sentence if line.explanation else "",
        "profile": _rounded(profile),
    }


def _without_paths(value: Any) -> Any:
    """What was asked for, with names of files in place of paths."""
    match value:
        case dict():
            return {key: _without_paths(each) for key, each in value.items()}
        case list():
            return [_without_paths(each) for each in value]
        case str() if value.startswith("/"):
            return Path(value).name
    return value


def _facts(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Values and a few numbers; of a run's queries, their checksums as one."""
    plain = {key: _rounded(value) for key, value in facts.items() if _plain(value)}
    sums = [str(query["checksum"]) for query in facts.get("queries", ()) if "checksum" in query]
    return {**plain, **({"checksum": " ".join(sums)} if sums else {})}


def _plain(value: Any) -> bool:
    """Whether it is a value, or a few numbers such as the quantiles of a distribution."""
    few = (
        isinstance(value, list)
        and len(value) <= _FEW
        and all(isinstance(each, (int, float)) for each in value)
    )
    return few or isinstance(value, (int, float, str, bool))


def _rounded(value: Any) -> Any:
    """Five significant digits, which is more than any of them has."""
    if isinstance(value, Mapping):
        return {key: _rounded(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_rounded(each) for each in value]
    return float(f"{value:.5g}") if isinstance(value, float) else value
