"""Machines of which only the file system is known, from the figures that IO500 publishes of it."""

from dataclasses import replace

from weft.analysis.predict import emulated
from weft.analysis.predict.machine import Machine
from weft.facts.io500 import figures, percentiles, submissions
from weft.facts.io500.figures import Figures

_UNKNOWN = (
    "IO500 publishes nothing of the nodes: their cores, memory and links are taken as in the run, and each core as fast",
    "the rates are of a quiet, tuned machine, all of whose processes belong to the benchmark: a job's share is smaller",
)


def of_name(name: str) -> Machine:
    """The machine of a submission, or of a percentile of them. Raises UsageError if there is none, or its rates do not suffice."""
    percentile = percentiles.PERCENTILES.get(name)
    found = figures.of_percentile(*percentile) if percentile else figures.of_submission(submissions.of(name))
    return of_figures(f"{submissions.PREFIX}{name}", found)


def of_figures(name: str, found: Figures) -> Machine:
    """A machine whose file system has these figures; `--scratch mount:DIR` is on it, and its own name as well."""
    service, note = emulated.published(found.kind.name, found), found.kind.note
    return Machine(
        name,
        storages={found.kind.name: service, "mount": replace(service, name="mount")},
        unknown=(*_UNKNOWN, *([note] if note else [])),
    )
