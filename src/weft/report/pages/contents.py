"""The sections of a run's report, in the same order in every report, so that two can be compared."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import JsonValue

from weft.analysis.summary.summary import StageRow, Summary
from weft.report.draw.blocks import Bar, Block, Facts, Folded, Listing, Maker, Number, Section, Table, Words
from weft.report.sections import (
    counters,
    explain,
    flink,
    mapreduce,
    pauses,
    probes,
    profile,
    replay,
    stream,
    timeline,
)
from weft.text.numbers import amount, maybe, percent, seconds, size, text, times
from weft.text.units import show_seconds, show_size

_LEFT_BEHIND = "`weft ps` shows what it left behind on this machine, `weft clean` releases it"


def failure(summary: Summary) -> Section:
    """Why a run failed, the evidence or the last lines of the log that says so, and what to do."""
    if summary.verdict not in {"INVALID", "KILLED"}:
        return Section("failure", "Failure")
    blocks: list[Block] = []
    if summary.reason:
        blocks.append(Words(f"{summary.reason}.", "bad"))
    blocks += _evidence(summary)
    if hint := summary.hint or (_LEFT_BEHIND if summary.verdict == "KILLED" else ""):
        blocks.append(Words(f"hint: {hint}", "warn"))
    return Section("failure", "Failure", blocks)


def _evidence(summary: Summary) -> list[Block]:
    """The line that says why; without one, the end of the program's log."""
    if found := summary.evidence:
        pairs = [
            ("evidence", found.where),
            ("time", found.time),
            ("node", found.node),
            ("rule", found.rule or "none: the line is quoted"),
            ("says", found.excerpt),
        ]
        facts = Facts([(name, value) for name, value in pairs if value])
        lines = summary.around or summary.tail
        return [facts, *([Folded(f"Lines of {found.file}", "\n".join(lines), open=True)] if lines else [])]
    if summary.tail:
        return [Folded("Last lines of what failed", "\n".join(summary.tail), open=True)]
    ends = [log for log in summary.logs if log.first and log.tail]
    return [Folded(f"End of {log.path}", "\n".join(log.tail), open=True) for log in ends]


def what_was_run(summary: Summary) -> Section:
    """Workload, engine, nodes and the storage of each role."""
    blocks: list[Block] = []
    cell = ", ".join(f"{key} = {value}" for key, value in summary.coordinates.items())
    pairs = [
        ("workload", " of ".join(filter(None, [summary.workload, maybe(show_size, summary.size)]))),
        ("method", _method(summary.facts.get("method"))),
        ("engine", summary.engine_named),
        ("nodes", summary.nodes_asked),
        ("batch job", summary.batch_job),
        ("study", " ".join(filter(None, [summary.study, cell and f"({cell})"]))),
        *summary.derived.items(),
    ]
    blocks.append(Facts([(name, value) for name, value in pairs if value]))
    blocks.append(_places(summary))
    if summary.nodes:
        rows = [(n.name, n.address, amount(n.cores), maybe(show_size, n.memory)) for n in summary.nodes]
        blocks.append(Table(["node", "address", Number("cores"), Number("memory")], rows))
    if summary.limits:
        blocks.append(Listing([f"Limit of these nodes: {limit}" for limit in summary.limits], "quiet"))
    return Section("what", "What was run", blocks)


_METHODS: Mapping[str, str] = {
    "stock": "stock: the engine's own operators",
    "raw": "raw: weft's sorter, the limit of this engine's data path",
    "kryo": "kryo: sortByKey of Spark's RDDs",
    "own": "own: weft's blocks and messages",
    "graphx": "graphx: GraphX's operators",
}


def _method(name: JsonValue) -> str:
    return _METHODS.get(name, name) if isinstance(name, str) else ""


def _places(summary: Summary) -> Table:
    rows = [
        (place.role, place.storage, " - EMULATED: ".join(filter(None, [place.description, place.emulated])))
        for place in summary.places
    ]
    asked = [(role, storage, "") for role, storage in summary.storages.items()]
    return Table(["role", "storage", "description"], rows or asked)


def phases(summary: Summary) -> Section:
    """Phases as a bar; only the time of a valid run is a result."""
    if not summary.phases:
        return Section("phases", "Phases", unseen={"phases": "the record contains none"})
    parts = [
        (span.name + ("" if span.ended else " (cut off)"), span.seconds, show_seconds(span.seconds))
        for span in summary.phases
    ]
    blocks: list[Block] = [Bar(parts, next((name for name, _, _ in parts if name.startswith("run")), ""))]
    if summary.verdict != "VALID":
        blocks.append(
            Words("These are durations of a run without a checked result, not measurements.", "warn")
        )
    return Section("phases", "Phases", blocks)


def stages(summary: Summary) -> Section:
    """The engine's stages, one row per attempt."""
    if not summary.stages:
        why = _why_no_metrics(summary)
        return Section("stages", "Stages", unseen={"stages and tasks": why} if why else {})
    titles = ("tasks", "seconds", "median task", "p95", "longest", "skew", "CPU", "GC", "fetch wait",
              "spill", "shuffle in", "shuffle out", "input", "output")  # fmt: skip
    columns = ["stage", "name", *map(Number, titles)]
    note = (
        "CPU, GC and fetch wait are shares of the tasks' run time; skew is the longest task over the median one;"
        " spill is the data written to disk. Times and bytes are those of successful tasks."
    )
    if summary.stages_left_out:
        note += f" {summary.stages_left_out} later stages are not shown."
    return Section("stages", "Stages", [Table(columns, [_stage(row) for row in summary.stages], note)])


