"""A matrix of runs: its cells, and their order."""

import errno
import io
import tomllib
from contextlib import AbstractContextManager
from itertools import groupby
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from weft.errors import MissingError, UsageError, WeftError
from weft.record import record as records
from weft.record.record import Stored
from weft.run import matrix, run
from weft.run.progress import Progress
from weft.run.provisioning import Provisioned
from weft.run.run import Live, OwnCluster
from weft.run.topology import Topology
from weft.spec import study
from weft.spec.model import Spec
from weft.spec.study import study_from

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


CASES = {
    "workload": "terasort:1GB",
    "matrix": {
        "engine": ["spark", "hadoop"],
        "platform": [
            {"name": "local", "input": "hdfs", "output": "hdfs"},
            {"name": "dedicated", "input": "delayed:orangefs", "output": "delayed:orangefs", "size": "2GB"},
        ],
    },
}


def test_a_named_case_sets_its_keys_together() -> None:
    found = {
        (cell["engine"], cell["platform"]): (spec.input.kind, spec.output.kind, spec.workload.size)  # type: ignore[union-attr]
        for cell, spec in study_from(CASES, name="s", where="s").cells()
    }
    assert found == {
        (engine, name): values
        for engine in ("spark", "hadoop")
        for name, values in (
            ("local", ("hdfs", "hdfs", 10**9)),
            ("dedicated", ("delayed", "delayed", 2 * 10**9)),
        )
    }


def test_the_record_of_a_cell_holds_what_its_case_sets() -> None:
    study = study_from(CASES, name="s", where="s")
    assert study.settings({"engine": "spark", "platform": "local"}) == {
        "engine": "spark",
        "input": "hdfs",
        "output": "hdfs",
    }


@pytest.mark.parametrize(
    ("exclude", "left"),
    [
        ([], 4),
        ([{"engine": "spark", "platform": "local"}], 3),
        ([{"engine": ["spark"]}], 2),
        ([{"engine": "spark", "platform": ["local", "dedicated"]}], 2),
        ([{"platform": "local"}, {"engine": "spark", "platform": "local"}], 2),
    ],
)
def test_what_is_excluded_is_not_run(exclude: list[dict[str, object]], left: int) -> None:
    assert len(study_from({**CASES, "exclude": exclude}, name="s", where="s").cells()) == left


@pytest.mark.parametrize(
    ("exclude", "words", "hint"),
    [
        ([{"platfrom": "local"}], "exclude 1: 'platfrom' is not a key of the matrix", "'platform'"),
        (
            [{"engine": "spark"}, {"platform": "dedicatd"}],
            "exclude 2: matrix.platform has no 'dedicatd'",
            "'dedicated'",
        ),
        ([{"engine": ["spark", "flink"]}], "exclude 1: matrix.engine has no 'flink'", "spark, hadoop"),
        ([{}], "exclude 1 names no key of the matrix", "key = value"),
        ([{"engine": ["spark", "hadoop"]}], "the matrix has no cells", "exclusions"),
    ],
)
def test_an_exclusion_that_cannot_be_meant_is_refused_with_its_file(
    exclude: list[dict[str, object]], words: str, hint: str
) -> None:
    with pytest.raises(UsageError) as caught:
        study_from({**CASES, "exclude": exclude}, name="s", where="s.toml")
    assert caught.value.message == f"s.toml: {words}"
    assert hint in caught.value.hint


def test_a_value_that_occurs_twice_is_refused() -> None:
    with pytest.raises(UsageError, match=r"matrix\.scratch has 'disk' twice"):
        study_from({**TABLE, "matrix": {"scratch": ["disk", "disk"]}}, name="s", where="s")


@given(st.integers(1, 12), st.integers(1, 8), st.integers())
def test_each_repeat_runs_every_cell_once(cells: int, repeat: int, seed: int) -> None:
    order = matrix.order(cells, repeat, seed)
    rounds = [order[i * cells : (i + 1) * cells] for i in range(repeat)]
    assert len(order) == cells * repeat
    for number, one in enumerate(rounds):
        assert sorted(one) == [(cell, number) for cell in range(cells)]


