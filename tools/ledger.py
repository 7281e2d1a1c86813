"""Which tests of `./test long` were seen to pass, when, and at which commit: a line each in evidence/long.jsonl."""

import json
import os
import subprocess
import time
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from weft.host import checkout, settings

ROOT = settings.SOURCE
LEDGER = Path(os.environ.get("WEFT_TEST_LEDGER") or ROOT / "evidence" / "long.jsonl")
LIMIT = 300
"""Commits after which a test that was not seen fails ./test."""
SOON = 50
"""So many commits before that, ./test counts the tests that come next."""
PASSED, FAILED, SKIPPED = "passed", "failed", "skipped"
_ITSELF = "tools/ledger.py"
Entry = Mapping[str, Any]


def read() -> list[Entry]:
    """All lines, oldest first."""
    return [json.loads(line) for line in LEDGER.read_text().splitlines()] if LEDGER.exists() else []


def append(test: str, outcome: str, seconds: float, reason: str = "") -> None:
    """What a test did just now, on disk at once; `reason`: why it was skipped."""
    entry = {
        "test": test,
        "commit": checkout.commit(),
        "date": time.strftime("%Y-%m-%d"),
        "outcome": outcome,
        "seconds": round(seconds, 1),
        **({"reason": reason} if reason else {}),
    }
    LEDGER.parent.mkdir(exist_ok=True)
    with LEDGER.open("a") as file:
        file.write(json.dumps(entry) + "\n")


def newest(entries: Iterable[Entry]) -> dict[str, Entry]:
    """By test: its last line."""
    return {str(entry["test"]): entry for entry in entries}


def passed_here() -> set[str]:
    """Tests that passed with exactly these files last: those of `evidence/` and texts aside."""
    last = newest(read())
    commits = {str(entry["commit"]) for entry in last.values()}
    same = {commit for commit in commits if not commit.endswith(checkout.CHANGED) and _same(commit)}
    return {test for test, entry in last.items() if entry["outcome"] == PASSED and entry["commit"] in same}


def late(tests: Sequence[str], limit: int | None = None) -> list[str]:
    """Those that nobody has seen run for `limit` (LIMIT) commits, with what is known of each; none without the history.

    A test that a machine cannot run is not late: the page of the tests has its reason. One that was never seen counts from the
    commit that introduced this list, or the test.
    """
    if _git("rev-parse", "--is-shallow-repository") != "false" or (begin := _begin(_ITSELF)) is None:
        return []
    last = newest(read())
    ages = {test: _age(test, last.get(test), begin) for test in tests}
    words = {test: "last seen" if test in last else "never seen, in the list's" for test in tests}
    most = LIMIT if limit is None else limit
    return [f"{test}: {words[test]} {age} commits ago" for test, age in ages.items() if age > most]


def _age(test: str, seen: Entry | None, begin: str) -> int:
    """Commits since then."""
    if seen is not None:
        if seen["outcome"] == SKIPPED:
            return 0
        since = _count(f"{str(seen['commit']).rstrip(checkout.CHANGED)}..HEAD")
        # a commit that is not in the history any more has a date
        return since if since is not None else _count(f"--since={seen['date']}", "HEAD") or 0
    age = _count(f"{begin}..HEAD") or 0
    if age <= LIMIT:
        return age
    path, _, name = test.partition("::")
    first = _begin(path, "-S", f"def {name.partition('[')[0]}(")
    return min(age, _count(f"{first}..HEAD") or 0) if first else age


@cache
def _count(*what: str) -> int | None:
    found = _git("rev-list", "--count", *what)
    return int(found) if found else None


def _begin(path: str, *how: str) -> str | None:
    """The first commit of a file, or the first one that changed how often a text is in it."""
    chosen = how or ("--diff-filter=A",)
    commits = _git("log", *chosen, "--format=%H", "--", path).splitlines()
    return commits[-1] if commits else None


def _same(commit: str) -> bool:
    """Whether the files here are those of a commit, but for rows and texts."""
    argv = ["diff", "--quiet", commit, "--", ".", *checkout.APART]
    return subprocess.run(["git", "-C", str(ROOT), *argv], capture_output=True, check=False).returncode == 0


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


def files(entries: Iterable[Entry]) -> dict[str, list[Entry]]:
    """The last lines by file, or by the name of what has no file."""
    found: dict[str, list[Entry]] = {}
    for test, entry in sorted(newest(entries).items()):
        found.setdefault(test.partition("::")[0], []).append(entry)
    return found


def exists(path: str) -> bool:
    """Whether a file of tests is still there."""
    return not path.endswith(".py") or Path(ROOT, path).exists()
