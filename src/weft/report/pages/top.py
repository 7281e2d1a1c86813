"""A run at this moment, for a terminal: the live page of `weft top`."""

import time
from collections.abc import Iterator, Mapping, Sequence

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.text import Text

from weft.analysis.read.moment import IDLE, RunMoment
from weft.facts.activity import StageActivity
from weft.record.head import created
from weft.report.draw.families import TERMINAL
from weft.text.printable import printable
from weft.text.units import show_seconds, show_size

_FAMILIES: Mapping[str, str] = {
    "CPU": "cpu",
    "run-queue wait": "queue",
    "metadata": "metadata",
    "data": "data",
    "waiting for other executors": "network",
    "Python: worker": "python",
    IDLE: "idle",
}
"""What the colour of a state means; others are waits."""
_BAR = 50
_NAME = 44
"""Characters of the name of a stage."""
_STAGES, _NODES = 12, 16
"""Rows of these at most."""


class LivePage:
    """The live page; as high as the terminal at most."""

    def __init__(self, moment: RunMoment) -> None:
        self.moment = moment

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Group(*self._parts())

    def _parts(self) -> Iterator[RenderableType]:
        moment = self.moment
        yield Text(printable(_head(moment)), style="bold")
        yield Text(_counts(moment))
        if moment.activity.stages:
            yield _stages(moment)
        if moment.waits:
            yield Text(f"slots now ({moment.slots}, mean of {moment.seconds:.0f} s)", style="dim")
            yield _bar(moment.waits)
        if moment.nodes:
            yield _nodes(moment)


def _head(moment: RunMoment) -> str:
    head = moment.stored.head
    running, begun = moment.stored.verdict == "RUNNING", created(head.created)
    # one that has ended gets no older
    took = time.time() - begun if running and begun is not None else sum(head.phases.values())
    age = f", {show_seconds(took)}" if took > 0 else ""
    phase = f" phase {head.phase}" if running else ""
    return f"{moment.stored.verdict}{phase}{age}  {head.workload} on {head.engine}, {head.nodes}, scratch {head.scratch}"


def _counts(moment: RunMoment) -> str:
    activity, tasks = moment.activity, moment.activity.tasks
    if not activity.stages:
        return "no stages: the engine has logged none yet, or logs them when its job has ended"
    parts = [f"jobs {activity.jobs_done} of {activity.jobs}"] if activity.jobs else []
    if tasks.total:
        parts.append(f"tasks {tasks.done} of {tasks.total}")
    if tasks.failed:
        parts.append(f"{tasks.failed} failed")
    if tasks.total and moment.tasks_per_second is not None:
        parts.append(f"{moment.tasks_per_second:.1f} tasks/s")
    if moment.bytes_per_second:
        parts.append(f"{show_size(moment.bytes_per_second)}/s read by them")
    return "   ".join(parts)


def _stages(moment: RunMoment) -> Text:
    """Those that run, then the last ones that have ended."""
    every = [one for one in moment.activity.stages.values() if one.total or one.done]
    active = [one for one in every if not one.ended and one.done]
    waiting = [one for one in every if not one.ended and one not in active]
    shown = [*active, *waiting, *reversed([one for one in every if one.ended])][:_STAGES]
    text = _aligned(("stage", "tasks", "", "failed"), list(map(_stage, shown)), left=(0, 2))
    return _with_rest(text, len(every) - len(shown), "others")


def _stage(stage: StageActivity) -> tuple[str, ...]:
    total = max(stage.total, stage.done)
    full = round(20 * stage.done / total) if total else 0
    name = printable(stage.name)
    return (
        name if len(name) <= _NAME else f"{name[: _NAME - 1]}…",
        f"{stage.done} %" if stage.percent else f"{stage.done}/{total}",
        "█" * full + "░" * (20 - full),
        str(stage.failed or ""),
    )


def _aligned(titles: Sequence[str], rows: Sequence[Sequence[str]], left: Sequence[int] = (0,)) -> Text:
    """Columns two characters apart. A table of rich would take four times as long, once in two seconds."""
    widths = [max(map(len, column)) for column in zip(titles, *rows, strict=True)]
    text = Text(no_wrap=True, overflow="ellipsis")
    for number, row in enumerate([titles, *rows]):
        cells = (
            cell.ljust(width) if at in left else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        text.append(("" if number == 0 else "\n") + "  ".join(cells).rstrip(), "" if number else "dim")
    return text


def _with_rest(text: Text, rest: int, what: str) -> Text:
    """What has no room is counted."""
    return text.append(f"\nand {rest} {what}", "dim") if rest > 0 else text


def _bar(waits: Mapping[str, float]) -> Text:
    """The states, largest first; slots without a task last."""
    ordered = sorted(waits.items(), key=lambda pair: (pair[0] == IDLE, -pair[1]))
    bar = Text()
    for state, share in ordered:
        bar.append("█" * round(share * _BAR), style=TERMINAL[_FAMILIES.get(state, "wait")])
    bar.append("\n")
    for state, share in ordered:
        bar.append("■ ", style=TERMINAL[_FAMILIES.get(state, "wait")])
        bar.append(f"{state} {share:.0%}   ")
    return bar


def _nodes(moment: RunMoment) -> Text:
    busiest = sorted(moment.nodes, key=lambda node: -node.cpu)[:_NODES]
    rows = [
        (
            printable(node.name),
            f"{node.cpu:.1f}",
            show_size(node.memory),
            *(f"{show_size(rate)}/s" for rate in (node.receive, node.send)),
        )
        for node in sorted(busiest, key=lambda node: node.name)
    ]
    text = _aligned(("node", "CPU, cores", "memory", "receives", "sends"), rows)
    return _with_rest(text, len(moment.nodes) - len(busiest), "others, with less CPU")


def data(moment: RunMoment) -> dict[str, object]:
    """The same for programs."""
    activity = moment.activity
    return {
        "run": moment.stored.directory.name,
        "verdict": moment.stored.verdict,
        "phase": moment.stored.head.phase,
        "jobs": activity.jobs,
        "jobs_done": activity.jobs_done,
        "tasks": {
            key: value for key, value in vars(activity.tasks).items() if key in {"total", "done", "failed"}
        },
        "stages": [vars(stage) for stage in activity.stages.values()],
        "tasks_per_second": moment.tasks_per_second,
        "bytes_per_second": moment.bytes_per_second,
        "slots": moment.slots,
        "waits": dict(moment.waits),
        "nodes": [vars(node) for node in moment.nodes],
    }
