"""Seconds from a clone, or from a wheel, with an empty cache until `weft run terasort` has printed its verdict, and what they consist of.

Nothing is in the home of the command, and PATH has the system's programs only. Packages come from the registries that pip and Maven
are configured to use. With --other, runs from clones of two checkouts of weft are measured; which is first alternates.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path

from commands import alternated, commit
from figures import rows, tables
from figures.cells import say
from figures.rows import Row

from weft.host import settings
from weft.record import record

TABLE = "first-run"
CLONE, WHEEL = "clone", "wheel"
PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
RUN = ("run", "terasort", "--json")
PARTS = ("packages", "set-up", "cluster", "job", "end")


def main() -> int:
    """A row for each run."""
    parser = argparse.ArgumentParser(prog="bench/run first-run", description=__doc__)
    parser.add_argument("--repeat", type=int, default=3, help="of each (default 3)")
    parser.add_argument(
        "--only", default="", choices=("", CLONE, WHEEL), help="from a clone, or from a wheel"
    )
    parser.add_argument("--other", type=Path, help="another checkout of weft, to compare with")
    given = parser.parse_args()
    sources = {"this": settings.SOURCE, **({"other": given.other.resolve()} if given.other else {})}
    chosen = [(start, which) for which in sources for start in (CLONE, WHEEL) if given.only in ("", start)]
    chosen = [(start, which) for start, which in chosen if (start, which) != (WHEEL, "other")]
    rows.drop(TABLE, lambda row: (row["cell"]["from"], row["cell"]["weft"]) in chosen)
    with tempfile.TemporaryDirectory(prefix="weft-bench.") as name:
        if (WHEEL, "this") in chosen:
            subprocess.run([settings.SOURCE / "tools" / "build", name], check=True, stdout=sys.stderr)
        for repeat in range(given.repeat):
            for start, which in alternated(chosen, repeat):
                about = {
                    "cell": {"from": start, "weft": which},
                    "repeat": repeat,
                    "of": commit(sources[which]),
                }
                measure = (
                    partial(of_clone, sources[which]) if start == CLONE else partial(of_wheel, Path(name))
                )
                row = rows.kept(TABLE, say, measure, **about)
                say(f"{start} {which}: {row['seconds']} s {row['parts']}")
    print("\n".join(tables.lines(TABLE) or []))
    return 0


def of_clone(source: Path) -> Row:
    """`./weft run terasort` in a new clone; what is not committed is not in it."""
    with tempfile.TemporaryDirectory(prefix="weft-bench.") as name:
        folder = Path(name)
        subprocess.run(["git", "clone", "--quiet", source, folder / "weft"], check=True)
        began = time.time()
        return ran(folder, [str(folder / "weft" / "weft"), *RUN], began)


def of_wheel(wheels: Path) -> Row:
    """`pip install --no-compile`, as the README has it, into a new environment of the system's Python, then `weft run terasort`."""
    with tempfile.TemporaryDirectory(prefix="weft-bench.") as name:
        folder = Path(name)
        began, where = time.time(), folder / "environment"
        asked(folder, ["python3", "-m", "venv", str(where)])
        wheel = str(next(wheels.glob("*.whl")))
        asked(folder, [str(where / "bin" / "pip"), "install", "--quiet", "--no-compile", wheel])
        installed = time.time()
        return ran(folder, [str(where / "bin" / "weft"), *RUN], began, installed)


def ran(folder: Path, argv: Sequence[str], began: float, installed: float | None = None) -> Row:
    """The command's time from the start, by part; where weft installs its packages itself, the stamp of their environment says when."""
    found = json.loads(asked(folder, argv))
    ended = time.time()
    events = record.read(folder / found["record"]).events()
    at = {(each["event"], each.get("phase")): float(each["t"]) for each in events}
    if installed is None:
        stamps = (folder / "home" / ".cache" / "weft").glob("env-*/.complete")
        installed = max(stamp.stat().st_mtime for stamp in stamps)
    job = at["phase-begin", "run"], at["phase-end", "run"]
    marks = [began, installed, at["phase-begin", "acquire"], *job, ended]
    between = [round(later - earlier, 2) for earlier, later in pairwise(marks)]
    return {
        "verdict": found["verdict"],
        "seconds": round(ended - began, 2),
        "parts": dict(zip(PARTS, between, strict=True)),
    }


def asked(folder: Path, argv: Sequence[str]) -> str:
    """What a command prints where nothing is set up; its messages are kept to be shown if it fails, which ends the benchmark."""
    home = folder / "home"
    home.mkdir(exist_ok=True)
    environment: Mapping[str, str] = {
        "HOME": str(home),
        "PATH": PATH,
        "LANG": os.environ.get("LANG", "C.UTF-8"),
    }
    with (folder / "errors").open("w+") as errors:
        done = subprocess.run(
            argv, check=False, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=errors, text=True
        )
        if done.returncode:
            errors.seek(0)
            sys.exit(f"{' '.join(argv)}: {errors.read()}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
