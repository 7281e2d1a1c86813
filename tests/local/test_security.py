"""A second user of the machine: reads no secret, joins no cluster, submits to none, sees no page."""

import json
import mmap
import os
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from tests.local.conftest import Weft
from tests.needs import NAMESPACES, NATIVE, ROOT, needs
from weft.host.provision import distribution

pytestmark = needs(ROOT, "unshare", NAMESPACES, *NATIVE)
"""Only root can become somebody else."""

NOBODY = "65534"
WORKER = "org.apache.spark.deploy.worker.Worker"
SUBMIT = "org.apache.spark.deploy.SparkSubmit"
REFUSED = re.compile(r"Failed to connect to master|All masters are unresponsive")

SETTING, PASSWORD = "hunter22-of-the-cluster", "hunter22-of-the-job"
"""Secrets of the user: a setting of the cluster, and one of a job."""

MARK = "MARKED-ROW-OF-THE-SHUFFLE"
SHUFFLE = f"""
import os, sys, time
from pyspark.sql import SparkSession
spark = SparkSession.builder.getOrCreate()
rows = spark.sparkContext.parallelize(range(1000), 2).map(lambda i: (i, "{MARK}"))
assert spark.conf.get("spark.my.password") == "{PASSWORD}"
assert spark.conf.get("spark.hadoop.fs.s3a.secret.key") == "{SETTING}"
print("counted", rows.repartition(3).count(), flush=True)
while not os.path.exists(sys.argv[1]):
    time.sleep(0.1)
"""


@dataclass
class Target:
    """A cluster in directories whose parents everybody may enter."""

    weft: Weft
    facts: dict

    @property
    def conf(self) -> Path:
        return Path(self.facts["settings"])

    @property
    def secret(self) -> str:
        return dict(line.split(" ", 1) for line in self.conf.read_text().splitlines())[
            "spark.authenticate.secret"
        ]

    @property
    def processes(self) -> list[psutil.Process]:
        return self.weft.processes("")


@pytest.fixture(scope="module")
def target() -> Iterator[Target]:
    home = Path(tempfile.mkdtemp(prefix="weft-security-"))
    home.chmod(0o755)
    weft = Weft(home)
    try:
        done = weft("up", "--nodes", "local:2", "--scratch", "pool", "--set", "engine.encrypt=true",
                    "--set", f"spark.hadoop.fs.s3a.secret.key={SETTING}", "--json")  # fmt: skip
        assert done.returncode == 0, done.stderr
        found = Target(weft, json.loads(done.stdout))
        yield found
        weft("down")
        assert (Path(found.facts["record"]) / "report.html").is_file()
        assert shown(found) == []
        assert weft.leftovers() == []
    finally:
        weft.end()
        weft("gc")
        shutil.rmtree(home)


