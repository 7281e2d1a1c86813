"""A comparison as sections, for a page and for the terminal."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import median

from weft import __version__
from weft.analysis.compare.against import sentences
from weft.analysis.compare.compare import Comparison, Group
from weft.report.draw import charts
from weft.report.draw.blocks import Block, Chart, Listing, Maker, Number, Section, Table, Words, build
from weft.report.draw.html import HtmlPage, render
from weft.report.draw.interval import NOTE, interval
from weft.report.sections import slowdown
from weft.report.sections.difference import where_the_difference_comes_from
from weft.report.sections.latencies import latencies_of_streams
from weft.report.sections.replay import replays_of_a_trace
from weft.text.numbers import NONE, amount, seconds, size
from weft.text.units import show_seconds, show_size

_WIDTH = 50
_SIDE_BY_SIDE = 5
"""Maximum number of cells whose specs are compared, one column each."""


def order(comparison: Comparison) -> Section:
    """What can be concluded, and what cannot."""
    caveats = [
        f"{cells_}: {caveat}."
        for caveat, cells_ in _by_words(
            comparison.groups, lambda group: [group.seconds.caveat] if group.seconds else []
        )
        if caveat
    ]
    blocks: list[Block] = [Words(words, "warn") for words in emulations(comparison)]
    blocks += [Words(sentence) for sentence in comparison.sentences]
    if caveats:
        blocks.append(Listing(caveats, "quiet"))
    return Section("order", "What the runs show", blocks)


def emulations(comparison: Comparison) -> list[str]:
    """Cells whose storage is emulated."""
    return [
        f"{cells_} {'is' if ';' not in cells_ else 'are'} emulated: {words}."
        for words, cells_ in _by_words(comparison.groups, lambda group: group.emulated)
    ]


def _by_words(groups: Sequence[Group], words_of: Callable[[Group], Sequence[str]]) -> list[tuple[str, str]]:
    """Statements about cells, each once, with the cells concerned."""
    found: dict[str, list[Group]] = {}
    for group in groups:
        for words in words_of(group):
            found.setdefault(words, []).append(group)
    return [(words, together(concerned, groups)) for words, concerned in found.items()]


def together(groups: Sequence[Group], everyone: Sequence[Group]) -> str:
    """A short name for cells: a coordinate that they share and no other cell has."""
    if len(groups) > 1 and len(groups) == len(everyone):
        return "every cell"
    others = {name for group in everyone if group not in groups for name in group.names}
    shared = [
        name
        for name in groups[0].names
        if all(name in group.names for group in groups) and name not in others
    ]
    return shared[0] if len(groups) > 1 and shared else "; ".join(group.label for group in groups)


def cells(comparison: Comparison) -> Section:
    """Medians with intervals, one row per cell."""
    based = comparison.against is None
    """A study with rules has its own bases, and a table of them."""
    titles = ["valid runs", "seconds", *(["time over first"] if based else []), "per node"]
    columns = ["cell", *map(Number, titles)]
    rows = [
        (
            group.label,
            str(len(group.values)),
            interval(group.seconds),
            *(["1 (the base)" if index == 0 else interval(group.ratio, " x")] if based else []),
            interval(group.throughput, "/s", show_size),
        )
        for index, group in enumerate(comparison.groups)
    ]
    return Section("cells", "Cells", [Table(columns, rows, NOTE)])


def plot(comparison: Comparison) -> Section:
    """Every cell on one axis of time."""
    rows = [
        {"cell": group.label, **asdict(group.seconds), "values": list(group.values)}
        for group in comparison.groups
        if group.seconds is not None
    ]
    if not rows:
        return Section("plot", "Times", unseen={"times": "no cell has a valid run"})
    note = "A dot is a median, the line its interval, each ring a run."
    chart = Chart(
        "Seconds of the measured work", lambda: charts.dots(rows, "seconds"), _lines(comparison.groups), note
    )
    return Section("plot", "Times", [chart])


def _lines(groups: Sequence[Group]) -> list[str]:
    known = [group for group in groups if group.seconds is not None]
    top = max(max(group.values) for group in known) or 1.0
    wide = max(len(group.label) for group in known)
    found = []
    for group in known:
        assert group.seconds is not None
        cells_ = [" "] * (_WIDTH + 1)
        if group.seconds.low is not None and group.seconds.high is not None:
            first, last = (int(end / top * _WIDTH) for end in (group.seconds.low, group.seconds.high))
            cells_[first : last + 1] = "-" * (last + 1 - first)
        for value in group.values:
            cells_[int(value / top * _WIDTH)] = "o"
        cells_[int(group.seconds.median / top * _WIDTH)] = "*"
        found.append(f"{group.label:<{wide}} |{''.join(cells_)}| {seconds(group.seconds.median)} s")
    return found


def phases(comparison: Comparison) -> Section:
    """Medians of the phases."""
    names = list(dict.fromkeys(name for group in comparison.groups for name in group.phases))
    columns = ["cell", *map(Number, (*names, "all"))]
    whole = [sum(phase.median for phase in group.phases.values()) for group in comparison.groups]
    rows = [
        (group.label, *(interval(group.phases.get(name)) for name in names), seconds(all_ or None))
        for group, all_ in zip(comparison.groups, whole, strict=True)
    ]
    spent = sum(all_ * len(group.values) for group, all_ in zip(comparison.groups, whole, strict=True))
    note = f"Seconds, as above; the valid runs took about {show_seconds(spent)} together."
    return Section("phases", "Phases", [Table(columns, rows, note)])


def file_operations(comparison: Comparison) -> Section:
    """The engine's operations on the files of input, output and scratch, one row per cell."""
    counted = [group for group in comparison.groups if group.operations]
    if not counted:
        unseen = {"file operations": "no run had the probe fileops"}
        return Section("fileops", "File operations", unseen=unseen)
    shown: Mapping[str, Callable[[float | None], str]] = {
        "reads": amount, "bytes read": size, "mean read": size, "writes": amount, "bytes written": size, "mean write": size,
        "opens": amount,
    }  # fmt: skip
    rows = [
        (group.label, *(show(_median(group, key.replace(" ", "_"))) for key, show in shown.items()))
        for group in counted
    ]
    columns = ["cell", *(Number(key if key != "opens" else "opens of scratch") for key in shown)]
    note = (
        "Medians over the valid runs, summed over the nodes: reads (including sendfile) and writes of the engine's processes on files of"
        " input, scratch and output in the run phase, counted in the C library. Files of HDFS's own daemons are excluded."
    )
    return Section("fileops", "File operations", [Table(columns, rows, note)])


