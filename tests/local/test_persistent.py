"""Clusters of one's own: the guide's commands on one Spark cluster, and its life on clusters without an engine."""

import json
import os
import pty
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from tests import escape
from tests.documents import ROOT, commands
from tests.local.conftest import Weft
from tests.needs import NATIVE, USER_NAMESPACES, VIRTUAL, needs, require
from tests.unit.test_contained import can_be_divided

UP, *MIDDLE, DOWN = commands("docs/guide/own-cluster.md")
NAMESPACES = ["unshare", "--user", "--map-root-user", "--mount", "--propagation", "private"]
"""Where weft moves itself for virtual nodes without root."""
ESCAPE = "import subprocess, sys, time; subprocess.run([sys.executable, *sys.argv[1:3]]); sys.argv[3] == 'True' or time.sleep(600)"
PRINTS = (
    "import os, sys; print(sys.argv[1:], sys.stdin.read(), os.environ['WEFT_NODE'], flush=True); sys.exit(7)"
)


@pytest.fixture(scope="module")
def guided(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Weft]:
    """The guide's cluster, from its first command to its last."""
    require(*NATIVE)
    weft = Weft(tmp_path_factory.mktemp("guided"))
    done = typed(weft, UP)
    assert done.returncode == 0, done.stderr
    yield weft
    done = typed(weft, DOWN)
    assert done.returncode == 0, done.stderr
    assert weft.leftovers() == []
    assert list((weft.home / "state" / "clusters").iterdir()) == []
    assert (of_cluster(weft) / "report.html").stat().st_size > 10_000
    head = json.loads((of_cluster(weft) / "record.json").read_text())
    assert head["verdict"] == "UNCHECKED"
    assert head["lost"] == []


def of_cluster(weft: Weft) -> Path:
    """The record of the guide's cluster; runs on it have newer ones."""
    (record,) = (weft.home / "runs").glob("*-persistent-*")
    return record


def typed(weft: Weft, command: str, stdin: str = "") -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        shlex.split(command), cwd=ROOT, env=weft.environment, input=stdin,
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip


@pytest.mark.parametrize("command", MIDDLE)
def test_each_command_of_the_guide_works_in_the_order_shown(guided: Weft, command: str) -> None:
    done = typed(guided, command)
    assert done.returncode == 0, done.stderr
    assert done.stdout


def test_a_command_has_its_users_streams_and_exit_code(guided: Weft) -> None:
    done = typed(guided, f"./weft exec -- python3 -c {shlex.quote(PRINTS)} --for 'two words'", "output")
    assert (done.returncode, done.stdout) == (7, "['--for', 'two words'] output node1\n")


def test_pyspark_is_what_people_know(guided: Weft) -> None:
    entered = "print('counted', spark.range(10).count())\nexit()\n"
    done = typed(guided, "script --quiet --return --command './weft exec mine -- pyspark' /dev/null", entered)
    assert "counted 10" in done.stdout
    assert done.returncode == 0


def test_a_job_brings_modules_files_and_settings_to_a_persistent_cluster(
    guided: Weft, tmp_path: Path
) -> None:
    (tmp_path / "twice.py").write_text("def twice(x): return 2 * x\n")
    (tmp_path / "offset.txt").write_text("1000")
    job = tmp_path / "job.py"
    job.write_text(
        "import sys\nfrom pyspark import SparkFiles\nfrom pyspark.sql import SparkSession\n"
        "from twice import twice\nspark = SparkSession.builder.getOrCreate()\n"
        "def work(x): return twice(x) + int(open(SparkFiles.get('offset.txt')).read())\n"
        "print(sum(spark.sparkContext.range(10).map(work).collect()), spark.conf.get('spark.app.own'), sys.argv[1:])\n"
        "spark.stop()\nsys.exit(9)\n"
    )
    dependencies = f"--py-files {tmp_path}/twice.py --files {tmp_path}/offset.txt --conf spark.app.own=set"
    done = typed(guided, f"./weft submit --to mine {dependencies} {job} --files own")
    assert done.returncode == 9, done.stderr
    assert "10090 set ['--files', 'own']" in done.stdout


def test_the_record_has_the_commands_and_no_secret(guided: Weft) -> None:
    facts = json.loads(typed(guided, "./weft connect mine --json").stdout)
    settings = Path(facts["settings"])
    (secret,) = re.findall(r"spark.authenticate.secret (\w{64})", settings.read_text())
    assert settings.stat().st_mode & 0o777 == 0o600
    files = [*of_cluster(guided).rglob("*"), *(guided.home / "state").rglob("*")]
    assert [path for path in files if path.is_file() and secret.encode() in path.read_bytes()] == []
    events = [json.loads(line) for line in (of_cluster(guided) / "events.jsonl").read_text().splitlines()]
    assert {event.get("command") for event in events} >= {"spark-submit", "pyspark"}


