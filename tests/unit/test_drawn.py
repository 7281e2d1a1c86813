"""The cells of bench/unseen are drawn by a seed, and by nothing else."""

import runpy
import tomllib
from itertools import islice

import pytest
from figures.drawn import Choice, shuffled

from weft.host import settings

HERE = settings.SOURCE / "bench"
JOBS = {
    "one": {"nodes": [2, 1, 3], "size": ["10", "30"]},
    "other": {"nodes": [2, 1, 3], "scratch": ["memory", "disk"]},
}


def test_a_cell_changes_one_or_two_things_and_none_to_what_was_measured() -> None:
    cells = Choice(JOBS).possible("one")
    assert {"from": "one", "nodes": 3} in cells
    assert {"from": "one", "nodes": 1, "size": "30"} in cells
    assert len(cells) == 2 + 1 + 2
    assert all("10" not in cell.values() and 2 not in cell.values() for cell in cells)


def test_a_cell_that_a_small_run_may_be_is_not_drawn() -> None:
    choice = Choice(JOBS, lambda cell: cell == {"from": "one", "nodes": 1})
    assert len(choice.possible("one")) == len(Choice(JOBS).possible("one")) - 1


def test_a_seed_always_draws_the_same_cells_each_once_and_another_seed_others() -> None:
    choice = Choice(JOBS)
    drawn = list(choice.stream(1, "one"))
    assert drawn == list(choice.stream(1, "one"))
    assert sorted(map(str, drawn)) == sorted(map(str, choice.possible("one")))
    assert any(drawn != list(choice.stream(seed, "one")) for seed in range(2, 9))
    assert shuffled(1, drawn) == shuffled(1, drawn)


def test_every_job_gets_as_many_cells_as_the_others_or_one_more() -> None:
    shares = Choice({str(job): {} for job in range(16)}).shares(7, 60)
    assert sum(shares.values()) == 60
    assert {*shares.values()} == {3, 4}


def test_the_bench_draws_sixty_cells_of_twelve_workloads_on_three_engines(
    capsys: pytest.CaptureFixture[str],
) -> None:
    bench = runpy.run_path(str(HERE / "unseen.py"))
    assert bench["main"](["--draw", "1", "--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    cells = [line for line in lines if line.startswith("{")]
    assert len(cells) == len({*cells}) == 60
    asked = tomllib.loads((HERE / "unseen.toml").read_text())
    jobs = asked["jobs"].values()
    assert len({job["flags"][0] for job in jobs}) >= 12
    engines = {job["flags"][job["flags"].index("--engine") + 1] for job in jobs if "--engine" in job["flags"]}
    assert {"spark", *engines} == {"spark", "flink", "hadoop"}


def test_no_value_of_a_drawn_cell_is_half_or_twice_what_was_measured_alone() -> None:
    bench = runpy.run_path(str(HERE / "unseen.py"))
    asked = tomllib.loads((HERE / "unseen.toml").read_text())
    choice = bench["choice_of"](asked)
    for job in asked["jobs"]:
        first = list(islice(choice.stream(3, job), 100))
        assert {"from": job, "nodes": 1} not in first
        assert {"from": job, "nodes": 4} not in first
        assert {"from": job, "scratch": asked["asked"][0]} not in first
        assert {"from": job, "nodes": 3} in choice.possible(job)


def test_a_draw_that_continues_counts_cells_that_were_refused_and_not_those_that_were_run() -> None:
    bench = runpy.run_path(str(HERE / "unseen.py"))
    one = object.__new__(bench["Bench"])
    predicted, run = {"kind": "predicted"}, {"kind": "cell", "refused": 1}
    one.done = {"a": {**predicted, "refused": "no room"}, "b": {**predicted, "predicted": {}}, "c": run}
    assert one.refused() == 1
