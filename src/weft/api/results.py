"""What records say: where the time of a run went, and how runs compare."""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from weft.analysis.compare import study as studies
from weft.analysis.compare.compare import Comparison
from weft.analysis.compare.compare import compare as compared
from weft.analysis.compare.headline import headlines
from weft.analysis.compare.reference import Change, change
from weft.analysis.explain.timeparts import Explanation
from weft.analysis.summary.gather import summarize
from weft.analysis.summary.summary import Earlier, Summary
from weft.api import advice
from weft.errors import UsageError
from weft.facts.jobmetrics import JobMetrics
from weft.host import settings, signals
from weft.record import history, record
from weft.record.head import created
from weft.record.record import Stored
from weft.record.selection import Selection, moment
from weft.run.imports.importing import import_log
from weft.spec.study import folder_name
from weft.text.units import parse_duration


@signals.prompt()
def summary_of(
    stored: Stored, metrics: JobMetrics | None = None, others: Sequence[Stored] | None = None
) -> Summary:
    """Everything that a report says of a record, with what to try first and the same run before.

    Its job metrics may be read already, and so may the other records.
    """
    known = record.all_records(settings.runs()) if others is None else others
    found = summarize(stored, metrics).model_copy(update={"before": _before(stored, known)})
    if found.explanation is None or found.explanation.no_gain or found.verdict == "RUNNING":
        return found
    trying = advice.of(stored, found.explanation).first
    return found.model_copy(
        update={"explanation": found.explanation.model_copy(update={"trying": trying, "decided": True})}
    )


def _before(stored: Stored, others: Sequence[Stored]) -> Earlier | None:
    found = history.before(others, stored)
    if found is None:
        return None
    known = {name: getattr(found.head, name) for name in Earlier.model_fields}
    return Earlier(**{**known, "id": found.directory.name, "verdict": found.verdict})


def recorded(run: str) -> tuple[Stored, bool]:
    """A record by its name; or that of a log (event log, job history, archive), and whether it was made of it just now."""
    path = Path(run)
    if not _is_log(path):
        return record.find(settings.runs(), run), False
    changed = max(each.stat().st_mtime for each in (path, *(path.iterdir() if path.is_dir() else ())))
    for stored in reversed(record.all_records(settings.runs())):
        same = (stored.head.imported or {}).get("log") == str(path.resolve())
        if same and changed <= (created(stored.head.created) or 0.0):
            return stored, False
    return import_log(path, settings.runs()), True


def _is_log(path: Path) -> bool:
    with suppress(OSError):  # the name is too long for a path
        return path.exists() and not (path / "record.json").exists()
    return False


def explain(run: str = "last") -> Explanation:
    """Where a run's slot time went; also of a log, of which a record is made. Raises UsageError for a stream, and for a
    record without job metrics."""
    return explanation_of(summary_of(recorded(run)[0]))


def explanation_of(summary: Summary) -> Explanation:
    """The same of a run whose summary was made."""
    if summary.stream:
        raise UsageError(
            f"{summary.id} is a stream, which lasts as long as its schedule, however its slots are used",
            hint=f"weft explain {summary.id} names the operator that limits it; here it is summary.operators",
        )
    if summary.explanation is None:
        raise UsageError(
            f"the engine left no job metrics in {summary.id}",
            hint=f"weft report {summary.id} shows what was counted besides"
            if "engine" in summary.probes
            else "the probe engine keeps it: --probe engine",
        )
    return summary.explanation


def compare(runs: Sequence[str] = (), *, study: str = "") -> Comparison:
    """Two or more runs, or all runs of a study, grouped by their spec. Raises UsageError for fewer, and for both."""
    if study and runs:
        raise UsageError(f"{runs[0]} and --study are two comparisons", hint="omit one of them")
    return of_study(study) if study else _of_runs(runs)


def against(runs: Sequence[str], reference: str, slower: float) -> Change:
    """Whether runs are slower than a reference by more than a share, such as 0.1.

    A run is the name of a record, `label:WORD`, or `since:TIME`; the reference also `older:TIME` (of the same spec as the
    newest of the runs), or a time such as 42.5s.
    """
    chosen = [stored for name in runs for stored in _meant(name)]
    if not chosen:
        raise UsageError(f"no record fits {', '.join(runs)}", hint="`weft runs` lists every run")
    newest = max(chosen, key=lambda stored: stored.head.begun)
    given = None if ":" in reference else _time(reference)
    if given is not None and given <= 0:
        raise UsageError(f"the reference {reference} is no time of a run", hint="write one such as 42s")
    before = [] if given is not None else _meant(reference, newest.head.key)
    if given is None and not before:
        raise UsageError(f"no record fits the reference {reference}", hint="`weft runs` lists every run")
    # a label or a time may also have runs of other specs
    every = {stored.directory.resolve(): stored for stored in chosen}.values()
    named = [stored for stored in every if stored.head.key == newest.head.key]
    others = [stored.directory.name for stored in every if stored.head.key != newest.head.key]
    return change(headlines(named), headlines(before), given, slower, others)


def _meant(name: str, key: str = "") -> list[Stored]:
    """The records that a name stands for; with a key, those of one spec if there are several."""
    kind, _, value = name.partition(":")
    if kind not in {"label", "since", "older"} or not value:
        return [record.find(settings.runs(), name)]
    try:
        at = None if kind == "label" else moment(value)
    except ValueError as error:
        raise UsageError(f"{name}: {error}", hint=f"write {kind}:7d, or {kind}:2026-01-31") from error
    wanted = Selection(
        label=value if kind == "label" else "",
        since=at if kind == "since" else None,
        before=at if kind == "older" else None,
    )
    found = wanted.of(record.all_records(settings.runs()))
    # a log has no spec, so that no other run is of the same
    same = [stored for stored in found if key and stored.head.key == key]
    return same if kind == "older" or same else found


def _time(text: str) -> float | None:
    """A time that is written with its unit."""
    with suppress(ValueError):
        return None if text.replace(".", "", 1).isdigit() else parse_duration(text)
    return None


def of_study(name: str) -> Comparison:
    """All runs of a study, by its name or its folder. Raises UsageError where there is none."""
    folder = Path(name) if Path(name, "study.toml").exists() else settings.studies() / name
    known, last = record.all_records(settings.runs()), folder_name(folder)
    # that of a workload with a path has slashes
    for one in (name, last):
        if one and (lines := headlines(known, one)):
            return studies.of_study(lines, one, folder)
    raise UsageError(
        f"no run in {settings.runs()} belongs to a study {last!r}", hint="`weft runs` lists every run"
    )


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
