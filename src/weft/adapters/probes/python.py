"""What workers of PySpark did for each task, from inside: the job's code, the exchange of rows with the JVM, start and imports.

Python itself runs weft's module at its start, where PYTHONPATH leads to it; only in a worker does it do something: a thread looks at
the worker's stack 20 times a second, and writes a line when a task ends.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from weft.adapters.probes import pythonworkers
from weft.adapters.probes.base import Probe, Source
from weft.layout.plan import COMPONENT, COMPONENTS, Layout

FOLDER = "python"
"""The record's folder of the lines: NODE/COMPONENT/PID.jsonl, by the JVM that the workers belong to."""

_BLIND = (
    "workers that are killed, a task that fails, programs whose own PYTHONPATH hides weft's module; which of Python's threads other than the"
    " main one did what"
)


class PythonProbe(Probe):
    """A module in each Python worker; needs no privilege."""

    name: ClassVar[str] = "python"
    sources: ClassVar[Mapping[str, Source]] = {
        "python": Source(
            "s", "the worker's stack each 50 ms, with its main thread's schedstat", _BLIND, "run"
        )
    }

    by_node: ClassVar[Sequence[str]] = (pythonworkers.LINES,)

    def environment(self, layout: Layout) -> Mapping[str, Mapping[str, str]]:
        return {
            node.name: pythonworkers.variables(
                node, pythonworkers.LINES, str(layout.record / FOLDER / node.name / COMPONENT)
            )
            for node in layout.all_nodes
        }

    def directories(self, layout: Layout) -> Mapping[str, Sequence[Path]]:
        folder = layout.record / FOLDER
        return {node.name: [folder / node.name / part for part in COMPONENTS] for node in layout.all_nodes}

    def missing(self, layout: Layout) -> str | None:  # noqa: ARG002 - it depends on weft's own directory alone
        if not Path("/proc/self/schedstat").exists():
            return "/proc/PID/schedstat does not exist in this kernel"
        return pythonworkers.missing()