@given(st.lists(st.sampled_from(["", "a", "b"]), min_size=1, max_size=12), st.integers(1, 4), st.integers())
def test_cells_of_a_group_come_one_after_the_other(groups: list[str], repeat: int, seed: int) -> None:
    order = matrix.order(len(groups), repeat, seed, groups)
    assert sorted(order) == sorted(matrix.order(len(groups), repeat, seed))
    for number in range(repeat):
        one = [groups[cell] for cell, its in order if its == number]
        assert all(len(list(run)) == groups.count(name) for name, run in groupby(one) if name)


def test_the_order_is_shuffled_and_the_same_seed_gives_the_same() -> None:
    order = matrix.order(10, 4, 0)
    assert order == matrix.order(10, 4, 0) != matrix.order(10, 4, 1)
    rounds = {tuple(cell for cell, number in order if number == repeat) for repeat in range(4)}
    assert len(rounds) == 4


def test_a_cell_that_fails_before_it_has_a_record_ends_the_study(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*words: object, **named: object) -> None:
        raise MissingError("building weft's jars failed")

    monkeypatch.setattr(matrix, "run_once", fail)
    table = {"workload": "terasort", "matrix": {"scratch": ["disk", "memory"]}}
    with pytest.raises(MissingError):
        matrix.run(study_from(table, name="s", where="s.toml"), Progress(Console(file=io.StringIO())))


class _Broken(OwnCluster):
    """A cluster whose first cell meets what no code expects."""

    def __init__(self, *errors: Exception) -> None:
        self.errors = list(errors)

    def require(self, spec: Spec, made_of: Topology) -> None:
        pass

    def live(self, *_: object) -> AbstractContextManager[Live]:
        raise self.errors.pop(0)


