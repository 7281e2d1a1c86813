"""A second user of the machine under his own name: reads no file of HDFS, submits nothing to YARN, joins neither."""

import json
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.local.conftest import Weft, root
from tests.local.test_security import NOBODY, as_nobody, readable
from weft.hadoop import configuration
from weft.provision import distribution

pytestmark = root
"""Only root can become somebody else."""

SHELL = "org.apache.hadoop.fs.FsShell"
DATANODE = "org.apache.hadoop.hdfs.server.datanode.DataNode"
NODEMANAGER = "org.apache.hadoop.yarn.server.nodemanager.NodeManager"
UNAUTHORIZED = re.compile(
    r"(?m)^(?=.*(?:unauthorized|Authorization failed))(?=.*nobody).*?\.(\w*(?:Protocol|Tracker)\w*)"
)


@dataclass
class Target:
    """YARN and HDFS, and what another user has written to find them."""

    weft: Weft
    told: dict
    own: Path

    @property
    def head(self) -> str:
        return str(self.told["address"]).partition(":")[0]

    def refused(self, daemon: str) -> set[str]:
        """Protocols that a daemon has refused to the other user."""
        log = Path(self.told["record"]) / "logs" / "node1" / f"{daemon}.log"
        return set(UNAUTHORIZED.findall(log.read_text()))

    def attempt(self, *words: str, **environment: str) -> "subprocess.Popen[str]":
        java = ["java", "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]
        java += [
            "-Djava.net.preferIPv4Stack=true",
            f"-Djava.io.tmpdir={self.own}",
            "-cp",
            f"/mnt/lib/*:{self.own}",
        ]
        return as_nobody(*java, *words, engine="hadoop", HOME=str(self.own), **environment)


@pytest.fixture(scope="module")
def target() -> Iterator[Target]:
    home = Path(tempfile.mkdtemp(prefix="weft-security-"))
    home.chmod(0o755)
    weft = Weft(home)
    try:
        words = ("--engine", "hadoop", "--nodes", "local:2", "--set", "nodes.memory=4G", "--output", "hdfs")
        done = weft("up", *words, "--json")
        assert done.returncode == 0, done.stderr
        told = json.loads(done.stdout)
        (home / "kept").write_text("what only its owner is to read")
        made = weft("exec", "--", "hadoop", "fs", "-put", str(home / "kept"), f"{hdfs(told)}/secret")
        assert made.returncode == 0, made.stderr
        yield Target(weft, told, found(home, told))
        weft("down")
        assert weft.leftovers() == []
    finally:
        weft("gc")
        shutil.rmtree(home)


def hdfs(told: dict) -> str:
    return f"hdfs://{told['address'].partition(':')[0]}:8020"


def found(home: Path, told: dict) -> Path:
    """The other user's settings: addresses alone, which every user of the machine can see."""
    own = home / "own"
    (own / "webapps" / "datanode").mkdir(parents=True)
    head = told["address"].partition(":")[0]
    here = f"{head.rpartition('.')[0]}.200"
    core = {"fs.defaultFS": hdfs(told), "hadoop.tmp.dir": f"{own}/tmp", "ipc.client.connect.max.retries": "1"}
    dfs = {
        "dfs.datanode.data.dir": f"{own}/blocks",
        **{f"dfs.datanode.{what}": f"{here}:0" for what in ("address", "http.address", "ipc.address")},
    }
    yarn = {
        "yarn.resourcemanager.address": f"{head}:6030",
        "yarn.resourcemanager.scheduler.address": f"{head}:6031",
        "yarn.resourcemanager.resource-tracker.address": f"{head}:6032",
        "yarn.nodemanager.local-dirs": f"{own}/local",
        "yarn.nodemanager.log-dirs": f"{own}/logs",
        **{
            f"yarn.nodemanager.{what}": f"{here}:0"
            for what in ("address", "localizer.address", "webapp.address")
        },
        "yarn.resourcemanager.connect.max-wait.ms": "2000",
        "yarn.resourcemanager.connect.retry-interval.ms": "1000",
    }
    mapred = {
        "mapreduce.framework.name": "yarn",
        "yarn.app.mapreduce.am.staging-dir": f"file://{own}/staging",
    }
    for name, settings in {"core": core, "hdfs": dfs, "yarn": yarn, "mapred": mapred}.items():
        (own / f"{name}-site.xml").write_text(configuration(settings))
    (own / "in").write_text("1\n")
    for path in (own, *own.rglob("*")):
        shutil.chown(path, int(NOBODY))
    return own


def test_files_of_the_daemons_are_their_users_alone(target: Target) -> None:
    home = target.weft.home
    kept = [path for folder in ("work", "state") for path in (home / folder).rglob("*")]
    assert any("blk_" in path.name for path in kept)
    assert any("fsimage" in path.name for path in kept)
    assert readable(kept) == []


def test_hdfs_neither_lists_nor_reads_nor_writes(target: Target) -> None:
    tried = [
        target.attempt(SHELL, *words)
        for words in (("-ls", "/"), ("-cat", "/secret"), ("-put", f"{target.own}/in", "/mine"))
    ]
    for process in tried:
        said, _ = process.communicate(timeout=120)
        assert process.returncode != 0, said
        assert "nobody (auth:SIMPLE) is not authorized" in said


def test_yarn_lists_and_takes_no_application(target: Target) -> None:
    (examples,) = distribution.home("hadoop", print).glob("lib/hadoop-mapreduce-examples-*.jar")
    tried = [
        target.attempt("org.apache.hadoop.yarn.client.cli.ApplicationCLI", "application", "-list"),
        target.attempt(
            "org.apache.hadoop.util.RunJar", f"/mnt/lib/{examples.name}", "wordcount",
            f"file://{target.own}/in", f"file://{target.own}/out",
        ),
    ]  # fmt: skip
    for process in tried:
        said, _ = process.communicate(timeout=120)
        assert process.returncode != 0, said
        assert "nobody (auth:SIMPLE) is not authorized" in said


@pytest.mark.parametrize(
    ("main", "daemon", "protocol"),
    [(NODEMANAGER, "resourcemanager", "ResourceTrackerPB"), (DATANODE, "namenode", "DatanodeProtocol")],
)
def test_neither_nodemanager_nor_datanode_joins(
    target: Target, main: str, daemon: str, protocol: str
) -> None:
    process = target.attempt(main)
    end = time.monotonic() + 120
    try:
        while protocol not in target.refused(daemon):
            assert time.monotonic() < end, target.refused(daemon)
            time.sleep(0.1)
    finally:
        process.kill()
        said, _ = process.communicate()
    assert "Registered with ResourceManager" not in said
    assert "successfully registered with NN" not in said


def test_whoever_claims_the_name_is_believed(target: Target) -> None:
    """What the guide warns of; and the tries above would have been seen to succeed."""
    process = target.attempt(SHELL, "-ls", "/", HADOOP_USER_NAME="root")
    said, _ = process.communicate(timeout=120)
    assert process.returncode == 0, said
    assert " /secret\n" in said
