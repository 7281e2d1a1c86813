"""A user's secret is in the memory of weft and in private files; a record, a plan and `ps` have a placeholder."""

import dataclasses
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fakes import WORK, fake_hadoop_layout, fake_layout
from weft.adapters.engines import KINDS
from weft.clusters import submitted
from weft.errors import UsageError
from weft.layout.job import Dependencies, Job
from weft.layout.plan import Command
from weft.record import record as records
from weft.run.described import started
from weft.run.preview import preview
from weft.run.submission.enter import job_script
from weft.spec.parse import parse
from weft.spec.study import study_from
from weft.text.redaction import has_placeholder, placeholder, revealed
from weft.text.toml import toml_of

KEY, VALUE = "spark.hadoop.fs.s3a.secret.key", "hunter22"
TABLE = {"workload": "terasort", "engine": {"kind": "spark", "conf": {KEY: VALUE}}}


def test_a_spec_shows_a_placeholder_and_knows_the_value() -> None:
    spec = parse(TABLE)
    assert VALUE not in repr(spec) + spec.model_dump_json() + str(preview(spec)) + toml_of(TABLE, TABLE)
    assert spec.secrets == {placeholder(KEY): VALUE}
    assert parse({"workload": "terasort"}, {KEY: VALUE}).secrets == spec.secrets


def test_a_cell_of_a_study_has_its_own_secret() -> None:
    study = study_from({**TABLE, "matrix": {KEY: ["one-of-them", "the-other"]}}, name="s", where="here")
    assert [spec.secrets[placeholder(KEY)] for _, spec in study.cells()] == ["one-of-them", "the-other"]
    assert len({spec.key() for _, spec in study.cells()}) == 1


def test_a_record_says_which_secret_it_lacks() -> None:
    stored = toml_of(TABLE, {})
    assert has_placeholder(stored) == [KEY]
    table = {"workload": "terasort", "engine": {"kind": "spark", "conf": {KEY: placeholder(KEY)}}}
    with pytest.raises(UsageError, match=rf"the secret {KEY} is missing") as refused:
        parse(table)
    assert f"--set engine.conf.{KEY}=file:PATH" in refused.value.hint
    assert parse(table, {f"engine.conf.{KEY}": VALUE}).secrets == {placeholder(KEY): VALUE}


def test_a_secret_can_be_in_a_file_or_a_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "key").write_text(f"{VALUE}\n")
    monkeypatch.setenv("MY_OWN", VALUE)
    for reference in (f"file:{tmp_path}/key", "env:MY_OWN"):
        assert list(parse({"workload": "terasort"}, {KEY: reference}).secrets.values()) == [VALUE]
        assert reference in toml_of({KEY: reference}, {})
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "log").write_text("x" * 70_000)
    for reference in (
        "env:MY_OTHER",
        f"file:{tmp_path}/none",
        f"file:{tmp_path}/log",
        f"file:{tmp_path}/pipe",
        "file:/dev/zero",
    ):
        with pytest.raises(UsageError, match="cannot be read"):
            parse({"workload": "terasort"}, {KEY: reference})


@pytest.mark.parametrize(
    ("key", "value"),
    [("spark.executor.extraJavaOptions", f"-Xss2m -Djavax.net.ssl.keyStorePassword={VALUE}")],
)
def test_a_secret_that_an_engine_would_show_is_refused(key: str, value: str) -> None:
    with pytest.raises(UsageError, match=rf"{key} has a secret that every user"):
        parse({"workload": "terasort"}, {key: value})


def test_the_users_pattern_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEFT_SECRET_KEYS", "(?i)pin$")
    spec = parse({"workload": "terasort"}, {"spark.my.pin": "12345678", KEY: VALUE})
    assert list(spec.secrets) == [placeholder("spark.my.pin")]
    monkeypatch.setenv("WEFT_SECRET_KEYS", "(")
    with pytest.raises(UsageError, match="WEFT_SECRET_KEYS is no regular expression"):
        parse({"workload": "terasort"})