def test_a_cell_with_an_error_that_nobody_expected_does_not_end_the_study(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(run, "provision", lambda *_: Provisioned(tmp_path, {}, {}, {}, tmp_path))
    table = {"workload": "file-open", "engine": "null", "matrix": {"scratch": ["disk", "memory"]}}
    asked = study_from(table, name="s", where="s.toml")
    gone = FileNotFoundError(errno.ENOENT, "No such file or directory", "/gone")
    shown = io.StringIO()
    one, other = matrix.run(asked, Progress(Console(file=shown)), source=_Broken(gone, KeyError("x")))
    assert (one.verdict, one.head.reason) == ("INVALID", "/gone: no such file or directory")
    assert (other.verdict, other.head.reason) == ("INVALID", "weft itself failed: KeyError: 'x'")
    (kept,) = other.directory.glob("weft-traceback-*.txt")
    assert kept.name in other.head.hint
    assert "INVALID: /gone" in shown.getvalue()


def test_a_cell_whose_cleanup_fails_after_its_result_is_shown_with_its_verdict(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    made = records.create(tmp_path / "elsewhere", "one", "", {})
    made.update(verdict="VALID")

    def left(*_: object, **__: object) -> Stored:
        error = WeftError("could not release job weft-one")
        error.record = made.directory
        raise error

    monkeypatch.setattr(matrix, "run_once", left)
    table = {"workload": "file-open", "engine": "null", "matrix": {"scratch": ["disk", "memory"]}}
    shown = io.StringIO()
    matrix.run(study_from(table, name="s", where="s.toml"), Progress(Console(file=shown)))
    assert "VALID: could not release job weft-one" in shown.getvalue()
    assert "INVALID" not in shown.getvalue()


@pytest.mark.parametrize("more", [{"matrix": {"scratch": ["disk"]}}, {"control": True}])
def test_one_cell_is_a_study_too(more: dict[str, object], monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []
    monkeypatch.setattr(matrix, "run_once", lambda *_, **given: seen.append(given["cell"]))
    monkeypatch.setattr("weft.run.matrix.control.measured", lambda _: {"cpu": 1.0})
    asked = study_from({"workload": "terasort", **more}, name="s", where="s.toml")
    matrix.run(asked, Progress(Console(file=io.StringIO())))
    assert [(mark["study"], mark["repeat"], "control" in mark) for mark in seen] == [
        ("s", 0, "control" in more)
    ]


@pytest.mark.parametrize(("verdict", "done"), [("VALID", 1), ("UNCHECKED", 1), ("INVALID", 0), ("KILLED", 0)])
def test_what_has_a_verdict_is_not_run_again(
    verdict: str, done: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = SimpleNamespace(study="s", repeat=0)
    stored = SimpleNamespace(head=SimpleNamespace(cell=mark, key="k"), verdict=verdict)
    monkeypatch.setattr("weft.run.matrix.record.all_records", lambda _: [stored])
    asked = study_from({"workload": "terasort"}, name="s", where="s.toml")
    assert len(matrix.finished(asked)) == done


def test_a_run_of_a_program_that_was_written_since_is_run_again(tmp_path: Path) -> None:
    program = tmp_path / "sort.jar"
    program.write_text("jar")
    spec = study_from(
        {"workload": {"kind": "terasort", "program": str(program)}}, name="s", where="s.toml"
    ).cells()[0][1]
    now = program.stat().st_mtime
    for begun, again in ((now - 9, True), (now + 9, False)):
        earlier: Any = SimpleNamespace(head=SimpleNamespace(begun=begun))
        assert matrix._changed(spec, earlier) is again


@pytest.mark.parametrize(("commit", "of"), [("abc1234", " by commit abc1234"), ("def5678", ""), ("", "")])
def test_a_run_of_another_commit_that_counts_is_shown_with_it(
    commit: str, of: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = study_from({"workload": "terasort", "matrix": {"scratch": ["disk"]}}, name="s", where="s.toml")
    ((_, spec),) = asked.cells()
    earlier: Any = SimpleNamespace(head=SimpleNamespace(commit=commit, begun=0.0), directory=Path("/runs/r1"))
    monkeypatch.setattr(matrix, "finished", lambda study: {(spec.key(), 0): earlier})
    monkeypatch.setattr("weft.run.matrix.checkout.commit", lambda: "def5678")
    shown = io.StringIO()
    assert matrix.run(asked, Progress(Console(file=shown, width=120))) == [earlier]
    assert f"scratch=disk: done earlier{of}, r1\n" in shown.getvalue()


def test_a_cell_is_parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = study_from(CASES, name="s", where="s")
    found = asked.cells()
    monkeypatch.setattr(study, "parse", lambda *_: pytest.fail("it was parsed again"))
    assert asked.cells() == found
    found[0][0].clear()
    assert asked.cells()[0][0] != {}, "what a caller changes is his own"


@pytest.mark.parametrize("table", [TABLE, CASES], ids=["matrix", "cases"])
def test_the_text_of_a_cell_s_record_is_that_of_its_run_without_the_study(
    table: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    texts: list[tuple[Spec, str]] = []
    monkeypatch.setattr(matrix, "run_once", lambda spec, text, *_, **__: texts.append((spec, text)))
    asked = study_from(table, name="s", where="s")
    matrix.run(asked, Progress(Console(file=io.StringIO())))
    assert len(texts) == len(asked.cells()) * asked.repeat
    for spec, text in texts:
        ((_, again),) = study_from(tomllib.loads(text), name="spec").cells()
        assert again.key() == spec.key()


def test_a_matrix_of_switches_and_of_tables_has_records(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(run, "provision", lambda *_: Provisioned(tmp_path, {}, {}, {}, tmp_path))
    table = {
        "workload": "file-open",
        "engine": "null",
        "matrix": {
            "class_archives": [True, False],
            "scratch": ["memory", {"kind": "disk"}],
            "start_deadline": [9],
        },
    }
    found = matrix.run(
        study_from(table, name="s", where="s.toml"),
        Progress(Console(file=io.StringIO())),
        source=_Broken(*(KeyError("x") for _ in range(4))),
    )
    assert sorted(tuple(one.head.cell.coordinates.values()) for one in found) == [
        ("false", "memory", "9"),
        ("false", '{"kind": "disk"}', "9"),
        ("true", "memory", "9"),
        ("true", '{"kind": "disk"}', "9"),
    ]


@pytest.mark.parametrize(
    ("key", "values"),
    [
        ("workload.size", ["1GB", "1000000000"]),
        ("scratch", ["memory", {"kind": "memory"}]),
        ("x", [{"name": "a", "workload.seed": 1}, {"name": "b", "workload.seed": "1"}]),
    ],
)
def test_two_cells_that_are_the_same_run_are_refused(key: str, values: list[object]) -> None:
    """A finished run of one would have counted for the other when the study is continued."""
    table = {"workload": "terasort", "matrix": {key: values}}
    with pytest.raises(
        UsageError, match=rf"two cells of the matrix are the same run: {key} = .* and {key} = "
    ):
        study_from(table, name="s")
