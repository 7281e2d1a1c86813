"""A job of the user's own: its options, its storage, and the command that checks its result."""

import dataclasses
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tests.fakes import fake_layout, fake_program
from weft.adapters.engines.flink.engine import FlinkEngine
from weft.adapters.engines.hadoop import HadoopEngine
from weft.adapters.engines.spark.engine import SparkEngine
from weft.adapters.workloads.base import Prepared, Results
from weft.adapters.workloads.ownjob import OwnJob
from weft.api.flags import Flags
from weft.cli import app, outcomes, submitted
from weft.errors import UsageError
from weft.facts.checked import OWN
from weft.layout.plan import Layout
from weft.spec.parse import parse
from weft.spec.study import Study
from weft.tables import owncheck
from weft.text import properties

RUNNER = CliRunner()


@pytest.fixture(name="job")
def _job(tmp_path: Path) -> Path:
    path = tmp_path / "job.py"
    path.write_text("print(1)\n")
    return path


@pytest.fixture(name="studies")
def _studies(monkeypatch: pytest.MonkeyPatch) -> list[Study]:
    """What would have been run."""
    found: list[Study] = []

    def do(study: Study, **_: object) -> list[Any]:
        found.append(study)
        return []

    monkeypatch.setattr(outcomes, "do", do)
    return found


def submit(job: Path, *words: str) -> Any:
    directory = "{output}/two" if "--output" in words else "two"
    return RUNNER.invoke(app, ["submit", *words, str(job), "one", directory])


def layout_with(*roles: str) -> Layout:
    layout = fake_layout()
    places = {role: place for role, place in layout.places.items() if role in roles}
    return dataclasses.replace(layout, places=places)


def test_every_option_of_spark_submit_reaches_spark_submit(
    job: Path, tmp_path: Path, studies: list[Study]
) -> None:
    environment = tmp_path / "env.tar.gz"
    environment.touch()
    words = ["--name", "nightly", "--packages", "a:b:1,c:d:2", "--archives", f"{environment}#env"]
    assert submit(job, *words, "--conf", "spark.x=1").exit_code == 0
    ((_, spec),) = studies[0].cells()
    command = SparkEngine().submit(spec.workload.job(Prepared(layout_with("scratch"))), fake_layout())
    text = " ".join(command.argv)
    assert "--packages a:b:1,c:d:2" in text
    assert f"--archives {environment}#env" in text
    assert "--name nightly" in text
    assert "--conf spark.x=1" in text


def test_heaps_are_those_of_the_new_cluster(job: Path, studies: list[Study]) -> None:
    assert submit(job, "--driver-memory", "2G", "--executor-memory", "3G").exit_code == 0
    ((_, spec),) = studies[0].cells()
    assert (spec.engine.driver_memory, spec.engine.executor_memory) == (2 << 30, 3 << 30)
    command = SparkEngine().submit(spec.workload.job(Prepared(layout_with())), fake_layout())
    assert "-Xmx1024m" in command.argv, "that of the engine, which is another here"


def test_the_heap_of_a_driver_may_be_a_setting_as_with_spark_submit(
    job: Path, tmp_path: Path, studies: list[Study]
) -> None:
    file = tmp_path / "spark-defaults.conf"
    file.write_text("spark.driver.memory 3g\nspark.a 1\n")
    words = ("--properties-file", str(file))
    assert submit(job, *words).exit_code == 0
    assert submit(job, *words, "--driver-memory", "2G").exit_code == 0
    found = [spec for study in studies for _, spec in study.cells()]
    assert [spec.engine.driver_memory for spec in found] == [3 << 30, 2 << 30]
    assert [spec.workload.conf for spec in found] == [{"spark.a": "1"}] * 2
    asked = submitted.Asked(job, [], {}, conf={"spark.driver.memory": "3g"})
    ((_, spec),) = submitted._on_running("spark", asked).cells()
    assert spec.workload.driver_memory == 3 << 30


