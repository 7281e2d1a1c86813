"""A benchmark measures each of its cells once per repetition, keeps every row at once, and continues where it was stopped."""

from argparse import Namespace
from collections.abc import Callable, Sequence
from pathlib import Path
from subprocess import CalledProcessError
from typing import Any

import pytest
from figures import cells, rows, tables
from figures.cells import TOOK, Cell

from weft.errors import Stopped, UsageError, WeftError, WorkloadError
from weft.host import signals
from weft.run import matrix

TABLE = "try"
NAMES = ("q1 flink", "q1 spark", "q5 flink")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "FOLDER", tmp_path)
    monkeypatch.setattr(rows, "control", lambda say: {"cpu": 1.0})
    monkeypatch.setattr(rows, "here", lambda: {"commit": "abc1234"})
    monkeypatch.setattr(cells.checkout, "commit", lambda: "abc1234")
    monkeypatch.setattr(tables, "lines", lambda name: [f"{name}: {len(rows.read(TABLE))} rows"])


class Bench:
    """Three cells, with what was measured in order."""

    def __init__(self, fails: Callable[[str, int], BaseException | None] = lambda name, repeat: None) -> None:
        self.fails = fails
        self.measured: list[tuple[str, int]] = []

    def one(self, name: str, repeat: int) -> dict[str, Any]:
        self.measured.append((name, repeat))
        if error := self.fails(name, repeat):
            raise error
        return {"rate": 7}

    def run(self, *arguments: str) -> list[tuple[str, int]]:
        given = cells.options("bench/try", "Tries.").parse_args(arguments)
        every = [
            cells.cell(
                dict(zip(("query", "engine"), name.split(), strict=True)),
                lambda repeat, name=name: self.one(name, repeat),
            )
            for name in NAMES
        ]
        cells.measure(TABLE, every, given)
        return self.measured


def known() -> list[tuple[str, int]]:
    return [(" ".join(row["cell"].values()), row["repeat"]) for row in rows.read(TABLE)]


ALL = [(NAMES[index], repeat) for index, repeat in matrix.order(len(NAMES), 2, 0)]


def test_every_cell_is_measured_once_before_any_is_measured_again(capsys: pytest.CaptureFixture[str]) -> None:
    assert Bench().run("--repeat", "2") == known() == ALL
    assert [repeat for _, repeat in ALL] == [0, 0, 0, 1, 1, 1]
    assert sorted(ALL[:3]) == [(name, 0) for name in NAMES]
    first = rows.read(TABLE)[0]
    assert first["cell"] == dict(zip(("query", "engine"), ALL[0][0].split(), strict=True))
    assert (first["rate"], first["cpu"], first["commit"]) == (7, 1.0, "abc1234")
    assert capsys.readouterr().out == "try: 6 rows\n"


def test_what_has_a_row_is_not_measured_again() -> None:
    Bench().run()
    assert Bench().run("--repeat", "2") == ALL[3:]
    assert Bench().run("--repeat", "2") == []
    assert known() == ALL


def test_words_choose_cells_and_an_unknown_one_is_an_error_that_names_them() -> None:
    assert sorted(Bench().run("--only", "flink")) == [("q1 flink", 0), ("q5 flink", 0)]
    with pytest.raises(UsageError, match="contains 'hive'") as raised:
        Bench().run("--only", "hive", "--again")
    assert "`q1 spark`" in raised.value.hint
    assert len(known()) == 2


def test_again_measures_only_what_was_chosen_and_leaves_the_rows_of_others() -> None:
    Bench().run("--repeat", "2")
    assert Bench().run("--again", "--only", "q5") == [("q5 flink", 0)]
    assert known() == [row for row in ALL if row[0] != "q5 flink"] + [("q5 flink", 0)]


@pytest.mark.parametrize(
    "error", [WorkloadError("no"), CalledProcessError(1, ["weft"])], ids=lambda error: type(error).__name__
)
def test_a_cell_that_fails_has_no_row_and_the_others_are_measured(error: Exception) -> None:
    bench = Bench(lambda name, repeat: error if name == "q1 spark" else None)
    with pytest.raises(WeftError, match="1 of 3 measurements failed: q1 spark"):
        bench.run()
    assert sorted(known()) == [("q1 flink", 0), ("q5 flink", 0)]
    assert Bench().run() == [("q1 spark", 0)]


def test_a_mistake_of_the_benchmark_is_no_failed_cell() -> None:
    with pytest.raises(KeyError):
        Bench(lambda name, repeat: KeyError("rate")).run()


