"""Runs the user's own check of a job, and reports how it ended.

usage: python -m weft.tables.owncheck --command ARGV --directory DIR --scratch DIR --outcome FILE
"""

import argparse
import json
import os
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from weft.errors import MissingError
from weft.host import shell
from weft.tables.program import execute, options

_LONGEST = 24 * 3600.0
"""Seconds; the limit of the phase ends it before."""
_LINES = 8
"""Of its output, the last ones."""


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("--command", type=json.loads, required=True, help="as a list, in JSON")
    parser.add_argument("--directory", type=Path, required=True)
    execute(parser, _work)


def _work(given: argparse.Namespace) -> Mapping[str, Any]:
    os.environ.pop("PYTHONPATH", None)  # the user's Python is not weft's
    os.chdir(given.directory)
    named = shlex.join(given.command)
    try:
        done = shell.run(given.command, timeout=_LONGEST, check=False)
    except MissingError as error:
        return {"command": named, "reason": f"the check could not be started: {error.message}", "lines": []}
    lines = [line for line in (done.out + done.err).splitlines() if line.strip()][-_LINES:]
    print("\n".join(lines))
    reason = f"the check ended with exit code {done.code}" if done.code else ""
    reason += f": {lines[-1]}" if reason and lines else ""
    return {"command": named, "code": done.code, "reason": reason, "lines": lines}


if __name__ == "__main__":
    main()
