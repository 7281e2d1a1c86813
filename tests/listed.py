"""The list of long tests: what passed with these files is not run again, and what a test does is written down when it ends."""

import os
from collections.abc import Iterator

import ledger
import pytest

ORDER = (ledger.PASSED, ledger.SKIPPED, ledger.FAILED)
"""Of a test's setup, call and teardown, the last of these counts."""


def active() -> bool:
    """Whether this is `./test long`."""
    return "WEFT_TEST_LEDGER" in os.environ


def leave_out_passed(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Without those that have passed with these files."""
    passed = ledger.passed_here()
    done = [item for item in items if item.nodeid in passed]
    if done:
        config.hook.pytest_deselected(items=done)
        items[:] = [item for item in items if item.nodeid not in passed]


class Listing:
    """A plugin: one line for each test."""

    def __init__(self) -> None:
        self._seen: dict[str, list[pytest.TestReport]] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        reports = self._seen.setdefault(report.nodeid, [])
        reports.append(report)
        if report.when == "teardown":
            outcome = max((each.outcome for each in reports), key=ORDER.index)
            seconds = sum(each.duration for each in reports)
            ledger.append(report.nodeid, outcome, seconds, next(_reasons(reports), ""))


def _reasons(reports: list[pytest.TestReport]) -> Iterator[str]:
    """Why a test was skipped."""
    for each in reports:
        if each.skipped and isinstance(each.longrepr, tuple):
            yield str(each.longrepr[2]).removeprefix("Skipped: ")