def test_a_property_among_other_options_is_one_word(job: Path, studies: list[Study]) -> None:
    words = ["--option=-Dmapreduce.job.reduces=4", "--option=--conf", "--option=a=b", "--option=--queue=q"]
    assert submit(job, *words).exit_code == 0
    ((_, spec),) = studies[0].cells()
    assert spec.workload.options == ("-Dmapreduce.job.reduces=4", "--conf", "a=b", "--queue", "q")


def test_a_driver_on_a_running_cluster_has_its_own_heap(job: Path) -> None:
    asked = submitted.Asked(job, [], {}, memory={"driver": "2G", "executor": "700m"})
    ((_, spec),) = submitted._on_running("spark", asked).cells()
    assert spec.workload.conf == {"spark.executor.memory": "700m"}
    command = SparkEngine().submit(spec.workload.job(Prepared(layout_with())), fake_layout())
    assert "-Xmx2048m" in command.argv


@pytest.mark.parametrize(
    ("engine", "words", "message"),
    [
        ("flink", ["--executor-memory", "1G"], "flink has no --executor-memory"),
        ("hadoop", ["--executor-memory", "1G"], "hadoop has no --executor-memory"),
    ],
)  # fmt: skip
def test_an_engine_without_an_option_says_so(
    job: Path, engine: str, words: list[str], message: str, studies: list[Study]
) -> None:
    jar = job.with_suffix(".jar")
    jar.touch()
    assert message in str(submit(jar, "--engine", engine, *words).exception)
    assert studies == []


@pytest.mark.parametrize("engine", [FlinkEngine(), HadoopEngine()], ids=lambda one: one.kind)
def test_what_another_engine_does_not_know_is_one_sentence(engine: Any, job: Path) -> None:
    work = OwnJob(program=job, packages=("a:b:1",))
    with pytest.raises(UsageError, match=f"{engine.kind} has no --packages for a job"):
        engine.submit(work.job(Prepared(layout_with())), fake_layout())


def test_a_file_of_properties_adds_settings_that_the_command_line_overrides(
    job: Path, tmp_path: Path, studies: list[Study]
) -> None:
    file = tmp_path / "spark.conf"
    file.write_text(
        "# a comment\nspark.master  yarn\nspark.eventLog.dir hdfs:///logs\nspark.shuffle.service.enabled true\nspark.a=1\nspark.b : 2 3\nspark.c \\\n   x\n"
    )
    done = submit(job, "--properties-file", str(file), "--conf", "spark.a=9")
    assert done.exit_code == 0
    ((_, spec),) = studies[0].cells()
    assert spec.workload.conf == {"spark.a": "9", "spark.b": "2 3", "spark.c": "x"}
    assert (
        "spark.master, spark.eventLog.dir, spark.shuffle.service.enabled is of another cluster, and not used"
        in done.stderr
    )


def test_a_file_of_properties_is_read_as_java_reads_it(tmp_path: Path) -> None:
    file = tmp_path / "spark.conf"
    file.write_text(
        "# spark.old -Da=1 \\\nspark.a (?i)secret|\\\\.key\n! \\\nspark.b\\:c C:\\\\dir\\\\\n"
        "  spark.d x\\\n    y\\\n#z\nspark.e \\u0041\\tb\nspark.f one\\"
    )
    assert properties.read(file) == {
        "spark.a": r"(?i)secret|\.key",
        "spark.b:c": "C:\\dir\\",
        "spark.d": "xy#z",
        "spark.e": "A\tb",
        "spark.f": "one",
    }


def test_a_line_without_a_value_is_named(tmp_path: Path) -> None:
    file = tmp_path / "spark.conf"
    file.write_text("spark.a\n")
    with pytest.raises(UsageError, match=r"'spark\.a' has no value"):
        properties.read(file)
    with pytest.raises(UsageError, match="cannot read"):
        properties.read(tmp_path / "none")


def test_a_file_that_is_too_long_for_settings_is_refused_instead_of_cut(tmp_path: Path) -> None:
    file = tmp_path / "spark.conf"
    file.write_text(f"spark.a 1\n# {'x' * (1 << 20)}\nspark.b 2\n")
    with pytest.raises(UsageError, match=r"spark\.conf has more than 1,048,576 characters"):
        properties.read(file)


