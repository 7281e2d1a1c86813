"""The adapter of PowerGraph in whole runs: a stand-in for its program, started by MPI, or a stand-in for it where there is none."""

import json
import shutil
from pathlib import Path

import pytest

from tests import powergraph
from tests.local.conftest import Weft
from tests.needs import JAVA, needs

pytestmark = [needs(*JAVA), pytest.mark.long]


def test_the_standins_ranks_are_valid_and_wrong_ones_are_not(weft: Weft, tmp_path: Path) -> None:
    home, mpiexec = (
        powergraph.home(tmp_path / "home"),
        shutil.which("mpiexec") or powergraph.mpiexec(tmp_path),
    )
    fixed = {"dangling": "leak", "edges": "merge", "self_edges": "drop", "bound": "1e-5", "rounds": "5"}
    sets = [word for key, value in fixed.items() for word in ("--set", f"workload.{key}={value}")]
    run = ("run", "pagerank:2000", "--engine", f"powergraph:{home}", "--nodes", "local:2", *sets)
    run = (*run, "--set", "security=none", "--set", f"engine.mpi={mpiexec}")
    result = weft.result(*run)
    assert result["verdict"] == "VALID", result
    assert result["facts"]["difference"] < 1e-5
    assert result["facts"]["engine_seconds"] == 0.25
    assert "from the reference" in invalid(weft, *run, "--set", "engine.options=--fault=early")
    assert "1 of 2000 vertices are missing" in invalid(weft, *run, "--set", "engine.options=--fault=lose")


def invalid(weft: Weft, *run: str) -> str:
    done = weft(*run, "--json")
    assert done.returncode == 1, done.stderr
    found = json.loads(done.stdout)
    assert found["verdict"] == "INVALID"
    return str(found["reason"])
