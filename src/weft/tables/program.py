"""The contract of programs on tables: options in, one outcome file out, exit code 0 or 1 (java/README.md)."""

import argparse
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import duckdb

from weft.errors import WeftError
from weft.record.record import write_json

Work = Callable[[argparse.Namespace], Mapping[str, Any]]


def options(about: str | None) -> argparse.ArgumentParser:
    """A parser with the options that all programs have."""
    parser = argparse.ArgumentParser(description=about, allow_abbrev=False)
    parser.add_argument("--outcome", type=Path, required=True)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--memory", type=int, default=1 << 30, help="bytes")
    parser.add_argument(
        "--scratch", type=Path, required=True, help="directory for what does not fit into memory"
    )
    parser.add_argument(
        "--copier", default="[]", help="words, in JSON, of the program that copies from and to a URI"
    )
    return parser


def execute(parser: argparse.ArgumentParser, work: Work) -> None:
    """Do the work of this process's command line, and exit."""
    given = parser.parse_args()
    began = time.monotonic()
    try:
        found = {"valid": True, **work(given)}
    except (WeftError, duckdb.Error, OSError, ValueError) as error:
        reason = str(error).partition("\n")[0]
        print(error, file=sys.stderr)
        found = {"valid": False, "reason": reason}
    write_json(given.outcome, {**found, "seconds": time.monotonic() - began})
    sys.exit(0 if found["valid"] else 1)


def progress(done: int, total: int) -> None:
    """Report how much of the work is done."""
    print(f"progress: {done} {total}", file=sys.stderr, flush=True)
