"""The table of how many runs a tuner needs."""

import json
import runpy
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from figures import tables

from weft.errors import WeftError
from weft.host import settings

BENCH = settings.SOURCE / "bench"


@pytest.fixture(name="cells")
def _cells(monkeypatch: pytest.MonkeyPatch) -> Mapping[str, Any]:
    monkeypatch.syspath_prepend(str(BENCH))
    cells: Mapping[str, Any] = runpy.run_path(str(BENCH / "tuner.py"))["CELLS"]
    return cells


GRID: list[dict[str, Any]] = [
    {"choice": {"scratch": "disk", "heap": "1"}, "seconds": 30.0},
    {"choice": {"scratch": "memory", "heap": "1"}, "seconds": 10.0},
    {"choice": {"scratch": "disk", "heap": "2"}, "seconds": None},
    {"choice": {"scratch": "memory", "heap": "2"}, "seconds": 10.4},
]


def test_runs_count_until_one_is_as_fast_as_what_was_advised() -> None:
    orders = [[0, 2, 1, 3], [0, 3, 1, 2], [0, 2, 2, 2]]
    row = {"cell": "a job", "grid": GRID, "advised": GRID[1]["choice"], "orders": orders}
    (line,) = tables.TABLES["tuner"].lines([row])[2:]
    assert line == "| a job | 4 | 2 | 30.0 | 10.0 | 10.0 | 2 | 4 |"


def test_a_run_is_as_fast_if_it_is_slower_by_no_more_than_equal_runs_are() -> None:
    def fast(seconds: float) -> str:
        grid = [GRID[0], GRID[1], {**GRID[3], "seconds": seconds}]
        row = {"cell": "a job", "grid": grid, "advised": GRID[1]["choice"], "orders": [[0, 2, 1]]}
        return tables.TABLES["tuner"].lines([row])[2].split(" | ")[2]

    assert (fast(11.4), fast(11.7)) == ("2", "1")


def test_a_line_of_advice_is_one_of_the_combinations(cells: Mapping[str, Any]) -> None:
    job = next(iter(cells.values()))
    assert job.advised(["--scratch", "memory"]) == {**job.asked(), "scratch": "memory"}
    with pytest.raises(WeftError, match="no value of the job's axes: --nodes"):
        job.advised(["--nodes", "local:1"])
    with pytest.raises(WeftError, match="nothing"):
        job.advised([])


def test_the_values_of_each_job_begin_with_what_it_is(cells: Mapping[str, Any]) -> None:
    for job in cells.values():
        assert list(job.asked()) == list(job.axes)


def test_a_search_begins_with_the_job_as_it_is(tmp_path: Path) -> None:
    """With a stand-in for Optuna, which tries all values in turn."""
    (tmp_path / "optuna.py").write_text(
        """
import itertools, types
logging = types.SimpleNamespace(set_verbosity=lambda level: None, ERROR=0)
samplers = types.SimpleNamespace(TPESampler=lambda seed: seed)
class TrialPruned(Exception): pass
class Trial:
    def __init__(self, fixed): self.fixed = fixed
    def suggest_categorical(self, name, values): return self.fixed[name]
class Study:
    def enqueue_trial(self, fixed): self.queue = [fixed]
    def optimize(self, objective, n_trials):
        for _ in range(n_trials):
            try: objective(Trial(self.queue[0]))
            except TrialPruned: pass
def create_study(sampler): return Study()
"""
    )
    axes = {"scratch": ["disk", "memory"], "heap": ["1", "2"]}
    asked = json.dumps({"axes": axes, "grid": GRID, "seeds": 2})
    argv = [sys.executable, str(BENCH / "optunasearch.py")]
    done = subprocess.run(
        argv, input=asked, env={"PYTHONPATH": str(tmp_path)}, check=True, capture_output=True, text=True
    )
    assert json.loads(done.stdout) == [[0] * 8, [0] * 8]
