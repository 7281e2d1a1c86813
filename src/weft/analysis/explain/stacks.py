"""Sampled stacks of a run: by process and by side of the shuffle, and their CPU time by category.

A stack is what async-profiler writes: `[thread];root;...;leaf count`. A frame with a slash or a dot before its last
name is Java's, others are native. The rules are data, `facts/engines/*/rules.toml`: from the leaf towards the root, the first frame
that a rule names decides, unless one that decides for all that it calls is around it; what no rule names is shown as that.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from weft.analysis.explain.tasktime import total
from weft.analysis.explain.timeparts import Operation
from weft.analysis.read.part import Part
from weft.facts import rules
from weft.facts.threadkinds import PYTHON, PYTHON_WORKER, kind, runs_tasks
from weft.text.entry import Entry

SECONDS = 0.01
"""Processor seconds of one sample: the probe's interval."""
NO_RULE = "no rule"
BACKGROUND = "outside of tasks"
WORKERS = "Python workers"
_ACTIVITIES = {
    "user": "user code",
    "exchange": "exchange with Python",
    "imports": "Python imports",
    "init": "exchange with Python",
}
"""Category by what a Python worker says that it did, which stands where a JVM's stacks have their thread."""
OTHER = "other tasks"
"""The side of a task thread's stack that shows none, such as of what starts a task."""
CATEGORIES = (
    "sort", "partitioning", "serialisation", "iterator", "checksum", "compression", "network", "file system",
    "exchange with Python", "Python imports", "engine", "user code", "kernel", "jvm", "compiler", "collector", NO_RULE,
)  # fmt: skip
USER = "user code"
_UNMATCHED = 5
"""Frames without a rule that are named."""
_JAVA = re.compile(r"^[\w$]+/\S*\.[\w$<>]+|^[A-Z][\w$]*\.[\w$<>]+$")
_OF_PYTHON = ".python"
"""Ends the name of a Python worker's file, `PID.python.collapsed`."""
_THREAD = re.compile(r"^\[(.*?)(?: tid=\d+)?\]$")
_FIRST = ("main", "DestroyJavaVM")
"""Java's names of a JVM's first thread, which keeps the launcher's name in the kernel: `java`."""
_MAIN = re.compile(r"([\w$]+)\.main$")


@dataclass(frozen=True)
class Stack:
    """One stack of one thread, root first."""

    thread: str
    frames: tuple[str, ...]
    samples: int


@dataclass(frozen=True)
class JvmStacks:
    """A JVM's stacks."""

    node: str
    pid: str
    program: str
    """Main class without its package; empty if its main thread was never seen."""
    stacks: Sequence[Stack]

    def kind(self, stack: Stack) -> str:
        """The kind of the stack's thread: task, server, collector, compiler, other."""
        return kind(self.program, "java" if stack.thread in _FIRST else stack.thread)


class Profiled(Part):
    """Processor seconds by side and category of the processes in which tasks ran."""

    processes: int
    columns: Mapping[str, Mapping[str, float]]
    """By side of the tasks (map, reduce, or the engine's name for what runs), and last `beside the tasks`: seconds by category."""
    unmatched: Mapping[str, float] = {}
    """The most frequent leaf frames that no rule names, with their seconds."""

    def of_tasks(self) -> tuple[Operation, ...]:
        """Processor seconds of the tasks by category, most first, over all sides; samples are no calls."""
        of_sides = [column for side, column in self.columns.items() if side not in {BACKGROUND, WORKERS}]
        ranked = sorted(total(of_sides).items(), key=lambda item: -item[1])
        return tuple(Operation(name=name, seconds=round(seconds, 3), calls=0) for name, seconds in ranked)


def of_record(folder: Entry) -> Profiled | None:
    """The profile of a record; None where no stack was sampled."""
    found = profile(read(folder / "profile"))
    return found if found.processes else None


def read(directory: Entry) -> list[JvmStacks]:
    """The engine's processes of a record's folder of stacks, `NODE/engine/PID.collapsed`."""
    paths = directory.files("*/engine/*.collapsed")
    return [_process(path.parts[-3], path.stem, path.text()) for path in paths]


def _process(node: str, pid: str, text: str) -> JvmStacks:
    stacks = list(_parse(text))
    if pid.endswith(_OF_PYTHON):
        return JvmStacks(node, pid.removesuffix(_OF_PYTHON), PYTHON_WORKER, stacks)
    mains = [match[1] for stack in stacks for frame in stack.frames[:6] if (match := _MAIN.search(frame))]
    known = [name for name in mains if runs_tasks(name)]
    return JvmStacks(node, pid, next(iter(known or mains), ""), stacks)


