"""A section of a comparison: streams by their latencies, since their times are those of the schedule."""

from weft.analysis.compare import statistics
from weft.analysis.compare.compare import Comparison, Group
from weft.analysis.compare.estimate import LEAST, Estimate
from weft.report.draw.blocks import Block, Number, Section, Table, Words
from weft.report.draw.interval import interval
from weft.text.numbers import NONE, text

_SHOWN = {"median": "median, s", "p99": "99 %, s", "mean": "mean, s"}
_RATE = "records_per_second"


def fact(name: str) -> str:
    """The fact of a stream's run that is one of its latencies."""
    return f"latency_{name}_seconds"


def latencies_of_streams(comparison: Comparison) -> Section:
    """A row for each cell with streams: medians over its runs, with intervals; and which are lower than others."""
    groups = [group for group in comparison.groups if _of(group, fact("median"))]
    if not groups:
        return Section("latencies", "Latencies of streams")
    columns = ["cell", *map(Number, ("valid runs", *_SHOWN.values(), "records/s"))]
    rows = [
        (
            group.label,
            str(len(_of(group, fact("median")))),
            *(interval(_median(_of(group, fact(name)))) for name in _SHOWN),
            text(found.median) if (found := _median(_of(group, _RATE))) else NONE,
        )
        for group in groups
    ]
    note = (
        "From the intended send time of a record to the first result that holds it. Medians over runs of what each run had, "
        "with 95 % intervals in brackets; of fewer than 6 runs from the smallest to the largest."
    )
    return Section("latencies", "Latencies of streams", [*_ranking(groups), Table(columns, rows, note)])


def _ranking(groups: list[Group]) -> list[Block]:
    cells = {group.label: statistics.median(_of(group, fact("median"))) for group in groups}
    ranks, apart = statistics.ranked(cells)
    words = []
    if len(ranks) > 1:
        words.append(f"Lowest median latency first: {'; then '.join(map(_names, ranks))}.")
    words += [f"{_names(rank)} are not ranked: their intervals overlap." for rank in ranks if len(rank) > 1]
    if apart and len(groups) > 1:
        words.append(
            f"Not ranked because of too few runs (at least {LEAST} valid ones each are needed): {_names(apart)}."
        )
    return [Words(each) for each in words]


def _names(labels: list[str]) -> str:
    return " and ".join(f"[{label}]" for label in labels)


def _of(group: Group, name: str) -> list[float]:
    """A number that the runs of a cell found."""
    return [float(facts[name]) for facts in group.facts if isinstance(facts.get(name), (int, float))]


def _median(values: list[float]) -> Estimate | None:
    return statistics.median(values) if values else None
