"""The limit of a node as an engine, and programs of the user's own for TeraSort."""

import runpy
import tomllib
from pathlib import Path

import pytest

from tests.fakes import RECORD, fake_layout, fake_nodes
from weft.adapters.engines.limit import LimitEngine
from weft.adapters.workloads.base import Prepared, Results
from weft.errors import UsageError
from weft.host import settings
from weft.host.provision import native
from weft.layout.job import Job
from weft.run.preview import planned, sketch
from weft.spec.parse import parse

JOB = Job("job", "TeraSort", ["--input", "x"], RECORD / "outcomes" / "run.json")


def test_it_is_one_process_with_all_cores_of_the_node_and_no_daemon() -> None:
    layout = fake_layout(fake_nodes(1, cores=8))
    plan, command = LimitEngine().plan(layout), LimitEngine().submit(JOB, layout)
    assert plan.daemons == ()
    assert list(command.argv[1:4]) == ["TeraSort", "--threads", "8"]
    assert command.argv[-4:-2] == ["--between", "files"]
    assert LimitEngine.native[0] in native.PACKAGES


def test_more_than_one_node_is_refused() -> None:
    with pytest.raises(UsageError, match="limit runs on 1 node only, not on 2") as caught:
        parse({"workload": "terasort", "engine": "limit", "nodes": "local:2"})
    assert caught.value.hint == "use --nodes local:1"
    assert parse({"workload": "terasort", "engine": "limit:memory", "nodes": "local:1"})


def test_files_that_are_not_mounted_and_other_workloads_are_refused() -> None:
    spec = parse({"workload": "terasort", "engine": "limit", "nodes": "local:1", "input": "hdfs"})
    with pytest.raises(UsageError, match="mounted files only"):
        planned(spec, sketch(spec))
    for workload in ("teracount", "terasort:1GB,sort=false", "terasort:1GB,method=kryo"):
        with pytest.raises(UsageError, match="does not run on the engine limit"):
            parse({"workload": workload, "engine": "limit", "nodes": "local:1"})


def test_a_program_of_the_users_own_gets_input_and_output_and_is_checked(tmp_path: Path) -> None:
    jar = tmp_path / "port.jar"
    jar.touch()
    table = {"kind": "terasort", "size": "1MB", "program": str(jar), "main_class": "org.example.Sort"}
    spec = parse({"workload": table, "engine": "spark", "nodes": "local:1"})
    layout = sketch(spec)
    job = spec.workload.job(Prepared(layout, []))
    output = f"{layout.places['output'].path}/sorted"
    assert (job.program, list(job.arguments)) == (str(jar), [layout.places["input"].path, output])
    assert job.dependencies.main_class == "org.example.Sort"
    assert tmp_path in spec.paths()
    (check,) = spec.workload.check(Prepared(layout, [{"checksum": "1", "hash": "1"}]))
    assert output in check.argv
    prepared, checked = [{"rows": 10_000, "checksum": "1"}], [{"valid": True, "rows": 10_000}]
    judgement = spec.workload.judge(Results(prepared, {}, checked))
    assert judgement.valid
    assert (judgement.seconds, judgement.bytes_out) == (None, 1_000_000)
    assert judgement.facts["method"] == "port.jar"
    assert not spec.workload.judge(Results(prepared, {}, [{"valid": False, "reason": "misordered"}])).valid


def test_where_a_program_of_the_users_own_does_not_fit_it_is_refused(tmp_path: Path) -> None:
    jar, script = tmp_path / "port.jar", tmp_path / "port.py"
    jar.touch()
    script.touch()

    def refused(match: str, engine: str = "spark", **keys: object) -> None:
        with pytest.raises(UsageError, match=match):
            parse({"workload": {"kind": "terasort", **keys}, "engine": engine, "nodes": "local:1"})

    refused("file not found", program=str(tmp_path / "none.jar"))
    refused("main_class belongs to program", main_class="A")
    refused("sort=false is not for a program", program=str(jar), sort=False)
    refused("is not a program for flink", "flink", program=str(script))
    refused("does not run on the engine timely", "timely", program=str(jar))


def test_a_benchmark_of_some_rows_has_their_settings_and_those_of_all() -> None:
    bench = runpy.run_path(str(settings.SOURCE / "bench" / "limit.py"))
    whole = (settings.SOURCE / "bench" / "limit.toml").read_text()
    every, some = (tomllib.loads(bench["chosen"](whole, word)) for word in ("", "raw"))
    assert every == tomllib.loads(whole)
    rows = some["matrix"].pop("row")
    assert rows == [row for row in every["matrix"]["row"] if "raw" in row["name"]]
    assert {**some, "matrix": every["matrix"]} == every
    with pytest.raises(SystemExit, match=r"no row of bench/limit\.toml has 'none'"):
        bench["chosen"](whole, "none")