def as_nobody(*words: str, engine: str = "spark", **environment: str) -> "subprocess.Popen[str]":
    """A command of another user, who has an engine of his own in /mnt."""
    home = distribution.home(engine, print)
    enter = 'mount --bind "$1" /mnt && shift && cd / && exec "$@"'
    become = ["setpriv", "--reuid", NOBODY, "--regid", NOBODY, "--clear-groups", "--no-new-privs", "--"]
    return subprocess.Popen(
        ["unshare", "--mount", "--", "sh", "-c", enter, "enter", str(home), *become, *words],
        env={"PATH": os.environ["PATH"], **environment}, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip


def readable(paths: list[Path]) -> list[str]:
    """Which of some files and directories another user can read."""
    script = 'for path; do { [ -d "$path" ] && ls "$path" || head -c 1 "$path"; } >/dev/null 2>&1 && echo "$path"; done; true'
    out, _ = as_nobody("sh", "-c", script, "look", *map(str, paths)).communicate()
    return out.splitlines()


def test_files_that_hold_or_show_secrets_are_their_users_alone(target: Target) -> None:
    home, record = target.weft.home, Path(target.facts["record"])
    kept = [path for folder in ("work", "state") for path in (home / folder).rglob("*")]
    indexes = list(Path("/dev/shm").glob(f"*{record.name}*/*.index"))
    environments = [Path(f"/proc/{process.pid}/environ") for process in target.processes]
    assert target.conf in kept
    assert len(indexes) == 2
    assert len(environments) >= 3
    assert readable([*kept, *indexes, *environments]) == []
    assert readable([Path("/etc/hostname"), home]) == ["/etc/hostname", str(home)], (
        "he can read what is open to all"
    )


def test_no_secret_is_on_a_command_line_or_in_the_record(target: Target) -> None:
    lines = [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if path.exists()]
    assert [line for line in lines if target.secret.encode() in line] == []
    files = [path for path in Path(target.facts["record"]).rglob("*") if path.is_file()]
    assert [path for path in files if target.secret.encode() in path.read_bytes()] == []


def shown(target: Target) -> list[str]:
    """Where a secret of the user can be read by others: command lines of all processes, files of the record and its page."""
    lines = Path("/proc").glob("[0-9]*/cmdline")
    files = [*lines, *(path for path in Path(target.facts["record"]).rglob("*") if path.is_file())]
    return [str(path) for path in files if b"hunter22" in (path.read_bytes() if path.exists() else b"")]


def test_a_secret_of_the_user_is_in_private_files_only(target: Target) -> None:
    assert SETTING in target.conf.read_text()
    assert target.conf.stat().st_mode & 0o777 == 0o600
    assert Path(target.facts["record"]).stat().st_mode & 0o777 == 0o700
    assert shown(target) == []


def attempt(target: Target, secret: str | None, main: str, *words: str) -> "subprocess.Popen[str]":
    """Another user's try with the cluster's own settings, and a secret that he has got from somewhere, or none."""
    settings = target.conf.read_text().replace(target.secret, secret or "")
    others = r"eventLog|local|driver\.(host|bind)|ui\.filters|org\."  # are no part of the question
    if secret is None:
        others += r"|authenticate|network\.crypto|io\.encryption"
    own = Path(tempfile.mkdtemp(dir=target.weft.home))
    (own / "spark.conf").write_text(re.sub(rf"(?m)^spark\.({others}).*\n", "", settings))
    shutil.chown(own, int(NOBODY))
    address = target.facts["address"].removeprefix("spark://").rpartition(".")[0] + ".200"
    return as_nobody(
        "java", "-Xmx640m", "-XX:+UseSerialGC", "-Dscala.usejavacp=true", f"-Djava.io.tmpdir={own}", "-cp", "/mnt/jars/*", main,
        "--properties-file", f"{own}/spark.conf", *words, SPARK_LOCAL_IP=address, SPARK_LOCAL_DIRS=str(own),
        SPARK_SCALA_VERSION="2.13", SPARK_HOME="/mnt", HOME=str(own), SPARK_WORKER_DIR=str(own),
    )  # fmt: skip


def until(process: "subprocess.Popen[str]", pattern: re.Pattern[str]) -> str:
    """What a program says up to a line that fits, after which it is killed."""
    assert process.stdout is not None
    output = ""
    try:
        for line in process.stdout:
            output += line
            if pattern.search(line):
                return output
        raise AssertionError(f"it ended with code {process.wait()} and output\n{output}")
    finally:
        process.kill()
        process.communicate()


def joining(target: Target, secret: str | None) -> "subprocess.Popen[str]":
    words = ("--cores", "1", "--memory", "512m", "--webui-port", "0", target.facts["address"])
    return attempt(target, secret, WORKER, *words)


@pytest.mark.parametrize(
    "secret", [pytest.param(None, marks=pytest.mark.long), "ab" * 32], ids=["none", "wrong"]
)
def test_nobody_joins_or_submits_without_the_secret(target: Target, secret: str | None) -> None:
    worker = joining(target, secret)
    words = ("--class", "org.apache.spark.repl.Main", "spark-shell")
    application = attempt(target, secret, SUBMIT, "--master", target.facts["address"], *words)
    until(worker, REFUSED)
    until(application, REFUSED)
    output = (Path(target.facts["record"]) / "logs" / "node1" / "master.log").read_text()
    assert len(set(re.findall(r"Registering worker ([\d.]+)", output))) == 2
    assert "Registering app" not in output


def test_with_the_secret_the_same_try_succeeds(target: Target) -> None:
    until(joining(target, target.secret), re.compile("Successfully registered with master"))


def test_status_pages_show_nothing_without_a_token(target: Target) -> None:
    head = target.facts["address"].removeprefix("spark://").partition(":")[0]
    worker = f"{head.rpartition('.')[0]}.2"
    tried = [
        f"http://{head}:8080/",
        f"http://{head}:8080/json/",
        f"http://{head}:8080/app/kill/",
        f"http://{worker}:8081/logPage",
    ]
    assert [status(page) for page in tried] == [403] * len(tried)
    listening = {
        c.laddr.ip for process in target.processes for c in process.net_connections() if c.status == "LISTEN"
    }
    assert {address.removeprefix("::ffff:") for address in listening} == {head, worker}


def test_weft_shows_its_user_how_to_open_them(target: Target) -> None:
    (line,) = re.findall(r"(?m)^page +curl -H @(\S+) (\S+)$", target.weft("connect").stdout)
    name, _, value = Path(line[0]).read_text().strip().partition(": ")
    assert status(line[1]) == 403
    assert status(line[1], {name: value}) == 200


def status(page: str, headers: dict[str, str] | None = None) -> int:
    try:
        with urllib.request.urlopen(
            urllib.request.Request(page, headers=headers or {}), timeout=10
        ) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


@pytest.mark.parametrize("encrypted", [True, pytest.param(False, marks=pytest.mark.long)])
def test_what_is_shuffled_is_on_disk_as_it_was_asked_for(target: Target, encrypted: bool) -> None:
    job, seen = target.weft.home / "shuffle.py", target.weft.home / f"seen-{encrypted}"
    job.write_text(SHUFFLE)
    conf = [
        "--conf",
        f"spark.my.password={PASSWORD}",
        "--conf",
        "spark.shuffle.compress=false",
        "--conf",
        f"spark.io.encryption.enabled={str(encrypted).lower()}",
    ]
    using = subprocess.Popen(
        [sys.executable, "-m", "weft", "submit", "--to", "spark", *conf, str(job), str(seen)],
        env=target.weft.environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    assert using.stdout is not None
    assert using.stdout.readline() == "counted 1000\n"
    # a pool keeps small files in the node's memory
    kept = Path("/dev/shm").glob(f"*{Path(target.facts['record']).name}*/*")
    files = [*kept, *(target.weft.home / "work").rglob("*")]
    found = [path for path in files if path.is_file() and holds_a_row(path)]
    assert shown(target) == []
    seen.touch()
    using.communicate()
    assert (found == []) == encrypted
    assert using.returncode == 0


def holds_a_row(path: Path) -> bool:
    if path.stat().st_size == 0:
        return False
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as text:
        return text.find(MARK.encode()) >= 0
