"""What records say: where the time of a run went, and how runs compare."""

from collections.abc import Sequence
from pathlib import Path

from weft.analysis.compare import study as studies
from weft.analysis.compare.compare import Comparison
from weft.analysis.compare.compare import compare as compared
from weft.analysis.compare.headline import headlines
from weft.analysis.explain.timeparts import Explanation
from weft.analysis.summary.gather import summarize
from weft.analysis.summary.summary import Summary
from weft.api import advice
from weft.errors import UsageError
from weft.facts.jobmetrics import JobMetrics
from weft.host import settings
from weft.record import record
from weft.record.record import Stored


def summary_of(stored: Stored, metrics: JobMetrics | None = None) -> Summary:
    """Everything that a report says of a record, with what to try first; its job metrics may be read already."""
    found = summarize(stored, metrics)
    if found.explanation is None or found.explanation.failed or found.verdict == "RUNNING":
        return found
    trying = advice.of(stored, found.explanation).first
    return found.model_copy(
        update={"explanation": found.explanation.model_copy(update={"trying": trying, "decided": True})}
    )


def explain(run: str = "last") -> Explanation:
    """Where a run's slot time went. Raises UsageError for a stream, and for a record without job metrics."""
    stored = record.find(settings.runs(), run)
    summary = summary_of(stored)
    if summary.stream:
        raise UsageError(
            f"{stored.directory.name} is a stream, which lasts as long as its schedule, however its slots are used",
            hint=f"weft show {stored.directory.name} shows latencies over time and what limited the rate",
        )
    if summary.explanation is None:
        raise UsageError(
            f"the engine left no job metrics in {stored.directory.name}",
            hint="the probe engine keeps it: --probe engine",
        )
    return summary.explanation


def compare(runs: Sequence[str] = (), *, study: str = "") -> Comparison:
    """Two or more runs, or all runs of a study, grouped by their spec. Raises UsageError for fewer."""
    return of_study(study) if study else _of_runs(runs)


def of_study(name: str) -> Comparison:
    """All runs of a study, by its name or its folder. Raises UsageError where there is none."""
    folder = Path(name) if Path(name, "study.toml").exists() else settings.studies() / name
    name = folder.resolve().name
    lines = headlines(record.all_records(settings.runs()), name)
    if not lines:
        raise UsageError(
            f"no run in {settings.runs()} belongs to a study {name!r}", hint="`weft runs` lists every run"
        )
    return studies.of_study(lines, name, folder)


def _of_runs(names: Sequence[str]) -> Comparison:
    found = {
        stored.directory.resolve(): stored
        for stored in (record.find(settings.runs(), name) for name in names)
    }
    if len(found) < 2:
        raise UsageError("a comparison needs at least two runs", hint="weft compare RUN RUN, or --study NAME")
    lines = studies.explained(headlines(list(found.values())))
    # repetitions of one spec that were named individually are compared individually
    return compared(lines, "comparison", each=len({line.key for line in lines}) == 1)
