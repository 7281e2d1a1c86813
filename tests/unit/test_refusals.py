"""What a run would find out too late is refused before anything starts, with exit code 2: by `plan`, `run` and `up` alike."""

import re
from pathlib import Path

import pytest

from weft.api import runs
from weft.errors import UsageError
from weft.run import preview
from weft.spec.parse import parse


def refused(**table: object) -> UsageError:
    with pytest.raises(UsageError) as caught:
        preview.preview(parse({"workload": "terasort", "nodes": "local:2", **table}))
    assert caught.value.exit_code == 2
    return caught.value


@pytest.mark.parametrize(
    "form", ["mount:DIR", "disk:DIR", "pool:DIR", "loopback:DIR,size=1G", "pool+mount:DIR"]
)
@pytest.mark.parametrize("role", ["input", "scratch"])
def test_a_directory_that_is_not_there(form: str, role: str, tmp_path: Path) -> None:
    missing = tmp_path / "no such"
    error = refused(**{role: form.replace("DIR", str(missing))})
    assert f"the directory {missing} does not exist" in error.message
    assert "'" in error.hint, "it is quoted for a shell"
    (tmp_path / "there").mkdir()
    preview.preview(parse({"workload": "terasort", role: form.replace("DIR", str(tmp_path / "there"))}))


def test_a_variable_that_is_not_set() -> None:
    error = refused(scratch="mount:$NO_SUCH_VARIABLE/files")
    assert "its variable is not set" in error.hint


def test_what_other_hosts_see_is_not_known_here(tmp_path: Path) -> None:
    preview.preview(
        parse({"workload": "terasort", "nodes": "ssh:one,two", "scratch": f"mount:{tmp_path}/none"})
    )


@pytest.mark.parametrize("form", ["pool:delayed:lustre", "loopback:memory", "pool:delayed,profile=lustre"])
def test_a_storage_below_another_that_is_written_as_a_directory(form: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse({"workload": "terasort", "scratch": form})
    assert f"did you mean {form.replace(':', '+', 1)}" in caught.value.hint


def test_a_directory_that_is_called_as_a_storage_is_written_with_its_path() -> None:
    spec = parse({"workload": "terasort", "scratch": "pool:./memory"})
    assert spec.scratch.on.path == Path.cwd() / "memory"  # type: ignore[union-attr]


def test_a_persistent_cluster_is_no_workload_of_run() -> None:
    with pytest.raises(UsageError, match="not a workload of `weft run`") as caught:
        runs.run("persistent:mine", engine="null")
    assert "weft up" in caught.value.hint


def test_work_that_its_engine_is_not_offered_for() -> None:
    with pytest.raises(UsageError, match="terasort does not run on the engine null"):
        parse({"workload": "terasort", "engine": "null"})


@pytest.mark.parametrize(
    ("engine", "program"), [("spark", "passwd"), ("hadoop", "x.py"), ("flink", "x.py"), ("flink", "x.sh")]
)
def test_a_program_that_is_none_of_its_engine(engine: str, program: str) -> None:
    with pytest.raises(UsageError, match=f"is not a program for {engine}"):
        parse({"workload": {"kind": "own-job", "program": f"/tmp/{program}"}, "engine": engine})


@pytest.mark.parametrize(
    ("engine", "suffix", "hint"),
    [
        ("hadoop", "py", "hadoop runs .jar files; the jar of Hadoop streaming"),
        ("flink", "py", "flink runs .jar files; weft does not run PyFlink"),
        ("flink", "sh", "flink runs .jar files$"),
        ("spark", "sh", "spark runs .py and .jar files$"),
    ],
)
def test_a_program_that_is_none_of_its_engine_has_what_to_do_instead(
    engine: str, suffix: str, hint: str
) -> None:
    with pytest.raises(UsageError) as caught:
        parse({"workload": {"kind": "own-job", "program": f"/tmp/x.{suffix}"}, "engine": engine})
    assert re.match(hint, caught.value.hint)


@pytest.mark.parametrize(
    "key",
    [
        "partitions",
        "parts",
        "seed",
        "nodes.count",
        "nodes.cores",
        "engine.port",
        "scratch.seed",
        "timeout",
    ],
)
@pytest.mark.parametrize("value", [10**20, str(10**20), -1, "x", "", "1e999", None, [], {}])
def test_a_number_that_cannot_be_meant(key: str, value: object) -> None:
    if value is None and key in {"partitions", "parts", "nodes.cores", "timeout"}:
        return  # as if it were not given
    if key == "timeout" and value in ("", str(10**20), 10**20):
        return  # long, or refused as a duration
    with pytest.raises(UsageError):
        parse({"workload": "terasort", "scratch": "delayed:zero"}, {key: value})


@pytest.mark.parametrize("key", ["engine.driver_memory", "start_deadline"])
def test_nothing_of_what_every_run_needs(key: str) -> None:
    with pytest.raises(UsageError, match="must be"):
        parse({"workload": "terasort"}, {key: "1K" if "memory" in key else "0"})


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("spark.a", "b\nspark.c=d"),
        ("spark.a\nspark.c", "d"),
        ("scratch.path", "/tmp/a\nb"),
        ("scratch.path", "/tmp/\0"),
        ("nodes.kind", "local\r"),
    ],
)
def test_a_line_break_becomes_no_setting(key: str, value: str) -> None:
    with pytest.raises(UsageError, match=r"control character|unknown"):
        parse({"workload": "terasort"}, {key: value})


