"""Prints the table of docs/guide/workloads.md: who checks each workload, what it reads, and which wrong results it is tested to refuse.

usage: PYTHONPATH=src tools/python requirements.lock -P tools/checkers.py
"""

import re
from collections.abc import Iterator

from weft.adapters.workloads import KINDS
from weft.adapters.workloads.base import Checker
from weft.host import settings

MUTANTS = settings.SOURCE / "java" / "core" / "src" / "main" / "java" / "io" / "weft" / "core"
HEAD = ("workloads", "checked by", "which reads", "wrong results that it is tested to refuse")
_WITHOUT = " without "
_CONSTANT = re.compile(r"^    ([A-Z_]+)[,;]$", re.MULTILINE)


def table() -> Iterator[str]:
    """A row for each checker, with all workloads that it checks."""
    of: dict[Checker, list[str]] = {}
    for name, kind in KINDS.items():
        if kind.checker:
            of.setdefault(kind.checker, []).append(name)
    yield _row(*HEAD)
    yield "|---|---|---|---|"
    for checker, names in of.items():
        wrong = "; ".join(word for mutant in checker.mutants for word in _words(mutant))
        yield _row(", ".join(f"`{name}`" for name in names), f"`{checker.program}`", checker.reads, wrong)


def _words(mutant: str) -> list[str]:
    """What a mutant does; of a set of them, the names of all."""
    if not is_set(mutant):
        return [mutant]
    return [f"{enum(mutant)}: {', '.join(name.lower().replace('_', ' ') for name in constants(mutant))}"]


def enum(mutant: str) -> str:
    """The Java enum of a set."""
    return mutant.partition(_WITHOUT)[0]


def constants(mutant: str) -> list[str]:
    """What of its Java enum a set has."""
    text = (MUTANTS / f"{enum(mutant)}.java").read_text(encoding="utf-8")
    return [name for name in _CONSTANT.findall(text) if name != mutant.partition(_WITHOUT)[2]]


def is_set(mutant: str) -> bool:
    """Whether it is the name of a Java enum."""
    return mutant[0].isupper()


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    print("\n".join(table()))
