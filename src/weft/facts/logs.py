"""The logs of all engines. Apart from their other facts, because tables take long to import."""

from importlib import import_module

from weft.facts import engines
from weft.facts.joblog import JobLog


def of(engine: str) -> JobLog | None:
    """The log of an engine; None if it leaves none."""
    module = engines.of(engine).log
    log: JobLog | None = import_module(module).LOG if module else None
    return log


def every() -> dict[str, JobLog]:
    """By engine: its log, of all that leave one."""
    return {name: log for name in engines.ALL if (log := of(name))}
