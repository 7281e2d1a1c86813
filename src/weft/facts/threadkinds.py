"""The purpose of a thread, from its program and its name. The rules are data: `engines/*/rules.toml`."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from weft.facts import rules

OTHER = "other"
FETCH = "fetch"
"""Threads of a task that fetch blocks for it."""
PYTHON = "python"
KINDS = ("task", FETCH, "server", "collector", "compiler", PYTHON, OTHER)
PYTHON_MODULES = ("pyspark.daemon", "pyspark.worker")
"""Modules that Python runs in a worker of PySpark, in which functions of tasks run, and in the daemon that forks them."""
PYTHON_WORKER = "PythonWorker"
"""What such a process is called. All its threads are alike."""


@dataclass(frozen=True)
class Rules:
    """Name prefixes by kind, for the programs of one engine."""

    programs: tuple[str, ...]
    """Main classes, without their packages, of the processes in which tasks run."""
    kinds: Mapping[str, tuple[str, ...]]
    named: tuple[str, ...] = ()
    """Expressions for the words by which the engine calls a process, in its command line."""
    titled: bool = False
    """Whether such a process has its program's name as that of its first thread alone: its command line does not have it."""
    rest: str = OTHER
    """The kind of a name that matches no rule: Flink's tasks have names from the user's program."""


def kind(program: str, name: str) -> str:
    """The kind of a thread, from its process's main class and the thread name in the kernel."""
    if program == PYTHON_WORKER:
        return PYTHON
    own = _of_program(program)
    for each in (_hotspot(), *([own] if own else [])):
        for found, beginnings in each.kinds.items():
            if name.startswith(beginnings):
                return found
    return own.rest if own else OTHER


def called(program: str, command: str) -> str:
    """What the engine calls a process that runs tasks, from its command line; empty where that does not say it."""
    own = _of_program(program)
    found = [re.search(each, command) for each in own.named] if own else []
    return " ".join(match[1] for match in found if match) if all(found) else ""


def runs_tasks(program: str) -> bool:
    """Whether an engine runs its tasks in processes of this main class."""
    return _of_program(program) is not None


def titled(name: str) -> bool:
    """Whether a process whose first thread has this name is one in which an engine runs tasks, whatever its command line is."""
    own = _of_program(name)
    return own is not None and own.titled


def programs() -> frozenset[str]:
    """Main classes of the processes in which tasks run."""
    return frozenset(program for own in _engines() for program in own.programs)


def call(number: int, machine: str) -> str:
    """The category of a system call number on a machine (`uname -m`)."""
    return _calls(machine).get(number, OTHER)


def several(number: int, machine: str) -> str:
    """How a system call that waits for any of several descriptors is given them: poll, select, epoll; empty for others."""
    return _several(machine).get(number, "")


def preload_rules() -> str:
    """The same rules for the preload library (WEFT_COUNT_THREADS): the first that matches applies.

    It has room for six kinds; to it, threads that fetch are servers: what they call is not the task's.
    """
    found = [f"{name}={start}" for name, starts in _hotspot().kinds.items() for start in starts]
    found += [f"{PYTHON}@{module}" for module in PYTHON_MODULES]
    for own in _engines():
        for program in own.programs:
            # names of threads that no other program has need no program
            of = "" if own.titled else f"@{program}"
            found += [
                f"{'server' if name == FETCH else name}{of}={start}"
                for name, starts in own.kinds.items()
                for start in starts
            ]
            found += [f"{own.rest}@{program}"] if own.rest != OTHER else []
    return ":".join(found)


@cache
def _of_program(program: str) -> Rules | None:
    return next((own for own in _engines() if program in own.programs), None)


@cache
def _engines() -> Sequence[Rules]:
    return [_read(table["threads"]) for table in rules.of_engines()]


@cache
def _hotspot() -> Rules:
    return _read(rules.shared(rules.HOTSPOT)["threads"])


def _read(table: Mapping[str, Any]) -> Rules:
    kinds = {name: tuple(beginnings) for name, beginnings in table["kinds"].items()}
    programs, named = (tuple(table.get(key, ())) for key in ("programs", "named"))
    return Rules(programs, kinds, named, table.get("titled", False), table.get("rest", OTHER))


@cache
def _calls(machine: str) -> Mapping[int, str]:
    return _by_number(rules.shared(rules.CALLS).get(machine, {}))


@cache
def _several(machine: str) -> Mapping[int, str]:
    return _by_number(rules.shared(rules.CALLS)["several"].get(machine, {}))


def _by_number(table: Mapping[str, Any]) -> Mapping[int, str]:
    return {number: name for name, numbers in table.items() for number in numbers}