def test_its_directories_are_those_of_the_storage_that_was_asked_for(
    job: Path, tmp_path: Path, studies: list[Study]
) -> None:
    data = tmp_path / "data"
    data.mkdir()
    words = ["--input", "memory", "--output", f"disk:{tmp_path}", "--stage", str(data), "--service", "kafka"]
    assert submit(job, *words, "--repeat", "3").exit_code == 0
    ((_, spec),) = studies[0].cells()
    assert studies[0].repeat == 3
    assert set(spec.storage()) == {"input", "output", "scratch"}
    assert [service.kind for service in spec.services] == ["kafka"]
    layout = layout_with("input", "output", "scratch")
    (staging,) = spec.workload.prepare(layout)
    assert f"data={data}" in staging.argv
    assert spec.workload.job(Prepared(layout)).arguments == ["one", f"{layout.places['output'].path}/two"]


@pytest.mark.parametrize("role", ["input", "output"])
@pytest.mark.parametrize("given", [{"arguments": ["{ROLE}/two"]}, {"verify": "test -d {ROLE}"}])
def test_a_directory_that_no_storage_has_is_refused_before_anything_starts(
    job: Path, role: str, given: dict[str, Any]
) -> None:
    """The program would have received the mark itself, and written to a directory of that name."""
    words = json.loads(json.dumps(given).replace("ROLE", role))
    table = {"workload": {"kind": "own-job", "program": str(job), **words}}
    with pytest.raises(UsageError, match=rf"uses {{{role}}}, .*\nhint: add --{role}"):
        parse(table)
    assert role in parse({**table, role: "memory"}).storage()


def test_other_braces_in_an_argument_stay_as_they_are(job: Path) -> None:
    work = OwnJob(program=job, arguments=("{stdout}", "{x}"))
    layout = layout_with("scratch")
    assert set(parse({"workload": work.model_dump(mode="json")}).storage()) == {"scratch"}
    assert work.job(Prepared(layout)).arguments == [str(layout.outcome("stdout")), "{x}"]


def test_a_job_on_a_persistent_cluster_has_its_output_but_no_input_and_no_file_of_what_it_printed(
    job: Path,
) -> None:
    def on_running(argument: str) -> Any:
        asked = submitted.Asked(job, [argument], {})
        ((_, spec),) = submitted._on_running("spark", asked).cells()
        return spec.workload

    assert on_running("{output}/two").arguments == ("{output}/two",)
    with pytest.raises(UsageError, match=r"uses {input}"):
        on_running("{input}/two")
    result = RUNNER.invoke(app, ["submit", "--to", "mine", str(job), "{stdout}"])
    assert "{stdout} is no file" in str(result.exception)


def test_a_uri_needs_no_file_here(job: Path) -> None:
    jars = "local:/opt/a.jar,hdfs:///b.jar,file:/c.jar"
    work = OwnJob(program=job, jars=jars)
    assert list(work.jars) == jars.split(",")
    assert work.paths == [job, work.directory]
    with pytest.raises(ValueError, match=r"file not found: /none/a\.jar"):
        OwnJob(program=job, jars="/none/a.jar")


def test_files_for_an_input_need_one(job: Path) -> None:
    with pytest.raises(UsageError, match=r"uses {input}.*\nhint: add --input"):
        parse({"workload": {"kind": "own-job", "program": str(job), "stage": str(job)}})


def checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *command: str) -> dict[str, Any]:
    outcome = tmp_path / "outcome.json"
    words = ["--command", json.dumps(command), "--directory", str(tmp_path), "--scratch", str(tmp_path)]
    monkeypatch.setattr(sys, "argv", ["owncheck", *words, "--outcome", str(outcome)])
    monkeypatch.chdir(Path.cwd())
    monkeypatch.delenv("PYTHONPATH", raising=False)  # it removes that itself, and the next tests need it
    with pytest.raises(SystemExit) as ended:
        owncheck.main()
    assert ended.value.code == 0, "a wrong result is an answer, no failure of the program"
    found: dict[str, Any] = json.loads(outcome.read_text())
    return found


