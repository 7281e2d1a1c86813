"""Plans of DuckDB and Sail: one node, its memory, its scratch, who may connect; and weft's program for their queries."""

import json
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.commandline import after
from tests.fakes import RECORD, fake_layout, fake_nodes
from weft.adapters.engines.onenode import program
from weft.adapters.engines.onenode.duckdb import DuckDbEngine
from weft.adapters.engines.onenode.sail import SailEngine
from weft.adapters.workloads.sqljoin import SqlJoin
from weft.adapters.workloads.tpcds import Tpcds
from weft.errors import UsageError
from weft.facts.checked import PROGRAM, SAME, clause
from weft.layout.job import Dependencies, Job
from weft.layout.plan import Layout
from weft.run.preview import planned, sketch
from weft.spec.parse import parse

PROGRAMS = Path(program.__file__).with_name("programs")
JOB = Job("job", "Sql", ["--order", "join"], RECORD / "outcomes" / "run.json")
ENGINES = pytest.mark.parametrize("kind", ["duckdb", "sail"])


def one_node(cores: int = 2, memory: int = 4 << 30) -> Layout:
    return fake_layout(fake_nodes(1, cores=cores, memory=memory))


def test_duckdb_is_the_process_of_the_job_with_the_nodes_cores_memory_and_scratch() -> None:
    layout = one_node(cores=3)
    plan = DuckDbEngine().plan(layout)
    assert not plan.daemons
    assert (plan.derived["duckdb"].slots, plan.derived["duckdb"].sizes) == (
        3,
        {"memory limit": (4 << 30) * 8 // 10},
    )
    given = dict(each.split("=", 1) for each in after("--set", list(DuckDbEngine().submit(JOB, layout).argv)))
    assert given == {"threads": "3", "memory_limit": "3276MiB", "temp_directory": "/scratch/scratch/node1"}


def test_settings_of_the_engine_and_of_the_query_go_before_those_of_weft() -> None:
    own = Job("job", "Sql", [], dependencies=Dependencies(conf={"threads": "5"}))
    engine = DuckDbEngine(conf={"memory_limit": "100MB", "threads": "4"})
    given = dict(each.split("=", 1) for each in after("--set", list(engine.submit(own, one_node()).argv)))
    assert (given["threads"], given["memory_limit"]) == ("5", "100MB")


def test_sails_server_has_the_nodes_address_cores_memory_and_scratch() -> None:
    layout = one_node()
    plan = SailEngine().plan(layout)
    (server,) = plan.daemons
    assert server.essential
    assert server.ports == (50051,)
    assert after("--ip", list(server.argv)) == ["10.0.0.1"]
    pool = ((4 << 30) - (320 << 20)) * 7 // 10
    wanted = {
        "SAIL_MODE": "local",
        "SAIL_RUNTIME__MEMORY_POOL__TYPE": "fair",
        "SAIL_RUNTIME__MEMORY_POOL__FAIR__MAX_SIZE": str(pool),
        "SAIL_RUNTIME__TEMPORARY_FILES__PATHS": '["/scratch/scratch/node1"]',
        "SAIL_EXECUTION__DEFAULT_PARALLELISM": "2",
        "TOKIO_WORKER_THREADS": "2",
    }
    assert wanted.items() <= server.environment.items()
    assert after("--remote", list(SailEngine().submit(JOB, layout).argv)) == ["sc://10.0.0.1:50051"]


def test_a_client_of_sail_asks_no_proxy_of_the_machine_for_its_server() -> None:
    """gRPC sends all to the one that http_proxy names, but for hosts in this variable."""
    for job in (JOB, Job("job", "own.py", [])):
        assert SailEngine().submit(job, one_node()).environment["no_grpc_proxy"] == "10.0.0.1"


def test_options_of_sail_are_variables() -> None:
    engine = SailEngine(pool="greedy", memory=1 << 30, conf={"execution.batch_size": "1024", "mode": "local"})
    (server,) = engine.plan(one_node()).daemons
    assert server.environment["SAIL_EXECUTION__BATCH_SIZE"] == "1024"
    assert server.environment["SAIL_RUNTIME__MEMORY_POOL__GREEDY__MAX_SIZE"] == str(1 << 30)


@ENGINES
def test_their_processes_see_no_packages_of_weft(kind: str) -> None:
    spec = parse({"workload": "sql-join", "engine": kind, "nodes": "virtual:1"})
    layout = one_node()
    for one in [*spec.engine.plan(layout).daemons, spec.engine.submit(JOB, layout)]:
        assert list(one.argv[:3]) == [sys.executable, "-S", "-P"]
        assert one.environment["PYTHONPATH"] == f"/cache/{kind}/lib:{PROGRAMS}"


@ENGINES
def test_more_than_one_node_is_refused(kind: str) -> None:
    with pytest.raises(UsageError, match=f"^{kind} runs on 1 node only, not on 2"):
        parse({"workload": "tpcds", "engine": kind, "nodes": "virtual:2"})


@ENGINES
def test_memory_that_does_not_fit_is_refused(kind: str) -> None:
    engine = parse({"workload": "tpcds", "engine": kind, "nodes": "virtual:1"}).engine
    with pytest.raises(UsageError, match=r"is not between the 67\.1 MB that it needs"):
        engine.plan(one_node(memory=100 << 20))
    more = parse({"workload": "tpcds", "engine": {"kind": kind, "memory": "5GB"}, "nodes": "virtual:1"})
    with pytest.raises(UsageError, match="that the node has for it"):
        more.engine.plan(one_node())


@ENGINES
def test_files_that_are_not_mounted_are_refused(kind: str) -> None:
    spec = parse({"workload": "sql-join", "engine": kind, "nodes": "virtual:1", "input": "hdfs"})
    with pytest.raises(UsageError, match="mounted files only"):
        planned(spec, sketch(spec))


@pytest.mark.parametrize("nodes", ["local:1", "ssh:other", "slurm:1"])
def test_sail_is_refused_where_others_could_connect(nodes: str) -> None:
    with pytest.raises(UsageError, match=r"sail knows no authentication, and .* could run programs as you"):
        parse({"workload": "sql-join", "engine": "sail", "nodes": nodes})


def test_sail_runs_on_private_nodes_or_where_nobody_else_is() -> None:
    parse({"workload": "sql-join", "engine": "sail", "nodes": "virtual:1"})
    parse({"workload": "sql-join", "engine": "sail", "nodes": "local:1", "security": "none"})


def test_duckdb_listens_nowhere_and_runs_on_any_node() -> None:
    for nodes in ("local:1", "slurm:1"):
        parse({"workload": "sql-join", "engine": "duckdb", "nodes": nodes})


def test_an_answer_that_duckdb_compares_with_its_own_is_called_self_checked() -> None:
    for workload in (SqlJoin(), Tpcds()):
        assert workload.checked_on("duckdb") == SAME
        assert workload.checked_on("sail") == workload.checked_on("spark") == PROGRAM
    assert clause(SAME).startswith("self-checked: another version of the same engine")


class Toy:
    """A session that keeps what it was asked."""

    def __init__(self, options: Mapping[str, str], settings: Mapping[str, str]) -> None:
        self.settings, self.tables, self.ended = settings, dict[str, str](), False

    def table(self, name: str, path: str) -> None:
        self.tables[name] = path

    def query(self, text: str, to: Path) -> None:
        if text == "slow":
            until = time.monotonic() + 20
            while not self.ended and time.monotonic() < until:
                time.sleep(0.01)
            raise RuntimeError("interrupted")
        if text != "right":
            raise RuntimeError(f"\n no such text: {text}\nmore")
        (to / "part").touch()

    def interrupt(self) -> None:
        self.ended = True

    def counted(self) -> Mapping[str, int]:
        return {"bytes_in": 7}

    def close(self) -> None:
        self.tables.clear()


def ran(tmp_path: Path, order: str, *flags: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    monkeypatch.syspath_prepend(str(PROGRAMS))
    from weft_sql.job import QueryJob, UnusableError

    words = ["--table", f"t={tmp_path}", "--order", order, *flags]
    for name, text in {"good": "right;\n", "bad": "wrong", "late": "slow"}.items():
        (tmp_path / f"{name}.sql").write_text(text)
        words += ["--query", f"{name}={tmp_path / name}.sql"]
    job = QueryJob.parsed(
        [*words, "--output", str(tmp_path / "out"), "--outcome", str(tmp_path / "outcome.json")]
    )
    try:
        job.run(Toy)
    except UnusableError as error:
        job.problem(str(error))
    job.write()
    found: dict[str, object] = json.loads((tmp_path / "outcome.json").read_text())
    return found


def test_each_query_has_a_row_and_a_result_that_is_marked_as_complete(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = ran(tmp_path, "good,bad,good", "--keep-going", monkeypatch=monkeypatch)
    rows = found["queries"]
    assert isinstance(rows, list)
    assert [(row["label"], row["failure"], row.get("bytes_in")) for row in rows] == [
        ("good-1", "", 7),
        ("bad-1", "no such text: wrong", None),
        ("good-2", "", 7),
    ]
    complete = {path.parent.name for path in (tmp_path / "out").glob("*/_SUCCESS")}
    assert complete == {"good-1", "good-2"}
    assert found["valid"]


def test_a_users_query_that_fails_is_the_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = ran(tmp_path, "bad,good", monkeypatch=monkeypatch)
    assert (found["valid"], found["reason"]) == (False, "no such text: wrong")


def test_a_query_that_takes_too_long_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = ran(tmp_path, "late,good", "--keep-going", "--limit-seconds", "0.05", monkeypatch=monkeypatch)
    rows = found["queries"]
    assert isinstance(rows, list)
    assert [row["failure"] for row in rows] == ["it did not end within 0.05 s", ""]


def test_a_pattern_is_of_files_in_its_directory_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(PROGRAMS))
    from weft_sql.job import table_files

    (tmp_path / "below").mkdir()
    for name in ("b.parquet", "a.parquet", "_hidden.parquet", "below/c.parquet"):
        (tmp_path / name).touch()
    assert table_files(f"{tmp_path}/*.parquet") == [f"{tmp_path}/a.parquet", f"{tmp_path}/b.parquet"]
    assert table_files(str(tmp_path)) == [f"{tmp_path}/{n}.parquet" for n in ("a", "b", "below/c")]
    assert table_files("s3://x/*") == ["s3://x/*"]


def test_the_files_of_a_table_are_those_of_its_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(PROGRAMS))
    from weft_sql.duck import DuckSession, quoted
    from weft_sql.job import UnusableError

    session = DuckSession({}, {"threads": "1"})
    with pytest.raises(UnusableError, match="has no part of a table"):
        session.table("t", str(tmp_path))
    one = tmp_path / "it's"
    one.mkdir()
    session.query("SELECT 1 AS x UNION ALL SELECT NULL ORDER BY x", one)
    session.table("t", str(one))
    session.query("SELECT count(*) AS n, min(x) FROM t /* ; */ -- a\n; -- end", tmp_path)
    with pytest.raises(UnusableError, match="something else than one query"):
        session.query("SELECT 1; SELECT 2", tmp_path)
    with pytest.raises(UnusableError, match="something else than one query"):
        session.query("DROP VIEW t", tmp_path)
    session.close()
    assert quoted("a'b") == "'a''b'"
