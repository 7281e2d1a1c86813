"""bench/top measures a command that runs, and ends with the output of one that has ended."""

import runpy

import pytest

from weft.host import settings

TOP = runpy.run_path(str(settings.SOURCE / "bench" / "top.py"))


def test_a_command_that_ends_by_itself_costs_something_other_than_nothing() -> None:
    with pytest.raises(SystemExit, match=r"(?s)the command ended with 1:.*there is no run"):
        TOP["measured"](60, ("-c", "raise SystemExit('there is no run')"))
