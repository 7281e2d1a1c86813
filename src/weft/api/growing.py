"""How a measured job grows: its workload is asked what its run would be planned with on other slots and with other data.

The numbers are options of its job and of what makes its input, on the sketch of a node with all the slots.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from weft.adapters.workloads import KINDS
from weft.adapters.workloads.base import Prepared, Workload
from weft.analysis.predict import projection
from weft.analysis.predict.projection import Recorded
from weft.analysis.predict.target import AskedTasks, Growth
from weft.errors import UsageError
from weft.facts import engines
from weft.facts.roles import ROLES
from weft.host import signals
from weft.layout.node import Node
from weft.layout.places import Place
from weft.layout.plan import Layout
from weft.record.record import Stored

TASKS = ("--partitions", "--tasks", "--mappers", "--reducers", "--reduce-tasks")
"""Options of jobs that are numbers of tasks."""
_FILES = "--parts"
_INPUT = "--input"
_SUMS = [{"checksum": "0", "hash": "0", "rows": 0}]
"""In place of what the programs that make the input will report."""
_MEMORY = 64 << 30


@signals.prompt()
def read(stored: Stored) -> Recorded:
    """A record as predictions start from it, with how it grows. Raises UsageError that names what it lacks."""
    found = projection.read(stored)
    table, cores = found.spec.get("workload"), found.processors
    # the workload of a log is the name of its application, which may be one of weft's
    growth = of(
        table if isinstance(table, Mapping) and stored.head.imported is None else {},
        found.work.engine,
        cores / found.work.slots if cores else 1.0,
    )
    return replace(found, growth=growth)


def of(table: Mapping[str, Any], engine: str, cores: float = 1.0) -> Growth:
    """How a workload grows on an engine. `table`: its keys, as a record has them; one that is not known asks for nothing.
    `cores`: of a node, which workloads count, for each slot of the engine. Raises UsageError if its time follows from no work."""
    whole = (1,) if engines.of(engine).pipelined else ()
    try:
        workload = KINDS.read(dict(table)).measured
    except ValueError:
        return Growth(per_slot=whole)
    if workload is None:
        raise UsageError(
            "a persistent cluster lasts until somebody ends it, wherever it runs",
            hint="measure a run on it with `weft run --to`, and predict from that",
        )
    if workload.own_program is not None:
        return Growth(per_slot=whole)
    if workload.unpredicted:
        raise UsageError(
            f"{workload.kind} is not predicted: {workload.unpredicted}",
            hint="predict from a run of another workload",
        )
    options = _options(workload, _sketch(1, engine))

    @cache
    def asked(slots: int, size: float) -> AskedTasks:
        return _asked(_sized(workload, size), _sketch(round(slots * cores), engine))

    reads = _INPUT in options
    return Growth(
        asked,
        # an engine that makes splits of an input itself makes one for each slot at least
        (1,) if reads else whole,
        each=workload.own_data,
        # without an input all stages are of data that the tasks make
        all_stages=not reads and any(name in options for name in TASKS),
        key=workload.tasks_key,
    )


def _sized(workload: Workload, size: float) -> Workload:
    """With as much data, where a key says how much; what would be too little for it stays as it is."""
    key, value = next(iter(workload.amount.items()), ("", 0.0))
    if not key or not size or size == value:
        return workload
    asked = round(size) if isinstance(value, int) else size
    try:
        return type(workload).model_validate({**workload.model_dump(), key: asked})
    except ValueError:
        return workload


def _asked(workload: Workload, layout: Layout) -> AskedTasks:
    options = _options(workload, layout)
    tasks = tuple(int(options[name]) for name in TASKS if options.get(name, "").isdigit())
    made = [_words(command.argv) for command in workload.prepare(layout)]
    files = next((int(words[_FILES]) for words in made if _FILES in words), 0)
    return AskedTasks(tasks, files if _INPUT in options else 0, workload.amount.get("size", 0.0))


def _options(workload: Workload, layout: Layout) -> dict[str, str]:
    return _words(workload.job(Prepared(layout, _SUMS)).arguments)


def _words(arguments: Sequence[str]) -> dict[str, str]:
    """By option: the word after it."""
    return {name: value for name, value in pairwise(map(str, arguments)) if name.startswith("--")}


def _sketch(slots: int, engine: str) -> Layout:
    """All slots on a node that is not there: a workload asks how many there are, and not where."""
    node, nowhere = Node("node1", "127.0.0.1", max(1, slots), _MEMORY, Path("sketch")), Path("sketch")
    places = {role: Place("sketch", "", {node.name: "/sketch"}, shared=True) for role in ROLES}
    found: defaultdict[str, Path] = defaultdict(lambda: nowhere)
    return Layout("sketch", [node], places, nowhere, nowhere, nowhere, found, found, engine=engine)
