"""Of which parts of the slot time the difference between cells is made: a section of comparisons."""

from weft.analysis.compare.compare import Comparison, Group
from weft.report.draw.blocks import Block, Listing, Number, Section, Table, Words
from weft.text.numbers import NONE, percent, seconds

TITLE = "Where the difference comes from"
_SMALL = 0.01
"""Share of the longest run phase below which a part is shown with the other small ones."""
_MOMENT = 5e-4
"""Seconds that are shown as none."""
_MOST = 5
"""Maximum number of parts in a sentence."""


def where_the_difference_comes_from(comparison: Comparison) -> Section:
    """Each part of the run phase in each cell, and what of the difference to the first it makes."""
    split = [group for group in comparison.groups if group.parts]
    if not split:
        words = "No run has job metrics, so that its time cannot be split."
        return Section("difference", TITLE, [Words(words, "quiet")])
    found: list[Block] = []
    if sentences := [sentence(base, group) for group in split if (base := _base(comparison, split, group))]:
        found.append(Listing(sentences))
    if len({group.unmeasured for group in split}) > 1:
        lacking = "; ".join(
            f"[{each.label}] without {', '.join(each.unmeasured)}" for each in split if each.unmeasured
        )
        words = f"These cells were not observed alike, and the same time may have two names: {lacking}."
        found.append(Words(words, "warn"))
    return Section("difference", TITLE, [*found, _table(split)])


def _base(comparison: Comparison, split: list[Group], group: Group) -> Group | None:
    """What a cell is compared with: the first, or in a study with rules the base at the same place of the axis."""
    if comparison.against is None:
        return split[0] if group is not split[0] else None
    expected = comparison.against.expected
    wanted = {**group.coordinates, expected.series: expected.cells[expected.base]}
    return next((each for each in split if each.coordinates == wanted and each is not group), None)


def sentence(base: Group, group: Group) -> str:
    """[b] took 101 s more than [a]: +60 s metadata: scratch, map side: open, ..."""
    whole = sum(group.parts.values()) - sum(base.parts.values())
    steps = changes(base, group)
    largest = sorted(steps, key=lambda name: -abs(steps[name]))[:_MOST]
    words = ", ".join(
        f"{'+' if steps[name] > 0 else '-'}{seconds(abs(steps[name]))} s {name}"
        for name in largest
        if abs(steps[name]) > max(abs(whole) / 50, _MOMENT)
    )
    more = "more" if whole > 0 else "less"
    if abs(whole) < _MOMENT or not words:
        return (
            f"[{group.label}] took as long as [{base.label}] in its run phase{f': {words}' if words else ''}."
        )
    part = sum(steps[name] for name in largest) / whole
    return (
        f"[{group.label}] took {seconds(abs(whole))} s {more} than [{base.label}] in its run phase: {words};"
        f" together {percent(part)} of the difference."
    )


def changes(base: Group, group: Group) -> dict[str, float]:
    """Seconds that each part of the run phase has more than in the base."""
    names = dict.fromkeys([*group.parts, *base.parts])
    return {name: group.parts.get(name, 0.0) - base.parts.get(name, 0.0) for name in names}


def _table(groups: list[Group]) -> Table:
    longest = max(sum(group.parts.values()) for group in groups)
    names = dict.fromkeys(name for group in groups for name in group.parts)
    highest = {name: max(group.parts.get(name, 0.0) for group in groups) for name in names}
    shown = sorted(
        (name for name in names if highest[name] >= longest * _SMALL), key=lambda name: -highest[name]
    )
    rows = [(name, *(seconds(group.parts.get(name, 0.0)) for group in groups)) for name in shown]
    rest = [sum(group.parts.values()) - sum(group.parts.get(name, 0.0) for name in shown) for group in groups]
    rows.append(("smaller parts", *(seconds(each) if each > 0 else NONE for each in rest)))
    rows.append(("run phase", *(seconds(sum(group.parts.values())) for group in groups)))
    note = "Seconds of the run phase: slot-seconds over slots. Means over the runs that could be split."
    return Table(["part", *(Number(group.label) for group in groups)], rows, note)