def _median(group: Group, key: str) -> float | None:
    known = [value for each in group.operations if (value := getattr(each, key)) is not None]
    return median(known) if known else None


def differences(comparison: Comparison) -> Section:
    """The keys in which the specs differ."""
    if not comparison.differences:
        return Section("differences", "Differences of the specs")
    groups = comparison.groups
    if len(groups) > _SIDE_BY_SIDE:
        columns = ["key", "value", "cells"]
        rows: list[tuple[str, ...]] = [
            (key, value or NONE, together([group for each, group in zip(values, groups, strict=True) if each == value], groups))
            for key, values in comparison.differences.items() for value in dict.fromkeys(values)
        ]  # fmt: skip
    else:
        columns = ["key", *(group.label for group in groups)]
        rows = [(key, *(value or NONE for value in values)) for key, values in comparison.differences.items()]
    return Section("differences", "Differences of the specs", [Table(columns, rows)])


def not_counted(comparison: Comparison) -> Section:
    """Runs without a checked result."""
    rows = [(run.id, run.verdict, run.reason) for run in comparison.left_out]
    return Section("left", "Not counted", [Table(["run", "verdict", "reason"], rows)] if rows else [])


def against_memory(comparison: Comparison) -> Section:
    """Slowdowns beside the published points."""
    assert comparison.against is not None
    emulated = dict.fromkeys(words for group in comparison.groups for words in group.emulated)
    return slowdown.slowdowns(comparison.against, [f"Emulated: {words}." for words in emulated])


def where_shapes_agree(comparison: Comparison) -> Section:
    """The study's rules, evaluated."""
    assert comparison.against is not None
    return slowdown.rules(comparison.against)


def published(comparison: Comparison) -> Section:
    """The papers' rows."""
    assert comparison.against is not None
    return slowdown.figures(comparison.against)


SECTIONS: list[Maker[Comparison]] = [
    order,
    cells,
    plot,
    latencies_of_streams,
    replays_of_a_trace,
    where_the_difference_comes_from,
    file_operations,
    phases,
    differences,
    not_counted,
]
OF_PAPERS: list[Maker[Comparison]] = [against_memory, where_shapes_agree, published]
"""First, if the study's folder has rules."""


def sections(comparison: Comparison) -> list[Section]:
    """All sections of a comparison, those about its papers first."""
    return build([*(OF_PAPERS if comparison.against else []), *SECTIONS], comparison)


def text(comparison: Comparison) -> str:
    """The page of a comparison."""
    counted = sum(len(group.values) for group in comparison.groups)
    page = HtmlPage(
        title=f"{len(comparison.groups)} cells, {counted} valid runs",
        badge=comparison.title,
        tone="plain",
        sentences=[*(sentences(comparison.against) if comparison.against else []), *comparison.sentences],
        warnings=[*emulations(comparison), *_left_words(comparison)],
        footer=[
            f"Created by weft {__version__} from the records only. The element #data contains the numbers as JSON."
        ],
        data=comparison.model_dump_json(),
        sections=sections(comparison),
    )
    return render(page)


def _left_words(comparison: Comparison) -> list[str]:
    left = len(comparison.left_out)
    whole = left + sum(len(group.values) for group in comparison.groups)
    return [f"Not counted, and listed below: {left} of {whole} runs."] if left else []


def place(runs: Path, study: str) -> Path:
    """The default path of a study's page."""
    return runs / f"study-{Path(study).name}.html"