def _why_no_metrics(summary: Summary) -> str:
    """Why the engine left no job metrics; empty where it has none."""
    if summary.idle:
        return ""
    return "the engine left no job metrics" if "engine" in summary.probes else "the probe engine was not on"


def _stage(row: StageRow) -> tuple[str, ...]:
    tasks = f"{row.done}" if row.tasks in {None, row.done} else f"{row.done} of {row.tasks}"
    failed = f", {row.failed} failed" if row.failed else ""
    return (
        row.label,
        row.name + (" - FAILED" if row.failure else ""),
        tasks + failed,
        seconds(row.seconds),
        seconds(row.median),
        seconds(row.p95),
        seconds(row.longest),
        times(row.skew),
        percent(row.cpu_share),
        percent(row.gc_share),
        percent(row.fetch_share),
        size(row.disk_spill),
        size(row.shuffle_read),
        size(row.shuffle_write),
        size(row.input),
        size(row.output),
    )


def losses(summary: Summary) -> Section:
    """Losses, and how the engine recovered."""
    items = [*summary.lost, *summary.recoveries]
    times = ", ".join(f"{mark.words} at {show_seconds(mark.at)}" for mark in summary.marks)
    block: Block = Words("Nothing was lost and no task was repeated.", "good")
    if items:
        block = Listing(items, "warn")
    elif not summary.stages:
        block = Words("No daemon ended early; the engine left no metrics of its tasks.", "quiet")
    more = [Words(f"During the run: {times}.", "quiet")] if times else []
    return Section("losses", "Losses and recoveries", [block, *more])


def throughput(summary: Summary) -> Section:
    """Bytes read and written, and the rate; no rate without a checked result."""
    count = len(summary.nodes)
    each = summary.bytes_in / count if summary.bytes_in and count else None
    pairs = [
        ("measured time", maybe(show_seconds, summary.result)),
        ("bytes in", maybe(show_size, summary.bytes_in)),
        ("bytes out", maybe(show_size, summary.bytes_out)),
        ("bytes in per node", maybe(show_size, each)),
        ("throughput", maybe(lambda rate: f"{show_size(rate)}/s", summary.throughput)),
        ("throughput per node", maybe(lambda rate: f"{show_size(rate)}/s", summary.throughput_per_node)),
        *((name, text(value)) for name, value in summary.facts.items() if not _is_table(value)),
    ]
    known: list[Block] = [Facts([(name, value) for name, value in pairs if value])]
    known += [_fact_table(name, value) for name, value in summary.facts.items() if _is_table(value)]
    if summary.throughput is None:
        known.append(Words("There is no throughput without a checked result.", "quiet"))
    return Section("throughput", "Bytes and throughput", known)


def _is_table(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(row, dict) and row for row in value)


def _fact_table(name: str, value: Any) -> Table:
    keys = list(dict.fromkeys(key for row in value for key in row))
    columns = [Number(key.replace("_", " ")) for key in keys]
    rows = [[text(row.get(key)) for key in keys] for row in value]
    return Table(columns, rows, f"{name}, as measured by the workload")


def slowest_tasks(summary: Summary) -> Section:
    """The longest tasks, and what they waited for."""
    if not summary.slowest:
        return Section("tasks", "Slowest tasks")
    numbers = ("seconds", "of the stage's median", "CPU", "GC", "fetch wait", "spill", "shuffle in", "input")
    columns = ["stage", "task", "host", "executor", *map(Number, numbers)]
    rows = [
        (
            t.label, str(t.index), t.host, t.executor,
            seconds(t.seconds), times(t.times_median), seconds(t.cpu), seconds(t.gc), seconds(t.fetch_wait),
            size(t.disk_spill), size(t.shuffle_read), size(t.input),
        )
        for t in summary.slowest
    ]  # fmt: skip
    return Section("tasks", "Slowest tasks", [Table(columns, rows)])


def logs(summary: Summary) -> Section:
    """Every log; for a failed run, with the last lines of the newest, of which that to begin with is open."""
    if not summary.logs:
        return Section("logs", "Logs", unseen={"logs": "the record contains none"})
    table = Table(["log", Number("size")], [(log.path, show_size(log.size)) for log in summary.logs])
    ends = [
        Folded(f"End of {log.path}", "\n".join(log.tail), open=log.first) for log in summary.logs if log.tail
    ]
    return Section("logs", "Logs", [table, *ends])


def configuration(summary: Summary) -> Section:
    """The request, the resolved configuration and the generated files of the record."""
    blocks: Sequence[Block] = [Folded(document.title, document.text) for document in summary.documents]
    unseen = {} if blocks else {"configuration": "the record contains none"}
    return Section("configuration", "Configuration", blocks, unseen)


def gaps(summary: Summary) -> Section:
    """What the record lacks."""
    return Section("gaps", "Gaps in this record", [Listing(summary.gaps, "warn")] if summary.gaps else [])


_FIRST: list[Maker[Summary]] = [
    failure,
    explain.where_the_time_went,
    replay.replay_of_a_trace,
    stream.stream,
    what_was_run,
    phases,
    timeline.timeline,
    stages,
    profile.cpu_time,
    pauses.gc_pauses,
    flink.flink_vertices,
    losses,
    throughput,
    mapreduce.job_counters,
]
_LAST: list[Maker[Summary]] = [counters.counters, slowest_tasks, logs, configuration, gaps]


def makers() -> list[Maker[Summary]]:
    """Of all sections of a run's page, in their order."""
    return [*_FIRST, *probes.listed(), *_LAST]