@pytest.fixture
def clusters(weft: Weft) -> Iterator[Weft]:
    """Ends whatever a test leaves running."""
    yield weft
    for path in (weft.home / "state" / "clusters").glob("*.lock"):
        weft("down", path.stem)


def up(weft: Weft, *words: str) -> dict:
    return weft.result("up", "--engine", "null", *words)


@pytest.mark.parametrize(
    "nodes",
    [pytest.param("local:2", marks=pytest.mark.long), pytest.param("virtual:2", marks=needs(*VIRTUAL))],
)
def test_clusters_run_at_the_same_time(clusters: Weft, nodes: str) -> None:
    one, other = (up(clusters, "--nodes", nodes) for _ in range(2))
    assert [one["name"], other["name"]] == ["null", "null-2"]
    unclear = clusters("exec", "--", "true")
    assert (unclear.returncode, "several clusters are running: null, null-2" in unclear.stderr) == (2, True)
    assert [clusters("exec", name, "--", "sh", "-c", "exit 3").returncode for name in ("null", "null-2")] == [
        3,
        3,
    ]
    ended = clusters("down", "null")
    assert (ended.returncode, "UNCHECKED" in ended.stdout) == (0, True)
    listed = json.loads(clusters("ps", "--json").stdout)
    assert [holding["purpose"] for holding in listed] == ["cluster null-2"]


def test_a_name_that_is_taken_is_refused_and_the_cluster_stays(clusters: Weft) -> None:
    up(clusters, "--name", "mine")
    again = clusters("up", "--engine", "null", "--name", "mine")
    assert (again.returncode, "is already running" in again.stderr) == (2, True)
    assert clusters("exec", "mine", "--", "true").returncode == 0


def test_of_two_commands_that_want_one_name_at_once_one_has_it(clusters: Weft) -> None:
    argv = [
        sys.executable,
        "-P",
        "-m",
        "weft",
        "up",
        "--engine",
        "null",
        "--nodes",
        "local:1",
        "--name",
        "mine",
    ]
    pipe = subprocess.PIPE
    both = [
        subprocess.Popen(argv, cwd=ROOT, env=clusters.environment, stdout=pipe, stderr=pipe, text=True)
        for _ in range(2)
    ]
    outcomes = [(*one.communicate(timeout=300), one.returncode) for one in both]
    (_, err, code), (other_out, other_err, other_code) = sorted(outcomes, key=lambda one: one[2])
    assert (code, other_code, other_out) == (0, 2, ""), outcomes
    assert "error" not in err
    assert other_err.count("is already running") == 1
    assert clusters("logs", "mine").returncode == 0
    assert list((clusters.home / "state" / "clusters").glob("mine.*.log")) == []


def test_what_keeps_a_cluster_from_starting_is_reported(clusters: Weft) -> None:
    done = clusters("up", "--set", "engine.executor_memory=9000G")
    assert (done.returncode, "does not fit" in done.stderr) == (2, True)
    assert clusters("exec", "--", "true").returncode == 2


@pytest.mark.parametrize(
    ("flag", "event"), [("--for", "limit-reached"), ("--idle", "nobody-used-it")], ids=["for", "idle"]
)
def test_its_time_ends_a_cluster(clusters: Weft, flag: str, event: str) -> None:
    facts = up(clusters, flag, "1s")
    psutil.Process(facts["supervisor"]).wait(60)
    assert clusters.leftovers() == []
    assert event in (clusters.record() / "events.jsonl").read_text()
    assert (clusters.record() / "report.html").exists()


@pytest.mark.long
def test_several_engines_share_nodes_and_each_has_its_job(clusters: Weft, sum_jar: Path) -> None:
    asked = [
        "--engine",
        "spark,flink",
        "--nodes",
        "local:2,memory=5G",
        "--set",
        "engine.spark.driver_memory=512M",
    ]
    facts = clusters.result("up", "--idle", "1h", *asked)
    assert (facts["name"], facts["engine"], list(facts["engines"])) == (
        "spark-flink",
        "spark+flink",
        ["spark", "flink"],
    )
    job = clusters.home / "job.py"
    job.write_text(
        "from pyspark.sql import SparkSession\nspark = SparkSession.builder.getOrCreate()\n"
        "print('sum', spark.range(101).groupBy().sum().first()[0])\n"
    )
    # one shell finds both
    both = f"spark-submit {job} && flink run {sum_jar} 100"
    done = clusters("exec", "--", "sh", "-c", both)
    assert (done.returncode, done.stdout.splitlines().count("sum 5050")) == (0, 2), done.stderr
    done = clusters("submit", "--to", "spark-flink", "--engine", "flink", str(sum_jar), "10")
    assert (done.returncode, "sum 55" in done.stdout) == (0, True), done.stderr
    output = clusters("logs").stdout
    assert [
        name
        for name in ("spark-master", "spark-worker-node2", "flink-taskmanager-node1")
        if name not in output
    ] == []
    programs = {
        member["program"]
        for one in json.loads(clusters("ps", "--json").stdout)
        for member in one["processes"]
    }
    assert {"Master", "Worker", "StandaloneSessionClusterEntrypoint", "TaskManagerRunner"} <= programs
    assert clusters("down").returncode == 0
    assert clusters.leftovers() == []
    assert clusters.head()["lost"] == []
    shown = json.loads(clusters("show", "last", "--json").stdout)
    assert (shown["gaps"], len(shown["stages"]) >= 3) == ([], True)


