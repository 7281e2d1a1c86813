"""Converts records of older schemas to the current one: pure functions of the contents of a record's JSON file.

A change of the schema adds 1 to SCHEMA and a step here; `tests/unit/records` has a record of each older schema.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Mapping
from contextlib import suppress
from fnmatch import fnmatchcase
from typing import Any

from weft.facts.checked import JOB, PROGRAM
from weft.text.units import parse_size

SCHEMA = 6
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
        if file == "record.json":
            found["schema"] = number + 1
    return found


def _head_2(head: Table) -> dict[str, Any]:
    """Adds who checked the result; renames the workload of a persistent cluster."""
    kind = str(head.get("workload"))
    who = (JOB if kind in _JOBS else PROGRAM) if head.get("verdict") == "VALID" else ""
    return {**head, "workload": _RENAMED.get(kind, kind), "checked_by": who}


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
    return {"security": "full", "unsecured": "", **head}


def _resolved_3(resolved: Table) -> dict[str, Any]:
    """Adds the keys of the spec that had no other value."""
    spec = resolved.get("spec")
    if not isinstance(spec, Mapping):
        return dict(resolved)
    return {**resolved, "spec": {"security": "full", "class_archives": True, **spec}}


_SCRATCH = 4
"""The first schema in which the role of shuffle and spill files has the name of its flag."""


def role(name: str, schema: int) -> str:
    """A role by its name in a record of this schema."""
    return "scratch" if name == "shuffle" and schema < _SCRATCH else name


LABELLED = 5
"""The first schema whose counters have columns for what their names held before."""
_FILES = r"(?P<path_class>[^.]+)\.(?P<operation>[^.]+)\.(?P<what>\w+)(\.(?P<floor>\d+))?"
_DOTTED = (
    rf"(?P<family>fileops)\.{_FILES}",
    rf"(?P<family>threadops)\.(?P<thread>[^.]+)\.{_FILES}",
    r"(?P<family>threads)\.(?P<thread>[^.]+)\.(?P<what>\w+)(\.(?P<operation>\w+))?",
    r"(?P<family>lustre)\.(?P<path_class>[^.]+)\.(?P<layer>\w+)\.(?P<operation>\w+)\.(?P<what>\w+)",
    r"(?P<family>dvs)\.(?P<path_class>.+)\.(?P<operation>\w+)\.(?P<what>\w+)",
)
"""Counters before schema 5, whose names held what columns hold now."""


def with_labels(name: str, schema: int) -> tuple[str, str, str, str, str]:
    """A counter of a record of an older schema: its name, kind of thread, path class, operation and histogram's floor."""
    match = next(filter(None, (re.fullmatch(one, name) for one in _DOTTED)), None)
    if match is None:
        return (name, "", "", "", "")
    of = defaultdict(str, match.groupdict(""))
    own = ".".join(filter(None, (of["family"], of["layer"], of["what"])))
    return (own, of["thread"], role(of["path_class"], schema), of["operation"], of["floor"])


def _by_role(table: Table, *keys: str) -> dict[str, Any]:
    """The same with the present names of roles in the tables of these keys."""
    named = {key: found for key in keys if isinstance(found := table.get(key), Mapping)}
    return {**table, **{key: {role(name, 3): one for name, one in by.items()} for key, by in named.items()}}


def _resolved_4(resolved: Table) -> dict[str, Any]:
    found = {**_by_role(resolved, "places"), "derived": _derived_4(resolved)}
    place = found["places"].get("scratch") if isinstance(found.get("places"), Mapping) else None
    if isinstance(place, Mapping):
        found["places"]["scratch"] = _emulated_4(place)
    return found


def _derived_4(resolved: Table) -> dict[str, Any]:
    """Figures by engine; all were text, and those of several engines began with its name."""
    found: dict[str, dict[str, Any]] = {}
    texts = resolved.get("derived")
    for key, value in texts.items() if isinstance(texts, Mapping) else ():
        who, _, name = str(key).rpartition(": ")
        of, text = found.setdefault(who or "engine", {"notes": {}}), str(value)
        if name == "slots" and text.isdigit():
            of["slots"] = int(text)
        elif name == "executor heap":
            with suppress(ValueError):
                of["executor_heap"] = parse_size(text.replace(" ", ""))
        else:
            of["notes"][name] = text
    return found


def _emulated_4(place: Table) -> dict[str, Any]:
    """Renames the role in the sentence that says that a file system is emulated."""
    return {
        **place,
        "emulated": str(place.get("emulated", "")).replace("the shuffle file", "the scratch file"),
    }


def _calibration_4(table: Table) -> dict[str, Any]:
    return _by_role(table, "roles", "refused")


def _fileops_4(node: Table) -> dict[str, Any]:
    processes = node.get("processes")
    found = processes if isinstance(processes, list) else []
    return {**node, "processes": [_process_4(process) for process in found]}


def _process_4(process: Table) -> dict[str, Any]:
    threads = process.get("threads")
    renamed = _by_role(threads, *threads) if isinstance(threads, Mapping) else {}
    return {**_by_role(process, "classes"), **({"threads": renamed} if renamed else {})}


def _sources_5(sources: Table) -> dict[str, Any]:
    """One source for all that a counter tells apart."""
    return {with_labels(name.replace(".*", ""), 4)[0]: words for name, words in sources.items()}


_LUSTRE = re.compile(r"\b(delayed:|profile )lustre(?![\w-])")
"""The emulated Lustre before schema 6, in the short form of a storage and in sentences."""


def _older_lustre(value: Any) -> Any:
    """Everything with the present name of the profile, as text or as a table."""
    if isinstance(value, str):
        return _LUSTRE.sub(r"\1lustre-2014", value)
    if isinstance(value, list):
        return [_older_lustre(one) for one in value]
    if not isinstance(value, Mapping):
        return value
    found = {key: _older_lustre(one) for key, one in value.items()}
    if found.get("kind") == "delayed" and found.get("profile") == "lustre":
        found["profile"] = "lustre-2014"
    return found


def _head_6(head: Table) -> dict[str, Any]:
    """Renames the profile, whose figures changed; a key that was of its spec is not that of a new spec with the same text."""
    keys = ("input", "output", "scratch", "cell")
    found = {**head, **{key: _older_lustre(head[key]) for key in keys if key in head}}
    return found if found == head else {**found, "key": f"{head.get('key')}-2014"}


def _table_6(table: Table) -> dict[str, Any]:
    return dict(_older_lustre(table))


STEPS: Mapping[int, Mapping[str, Step]] = {
    1: {
        "record.json": _head_2,
        "resolved.json": _resolved_2,
        "sources.json": _sources_2,
        "fileops/*.json": _fileops_2,
    },
    2: {"record.json": _head_3, "resolved.json": _resolved_3},
    3: {
        "resolved.json": _resolved_4,
        "calibration.json": _calibration_4,
        "fileops/*.json": _fileops_4,
        "lustre/*.json": _emulated_4,
    },
    4: {"sources.json": _sources_5},
    5: {
        "record.json": _head_6,
        **dict.fromkeys(("resolved.json", "calibration.json", "lustre/*.json"), _table_6),
    },
}
"""By schema, and by file of the record: the conversion to the next schema."""
