"""A section of a run's page: the latencies of a stream, over all records and over time."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from weft.analysis.summary.filecalls import MEASURED, counted, engine, table
from weft.analysis.summary.streamed import Streamed
from weft.analysis.summary.summary import Summary
from weft.report.draw import charts
from weft.report.draw.blocks import Block, Chart, Number, Section, Table, Tone, Words
from weft.text.numbers import amount, percent, seconds, size, text
from weft.text.units import show_seconds

_NAMES = {
    "median": "median",
    "p95": "95 %",
    "p99": "99 %",
    "p999": "99.9 %",
    "max": "highest",
    "mean": "mean",
}

_KEPT = ("scratch", "output")
"""Where state and checkpoints are."""


def stream(summary: Summary) -> Section:
    """Whether the rate was sustained, latencies as a table, their distribution and course, losses, and each rate of a search."""
    found = summary.stream
    if found is None:
        return Section("stream", "Latency of the stream")
    tone: Tone = "plain" if len(found.steps) > 1 else "good" if found.sustained else "warn"
    blocks: list[Block] = [
        Words(found.sentence, tone),
        *([Words(found.late)] if found.late else []),
        _latencies(found),
    ]
    blocks += [*_recoveries(found), *_early(found)]
    if found.over_time:
        blocks += [_course(summary, found), _throughput(found)]
    blocks += [_distribution(found)] if found.distribution else []
    blocks += [_steps(found)] if len(found.steps) > 1 else []
    return Section("stream", "Latency of the stream", blocks)


def operators(summary: Summary) -> Section:
    """Which operator limits the rate, and how long each was busy; empty if the run was no stream."""
    if not summary.operators:
        return Section("operators", "Operators of the stream")
    blocks: list[Block] = [Words(summary.limiting)]
    if summary.explanation and summary.explanation.no_gain:
        blocks.append(Words(summary.explanation.no_gain, "quiet"))
    rows = [
        [one.name, text(one.tasks), percent(one.busy), percent(one.average), percent(one.waits)]
        for one in summary.operators
    ]
    note = (
        "Shares of the time that the stream ran. Busy: its busiest task, or in micro-batches the time in which any task of it ran."
        " Back-pressure: its rows are not taken by the operators behind it."
    )
    titles = (Number("tasks"), Number("busy"), Number("all tasks"), Number("back-pressured"))
    listed = Table(["operator", *titles], rows, note)
    return Section("operators", "Operators of the stream", [*blocks, listed, *_files(summary)])


def _files(summary: Summary) -> list[Block]:
    """What its state and its checkpoints ask of files, if the probe `fileops` counted them."""
    found = counted(summary.counters)
    rows = []
    for role in _KEPT:
        here = {
            op: sums for (kind, op), sums in table(found, engine(found), MEASURED).items() if kind == role
        }
        if here:
            longest = max(here, key=lambda op: here[op].seconds)
            sums = here.values()
            rows.append(
                [
                    role,
                    amount(sum(one.count for one in sums)),
                    size(sum(one.bytes for one in sums)),
                    amount(sum(one.seconds for one in sums), "s"),
                    f"{longest} {amount(here[longest].seconds, 's')}",
                ]
            )
    note = (
        "File calls of the engine, with the time of all its threads. State in RocksDB is on scratch, and so are Spark's shuffle files;"
        " checkpoints of weft's own streams are on output."
    )
    titles = (Number("calls"), Number("bytes"), Number("time"), "most of it")
    return [Table(["files", *titles], rows, note)] if rows else []


def _latencies(streamed: Streamed) -> Table:
    row = ["from intended send time to result", *(seconds(streamed.latency[name]) for name in _NAMES)]
    note = (
        f"{streamed.records:,} records, {streamed.results:,} results, {show_seconds(streamed.seconds)}. A late producer does not"
        " shorten a latency: it begins when the schedule wanted the record sent, and ends when a consumer has the first"
        " result that holds it. All of the distribution: outcomes/latency.hlog of the record (HdrHistogram)."
    )
    return Table(["latency, s", *map(Number, _NAMES.values())], [row], note)


def _recoveries(streamed: Streamed) -> list[Block]:
    blocks: list[Block] = []
    for one in streamed.recoveries:
        when = f"{one.what} at {show_seconds(one.at)}"
        after = "latencies did not become as before" if one.seconds is None else "latencies stayed as before"
        if one.seconds:
            after = f"recovered {show_seconds(one.seconds)} later: 99 % of the records were as fast as before, within a factor of two"
        most = f" The highest latency until then: {show_seconds(one.highest)}." if one.seconds != 0 else ""
        waited = (
            ""
            if one.behind is None
            else f" At most {one.behind:,} records waited in the brokers' log for the engine."
        )
        blocks.append(Words(f"{when}; {after}.{most}{waited}", "warn"))
    if streamed.fallbacks:
        began, length = streamed.paused
        words = f"The engine continued {streamed.fallbacks} times from a checkpoint; no record was lost or counted twice."
        pause = f" Without a new result at most: {show_seconds(length)}, from {show_seconds(began)} on."
        blocks.append(Words(words + pause))
    return blocks


def _early(streamed: Streamed) -> list[Block]:
    bound = f"Clocks of producers and of the program that reads results are at most {seconds(streamed.clocks)} s apart, by the time that messages take."
    blocks: list[Block] = [Words(bound, "quiet")] if streamed.clocks else []
    if streamed.early:
        words = f"{streamed.early:,} results arrived before the intended send time of a record: the clocks of nodes differ."
        blocks.append(Words(words, "warn"))
    return blocks


def _course(summary: Summary, streamed: Streamed) -> Chart:
    of = {
        "median": [each.median or 0.0 for each in streamed.over_time],
        "99 %": [each.p99 or 0.0 for each in streamed.over_time],
    }
    plain = [
        f"{title:>7}: {charts.spark(values)} up to {seconds(max(values))} s" for title, values in of.items()
    ]
    losses = [mark.at - streamed.began for mark in summary.marks]
    note = (
        "By the intended send time. Red lines are losses, short grey ones GC pauses of the engine from 5 ms."
    )
    legend = {"median": "f-run", "99 %": "f-stage"}
    return Chart("Latency over time, s", lambda: _drawn(streamed, losses), plain, note, legend)


def _drawn(streamed: Streamed, losses: Sequence[float]) -> str:
    alt = charts.load_altair()
    rows = [
        {"t": each.t, "value": value, "colour": colour}
        for each in streamed.over_time
        for value, colour in ((each.median, "var(--run)"), (each.p99, "var(--stage)"))
        if value is not None
    ]
    x = _time(alt, streamed)
    y = alt.Y("value:Q", title=None, axis=alt.Axis(tickCount=4))
    lines = alt.Chart(alt.Data(values=rows)).mark_line(strokeWidth=1.6)
    lines = lines.encode(x=x, y=y, color=alt.Color("colour:N", scale=None))
    layers = [lines, *_ticks(alt, streamed)]
    marks = [{"t": at} for at in losses if 0 <= at <= streamed.seconds]
    if marks:
        rule = alt.Chart(alt.Data(values=marks)).mark_rule(color="var(--failed)", strokeWidth=1.5)
        layers.append(rule.encode(x=x))
    return charts.svg(alt.layer(*layers).properties(width=charts.WIDTH, height=160))


def _ticks(alt: Any, streamed: Streamed) -> list[Any]:
    if not streamed.collector:
        return []
    data = alt.Data(values=[{"t": at} for at, _ in streamed.collector])
    ticks = alt.Chart(data).mark_tick(orient="vertical", color="var(--quiet)", thickness=1, size=8, y=156)
    return [ticks.encode(x=_time(alt, streamed))]


def _time(alt: Any, streamed: Streamed) -> Any:
    last = max(each.t for each in streamed.over_time)
    scale = alt.Scale(domain=[0, last], nice=False)
    return alt.X("t:Q", title="seconds after the stream began", scale=scale)


def _throughput(streamed: Streamed) -> Chart:
    def draw() -> str:
        points = [(each.t, each.held_per_second) for each in streamed.over_time]
        return charts.area(points, _time(charts.load_altair(), streamed), "stage", 100, format="~s")

    values = [each.held_per_second for each in streamed.over_time]
    plain = [f"{charts.spark(values)} up to {max(values):,.0f}"]
    return Chart("Records per second in results, by their arrival", draw, plain)


def _distribution(streamed: Streamed) -> Chart:
    points = [(share, max(value, 1e-6)) for share, value in streamed.distribution]
    levels = [
        min(streamed.distribution, key=lambda point: abs(point[0] - level))
        for level in (0.25, 0.5, 0.75, 0.9, 0.99)
    ]
    plain = [f"{share * 100:5.1f} % of records: at most {seconds(value)} s" for share, value in levels]
    return Chart("Latency, share of records", lambda: charts.cumulative(points, "seconds", 160), plain)


def _steps(streamed: Streamed) -> Table:
    shown: Mapping[str, Callable[[Any], str]] = {
        "rate": text, "throughput": text, "median": seconds, "p99": seconds, "max": seconds, "growth": seconds,
        "late": seconds, "acknowledged": seconds, "sustained": lambda value: "yes" if value else "no", "limit": str,
    }  # fmt: skip
    titles = ("offered/s", "in results/s", "median, s", "99 %, s", "highest, s", "growth, s", "sent late, s",
              "acknowledged, s", "sustained", "longest wait")  # fmt: skip
    rows = [[show(step[key]) for key, show in shown.items()] for step in streamed.steps]
    note = "Each rate for the same time, one after another. Sent late, acknowledged: medians of the last quarter."
    return Table([*map(Number, titles)], rows, note)
