"""Runs the doses and the pairs and keeps what was found as rows of evidence: `bench/doses [--repeat N] [NAME...]`."""

import tempfile
from collections.abc import Iterable
from functools import partial
from pathlib import Path

from figures import cells
from figures.cells import Cell
from figures.rows import Row

from tests.local.conftest import Weft
from tests.truth.answers import Explained, explained
from tests.truth.doses import DOSES
from tests.truth.pairs import EQUAL, PAIRS, expected, measured
from weft.cli.guard import run_guarded

AGAIN = "again"
"""Name of the run that is done twice."""
NAMES = (*DOSES, *PAIRS, AGAIN)


def main() -> None:
    parser = cells.options("bench/doses", __doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(NAMES))
    given = parser.parse_args()
    if unknown := set(given.names) - set(NAMES):
        parser.error(f"no dose or pair is named {', '.join(sorted(unknown))}")
    wanted = [
        Cell(f"{name} {amount}", {"name": name, "cell": amount}, partial(measure, name, amount))
        for name in given.names or NAMES
        for amount in amounts(name)
    ]
    cells.measure("doses", wanted, given, ["doses", "bounds", "equal"])


def measure(name: str, amount: str, _: int) -> Row:
    """A dose, pair or equal run, with records of its own."""
    with tempfile.TemporaryDirectory(prefix="weft-doses.") as folder:
        return found(name, amount, Path(folder))


def amounts(name: str) -> Iterable[str]:
    """The amounts of a dose; otherwise one cell."""
    return [f"{dose:g}" for dose in DOSES[name].doses] if name in DOSES else [name]


def found(name: str, cell: str, folder: Path) -> Row:
    """Run it, and return what was given and what each part had, in slot-seconds."""
    weft = Weft(folder)
    if name in PAIRS:
        slow, fast = measured(name, weft)
        sides = {"slow": answer(slow), "fast": answer(fast)}
        bounds = {
            "share": slow.share(name),
            "bound": slow.bound(name),
            "expected": expected(name, slow, fast),
        }
        return {"kind": "pair", **sides, **bounds}
    if name == AGAIN:
        return {"kind": AGAIN, **answer(explained(weft, *EQUAL))}
    dose = DOSES[name]
    result = dose.measure(weft, float(cell), folder)
    about = {"what": dose.what, "unit": dose.unit, "part": dose.part, "given": round(result.given, 3)}
    return {"kind": "dose", **about, **answer(result.answer)}


def answer(explanation: Explained) -> Row:
    """Slot-seconds by part, and the wall time."""
    parts = {name: round(taken, 3) for name, taken in explanation.by_part.items()}
    return {"slots": explanation.table["slots"], "wall": round(explanation.wall, 3), "parts": parts}


if __name__ == "__main__":
    run_guarded(main)