def _parse(text: str) -> Iterator[Stack]:
    for line in text.splitlines():
        stack, _, count = line.rpartition(" ")
        first, *frames = stack.split(";")
        thread = _THREAD.match(first)
        if thread and count.isdigit():
            yield Stack(thread[1], tuple(frames), int(count))


def profile(processes: Sequence[JvmStacks]) -> Profiled:
    """The processes in which tasks ran, by side, and by category in the order of CATEGORIES."""
    samples: dict[str, Counter[str]] = {BACKGROUND: Counter()}
    unmatched: Counter[str] = Counter()
    counted = [each for each in processes if runs_tasks(each.program) or each.program == PYTHON_WORKER]
    for process in counted:
        for stack in process.stacks:
            kind_of = process.kind(stack)
            category = (
                _ACTIVITIES.get(stack.thread, NO_RULE) if kind_of == PYTHON else _in_jvm(kind_of, stack)
            )
            side = {"task": _side(stack), PYTHON: WORKERS}.get(kind_of, BACKGROUND)
            samples.setdefault(side, Counter())[category] += stack.samples
            if category == NO_RULE:
                unmatched[stack.frames[-1] if stack.frames else ""] += stack.samples
    columns = {
        side: {key: round(samples[side][key] * SECONDS, 3) for key in CATEGORIES if samples[side][key]}
        for side in sorted(
            samples, key=lambda side: (side == BACKGROUND, side == WORKERS, side == OTHER, side)
        )
    }
    most = {frame: count * SECONDS for frame, count in unmatched.most_common(_UNMATCHED)}
    return Profiled(processes=len(counted), columns=columns, unmatched=most)


def _in_jvm(kind_of: str, stack: Stack) -> str:
    return kind_of if kind_of in {"collector", "compiler"} else categorise(stack.frames)


def categorise(frames: Sequence[str]) -> str:
    """The category of a stack: of a frame that decides for all it calls, else of the first frame from its leaf that a rule names."""
    if around := next(filter(None, map(_around, frames)), None):
        return around
    for depth, frame in enumerate(reversed(frames)):
        if found := _category(frame, leaf=depth == 0):
            return found
    return NO_RULE  # a stack that was not walkable, or only of what every caller uses


def _side(stack: Stack) -> str:
    """By the frame that names it, such as ShuffleMapTask.runTask; otherwise the thread, as Flink names it."""
    for frame in stack.frames:
        for name, pattern in _rules().sides:
            if pattern.search(frame):
                return name
    return OTHER


@dataclass(frozen=True)
class _Rules:
    around: Sequence[tuple[str, re.Pattern[str]]]
    """That count anywhere in a stack; the outermost of them decides."""
    leaves: Sequence[tuple[str, re.Pattern[str]]]
    """That count for the leaf alone: calls of the C library that enter the kernel."""
    frames: Sequence[tuple[str, re.Pattern[str]]]
    sides: Sequence[tuple[str, re.Pattern[str]]]
    library: re.Pattern[str]
    """Packages that are not the user's."""
    passed: re.Pattern[str]
    """Primitives that all categories use: such a frame has the category of its caller."""


@cache
def _around(frame: str) -> str | None:
    return next((category for category, pattern in _rules().around if pattern.search(frame)), None)


@cache
def _category(frame: str, *, leaf: bool) -> str | None:
    known = _rules()
    if known.passed.search(frame):
        return None
    for category, pattern in (*known.leaves, *known.frames) if leaf else known.frames:
        if pattern.search(frame):
            return category
    # the JDK's own code is part of what its caller does
    return USER if _JAVA.search(frame) and not known.library.search(frame) else None


@cache
def _rules() -> _Rules:
    tables = [*rules.of_engines(), rules.shared(rules.HOTSPOT)]

    def all_of(key: str) -> list[tuple[str, re.Pattern[str]]]:
        return [
            (name, re.compile("|".join(patterns)))
            for table in tables
            for name, patterns in table.get(key, {}).items()
        ]

    # an engine's packages as a whole are what none of its own rules, and none of another engine's, names
    frames = sorted(all_of("frame"), key=lambda rule: rule[0] == "engine")
    return _Rules(
        all_of("around"),
        all_of("leaf"),
        frames,
        all_of("side"),
        _any(tables, "library"),
        _any(tables, "passed"),
    )


def _any(tables: Sequence[Mapping[str, Any]], key: str) -> re.Pattern[str]:
    return re.compile(
        "|".join(pattern for table in tables for pattern in table.get(key, {}).get("frames", []))
    )