@pytest.mark.parametrize("kind", ["spark", "flink", "hadoop", "hive", "duckdb", "sail"])
def test_a_setting_with_a_secret_is_in_a_private_file_and_not_on_the_command_line(kind: str) -> None:
    conf = {"my.password": placeholder("my.password"), "my.other": "plain"}
    engine = KINDS[kind].model_validate({"kind": kind, "conf": conf})
    layout = fake_layout() if kind == "spark" else fake_hadoop_layout()
    program = "Sql" if kind in {"hive", "duckdb", "sail"} else "job.jar"
    command = engine.submit(Job("job", program, [], dependencies=Dependencies(conf=conf)), layout)
    assert has_placeholder(" ".join(command.argv) + str(dict(command.environment))) == []
    assert "my.other" in " ".join(command.argv)
    ((path, text),) = command.files.items()
    assert path.is_relative_to(WORK)
    assert any(
        str(path) in word or str(path.parent) in word
        for word in [*command.argv, *command.environment.values()]
    )
    assert VALUE in revealed(text, {placeholder("my.password"): VALUE}, path)
    assert all(has_placeholder(" ".join(daemon.argv)) == [] for daemon in engine.plan(layout).daemons)


def test_without_a_secret_no_file_is_written() -> None:
    job = Job("job", "job.jar", [], dependencies=Dependencies(conf={"a": "b"}))
    for kind in ("spark", "flink", "hadoop"):
        assert KINDS[kind].model_validate({"kind": kind}).submit(job, fake_hadoop_layout()).files == {}


def test_the_environment_of_processes_is_stored_without_secrets() -> None:
    layout = fake_layout()
    daemon = KINDS["spark"].model_validate({"kind": "spark"}).plan(layout).daemons[0]
    own = {"JAVA_TOOL_OPTIONS": f"-Dmy.password={VALUE}", "AWS_SESSION_TOKEN": VALUE}
    daemon = dataclasses.replace(daemon, environment=own)
    assert VALUE not in json.dumps(started(daemon, layout))


def test_no_job_script_contains_a_secret() -> None:
    study = study_from({**TABLE, "nodes": "slurm:2"}, name="s", where="here")
    nodes = study.cells()[0][1].nodes
    with pytest.raises(UsageError, match=f"the job script would contain the secret {KEY}"):
        job_script(study, nodes, ["run", "terasort", f"--set={KEY}={VALUE}"])  # type: ignore[arg-type]
    assert VALUE not in job_script(study, nodes, ["run", "study.toml"])  # type: ignore[arg-type]


def test_a_record_is_its_users_alone(tmp_path: Path) -> None:
    before = os.umask(0o002)
    try:
        made = records.create(tmp_path / "runs", "one", "", {})
    finally:
        os.umask(before)
    assert made.directory.stat().st_mode & 0o777 == 0o700


def test_ps_does_not_show_what_weft_was_given() -> None:
    script = "from weft.host import commandline as c; c.cover(); print(open('/proc/self/cmdline').read())"
    words = [
        "run",
        "--set",
        f"{KEY}={VALUE}",
        f"--conf={KEY}={VALUE}",
        "job.py",
        "--password",
        VALUE,
        "plain",
    ]
    seen = subprocess.run([sys.executable, "-c", script, *words], capture_output=True, text=True, check=True)
    assert VALUE not in seen.stdout
    assert seen.stdout.count("********") == 3
    assert seen.stdout.rstrip("\n").endswith("plain\0")


def test_a_job_on_a_persistent_cluster_leaves_no_secret_in_what_it_prints(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The cluster, which covers its own at its end, does not know those of the job."""
    layout = dataclasses.replace(fake_layout(), record=tmp_path)
    (tmp_path / "logs").mkdir()

    def attach(*_: object, copies: dict[int, Path], **__: object) -> int:
        for path in copies.values():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"the key is {VALUE}\n")
        return 0

    monkeypatch.setattr(submitted, "attach", attach)
    command = Command("job", layout.head, ["job.py"], {}, directory=tmp_path)
    found = submitted.run(None, command, ["job.py"], layout, {}, {placeholder(KEY): VALUE})  # type: ignore[arg-type]
    assert found == 0
    texts = [path.read_text() for path in tmp_path.rglob("*") if path.is_file()]
    assert texts == [f"the key is {placeholder(KEY)}\n"] * 2
