"""A matrix of runs: its cells, and their order."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from weft import matrix
from weft.errors import MissingError, UsageError
from weft.progress import Progress
from weft.spec import study_from

TABLE = {
    "workload": "terasort:1GB",
    "repeat": 3,
    "matrix": {"scratch": ["disk", "memory"], "nodes.count": [1, 2, 3]},
}


def test_a_matrix_has_every_combination_once() -> None:
    study = study_from(TABLE, name="s", where="s.toml")
    found = [(spec.scratch.kind, spec.nodes.count) for _, spec in study.cells()]
    assert sorted(found) == [(kind, count) for kind in ("disk", "memory") for count in (1, 2, 3)]
    assert all(
        cell == {"scratch": spec.scratch.kind, "nodes.count": spec.nodes.count}
        for cell, spec in study.cells()
    )


def test_without_a_matrix_there_is_one_cell() -> None:
    ((cell, spec),) = study_from({"workload": "terasort"}, name="s", where="s").cells()
    assert (cell, spec.workload.kind) == ({}, "terasort")


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ({"matrix": {"scrach": ["disk"]}}, "scrach"),
        ({"matrix": {"scratch": "disk"}}, "matrix.scratch"),
        ({"repeat": 0}, "repeat"),
        ({"matrix": {"nodes.count": [1, -1]}}, "nodes.count"),
    ],
)
def test_a_matrix_that_cannot_be_meant_is_refused_with_its_file(table: dict[str, object], words: str) -> None:
    with pytest.raises(UsageError) as caught:
        study_from({**TABLE, **table}, name="s", where="s.toml")
    assert caught.value.message.startswith("s.toml: ")
    assert words in caught.value.message


@given(st.integers(1, 12), st.integers(1, 8), st.integers())
def test_each_repeat_runs_every_cell_once(cells: int, repeat: int, seed: int) -> None:
    order = matrix.order(cells, repeat, seed)
    rounds = [order[i * cells : (i + 1) * cells] for i in range(repeat)]
    assert len(order) == cells * repeat
    for number, one in enumerate(rounds):
        assert sorted(one) == [(cell, number) for cell in range(cells)]


def test_the_order_is_shuffled_and_the_same_seed_gives_the_same() -> None:
    order = matrix.order(10, 4, 0)
    assert order == matrix.order(10, 4, 0) != matrix.order(10, 4, 1)
    rounds = {tuple(cell for cell, number in order if number == repeat) for repeat in range(4)}
    assert len(rounds) == 4


def test_a_cell_that_fails_before_it_has_a_record_ends_the_study(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*words: object, **named: object) -> None:
        raise MissingError("weft's jars could not be built")

    monkeypatch.setattr(matrix, "run_once", fail)
    table = {"workload": "terasort", "matrix": {"scratch": ["disk", "memory"]}}
    with pytest.raises(MissingError):
        matrix.run(study_from(table, name="s", where="s.toml"), Progress(Console(file=io.StringIO())))
