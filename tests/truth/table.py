"""Runs the doses and prints them as a table of docs/guide/explain.md: `bench/doses [--repeat N] [DOSE...]`."""

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.local.conftest import Weft
from tests.truth.doses import DOSES, Dose, Measured, moved, slope

HEAD = """| dose | given, s | part | found, s | slope | largest change of another part |
|---|---|---|---|---|---|"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="DOSE", help=", ".join(DOSES))
    parser.add_argument(
        "--repeat", type=int, default=1, help="rounds through all values of a dose (default 1)"
    )
    given = parser.parse_args()
    print(HEAD)
    for name in given.names or DOSES:
        dose = DOSES[name]
        with tempfile.TemporaryDirectory(prefix="weft-doses.") as folder:
            found = [
                dose.measure(Weft(Path(folder)), each, Path(folder))
                for _ in range(given.repeat)
                for each in dose.doses
            ]
        print(row(dose, found), flush=True)


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
