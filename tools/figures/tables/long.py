"""What was seen of the tests that only `./test long` runs, by file."""

from collections.abc import Sequence

import ledger

from figures.rows import Row
from figures.shown import table


def lines(rows: Sequence[Row]) -> list[str]:
    """A line for each file with what its tests did last; those that failed or were skipped by name."""
    if not rows:
        return ["No run of `./test long` is in the list yet."]
    found = {path: last for path, last in ledger.files(rows).items() if ledger.exists(path)}
    body = [_file(path, last) for path, last in found.items()]
    everything = [entry for last in found.values() for entry in last]
    head = ["file", "last run", "commits", "passed", "failed", "skipped", "seconds"]
    return [*table(head, body), *_named(everything, ledger.FAILED), *_named(everything, ledger.SKIPPED)]


def _file(path: str, last: Sequence[Row]) -> list[str]:
    days = sorted({str(entry["date"]) for entry in last})
    commits = list(dict.fromkeys(str(entry["commit"]) for entry in last))
    counts = [
        sum(entry["outcome"] == outcome for entry in last)
        for outcome in (ledger.PASSED, ledger.FAILED, ledger.SKIPPED)
    ]
    return [
        f"`{path}`",
        days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}",
        ", ".join(commits),
        *map(str, counts),
        f"{sum(entry['seconds'] for entry in last):.0f}",
    ]


def _named(entries: Sequence[Row], outcome: str) -> list[str]:
    """A list of tests with this outcome, with the reason of those that were skipped; nothing without one."""
    found = [entry for entry in entries if entry["outcome"] == outcome]
    items = [
        f"- `{entry['test']}`{': ' + entry['reason'] if entry.get('reason') else ''} ({entry['commit']})"
        for entry in found
    ]
    return ["", f"{outcome.capitalize()}:", "", *items] if found else []
