"""The tests of MLlib: how much longer with shuffle files on an emulated Lustre, and how much of that is in file calls."""

from collections.abc import Mapping, Sequence

from figures.rows import Row
from figures.shown import spread, table, valid
from figures.tables import studies
from weft.analysis.compare import statistics
from weft.report.draw.interval import interval
from weft.text.numbers import NONE

_STUDY = "nersc-lustre-mllib"
_OTHERS = {"lustre": "`delayed:lustre-2014`", "loopback": "loopback", "pool": "pool"}


def slowdowns(rows: Sequence[Row]) -> list[str]:
    """A line for each test: seconds in memory, the other storages over it, and where the seconds on Lustre are."""
    of = studies.expected(_STUDY)
    taken, opens = studies.values(rows, of), studies.values(rows, of, "opens")
    body = []
    for at in of.places:
        memory, lustre = taken.get(("memory", at)), taken.get(("lustre", at))
        if not memory:
            continue
        here = [
            row
            for row in valid(rows)
            if (row["cell"]["test"], row["cell"]["scratch"]) == (at, of.cells["lustre"])
        ]
        others = [taken.get((name, at)) for name in _OTHERS]
        longer = statistics.median(lustre).median - statistics.median(memory).median if lustre else None
        body.append(
            [
                f"`{at}`",
                spread(memory),
                *(interval(statistics.ratio(each, memory)) if each else NONE for each in others),
                NONE if longer is None else f"{longer:.1f}",
                f"{_in_calls(studies.parts_of(here)):.1f}" if here else NONE,
                spread(opens.get(("lustre", at), ()), lambda value: f"{value:,.0f}"),
            ]
        )
    head = [
        "test",
        "memory, s",
        *_OTHERS.values(),
        "longer on Lustre, s",
        "in file calls on scratch, s",
        "opens",
    ]
    return table(head, body)


def _in_calls(parts: Mapping[str, float]) -> float:
    """Seconds of the run phase in file calls on scratch."""
    return sum(
        taken for name, taken in parts.items() if name.startswith(("metadata: scratch", "data: scratch"))
    )


def verdicts(rows: Sequence[Row]) -> list[str]:
    """How many tests were right, and how long each took."""
    names = list(dict.fromkeys(row["cell"]["test"] for row in rows))
    right = {name: [row for row in valid(rows) if row["cell"]["test"] == name] for name in names}
    sentence = f"{sum(bool(each) for each in right.values())} of {len(names)} tests VALID."
    body = [[f"`{name}`", spread(row["measures"]["seconds"] for row in here)] for name, here in right.items()]
    return [sentence, "", *table(["test", "seconds"], body)]