def test_arguments_of_a_job_of_ones_own_may_have_lines() -> None:
    parse({"workload": {"kind": "own-job", "program": "/tmp/x.py", "arguments": ["a\nb"]}})


@pytest.mark.parametrize("size", ["99999TB", "20TB"])
def test_more_than_the_file_system_has_room_for(size: str) -> None:
    assert "the files need" in refused(workload=f"terasort:{size}").message
    preview.preview(parse({"workload": f"terasort:{size}", "nodes": "ssh:one,two", "scratch": "memory:1G"}))


@pytest.mark.parametrize("table", [{"scratch": "memory:1000T"}, {"nodes": "local:2,cores=1000"}])
def test_more_than_the_machine_has(table: dict[str, str]) -> None:
    assert "do not fit into" in refused(**table).message


@pytest.mark.parametrize("name", ["r uns", "r'uns", 'r"uns', "r:uns", "r\nuns", "r$uns", "r,uns", "r\\uns"])
@pytest.mark.parametrize(
    "variable",
    ["WEFT_RUNS", "WEFT_WORK", "WEFT_CACHE", "WEFT_STATE", "WEFT_SHARED", "JAVA_HOME", "SPARK_HOME"],
)
def test_a_directory_whose_path_engines_read_otherwise(
    name: str, variable: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, str(tmp_path / name))
    assert variable in refused().message


@pytest.mark.parametrize("nodes", ["local:2", "ssh:one,two"])
@pytest.mark.parametrize("name", ["a b", "a'b", 'a"b', "a:b", "a\\b"])
def test_a_storage_s_directory_whose_path_engines_read_otherwise(
    name: str, nodes: str, tmp_path: Path
) -> None:
    (tmp_path / name).mkdir()
    table = {"kind": "mount", "path": str(tmp_path / name)}
    with pytest.raises(UsageError, match="a character that engines do not accept"):
        preview.preview(parse({"workload": "terasort", "nodes": nodes, "scratch": table}))
    preview.preview(
        parse({"workload": "terasort", "nodes": "ssh:one,two", "scratch": "mount:$DW_JOB_STRIPED/x"})
    )


@pytest.mark.parametrize("engine", ["hadoop", "spark:master=yarn", "flink:master=yarn"])
def test_a_pool_that_containers_would_not_see(engine: str) -> None:
    error = refused(engine=engine, scratch="pool")
    assert "yarn starts containers without the preload library" in error.message
    assert "--scratch memory" in error.hint
    preview.preview(
        parse({"workload": "terasort", "engine": engine, "input": "pool", "scratch": "memory:1G"})
    )


@pytest.mark.parametrize("engine", ["spark", "hadoop", "hive"])
def test_a_user_without_a_name(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.getuid", lambda: 3_999_999_999)
    workload = "sql-join" if engine == "hive" else "terasort"
    error = refused(workload=workload, engine=engine)
    assert f"user ID 3999999999 has no name on this machine, and {engine} does not start" in error.message
    assert "/etc/passwd" in error.hint


def test_other_engines_need_no_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pwd.getpwuid", lambda number: {}[number])
    preview.preview(parse({"workload": "terasort", "nodes": "local:2", "engine": "dask"}))
