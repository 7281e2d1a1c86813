"""Converts records of older schemas to the current one: pure functions of the contents of a record's JSON file.

A change of the schema adds 1 to SCHEMA and a step here; `tests/unit/records` has a record of each older schema.
"""

from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase
from typing import Any

SCHEMA = 3
"""The schema that this weft writes."""

Table = Mapping[str, Any]
Step = Callable[[Table], dict[str, Any]]

_JOBS = frozenset(
    {"teracount", "file-open", "scheduling-throughput", "aggregate-by-key", "aggregate-by-key-int"}
    | {"aggregate-by-key-naive", "sort-by-key", "sort-by-key-int", "count", "count-with-filter"}
)
"""Workloads of schema 1 whose job checked its own result."""
_RENAMED = {"standing": "persistent"}


def migrated(file: str, table: Table, schema: int) -> dict[str, Any]:
    """A file of a record of an older schema, converted step by step to the current one."""
    found = dict(table)
    for number in range(schema, SCHEMA):
        for pattern, step in STEPS[number].items():
            if fnmatchcase(file, pattern):
                found = step(found)
    return found


def _head_2(head: Table) -> dict[str, Any]:
    """Adds who checked the result; renames the workload of a persistent cluster."""
    kind = str(head.get("workload"))
    if head.get("verdict") == "VALID":
        who = "the job against the generator's formula" if kind in _JOBS else "an independent program"
    else:
        who = ""
    return {**head, "schema": 2, "workload": _RENAMED.get(kind, kind), "checked_by": who}


def _resolved_2(resolved: Table) -> dict[str, Any]:
    spec = resolved.get("spec")
    workload = spec.get("workload") if isinstance(spec, Mapping) else None
    if not isinstance(spec, Mapping) or not isinstance(workload, Mapping):
        return dict(resolved)
    kind = workload.get("kind")
    return {**resolved, "spec": {**spec, "workload": {**workload, "kind": _RENAMED.get(str(kind), kind)}}}


def _sources_2(sources: Table) -> dict[str, Any]:
    """Adds that file operations were counted from the run's first process on."""
    return {
        name: {**words, "since": "run"}
        if name.startswith("fileops.") and isinstance(words, Mapping)
        else words
        for name, words in sources.items()
    }


def _fileops_2(node: Table) -> dict[str, Any]:
    """Removes the programs that put processes into virtual nodes."""
    processes = node.get("processes")
    if not isinstance(processes, list):
        return dict(node)
    return {"processes": [one for one in processes if not str(one.get("program")).endswith("/nsenter")]}


def _head_3(head: Table) -> dict[str, Any]:
    """Adds whether the run's processes authenticated each other: there was no other choice."""
    return {"security": "full", "unsecured": "", **head, "schema": 3}


def _resolved_3(resolved: Table) -> dict[str, Any]:
    """Adds the keys of the spec that had no other value."""
    spec = resolved.get("spec")
    if not isinstance(spec, Mapping):
        return dict(resolved)
    return {**resolved, "spec": {"security": "full", "class_archives": True, **spec}}


STEPS: Mapping[int, Mapping[str, Step]] = {
    1: {
        "record.json": _head_2,
        "resolved.json": _resolved_2,
        "sources.json": _sources_2,
        "fileops/*.json": _fileops_2,
    },
    2: {"record.json": _head_3, "resolved.json": _resolved_3},
}
"""By schema, and by file of the record: the conversion to the next schema."""
