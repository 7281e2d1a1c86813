"""The purpose of a JVM's thread, from its program and its name. The rules are data: `threads/*.toml`."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

OTHER = "other"
KINDS = ("task", "server", "collector", "compiler", OTHER)

_ENGINES = ("spark", "mapreduce", "flink", "tez")


@dataclass(frozen=True)
class Rules:
    """Name prefixes by kind, for the programs of one engine."""

    programs: tuple[str, ...]
    """Main classes, without their packages, of the processes in which tasks run."""
    kinds: Mapping[str, tuple[str, ...]]
    rest: str = OTHER
    """The kind of a name that matches no rule: Flink's tasks have names from the user's program."""


def kind(program: str, name: str) -> str:
    """The kind of a thread, from its process's main class and the thread name in the kernel."""
    own = _of_program(program)
    for rules in (_rules("hotspot"), *([own] if own else [])):
        for found, beginnings in rules.kinds.items():
            if name.startswith(beginnings):
                return found
    return own.rest if own else OTHER


def runs_tasks(program: str) -> bool:
    """Whether an engine runs its tasks in processes of this main class."""
    return _of_program(program) is not None


def call(number: int, machine: str) -> str:
    """The category of a system call number on a machine (`uname -m`)."""
    return _calls(machine).get(number, OTHER)


def preload_rules() -> str:
    """The same rules for the preload library (WEFT_COUNT_THREADS): the first that matches applies."""
    rules = [f"{name}={start}" for name, starts in _rules("hotspot").kinds.items() for start in starts]
    for own in map(_rules, _ENGINES):
        for program in own.programs:
            rules += [f"{name}@{program}={start}" for name, starts in own.kinds.items() for start in starts]
            rules += [f"{own.rest}@{program}"] if own.rest != OTHER else []
    return ":".join(rules)


@cache
def _of_program(program: str) -> Rules | None:
    return next((rules for rules in map(_rules, _ENGINES) if program in rules.programs), None)


@cache
def _rules(engine: str) -> Rules:
    table = tomllib.loads(_text(engine))
    kinds = {name: tuple(beginnings) for name, beginnings in table["kinds"].items()}
    return Rules(tuple(table["programs"]), kinds, table.get("rest", OTHER))


@cache
def _calls(machine: str) -> Mapping[int, str]:
    table = tomllib.loads(_text("calls")).get(machine, {})
    return {number: name for name, numbers in table.items() for number in numbers}


def _text(name: str) -> str:
    return (resources.files("weft.record") / "threads" / f"{name}.toml").read_text(encoding="utf-8")


PROGRAMS = frozenset(program for engine in _ENGINES for program in _rules(engine).programs)
"""Main classes of the processes in which tasks run."""
