"""The submissions to IO500 that weft knows, as a table: their names, and how fast their file systems were."""

from collections.abc import Iterable

from weft.facts.io500 import profile
from weft.facts.io500.figures import Figures
from weft.facts.io500.percentiles import PERCENTILES
from weft.facts.io500.phases import CREATE, CREATE_IN_ONE, PHASES, READ_IN_ONE, STAT, UNITS
from weft.facts.io500.submissions import PREFIX, Submission
from weft.facts.io500.summary import ResultSummary
from weft.report.draw.blocks import Block, Listing, Number, Section, Table, Words
from weft.report.sections.ceilings import latency
from weft.text.numbers import NONE

_SHOWN = (CREATE, STAT, CREATE_IN_ONE, READ_IN_ONE)


def section(every: Iterable[Submission]) -> Section:
    """By name."""
    titles = [
        "name",
        "file system",
        Number("year"),
        Number("nodes"),
        Number("processes"),
        *map(Number, _SHOWN),
    ]
    note = (
        f"Thousands of operations a second of all processes. `weft predict --machine {PREFIX}NAME`, or `--scratch delayed:{PREFIX}NAME` to"
        f" run on an emulation. Machines too: the percentiles {', '.join(PREFIX + name for name in PERCENTILES)}. Figures of IO500/submission-data, commit f610b34: quiet, tuned machines."
    )
    return Section("io500", "Submissions to IO500", [Table(titles, [_row(one) for one in every], note)])


def _row(one: Submission) -> tuple[str, ...]:
    rates = (f"{one.rates[phase] / 1e3:,.1f}" if phase in one.rates else NONE for phase in _SHOWN)
    counts = (str(count) if count else NONE for count in (one.year, one.nodes, one.processes))
    return (one.name, one.file_system, *counts, *rates)


def imported(found: ResultSummary, figures: Figures, path: str) -> Section:
    """A result_summary.txt: what it says, and what a prediction takes from it."""
    rows = [
        (phase, f"{found.rates[phase] / UNITS[unit]:,.3f}", unit, what)
        for phase, (unit, what) in PHASES.items()
        if phase in found.rates
    ]
    low, high = profile.bounds(figures)
    alone = profile.alone(figures)
    between = f", between {latency(low)} and {latency(high)} by the figures" if high > low else ""
    notes = [f"{note}." for note in found.notes]
    blocks: list[Block] = [
        Table(["phase", Number("rate"), "unit", "what was done, by all processes together"], rows),
        *([Listing(notes, "warn")] if notes else []),
        Words(f"One call alone is taken to need {latency(alone.value)}{between}: {alone.source}."),
        Words(f"Predict a run on it: weft predict last --machine {path} --scratch mount:DIR,pool+mount:DIR"),
    ]
    return Section("imported", f"{path}{f', IO500 {found.version}' if found.version else ''}", blocks)
