"""What a run would take elsewhere: curves with bands, knees, and what is not known."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from weft.analysis.predict import correction, curve, distance, holdout, memory
from weft.analysis.predict.candidates import SMALL, Experiment, possible_experiments
from weft.analysis.predict.correction import USUAL
from weft.analysis.predict.curve import Point
from weft.analysis.predict.distance import Axes
from weft.analysis.predict.machine import Machine, service
from weft.analysis.predict.memory import Shortage
from weft.analysis.predict.projection import Recorded
from weft.analysis.predict.storagemodel import UNLIMITED
from weft.analysis.predict.target import Target
from weft.analysis.read.part import Part
from weft.errors import UsageError
from weft.facts import engines
from weft.facts.storages import layers
from weft.text.numbers import percent
from weft.text.units import show_seconds, show_size

MEASURED = "as measured"
"""The name of a curve whose storages are those of the run."""


_BEYOND = 2
"""How many times the largest number of nodes that was asked for is searched for a knee."""


class Curve(Part):
    """One storage of scratch over the number of nodes."""

    scratch: str
    start: str
    """The run that it is predicted from: of those there are, the one that is nearest."""
    points: tuple[Point, ...]
    knee_cores: float | None
    """None if there is no knee up to twice the nodes that were asked for."""
    knee_resource: str
    sentence: str
    memory: tuple[str, ...] = ()
    """What may not have room in memory, and on how many nodes, as sentences; where it surely has not, there is no point."""


class Prediction(Part):
    """What a run would take elsewhere."""

    run: str
    machine: str
    elsewhere: bool
    """Whether that is another machine than the measured one: how accurate the curves are there is hardly known."""
    measured: float
    job: str
    """What is predicted, as a sentence: how much data, and how many tasks, on any number of nodes."""
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
class Scenario:
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
        """By the name of a curve: its target on one node. Raises UsageError for a storage that the machine has not, and for a
        size that would change nothing."""
        self._require_size(recorded)
        self._require_scratches(recorded)
        each = self.cores or self.there.cores or recorded.cores
        size = self.size or recorded.work.size
        base = Target(self.there, 1, each, {}, size, self.partitions, recorded.growth)
        kept = dict(recorded.on(self.there).storages.items())
        kept |= {role: service(text, self.there) for role, text in self.others.items()}
        named = {text: {**kept, "scratch": service(text, self.there)} for text in self.scratches}
        return {
            name: replace(base, storages=storages) for name, storages in (named or {MEASURED: kept}).items()
        }

    def _require_scratches(self, recorded: Recorded) -> None:
        pools = [text for text in self.scratches if layers(text, self.there.storages)[0].kind == "pool"]
        if pools and recorded.work.jvm_a_task:
            raise UsageError(
                f"--scratch {pools[0]}: {recorded.work.engine} starts containers without the library that serves a pool",
                hint="use memory, loopback, or loopback+STORAGE",
            )

    def _require_size(self, recorded: Recorded) -> None:
        if self.size is None:
            return
        kind = recorded.spec.get("workload", {}).get("kind") or "this workload"
        if self.size <= 0:
            raise UsageError(
                f"--size {self.size:g}: a workload has at least one byte", hint="write --size 2TB"
            )
        if recorded.growth.each:
            raise UsageError(
                f"--size changes nothing: {kind} has the same data in each task",
                hint="more tasks are more data: --partitions",
            )
        if not recorded.work.size:
            raise UsageError(
                f"--size changes nothing: no number says how much data {kind} has",
                hint="leave out --size, and run it with other data to see how it grows",
            )


def predict(
    recorded: Recorded,
    machine: Machine,
    scenario: Scenario,
    tests: Sequence[Recorded] = (),
    run: float = USUAL,
) -> Prediction:
    """The curves. `machine`: the machine of the record; `tests`: other runs; `run`: the relative deviation of one."""
    recorded = holdout.with_best_warm_up(recorded, machine, tests, run)
    model = recorded.model(machine)
    tested = holdout.predict_others(recorded, model, machine, tests)
    bases = scenario.bases(recorded)
    curves = [
        _curve(recorded, machine, base, scenario.counts, name, tests, run) for name, base in bases.items()
    ]
    return Prediction(
        run=recorded.name,
        machine=scenario.there.name,
        elsewhere=scenario.there.name != machine.name,
        measured=recorded.work.measured,
        job=_job(recorded, scenario),
        nodes=recorded.work.nodes,
        cores=recorded.cores,
        replay=model.replay(),
        left_out=len(tested),
        left_out_error=holdout.error(tested),
        curves=tuple(curves),
        notes=(
            *recorded.doubts,
            *_unchecked(one for one in tests if holdout.comparable(recorded, one)),
            *_notes(recorded, scenario.there, next(iter(bases.values())), curves),
            *_crowded(recorded, scenario),
        ),
    )


def _job(recorded: Recorded, scenario: Scenario) -> str:
    """What the target is in words: whether more nodes are more data."""
    work, growth = recorded.work, recorded.growth
    by_slots = growth.by_slots(work)
    tasks = "as many tasks for each slot as it had" if by_slots else "as many tasks as it had"
    if scenario.partitions is not None:
        tasks = f"{scenario.partitions} tasks where their number can be chosen"
    if growth.each:
        more = " (twice the nodes are twice the data)" if by_slots and scenario.partitions is None else ""
        return f"Predicted: as much data in each task as it had{more}, and {tasks}."
    if work.size:
        asked = scenario.size or work.size
        size = show_size(int(asked)) if work.size_key == "size" else f"{work.size_key} {asked:,.12g}"
        same = "the same data" if scenario.size in {None, work.size} else "other data"
        return f"Predicted: {same} ({size}) on any number of nodes, and {tasks}."
    return f"Predicted: the same data on any number of nodes, and {tasks}."


def experiments(
    recorded: Recorded, machine: Machine, scenario: Scenario, tests: Sequence[Recorded], count: int
) -> list[Experiment]:
    """The small runs, at most `count`, after which the curves would be known best."""
    model = recorded.model(machine)
    wanted = [replace(base, nodes=n) for base in scenario.bases(recorded).values() for n in scenario.counts]

    def axes(target: Target) -> Axes:
        return distance.axes(model, target, model.at(target))

    possible = [
        one
        for one in possible_experiments(recorded.situation(machine), scenario.scratches)
        if memory.fits(model.work, one.target)
        and model.at(one.target).seconds <= SMALL * recorded.work.measured
    ]
    known = [one.axes for one in holdout.predict_others(recorded, model, machine, tests)]
    best = correction.choose_runs(
        [axes(one.target) for one in possible], [axes(target) for target in wanted], count, known
    )
    return [possible[index] for index in best]


def _curve(
    recorded: Recorded,
    machine: Machine,
    base: Target,
    counts: Sequence[int],
    name: str,
    tests: Sequence[Recorded],
    run: float,
) -> Curve:
    """A curve from the nearest run, corrected by the others."""

    def at(nodes: int) -> Target:
        return replace(base, nodes=nodes)

    start = holdout.nearest(recorded, machine, tests, [at(nodes) for nodes in counts])
    if start is not recorded:
        start = holdout.with_best_warm_up(start, machine, [recorded, *tests], run)
    model = start.model(machine)
    short = {nodes: memory.shortages(model.work, at(nodes)) for nodes in counts}
    elsewhere = base.machine.name != machine.name
    fitting = [nodes for nodes in counts if elsewhere or not any(one.sure for one in short[nodes])]
    if not fitting:
        raise _too_little_memory(start, counts, short)
    tested = holdout.predict_others(start, model, machine, [recorded, *tests])
    known = correction.fit([one.residual for one in tested], run)
    points = curve.points(model, at, fitting, known)
    knee = curve.knee(model, at, _BEYOND * max(counts))
    return Curve(
        scratch=name,
        start=start.name,
        points=tuple(points),
        knee_cores=knee and knee.cores,
        knee_resource=knee.resource if knee else "",
        sentence=_sentence(points, knee),
        memory=tuple(_of_memory(short, elsewhere=elsewhere)),
    )


def _too_little_memory(
    start: Recorded, counts: Sequence[int], short: Mapping[int, Sequence[Shortage]]
) -> UsageError:
    """Why there is no point at all, with the sizes on most nodes."""
    most = max(counts)
    worst = next(one for one in short[most] if one.sure)
    key = engines.of(start.work.engine).memory_key
    more = f" --set engine.{key}=SIZE" if key else ""
    return UsageError(
        f"not predicted on {most} node(s), where memory no longer suffices: {worst.says}",
        hint=f"--nodes with more of them, or --partitions with more; or predict from a run with more memory: weft run{more}",
    )


def _of_memory(short: Mapping[int, Sequence[Shortage]], *, elsewhere: bool) -> Iterator[str]:
    """What has no room, or may have none, and on how many nodes; sizes are those on the fewest, where most is lacking."""
    every = [(nodes, one) for nodes, found in short.items() for one in found]
    for sure, cached in ((True, False), (True, True), (False, False), (False, True)):
        alike = [(nodes, one) for nodes, one in every if (one.sure, one.cached) == (sure, cached)]
        if not alike:
            continue
        fewest, worst = max(alike, key=lambda found: found[1].needs / found[1].room)
        where = ", ".join(str(nodes) for nodes in dict.fromkeys(nodes for nodes, _ in alike))
        if elsewhere:
            yield (
                f"If executors there have as much memory as where it was measured, it is too little on {where} node(s), which only"
                f" the interval includes (on {fewest}: {worst.says})."
            )
        elif sure:
            yield f"Not predicted on {where} node(s), where memory no longer suffices (on {fewest}: {worst.says})."
        else:
            yield f"Memory may not suffice on {where} node(s), which only the interval includes (on {fewest}: {worst.says})."


def _sentence(points: Sequence[Point], knee: curve.Knee | None) -> str:
    best = min(points, key=lambda point: point.seconds)
    words = (
        f"fastest on {best.nodes} node{'s' if best.nodes > 1 else ''}: {show_seconds(best.seconds)}"
        f" ({show_seconds(best.low)} to {show_seconds(best.high)})"
    )
    if knee is None:
        return f"{words}; no knee up to {_BEYOND * points[-1].cores:,} cores"
    last = points[-1]
    words += f"; knee at {knee.cores:,.0f} cores, made by {knee.resource}"
    if last.cores > knee.cores:
        words += f"; beyond it waiting is paid: {percent(last.waiting)} of slot time at {last.cores:,} cores"
    return words


def _unchecked(others: Iterable[Recorded]) -> Iterator[str]:
    """Which of the runs that test and correct the curves nobody checked."""
    if names := [one.name for one in others if not one.checked]:
        yield f"of the other runs, nobody checked the result of {', '.join(names)}"


def _notes(recorded: Recorded, there: Machine, base: Target, curves: Sequence[Curve]) -> list[str]:
    found = [f"not measured, and not predicted: {words}" for words in recorded.work.missing]
    if recorded.work.engine not in there.launches:
        found.append(
            f"how many tasks a second the driver of {recorded.work.engine} starts is not known: no limit assumed"
        )
    found += there.unknown
    if there.link == UNLIMITED:
        found.append("the bandwidth of the nodes' links is not known: no limit assumed")
    for name in dict.fromkeys(each.scratch for each in curves):
        one = service(name, there) if name != MEASURED else recorded.on(there).storages.get("scratch")
        if one is None:
            found.append("of the measured scratch nothing is known but what the run saw: no limit assumed")
        elif one.bandwidth == UNLIMITED:
            found.append(f"the bandwidth of {one.name} is not known: no limit assumed")
    if not recorded.growth.by_slots(recorded.work) and base.partitions is None:
        found.append("the number of tasks is taken as fixed; --partitions sets another one")
    return found


def _crowded(recorded: Recorded, scenario: Scenario) -> Iterator[str]:
    """What bench/unseen showed of more nodes on the same CPUs."""
    if scenario.there.processors and max(scenario.counts, default=0) > recorded.work.nodes:
        yield "nodes share one machine's CPUs: with more of them than were measured, most runs took longer than predicted (bench/unseen)"
