"""Runs the doses and the pairs and keeps what was found as rows of evidence: `bench/doses [--repeat N] [NAME...]`."""

import argparse
import sys
import tempfile
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path

from figures import rows, tables
from figures.rows import Row

from tests.local.conftest import Weft
from tests.truth.answers import Explained, explained
from tests.truth.doses import DOSES
from tests.truth.pairs import EQUAL, PAIRS, expected, measured

AGAIN = "again"
"""Name of the run that is done twice."""
NAMES = (*DOSES, *PAIRS, AGAIN)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(NAMES))
    parser.add_argument("--repeat", type=int, default=1, help="rounds through each dose and pair (default 1)")
    parser.add_argument("--again", action="store_true", help="begin again; otherwise what was measured stays")
    given = parser.parse_args()
    if unknown := set(given.names) - set(NAMES):
        parser.error(f"no dose or pair is named {', '.join(sorted(unknown))}")
    wanted = given.names or NAMES
    if given.again:
        rows.write("doses", [row for row in rows.read("doses") if row["name"] not in wanted])
    # one after another within a round, so that a busy hour does not fall on one of them alone
    for repeat in range(given.repeat):
        for name in wanted:
            measure(name, repeat)
    for table in ("doses", "bounds", "equal"):
        print("\n".join(tables.lines(table) or []))


def measure(name: str, repeat: int) -> None:
    """What of a dose, pair or equal run has no row yet."""
    done = {(row["name"], row["cell"], row["repeat"]) for row in rows.read("doses")}
    for cell in cells(name):
        if (name, cell, repeat) not in done:
            with tempfile.TemporaryDirectory(prefix="weft-doses.") as folder:
                about = {"name": name, "cell": cell, "repeat": repeat}
                rows.kept("doses", say, partial(found, name, cell, Path(folder)), **about)


def cells(name: str) -> Iterable[str]:
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
    names: Sequence[str] = [str(part["name"]) for part in explanation.table["parts"]]
    parts = {name: round(explanation.seconds(name), 3) for name in names}
    return {"slots": explanation.table["slots"], "wall": round(explanation.wall, 3), "parts": parts}


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
