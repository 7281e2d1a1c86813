"""A run with security=none on real engines: a checked result, and nobody who asks needs a key."""

import json

import pytest

from tests.local.conftest import Weft

pytestmark = pytest.mark.long


@pytest.mark.parametrize("engine", ["spark", "flink", "hadoop"])
def test_it_sorts_and_its_record_says_that_everybody_could_use_it(weft: Weft, engine: str) -> None:
    words = ["--engine", engine, "--nodes", "local:2", "--size", "20MB", "--set", "security=none"]
    result = weft.result("run", "terasort", *words)
    assert result["verdict"] == "VALID", result
    who = "security=none: every user of this machine can use this cluster"
    assert weft.head()["security"] == "none"
    assert weft.head()["unsecured"].startswith(who)
    assert who in (weft.record() / "report.html").read_text()
    daemons = json.loads((weft.record() / "plan" / "commands.json").read_text())
    assert daemons
    assert "kdc" not in [daemon["name"] for daemon in daemons]


def test_a_command_in_such_a_cluster_needs_no_key(weft: Weft) -> None:
    """Flink's own client lists the jobs over plain HTTP."""
    up = weft("up", "--name", "open", "--engine", "flink", "--nodes", "local:2", "--set", "security=none")
    try:
        assert up.returncode == 0, up.stderr
        assert "every user of this machine" in up.stderr + up.stdout
        done = weft("exec", "--", "flink", "list")
        assert done.returncode == 0, done.stderr
        assert "No running jobs" in done.stdout
    finally:
        weft("down", "open")