def test_a_stopped_benchmark_keeps_what_it_measured_and_continues() -> None:
    with pytest.raises(Stopped):
        Bench(lambda name, repeat: Stopped(130) if (name, repeat) == ALL[4] else None).run("--repeat", "2")
    assert known() == ALL[:4]
    assert Bench().run("--repeat", "2") == ALL[4:]


@pytest.mark.parametrize("error", [None, WorkloadError("it was interrupted")])
def test_what_a_signal_ended_is_neither_a_row_nor_a_failure(
    error: Exception | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def check() -> None:
        raise Stopped(130)

    monkeypatch.setattr(signals, "check", check)
    with pytest.raises(Stopped):
        Bench(lambda name, repeat: error).run()
    assert known() == []


def test_several_rows_of_a_measurement_are_of_its_cell_with_coordinates_of_their_own() -> None:
    def measured(repeat: int) -> list[dict[str, Any]]:
        return [{"cell": {"size": 2, "command": name}, "seconds": repeat} for name in ("import", "report")]

    small, large = ({"cell": {"size": size}} for size in (2, 3))
    given = Namespace(only="", repeat=2, again=False)
    cells.measure(TABLE, [Cell("small", small, measured)], given)
    cells.measure(TABLE, [Cell("small", small, measured)], given)
    found = [(row["cell"]["command"], row["repeat"], row["seconds"]) for row in rows.read(TABLE)]
    assert found == [("import", 0, 0), ("report", 0, 0), ("import", 1, 1), ("report", 1, 1)]
    assert [Cell("", keys, measured).owns(rows.read(TABLE)[0]) for keys in (small, large)] == [True, False]


def test_no_measurement_hides_what_known_work_took_and_each_of_several_rows_may_have_its_own() -> None:
    given = Namespace(only="", repeat=1, again=False)
    one = [{"cell": "a", "cpu": 7.0}]
    with pytest.raises(ValueError, match="a measurement has the keys of known work: cpu"):
        cells.measure(TABLE, [cells.cell("a", lambda _: one)], given)
    with pytest.raises(ValueError, match="known work: cpu"):
        rows.kept(TABLE, print, lambda: {"cpu": 7.0})
    assert rows.read(TABLE) == []
    own = [{"cell": "a", cells.CONTROL: {"cpu": 2.0}, "seconds": 5}, {"cell": "a", "seconds": 6}]
    cells.measure(TABLE, [cells.cell("a", lambda _: own)], given)
    found = rows.read(TABLE)
    assert [(row["cpu"], row["seconds"]) for row in found] == [(2.0, 5), (1.0, 6)]
    assert not any(cells.CONTROL in row for row in found)


def test_a_benchmark_that_continues_names_the_commits_of_other_rows(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Bench().run("--only", "q5")
    Bench().run("--only", "q5")
    assert "1 rows are there\n" in capsys.readouterr().err
    monkeypatch.setattr(cells.checkout, "commit", lambda: "def5678")
    Bench().run("--only", "q5")
    assert "1 rows are there, with rows of commit abc1234: --again" in capsys.readouterr().err


def timed(name: str, *seconds: float) -> list[dict[str, Any]]:
    return [{"cell": name, "repeat": repeat, TOOK: taken} for repeat, taken in enumerate(seconds)]


@pytest.mark.parametrize(
    ("left", "known", "seconds"),
    [
        (["a", "b"], [], None),
        (["a", "b"], [{"cell": "a", "repeat": 0}], None),
        (["a", "a", "b"], timed("a", 10, 30) + timed("b", 100), 20 + 20 + 100),
        (["a", "new"], timed("a", 10) + timed("b", 50, 50), 10 + 50),
        ([], timed("a", 10), 0),
    ],
)
def test_the_time_left_is_that_of_rows_of_the_cell_or_of_all(
    left: Sequence[str], known: list[dict[str, Any]], seconds: float | None
) -> None:
    assert cells.estimated([cells.cell(name, lambda repeat: {}) for name in left], known) == seconds


def test_rows_that_stay_are_not_lost_where_others_are_removed(tmp_path: Path) -> None:
    rows.drop("absent", lambda row: True)
    assert not rows.path_of("absent").exists()
    rows.write(TABLE, timed("a", 1) + timed("b", 2))
    rows.drop(TABLE, lambda row: row["cell"] == "a")
    assert [row["cell"] for row in rows.read(TABLE)] == ["b"]
    assert [path.name for path in tmp_path.iterdir()] == ["try.jsonl"]
