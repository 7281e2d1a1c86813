"""Advice on a run: what to change, its predicted gain with an interval, what it is based on, how to check it."""

import shlex
from collections.abc import Sequence

from weft.analysis.explain.timeparts import Suggestion
from weft.analysis.predict.advice import Advice, Line, Trial
from weft.analysis.predict.remedies import Remedy
from weft.report.draw.blocks import Block, Listing, Number, Section, Table, Words
from weft.report.sections.explain import nothing, trying
from weft.text.numbers import NONE, percent
from weft.text.units import show_seconds


def section(advice: Advice) -> Section:
    """The lines, for a terminal."""
    of_class = ", ".join(f"{name} {percent(share)}" for name, share in advice.shares.items())
    took = f"Measured {show_seconds(advice.measured)}; the model's time for this run is {percent(advice.replay)} of that."
    blocks: list[Block] = []
    if advice.first:
        blocks.append(Listing([" ".join(filter(None, trying(advice.first)))]))
    else:
        blocks.append(Words(nothing(advice.work), "good"))
    if advice.lines:
        blocks += [_table(advice.lines), Listing([_how(line) for line in advice.lines])]
    if advice.findings:
        blocks.append(Listing([_finding(one) for one in advice.findings], "quiet"))
    if advice.job_class:
        blocks.append(Words(f"The job is {advice.job_class} by its slot time: {of_class}.", "quiet"))
        blocks.append(Words(took, "quiet"))
    if advice.uncertain:
        changes = (f"{one.change} ({_interval(one)})" for one in advice.uncertain)
        blocks.append(Words(f"May help, but it is not sure: {'; '.join(changes)}.", "quiet"))
    if advice.unmeasured:
        words = "Lustre's own remedies. What they gain was measured on no Lustre by weft; more than the share in brackets it cannot be."
        blocks += [
            Words(words, "quiet"),
            Listing([_tried(one, advice.directory) for one in advice.unmeasured]),
        ]
    if advice.one_node:
        blocks.append(Listing([f"{one.says}." for one in advice.one_node]))
    if advice.notes:
        blocks.append(Listing([f"{note}." for note in advice.notes], "quiet"))
    return Section("advice", f"What to change about {advice.run}", blocks)


def _finding(one: Suggestion) -> str:
    gain = "" if one.gain is None else f" (at most {percent(one.gain)})"
    return f"{one.part}: {one.change}{gain}"


def _table(lines: Sequence[Line]) -> Table:
    rows = [
        (line.change, percent(line.gain), _interval(line), f"{line.part}: {line.counter}") for line in lines
    ]
    return Table(["change", Number("saves"), Number("interval"), "because of"], rows)


def _interval(line: Line | Trial) -> str:
    return NONE if line.low is None or line.high is None else f"{percent(line.low)} to {percent(line.high)}"


def _how(line: Line) -> str:
    ways = [
        " ".join(line.flags),
        line.settings and f"without weft: {line.settings}",
        line.check and f"check: {line.check}",
    ]
    return f"{line.change}: {'; '.join(way for way in ways if way)}"


def _tried(one: Remedy, directory: str) -> str:
    check = shlex.join(["weft", "run", f"{directory}/spec.toml", *one.flags])
    return f"{one.change} ({percent(one.share)}){f': {check}' if one.flags and directory else ''}"


def score(tried: Sequence[Trial]) -> Section:
    """Predicted beside real gains, and how often the interval held."""
    columns = ["run", "change", Number("predicted"), Number("interval"), Number("real"), "held"]
    held = {True: "yes", False: "no", None: "not predicted"}
    rows = [
        (one.run, one.change, percent(one.gain), _interval(one), percent(one.real), held[one.held])
        for one in tried
    ]
    predicted = [one.held for one in tried if one.held is not None]
    words = f"The interval held {sum(predicted)} of {len(predicted)} times."
    counted = [Words(words)] if predicted else []
    return Section("score", "Advice that was tried", [Table(columns, rows), *counted])
