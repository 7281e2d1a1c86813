"""Observers inside of the engine's JVMs: stacks by category, and the collector's own log."""

import json

import pytest

from tests.local.conftest import Weft

PROBES = ("--set", "probes=proc,threads,engine,profile,pauses")


@pytest.mark.long
def test_the_cpu_time_of_a_sort_has_categories(weft: Weft) -> None:
    """Every executor wrote its stacks and its collector's log, and what no rule names is little."""
    assert (
        weft.result("run", "terasort", "--nodes", "local:1", "--size", "100MB", *PROBES)["verdict"] == "VALID"
    )
    shown = json.loads(weft("show", "last", "--json").stdout)
    columns = shown["profile"]["columns"]
    assert shown["profile"]["processes"] == 1
    assert {"map", "reduce", "outside of tasks"} <= set(columns)
    assert {"sort", "serialisation"} <= set(columns["reduce"])
    spent = {name: sum(seconds.values()) for name, seconds in columns.items()}
    assert columns["reduce"].get("no rule", 0) <= spent["reduce"] / 10
    assert [each["node"] for each in shown["pauses"]] == ["node1"]
    assert "<script" in (weft.record() / "profile" / "node1.html").read_text()
