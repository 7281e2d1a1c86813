"""The timeline: phases and stages above, the machine's metrics below, on one time axis."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from weft.analysis.read.nodes import NodeInfo
from weft.analysis.summary.summary import Series, Summary
from weft.report.draw import charts
from weft.report.draw.blocks import Block, Chart, Section
from weft.report.draw.families import classes
from weft.text.units import show_seconds, show_size

MOST_NODES = 6
"""Maximum number of nodes drawn individually; of more, the lowest, the median and the highest are drawn."""
_WIDTH = 60
_MACHINE = "host"
"""The node name of readings of the machine of weft itself."""
_NOTABLE = 0.005
"""Of a machine that waits: less is shown as none."""
_SPANS = {
    "phase": "f-phase",
    "run phase": "f-run",
    "stage": "f-stage",
    "failed, or something lost": "f-failed",
}


@dataclass(frozen=True)
class Panel:
    """A chart of the timeline: title, unit, and its lines: counter and label."""

    title: str
    unit: str
    lines: Mapping[str, str]
    families: Sequence[str]
    """What the colour of each line means."""
    note: str = ""
    host: bool = False
    """Whether it is of the whole machine instead of the nodes."""
    stacked: bool = False
    links: Callable[[NodeInfo], float | None] = lambda _: None
    """What a node's line cannot exceed, where that is known."""
    always: bool = True
    """Whether a report says why it has no such chart."""


def _storage_link(node: NodeInfo) -> float | None:
    return node.storage.link if node.storage else None


PANELS = (
    Panel(
        "CPU",
        "cores",
        {"cpu_user": "user", "cpu_system": "system"},
        ("cpu", "cpu"),
        "One strip per node, up to its cores; of many nodes, the lowest, the median and the highest at each moment.",
        stacked=True,
    ),
    Panel(
        "Waiting of the whole machine",
        "seconds per second",
        {
            "iowait": "iowait",
            "pressure_cpu": "pressure: CPU",
            "pressure_io": "pressure: I/O",
            "pressure_memory": "pressure: memory",
        },
        ("data", "queue", "metadata", "gc"),
        "iowait counts idle cores with I/O outstanding; pressure is the share of time in which some task was stalled.",
        host=True,
    ),
    Panel(
        "CPU by kind of thread",
        "cores",
        {
            "cpu_of_task": "tasks",
            "cpu_of_server": "sending blocks",
            "cpu_of_fetch": "fetching blocks",
            "cpu_of_collector": "GC",
            "cpu_of_compiler": "JIT",
            "cpu_of_other": "other",
        },
        ("cpu", "network", "network", "gc", "wait", "idle"),
        "Threads of the engine's JVMs.",
        stacked=True,
    ),
    Panel(
        "Metadata operations",
        "per second",
        {"metadata": "operations"},
        ("metadata",),
        "By the preload library, of all its path classes.",
    ),
    Panel(
        "Network",
        "B/s",
        {"net_receive": "received", "net_send": "sent"},
        ("network", "network"),
        links=lambda node: node.link,
    ),
    Panel(
        "Network for storage",
        "B/s",
        {"storage_receive": "received", "storage_send": "sent"},
        ("network", "network"),
        links=_storage_link,
        always=False,
    ),
    Panel("Disk", "B/s", {"disk_read": "read", "disk_write": "written"}, ("data", "data")),
    Panel("Memory", "B", {"memory": "used"}, ("gc",)),
)


def timeline(summary: Summary) -> Section:
    """Charts of the whole run, for counters with readings."""
    blocks: list[Block] = []
    if summary.phases or summary.stages:
        blocks.append(_spans(summary))
    drawn = [(panel, lines(summary, panel)) for panel in PANELS]
    blocks += [_panel(summary, panel, found) for panel, found in drawn if found]
    unseen = {
        f"{panel.title} over time": _why(summary, panel)
        for panel, found in drawn
        if not found and panel.always
    }
    return Section("timeline", "Timeline", blocks, unseen)


def _spans(summary: Summary) -> Chart:
    plain = [
        f"{span.name:<9} {show_seconds(span.begin):>10}  {_reach(summary, span.begin, span.seconds)}"
        for span in summary.phases
    ]
    plain += [
        f"stage {row.label:<3} {show_seconds(row.begin):>10}  {_reach(summary, row.begin, row.seconds or 0)}"
        for row in summary.stages[:20]
        if row.begin is not None
    ]
    return Chart(
        "Phases and stages",
        lambda: charts.spans(summary),
        plain,
        legend=_SPANS,
    )


def _cell(summary: Summary, t: float) -> int:
    """Of a line of text, where a moment of the run is."""
    return min(_WIDTH - 1, max(0, int(t / max(summary.end, 1e-9) * _WIDTH)))


def _reach(summary: Summary, begin: float, seconds: float) -> str:
    left = _cell(summary, begin)
    return " " * left + "█" * max(1, min(_WIDTH - left, round(seconds / max(summary.end, 1e-9) * _WIDTH)))


