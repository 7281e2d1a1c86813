"""A prediction as a terminal, a page and JSON show it: curves with bands, knees, and how far to trust them."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from weft import __version__
from weft.model.prediction import correction, curve, distance
from weft.model.prediction.distance import Axes
from weft.model.prediction.experiments import SMALL, Experiment, offered
from weft.model.prediction.machine import UNLIMITED, Machine
from weft.model.prediction.storages import service
from weft.model.prediction.target import Target
from weft.model.prediction.variation import USUAL
from weft.report import charts, leftout
from weft.report.blocks import Block, Chart, Column, Listing, Section, Table, Words
from weft.report.html import Page, render
from weft.report.numbers import percent, seconds
from weft.report.part import Part
from weft.report.projection import Recorded
from weft.text.units import show_seconds

MEASURED = "as measured"
"""The name of a curve whose storages are those of the run."""
_BAR = 40
"""Characters of the longest bar."""
_BEYOND = 2
"""How many times the largest number of nodes that was asked for is searched for a knee."""


class PointRow(Part):
    """One number of nodes. Times in seconds; low and high bound 90 % of runs if the stated errors hold."""

    nodes: int
    cores: int
    seconds: float
    low: float
    high: float
    node_hours: float
    waiting: float
    """Share of slot time paid for queues and empty slots."""
    factor: float
    """Of extrapolation."""

    @property
    def far(self) -> bool:
        return self.factor >= curve.FAR


class Curve(Part):
    """One storage of scratch over the number of nodes."""

    scratch: str
    start: str
    """The run that it is predicted from: of those there are, the one that is nearest."""
    points: tuple[PointRow, ...]
    knee_cores: float | None
    """None if there is no knee up to twice the nodes that were asked for."""
    knee_resource: str
    sentence: str


class Prediction(Part):
    """What a run would take elsewhere."""

    run: str
    machine: str
    measured: float
    nodes: int
    cores: int
    """Of a node, where it was measured."""
    replay: float
    """The run itself by the model, over what it took."""
    left_out: int
    """Other runs of the same work that were predicted from this one, as a test; the curves are corrected by them."""
    left_out_error: float
    """Their median error before that: 0.1 is about 10 % either way."""
    curves: tuple[Curve, ...]
    notes: tuple[str, ...]
    """What is not known, and therefore not in the prediction."""


@dataclass(frozen=True)
class Asked:
    """Where a run is predicted; what is None stays as it was."""

    there: Machine
    counts: Sequence[int]
    """Of nodes."""
    scratches: Sequence[str] = ()
    """One curve each, in short form."""
    cores: int | None = None
    size: float | None = None
    partitions: int | None = None
    others: Mapping[str, str] = field(default_factory=dict)
    """Storages of input and output, by role, in short form."""

    def bases(self, recorded: Recorded) -> dict[str, Target]:
        """By the name of a curve: its target on one node. Raises UsageError for a storage that the machine has not."""
        each = self.cores or self.there.cores or recorded.cores
        size = self.size or recorded.work.size
        base = Target(self.there, 1, each, {}, size, self.partitions, recorded.growth)
        kept = dict(recorded.on(self.there).storages.items())
        kept |= {role: service(text, self.there) for role, text in self.others.items()}
        named = {text: {**kept, "scratch": service(text, self.there)} for text in self.scratches}
        return {
            name: replace(base, storages=storages) for name, storages in (named or {MEASURED: kept}).items()
        }


def predict(
    recorded: Recorded, here: Machine, asked: Asked, tests: Sequence[Recorded] = (), run: float = USUAL
) -> Prediction:
    """The curves. `here`: the machine of the record; `tests`: other runs; `run`: the relative deviation of one."""
    recorded = leftout.warmed(recorded, here, tests, run)
    model = recorded.model(here)
    tested = leftout.left_out(recorded, model, here, tests)
    bases = asked.bases(recorded)
    curves = [_curve(recorded, here, base, asked.counts, name, tests, run) for name, base in bases.items()]
    return Prediction(
        run=recorded.name,
        machine=asked.there.name,
        measured=recorded.work.measured,
        nodes=recorded.work.nodes,
        cores=recorded.cores,
        replay=model.replay(),
        left_out=len(tested),
        left_out_error=leftout.error(tested),
        curves=tuple(curves),
        notes=tuple(_notes(recorded, asked.there, next(iter(bases.values())), curves)),
    )


def experiments(
    recorded: Recorded, here: Machine, asked: Asked, tests: Sequence[Recorded], count: int
) -> list[Experiment]:
    """The small runs, at most `count`, after which the curves would be known best."""
    model = recorded.model(here)
    wanted = [replace(base, nodes=n) for base in asked.bases(recorded).values() for n in asked.counts]

    def axes(target: Target) -> Axes:
        return distance.axes(model, target, model.at(target))

    possible = [
        one
        for one in offered(recorded.situation(here), asked.scratches)
        if model.at(one.target).seconds <= SMALL * recorded.work.measured
    ]
    known = [one.axes for one in leftout.left_out(recorded, model, here, tests)]
    best = correction.chosen(
        [axes(one.target) for one in possible], [axes(target) for target in wanted], count, known
    )
    return [possible[index] for index in best]


def _curve(
    recorded: Recorded,
    here: Machine,
    base: Target,
    counts: Sequence[int],
    name: str,
    tests: Sequence[Recorded],
    run: float,
) -> Curve:
    """A curve from the nearest run, corrected by the others."""

    def at(nodes: int) -> Target:
        return replace(base, nodes=nodes)

    start = leftout.nearest(recorded, here, tests, [at(nodes) for nodes in counts])
    if start is not recorded:
        start = leftout.warmed(start, here, [recorded, *tests], run)
    model = start.model(here)
    tested = leftout.left_out(start, model, here, [recorded, *tests])
    known = correction.fitted([one.seen for one in tested], run)
    points = [PointRow(**vars(point)) for point in curve.points(model, at, counts, known)]
    knee = curve.knee(model, at, _BEYOND * max(counts))
    return Curve(
        scratch=name,
        start=start.name,
        points=tuple(points),
        knee_cores=knee and knee.cores,
        knee_resource=knee.resource if knee else "",
        sentence=_sentence(points, knee),
    )


def _sentence(points: Sequence[PointRow], knee: curve.Knee | None) -> str:
    best = min(points, key=lambda point: point.seconds)
    words = (
        f"fastest on {best.nodes} nodes: {show_seconds(best.seconds)}"
        f" ({show_seconds(best.low)} to {show_seconds(best.high)})"
    )
    if knee is None:
        return f"{words}; no knee up to {_BEYOND * points[-1].cores:,} cores"
    last = points[-1]
    words += f"; knee at {knee.cores:,.0f} cores, made by {knee.resource}"
    if last.cores > knee.cores:
        words += f"; beyond it waiting is paid: {percent(last.waiting)} of slot time at {last.cores:,} cores"
    return words


def _notes(recorded: Recorded, there: Machine, base: Target, curves: Sequence[Curve]) -> list[str]:
    found = [f"not measured, and not predicted: {words}" for words in recorded.work.missing]
    if recorded.work.engine not in there.launches:
        found.append(
            f"how many tasks a second the driver of {recorded.work.engine} starts is not known: no limit assumed"
        )
    if there.link == UNLIMITED:
        found.append("the bandwidth of the nodes' links is not known: no limit assumed")
    for name in dict.fromkeys(each.scratch for each in curves):
        one = service(name, there) if name != MEASURED else recorded.on(there).storages.get("scratch")
        if one is None:
            found.append("of the measured scratch nothing is known but what the run saw: no limit assumed")
        elif one.bandwidth == UNLIMITED:
            found.append(f"the bandwidth of {one.name} is not known: no limit assumed")
    if not recorded.growth.rules and base.partitions is None:
        found.append("the number of tasks is taken as fixed; --partitions sets another one")
    return found


def section(found: Prediction) -> Section:
    """Everything, for a page and for a terminal."""
    blocks: list[Block] = []
    for one in found.curves:
        tone = "bad" if any(point.far for point in one.points) else "plain"
        nearer = f" Predicted from {one.start}, which is nearer." if one.start != found.run else ""
        blocks.append(Words(f"Scratch {one.scratch}: {one.sentence}.{nearer}", "plain"))
        if tone == "bad":
            far = max(point.factor for point in one.points)
            blocks.append(
                Words(
                    f"Extrapolated up to {far:,.0f} times beyond what was measured: the rows marked ! are guesses by rule.",
                    "bad",
                )
            )
        blocks.append(_table(one))
    blocks.insert(0, Words(trust(found), "plain" if abs(found.replay - 1) <= 0.05 else "warn"))
    blocks.append(
        Chart(
            "seconds over cores",
            lambda: charts.scaling(_rows(found), [each.scratch for each in found.curves]),
            _bars(found),
            "Lines: seconds of the result; areas: their band. The dot is the measured run.",
        )
    )
    if found.notes:
        blocks.append(Listing([f"{note}." for note in found.notes], "quiet"))
    return Section("prediction", f"{found.run} on {found.machine}", blocks)


def _bars(found: Prediction) -> list[str]:
    """The curves for a terminal, one bar a point on a logarithmic scale."""
    every = [point.seconds for one in found.curves for point in one.points]
    low, high = math.log(min(every) / 1.5), math.log(max(every))
    lines = []
    for one in found.curves:
        lines.append(one.scratch)
        for point in one.points:
            share = (math.log(point.seconds) - low) / max(high - low, 1e-9)
            lines.append(f"{point.cores:>8,} {'█' * max(1, round(_BAR * share))} {seconds(point.seconds)} s")
    return lines


def trust(found: Prediction) -> str:
    """How well the model repeats what it started from."""
    others = (
        f" Other runs of it that are predicted as a test: {found.left_out}, with a median error of"
        f" {percent(found.left_out_error)}, by which the curves are corrected."
        if found.left_out
        else " No other run of it is there as a test."
    )
    return (
        f"Measured {show_seconds(found.measured)} on {found.nodes} nodes x {found.cores} cores. The model schedules"
        f" the run itself in {percent(found.replay)} of that; the rest is carried along, and widens the band.{others}"
    )


def _table(one: Curve) -> Table:
    columns = [Column("nodes", number=True), Column("cores", number=True), Column("seconds", number=True),
               Column("band", number=True), Column("node-hours", number=True),
               Column("waiting", number=True), Column("beyond measured", number=True)]  # fmt: skip
    rows = [
        (
            f"{point.nodes}",
            f"{point.cores:,}",
            seconds(point.seconds),
            f"{seconds(point.low)} to {seconds(point.high)}",
            f"{point.node_hours:.3g}",
            percent(point.waiting),
            f"{point.factor:,.3g} x{' !' if point.far else ''}",
        )
        for point in one.points
    ]
    return Table(columns, rows, "waiting: share of slot time paid for queues and empty slots.")


def _rows(found: Prediction) -> list[dict[str, float | str | None]]:
    rows: list[dict[str, float | str | None]] = [
        {"scratch": one.scratch, **point.model_dump(), "measured": None}
        for one in found.curves
        for point in one.points
    ]
    own: dict[str, float | str | None] = {
        "scratch": found.curves[0].scratch,
        "cores": found.nodes * found.cores,
        "measured": found.measured,
    }
    return [*rows, own]


def page(found: Prediction) -> str:
    """One self-contained page."""
    return render(
        Page(
            title=found.run,
            badge="PREDICTED",
            tone="plain",
            sentences=[f"Scratch {one.scratch}: {one.sentence}." for one in found.curves],
            footer=[f"weft {__version__}; bands are assumptions that bench/unseen scores."],
            data=found.model_dump_json(),
            sections=[section(found)],
        )
    )