@pytest.mark.parametrize(
    ("script", "reason", "lines"),
    [
        ("exit 0", "", []),
        ("echo fine", "", ["fine"]),
        ("exit 3", "the check ended with exit code 3", []),
        ("echo a; echo total 5 is not 7 >&2; exit 1", "the check ended with exit code 1: total 5 is not 7", ["a", "total 5 is not 7"]),
        ("seq 20; exit 1", "the check ended with exit code 1: 20", [str(line) for line in range(13, 21)]),
    ],
)  # fmt: skip
def test_the_users_check_decides_with_its_exit_code_and_its_last_lines_stay(
    job: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, reason: str, lines: list[str]
) -> None:
    program = fake_program(tmp_path, "verify", script)
    work = OwnJob(program=job, verify=f"{program} {{stdout}} 'two words'")
    layout = layout_with("scratch")
    (command,) = work.check(Prepared(layout))
    words = json.loads(command.argv[command.argv.index("--command") + 1])
    assert words == [str(program), str(layout.outcome("stdout")), "two words"]
    found = checked(tmp_path, monkeypatch, *words)
    judged = work.judge(Results([], {}, [found]))
    assert (judged.valid, judged.reason) == (not reason, reason)
    assert judged.facts["check"]["lines"] == lines


def test_no_shell_reads_the_command(job: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = fake_program(tmp_path, "verify", 'printf "%s\\n" "$@"; exit 1')
    work = OwnJob(program=job, verify=f"{program} '$HOME' ';' touch x")
    assert work.verify == (str(program), "$HOME", ";", "touch", "x")
    assert checked(tmp_path, monkeypatch, *work.verify)["lines"] == ["$HOME", ";", "touch", "x"]
    assert not (tmp_path / "x").exists()


def test_a_check_that_cannot_be_started_is_no_correct_result(
    job: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = checked(tmp_path, monkeypatch, "/nowhere/verify")
    judged = OwnJob(program=job, verify="x").judge(Results([], {}, [found]))
    assert not judged.valid
    assert "the check could not be started" in judged.reason


def test_who_judges_decides_whether_it_is_a_measurement(job: Path) -> None:
    assert OwnJob(program=job, verify="true").checked_by == OWN
    assert OwnJob(program=job).checked_by == ""
    with pytest.raises(UsageError, match="is not a command: no closing quotation"):
        parse({"workload": {"kind": "own-job", "program": str(job), "verify": "a 'b"}})


def test_a_dry_run_prints_the_plan_and_runs_nothing(job: Path, studies: list[Study]) -> None:
    done = submit(job, "--dry-run", "--check", "true")
    assert done.exit_code == 0, done.exception
    assert studies == []
    assert "driver on node1" in done.stdout
    assert "check on node1" in done.stdout


@pytest.mark.parametrize(
    "words",
    [["--nodes", "local:1"], ["--repeat", "2"], ["--check", "true"], ["--dry-run"], ["--probe", "fileops"]],
)
def test_a_persistent_cluster_takes_options_of_the_job_only(job: Path, words: list[str]) -> None:
    error = submit(job, "--to", "mine", *words).exception
    assert isinstance(error, UsageError)
    assert "already has its nodes" in error.message


def test_a_persistent_cluster_takes_no_query(tmp_path: Path) -> None:
    (query := tmp_path / "best.sql").write_text("SELECT 1")
    error = submit(query, "--to", "mine").exception
    assert isinstance(error, UsageError)
    assert error.message == "a query runs on a cluster of its own, not on mine"


def test_a_wrong_result_ends_with_exit_code_1(job: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Ended:
        def __init__(self, verdict: str) -> None:
            self.verdict = verdict

    for verdicts, code in ((["VALID", "INVALID"], 1), (["VALID"], 0), (["UNCHECKED"], 0)):
        monkeypatch.setattr(outcomes, "do", lambda *_, found=verdicts, **__: [Ended(one) for one in found])
        with pytest.raises(SystemExit) as ended:
            submitted.submit(submitted.Asked(job, [], {}), Flags(), None, dry_run=False, as_json=False)
        assert ended.value.code == code
