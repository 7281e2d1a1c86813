"""Whether runs became slower than a reference, by more than a bound: for a test that fails, and for a nightly job."""

from collections.abc import Sequence

from weft.analysis.compare import statistics
from weft.analysis.compare.estimate import Estimate
from weft.analysis.compare.headline import Headline
from weft.analysis.read.part import Part
from weft.text.units import show_seconds

_NAMED = 5
"""Runs of other specs, by name."""


class Change(Part):
    """The times of runs and of their reference, in seconds; `ratio` is the one divided by the other."""

    runs: tuple[str, ...]
    reference: tuple[str, ...]
    """The runs that it is; empty for a time that was given."""
    seconds: Estimate | None = None
    reference_seconds: Estimate | None = None
    ratio: Estimate | None = None
    slower: float
    """How much slower is allowed, as a share of the reference: 0.1 for 10 %."""
    fails: bool
    sure: bool = False
    """Whether the whole interval of the ratio, or of 2 to 5 runs its range, is on one side of the bound."""
    notes: tuple[str, ...] = ()
    """How the two differ besides."""
    sentence: str = ""


def change(
    lines: Sequence[Headline],
    before: Sequence[Headline],
    given: float | None,
    slower: float,
    others: Sequence[str] = (),
) -> Change:
    """Compares the medians of valid runs: with those of other runs, or with a time that was given. `others`: runs of other specs."""
    values, base = _seconds(lines), [given] if given is not None else _seconds(before)
    found = Change(
        runs=tuple(line.id for line in lines), reference=tuple(line.id for line in before), slower=slower,
        fails=True, notes=(*_notes(lines, before), *_apart(others)),
    )  # fmt: skip
    if not values or not base or min(base) <= 0:
        whose = "the runs" if not values else "the reference"
        return found.model_copy(
            update={"sentence": f"There is nothing to compare: no run of {whose} has a time."}
        )
    if given is None:
        ratio = statistics.ratio(values, base)
    else:
        ratio = statistics.combined({"": values}, lambda medians: medians[""] / given)
    bound = 1 + slower
    low, high = (ratio.low, ratio.high) if ratio.low is not None else (ratio.smallest, ratio.largest)
    sure = low is not None and high is not None and not low <= bound <= high
    found = found.model_copy(
        update={
            "seconds": statistics.median(values),
            "reference_seconds": statistics.median(base),
            "ratio": ratio,
            "fails": ratio.median > bound,
            "sure": sure,
        }
    )
    return found.model_copy(update={"sentence": _sentence(found, ratio)})


def _seconds(lines: Sequence[Headline]) -> list[float]:
    return [line.seconds for line in lines if line.seconds is not None]


def _sentence(found: Change, ratio: Estimate) -> str:
    assert found.seconds is not None
    assert found.reference_seconds is not None
    percent = (ratio.median - 1) * 100
    how = f"{percent:.1f} % slower than" if percent >= 0 else f"{-percent:.1f} % faster than"
    times = f"{show_seconds(found.seconds.median)} against {show_seconds(found.reference_seconds.median)}"
    limit = f"{found.slower * 100:g} % are allowed"
    doubt = "" if found.sure else "; the runs are too few or differ too much to be sure"
    return f"{'FAILED' if found.fails else 'ok'}: {how} the reference ({times}); {limit}{doubt}."


def _notes(lines: Sequence[Headline], before: Sequence[Headline]) -> list[str]:
    """What else differs, and which runs were not counted."""
    notes = []
    if before:
        specs = [
            {key: line.spec.get(key, "") for each in (*lines, *before) for key in each.spec}
            for line in (lines[0], before[0])
        ]
        if other := sorted(key for key in specs[0] if specs[0][key] != specs[1][key]):
            notes.append(f"The two are runs of different specs: {', '.join(other)}.")
    left = [f"{line.id} ({line.verdict})" for line in (*lines, *before) if line.seconds is None]
    if left:
        notes.append(f"Not counted: {', '.join(left)}.")
    return notes


def _apart(others: Sequence[str]) -> list[str]:
    """Runs that were named as well, and are of other specs than the newest one."""
    more = f" and {len(others) - _NAMED} more" if len(others) > _NAMED else ""
    words = f"Of other specs than the newest run, and not compared: {', '.join(others[:_NAMED])}{more}."
    return [words] if others else []