def _panel(summary: Summary, panel: Panel, series: Sequence[Series]) -> Block:
    links = {node.name: link for node in summary.nodes if (link := panel.links(node))}
    plain = [_spark(summary, panel, line, links.get(line.node)) for line in series]
    limits = sorted(set(links.values()))

    def draw() -> str:
        return charts.panel(
            summary,
            panel.unit,
            panel.lines,
            series,
            families=panel.families,
            stacked=panel.stacked,
            limits=limits,
        )

    note = _rates(links, series) or panel.note
    return Chart(f"{panel.title}, {panel.unit}", draw, plain, note, _legend(panel, series))


def _legend(panel: Panel, series: Sequence[Series]) -> dict[str, str]:
    """What the colours are: of counters, or of nodes, whose lines of two counters are solid and dashed."""
    present = {line.counter for line in series}
    if panel.stacked or panel.host:
        shown = dict(zip(panel.lines, classes(panel.families), strict=True))
        return {panel.lines[counter]: shown[counter] for counter in panel.lines if counter in present}
    names = list(dict.fromkeys(line.node for line in series))
    legend = dict(zip(names, classes([panel.families[0]] * len(names)), strict=True))
    if len(present) == 2:
        solid, dashed = panel.lines.values()
        legend |= {f"solid: {solid}": "solid", f"dashed: {dashed}": "dashed"}
    return legend


def _rates(links: Mapping[str, float], series: Sequence[Series]) -> str:
    """What the busiest link carried at most, against its rate."""
    if not links:
        return ""
    shares = {
        (line.node, line.counter): max(value for _, value in line.points) / links[line.node]
        for line in series
        if line.node in links
    }
    rates = ", ".join(f"{show_size(rate)}/s" for rate in sorted(set(links.values())))
    line = f"The red line is the rate of a node's link, each way: {rates}."
    if not shares:
        return line
    node, counter = max(shares, key=lambda key: shares[key])
    way = "sent" if counter.endswith("send") else "received"
    return f"{line} At most {shares[node, counter]:.0%} of it was used, by what {node} {way}."


def _why(summary: Summary, panel: Panel) -> str:
    if panel.title == "Network" and summary.series:
        return "these nodes share the host's network"
    if any(series.counter in panel.lines for series in summary.series):
        return "it was always 0"
    return "no reading" if summary.series else "the record contains no samples"


def lines(summary: Summary, panel: Panel) -> list[Series]:
    """The lines of a panel: the nodes' own, or the machine's; of many nodes only lowest, median and highest."""
    nodes = {node.name for node in summary.nodes}
    own = [
        series
        for counter in panel.lines
        for series in summary.series
        if series.counter == counter
        and series.points
        and (panel.host if series.node == _MACHINE else not nodes or series.node in nodes)
    ]
    # a node on another host has the readings of its machine
    own = _notable(own) if panel.host else own
    if len({series.node for series in own}) <= MOST_NODES:
        return own
    # of a kind of thread that no node has there is no line
    groups = {counter: [each for each in own if each.counter == counter] for counter in panel.lines}
    return [merged for counter, group in groups.items() if group for merged in _merged(counter, group)]


def _notable(found: Sequence[Series]) -> list[Series]:
    return [series for series in found if any(value > _NOTABLE for _, value in series.points)]


def _merged(counter: str, group: Sequence[Series]) -> list[Series]:
    # readings of a long run are further apart than a second: all nodes have one in each step, and not some of them
    apart = [
        (each.points[-1][0] - each.points[0][0]) / (len(each.points) - 1) for each in group if each.points[1:]
    ]
    step = max(1.0, median(apart)) if apart else 1.0
    by_time: dict[float, list[float]] = {}
    for series in group:
        for t, value in series.points:
            by_time.setdefault(round(t / step) * step, []).append(value)
    choices: dict[str, Callable[[list[float]], float]] = {"lowest": min, "median": median, "highest": max}
    return [
        Series(
            node=f"{name} of {len(group)} nodes",
            counter=counter,
            points=tuple((t, pick(v)) for t, v in sorted(by_time.items())),
        )
        for name, pick in choices.items()
    ]


def _spark(summary: Summary, panel: Panel, line: Series, link: float | None) -> str:
    top = max(value for _, value in line.points)
    cells: dict[int, float] = {}
    for t, value in line.points:
        at = _cell(summary, t)
        cells[at] = max(value, cells.get(at, 0.0))
    for at in range(_cell(summary, line.points[0][0]), _cell(summary, line.points[-1][0])):
        cells.setdefault(at + 1, cells[at])  # a cell between two readings keeps the previous value
    heights = [max(0.0, cells.get(at, 0.0)) / top if top > 0 else 0.0 for at in range(_WIDTH)]
    marks = "".join(charts.LEVELS[round(height * 8)] for height in heights)
    of_node = "" if line.node == _MACHINE else f"{line.node} "
    name = of_node + panel.lines[line.counter]
    of = f" of {_show(link, panel.unit)}" if link else ""
    return f"{name:<20} {marks} up to {_show(top, panel.unit)}{of}"


def _show(value: float, unit: str) -> str:
    return f"{show_size(value)}{unit.removeprefix('B')}" if unit.startswith("B") else f"{value:.2f} {unit}"