@pytest.mark.parametrize("nodes", ["local:2", pytest.param("virtual:2", marks=needs(*VIRTUAL))])
def test_nothing_lives_on_when_the_supervisor_is_killed(clusters: Weft, nodes: str) -> None:
    facts = up(clusters, "--nodes", nodes)
    using = clusters.start("exec", "--", "sh", "-c", "echo there; sleep 1000")
    assert using.stdout is not None
    assert using.stdout.readline() == "there\n"
    os.kill(facts["supervisor"], signal.SIGKILL)
    _, output = using.communicate(timeout=60)
    assert (using.returncode, "has ended" in output) == (1, True)
    assert clusters("gc").returncode == 0
    assert clusters.leftovers() == []
    assert up(clusters)["name"] == "null"


def test_a_cluster_stays_when_the_terminal_is_closed(clusters: Weft) -> None:
    ours, theirs = pty.openpty()
    words = ["sh", "-c", f"{sys.executable} -m weft up --engine null --name kept && read wait"]
    terminal = subprocess.Popen(
        words, stdin=theirs, stdout=theirs, stderr=theirs, env=clusters.environment, cwd=clusters.home, start_new_session=True
    )  # fmt: skip
    os.close(theirs)
    clusters.wait_for(terminal, lambda: clusters("exec", "kept", "--", "true").returncode == 0)
    terminal.send_signal(signal.SIGHUP)
    os.close(ours)
    terminal.wait()
    assert clusters("exec", "kept", "--", "true").returncode == 0


@needs("ip", "nsenter", USER_NAMESPACES, "unshare")
def test_a_cluster_in_a_user_namespace_is_entered_from_outside(clusters: Weft) -> None:
    words = [*NAMESPACES, sys.executable, "-m", "weft", "up", "--engine", "null", "--nodes", "virtual:2"]
    subprocess.run(words, env=clusters.environment, cwd=clusters.home, check=True)
    done = clusters("exec", "--", "sh", "-c", "hostname; exit 6")
    assert (done.returncode, done.stdout) == (6, "node1\n"), done.stderr
    assert clusters("down").returncode == 0
    assert clusters.leftovers() == []


def test_the_file_of_a_cluster_is_its_users_alone(clusters: Weft) -> None:
    up(clusters)
    folder = clusters.home / "state" / "clusters"
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {path.suffix: path.stat().st_mode & 0o777 for path in folder.iterdir()} == dict.fromkeys(
        (".json", ".lock", ".log", ".use"), 0o600
    )


@pytest.mark.parametrize("ends", ["with its command", "with the cluster", "with the supervisor"])
def test_a_process_that_sheds_its_environment_ends(clusters: Weft, ends: str) -> None:
    facts = up(clusters)
    pid = clusters.home / "pid"
    using = clusters.start("exec", "--", sys.executable, "-c", ESCAPE, escape.__file__, str(pid), str(ends == "with its command"))  # fmt: skip
    if ends == "with its command":
        assert using.communicate(timeout=60)[1] == ""
        with suppress(psutil.NoSuchProcess):
            assert psutil.wait_procs([psutil.Process(int(pid.read_text()))], timeout=60)[1] == []
        assert clusters("down").returncode == 0
        return
    escaped = clusters.wait_for(using, lambda: psutil.Process(int(pid.read_text())))
    assert isinstance(escaped, psutil.Process)
    using.kill()
    using.communicate()
    if not can_be_divided():
        escaped.kill()
        pytest.skip("control groups cannot be created here")
    assert escaped.is_running()
    if ends == "with the supervisor":
        os.kill(facts["supervisor"], signal.SIGKILL)
        assert clusters("gc").returncode == 0
    else:
        assert clusters("down").returncode == 0
    assert psutil.wait_procs([escaped], timeout=60)[1] == []
