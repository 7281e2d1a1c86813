"""What counting adds to one call of a task's thread: rounds of the same calls, with and without the preload library."""

import json
import subprocess
import sys

from figures import rows, tables
from figures.cells import say

from weft.host.provision import native


def main() -> int:
    """A row for each round."""
    programs = native.build(say)
    command = [str(programs / "weft-scratch"), "cost", str(programs / native.PRELOAD)]
    before = rows.control(say)
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    about = {"cell": "round", **rows.here(), **before}
    found = [json.loads(line) for line in done.stdout.splitlines()]
    rows.write("calls", [{**about, "repeat": number, "calls": calls} for number, calls in enumerate(found)])
    print("\n".join(tables.lines("calls") or []))
    return 0


if __name__ == "__main__":
    sys.exit(main())
