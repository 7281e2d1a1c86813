"""Runs the doses and the pairs, and prints them as tables of docs/guide/explain.md: `bench/doses [--repeat N] [NAME...]`."""

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.local.conftest import Weft
from tests.truth.answers import Explained, explained
from tests.truth.doses import DOSES, Dose, Measured, moved, slope
from tests.truth.pairs import EQUAL, PAIRS, compared, measured

OF_DOSES = """| dose | given, s | part | found, s | slope | largest change of another part |
|---|---|---|---|---|---|"""
OF_PAIRS = """
| part | share | at most faster without it | with what is left of it | runs without it |
|---|---|---|---|---|"""
AGAIN = "again"
"""Name of the run that is done twice."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    names = [*DOSES, *PAIRS, AGAIN]
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(names))
    parser.add_argument("--repeat", type=int, default=1, help="rounds through each dose and pair (default 1)")
    given = parser.parse_args()
    if unknown := set(given.names) - set(names):
        parser.error(f"no dose or pair is named {', '.join(sorted(unknown))}")
    wanted = given.names or names
    for head, kinds, line in ((OF_DOSES, DOSES, of_dose), (OF_PAIRS, PAIRS, of_pair)):
        if chosen := [name for name in kinds if name in wanted]:
            print(head)
        for name in chosen:
            with tempfile.TemporaryDirectory(prefix="weft-doses.") as folder:
                print(line(name, given.repeat, Path(folder)), flush=True)
    if AGAIN in wanted:
        with tempfile.TemporaryDirectory(prefix="weft-doses.") as folder:
            print(of_equals([explained(Weft(Path(folder)), *EQUAL) for _ in range(1 + given.repeat)]))


def of_dose(name: str, rounds: int, folder: Path) -> str:
    dose = DOSES[name]
    found = [dose.measure(Weft(folder), each, folder) for _ in range(rounds) for each in dose.doses]
    return row(dose, found)


def of_pair(part: str, rounds: int, folder: Path) -> str:
    found = compared(part, [measured(part, Weft(folder)) for _ in range(rounds)])
    return f"| `{part}` | {100 * found.share:.0f} % | {found.bound:.2f} x | {found.expected:.2f} x | {found.real:.2f} x |"


def of_equals(found: Sequence[Explained]) -> str:
    """The largest parts of runs that were equal, and by how much any part's share differed."""
    names = {str(part["name"]) for each in found for part in each.table["parts"]}
    shares = {name: [each.share(name) for each in found] for name in names}
    apart = {name: max(each) - min(each) for name, each in shares.items()}
    worst = max(apart, key=lambda name: apart[name])
    largest = ", ".join(sorted({each.largest_of_tasks() for each in found}))
    return f"\n{len(found)} equal runs: largest part {largest}; most apart is {worst}, by {100 * apart[worst]:.1f} % of slot time"


def row(dose: Dose, found: Sequence[Measured]) -> str:
    """One line of the table."""
    tilt, error = slope(found, dose.part)
    others = moved(found, dose.part) or {"none": 0.0}
    worst = max(others, key=lambda name: abs(others[name]))
    values = ", ".join(f"{each:g}" for each in dose.doses)
    pairs = [(f"{each.given:.1f}", f"{each.answer.seconds(dose.part):.1f}") for each in found]
    columns = (
        f"{dose.what}: {values} {dose.unit}",
        ", ".join(one for one, _ in pairs),
        f"`{dose.part}`",
        ", ".join(one for _, one in pairs),
        f"{tilt:.3f} ± {1.96 * error:.3f}",
        f"`{worst}` {100 * others[worst]:+.1f} %",
    )
    return f"| {' | '.join(columns)} |"


if __name__ == "__main__":
    main()
