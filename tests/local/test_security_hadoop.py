"""A second user of the machine, with any claimed name, reads no file of HDFS, submits nothing to YARN, joins neither, sees no page."""

import base64
import dataclasses
import http.client
import json
import re
import shutil
import subprocess
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from tests.local.conftest import Weft
from tests.local.test_security import NOBODY, as_nobody, readable
from tests.needs import NAMESPACES, ROOT, needs
from weft.adapters.services.hadoop import configuration
from weft.adapters.services.realm import USER, Realm, keytab
from weft.host.provision import distribution
from weft.host.shell import title_of
from weft.host.web import token
from weft.layout.node import Node

pytestmark = needs(ROOT, "unshare", NAMESPACES)
"""Only root can become somebody else."""

SHELL = "org.apache.hadoop.fs.FsShell"
DATANODE = "org.apache.hadoop.hdfs.server.datanode.DataNode"
NODEMANAGER = "org.apache.hadoop.yarn.server.nodemanager.NodeManager"
SLEEP = "org.apache.hadoop.mapreduce.SleepJob"
PAGES = (
    ("GET", "/"),
    ("GET", "/jmx"),
    ("GET", "/%6amx"),
    ("GET", "/static/../jmx"),
    ("GET", "/nothing"),
    ("GET", "/conf"),
    ("GET", "/stacks"),
    ("GET", "/prof"),
    ("GET", "/logs/"),
    ("GET", "/logLevel?log=a"),
    ("GET", "/static/a"),
    ("GET", "/ws/v1/cluster/apps"),
    ("POST", "/ws/v1/cluster/apps/new-application?user.name=root"),
    ("GET", "/proxy/application_1_1/"),
    ("GET", "/ws/v1/node/info"),
    ("GET", "/node/containerlogs/container_1_1_1_1/root"),
    ("GET", "/ws/v1/history/info"),
    ("GET", "/ws/v1/mapreduce/info"),
    ("GET", "/fsck?ugi=root&path=/"),
    ("GET", "/imagetransfer?getimage=1&txid=latest"),
    ("GET", "/webhdfs/v1/secret?op=OPEN&user.name=root"),
    ("PUT", "/webhdfs/v1/mine?op=MKDIRS&user.name=root"),
    ("OPTIONS", "/jmx"),
    ("TRACE", "/jmx"),
)
"""What there is on one daemon or another, under other spellings and other methods too."""
OTHERS = (
    b"It looks like you are making an HTTP request to a Hadoop IPC port",
    b"Incompatible shuffle request version",
    b"",
)
"""What a port says that has no pages; one for blocks says nothing."""
REFUSED = {
    "nameless": "SIMPLE authentication is not enabled",
    "forged": "Integrity check on decrypted field failed",
}
"""The error messages for a user who claims a name, without a key and with a key of his own."""


@dataclass
class Target:
    """YARN and HDFS, and what another user has written to find them."""

    weft: Weft
    facts: dict
    own: Path

    @property
    def head(self) -> str:
        return str(self.facts["address"]).partition(":")[0]

    @property
    def secret(self) -> str:
        return (Path(self.facts["settings"]).parent / "http-secret").read_text().strip()

    def listening(self) -> dict[tuple[str, int], str]:
        """The main class of who listens, by address and port."""
        found = {}
        for process in self.weft.processes(""):
            try:
                words, connections = process.cmdline(), process.net_connections()
            except psutil.Error:  # it has ended since
                continue
            for one in connections:
                if one.status == "LISTEN":
                    address = one.laddr.ip.removeprefix("::ffff:")
                    where = self.head if address in ("0.0.0.0", "::") else address
                    found[where, one.laddr.port] = title_of(words)
        return found

    def attempt(self, *words: str, how: str = "nameless") -> "subprocess.Popen[str]":
        """As the other user, who says that he is the cluster's."""
        conf = self.own / how
        java = ["java", "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]
        java += ["-Djava.net.preferIPv4Stack=true", f"-Djava.io.tmpdir={self.own}"]
        java += [f"-Djava.security.krb5.conf={conf}/krb5.conf", "-cp", f"/mnt/lib/*:{conf}"]
        own = {"HOME": str(self.own), "HADOOP_USER_NAME": "root"}
        if how != "nameless":
            own |= {"KRB5PRINCIPAL": USER, "KRB5KEYTAB": f"{conf}/keytab"}
        return as_nobody(*java, *words, engine="hadoop", **own)

    def refused(self, *words: str) -> None:
        """It fails however he comes, and each time because nobody believes him."""
        tried = {how: self.attempt(*words, how=how) for how in REFUSED}
        for how, process in tried.items():
            output, _ = process.communicate(timeout=120)
            assert process.returncode != 0, output
            assert re.search(REFUSED[how], output), output


@pytest.fixture(scope="module")
def target() -> Iterator[Target]:
    home = Path(tempfile.mkdtemp(prefix="weft-security-"))
    home.chmod(0o755)
    weft = Weft(home)
    try:
        words = ("--engine", "hadoop", "--nodes", "local:2", "--set", "nodes.memory=4G", "--output", "hdfs")
        done = weft("up", *words, "--json")
        assert done.returncode == 0, done.stderr
        facts = json.loads(done.stdout)
        (home / "kept").write_text("what only its owner is to read")
        made = weft("exec", "--", "hadoop", "fs", "-put", str(home / "kept"), f"{hdfs(facts)}/secret")
        assert made.returncode == 0, made.stderr
        yield Target(weft, facts, found(home, facts))
        weft("down")
        assert weft.leftovers() == []
    finally:
        weft.end()
        weft("gc")
        shutil.rmtree(home)


def hdfs(facts: dict) -> str:
    return f"hdfs://{facts['address'].partition(':')[0]}:8020"


def found(home: Path, facts: dict) -> Path:
    """The other user's settings: addresses alone, which every user of the machine can see, and keys of his own."""
    own, work = home / "own", Path(facts["settings"]).parents[1]
    own.mkdir()
    head = facts["address"].partition(":")[0]
    realm = Realm(work / "kerberos", Node("head", head, 1, 1, own), 6010)
    for how, secret in (("nameless", None), ("forged", b""), ("stolen", realm.keytab.read_bytes())):
        conf = own / how
        (conf / "webapps" / "datanode").mkdir(parents=True)
        named = dataclasses.replace(realm, directory=conf) if secret is not None else None
        for name, settings in _sites(own, facts, named).items():
            (conf / f"{name}-site.xml").write_text(configuration(settings))
        (conf / "krb5.conf").write_text(realm.krb5())
        if named:
            named.keytab.write_bytes(secret or keytab("0" * 64))
    (own / "in").write_text("1\n")
    for path in (own, *own.rglob("*")):
        shutil.chown(path, int(NOBODY))
    return own


def _sites(own: Path, facts: dict, realm: Realm | None) -> dict[str, dict[str, str]]:
    head = facts["address"].partition(":")[0]
    here = f"{head.rpartition('.')[0]}.200"
    core = {
        "fs.defaultFS": hdfs(facts),
        "hadoop.tmp.dir": f"{own}/tmp",
        "ipc.client.connect.max.retries": "1",
    }
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
    if realm is not None:
        core |= realm.names
        dfs |= {**realm.hdfs, **realm.hdfs_daemons}
        yarn |= realm.properties["yarn-site"]
        mapred |= realm.properties["mapred-site"]
    return {"core": core, "hdfs": dfs, "yarn": yarn, "mapred": mapred}


def test_files_of_the_daemons_are_their_users_alone(target: Target) -> None:
    home = target.weft.home
    kept = [path for folder in ("work", "state") for path in (home / folder).rglob("*")]
    assert any("blk_" in path.name for path in kept)
    assert any("fsimage" in path.name for path in kept)
    assert readable(kept) == []


def test_hdfs_neither_lists_nor_reads_nor_writes(target: Target) -> None:
    for words in (("-ls", "/"), ("-cat", "/secret"), ("-put", f"{target.own}/in", "/mine")):
        target.refused(SHELL, *words)


def test_yarn_lists_and_takes_no_application(target: Target) -> None:
    (examples,) = distribution.home("hadoop", print).glob("lib/hadoop-mapreduce-examples-*.jar")
    target.refused("org.apache.hadoop.yarn.client.cli.ApplicationCLI", "application", "-list")
    target.refused(
        "org.apache.hadoop.util.RunJar", f"/mnt/lib/{examples.name}", "wordcount",
        f"file://{target.own}/in", f"file://{target.own}/out",
    )  # fmt: skip


@pytest.mark.parametrize("how", REFUSED)
@pytest.mark.parametrize("main", [NODEMANAGER, DATANODE])
def test_neither_nodemanager_nor_datanode_joins(target: Target, main: str, how: str) -> None:
    process, output = target.attempt(main, how=how), ""
    assert process.stdout is not None
    # a DataNode without a name asks for ever, and says only that
    refused = re.compile(f"{REFUSED[how]}|Problem connecting to server")
    limit = threading.Timer(120, process.kill)
    limit.start()
    try:
        while not refused.search(output):
            line = process.stdout.readline()
            assert line, output
            output += line
    finally:
        limit.cancel()
        process.kill()
        process.communicate()
    assert "Registered with ResourceManager" not in output
    assert "successfully registered with NN" not in output


@pytest.fixture(scope="module")
def job(target: Target) -> Iterator[None]:
    """A job whose master has a page of its own; its containers end with the cluster."""
    home = distribution.home("hadoop", print)
    words = f"exec java -Xmx256m -cp '{home}/lib/*':$HADOOP_CONF_DIR {SLEEP} -m 1 -r 1 -mt 600000"
    client = target.weft.start("exec", "--", "sh", "-c", words)
    try:
        target.weft.wait_for(client, lambda: "MRAppMaster" in shown(target, token(target.secret)).values())
        yield
    finally:
        client.terminate()
        client.communicate(timeout=100)


def ask(
    where: tuple[str, int], method: str, page: str, bearer: str = "", **headers: str
) -> tuple[int, bytes]:
    """Status and body; neither if there is no answer."""
    if bearer:
        headers["Authorization"] = f"Bearer {bearer}"
    connection = http.client.HTTPConnection(*where, timeout=30)
    try:
        connection.request(method, page, headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.read(200)
    except (ConnectionError, http.client.BadStatusLine):
        return 0, b""
    finally:
        connection.close()


def shown(target: Target, bearer: str) -> dict[tuple[str, int], str]:
    """Who shows what he counts to one with that token."""
    listening = target.listening().items()
    return {where: main for where, main in listening if ask(where, "GET", "/jmx", bearer)[0] == 200}


@pytest.mark.usefixtures("job")
def test_no_port_shows_a_page_without_the_token(target: Target) -> None:
    known = shown(target, token(target.secret))
    # each DataNode has a second one behind the first, on a port of its own
    assert Counter(known.values()) == {
        "ResourceManager": 1,
        "NodeManager": 2,
        "JobHistoryServer": 1,
        "NameNode": 1,
        "DataNode": 4,
        "MRAppMaster": 1,
    }
    for where, main in target.listening().items():
        for bearer in ("", token("ab" * 32)):
            if where in known:
                answers = {page: ask(where, *page, bearer)[0] for page in PAGES}
                assert answers == dict.fromkeys(PAGES, 401), main
            else:
                _, output = ask(where, "GET", "/jmx", bearer)
                assert output.startswith(OTHERS[:-1]) or output in OTHERS, main


@pytest.mark.usefixtures("job")
def test_no_map_output_is_given_without_the_jobs_token(target: Target) -> None:
    (manager,) = (where for where, main in target.listening().items() if where[1] == 6088)
    _, output = ask(manager, "GET", "/ws/v1/cluster/apps", token(target.secret))
    (number,) = set(re.findall(r"application_(\d+_\d+)", output.decode()))
    page = f"/mapOutput?job=job_{number}&reduce=0&map=attempt_{number}_m_000000_0"
    shuffles = [where for where in target.listening() if ask(where, "GET", page)[1].startswith(OTHERS[1])]
    assert len(shuffles) == 2
    for where in shuffles:
        for own in ({}, {"UrlHash": base64.b64encode(bytes(20)).decode()}):
            assert ask(where, "GET", page, name="mapreduce", version="1.0.0", **own)[0] == 401


def test_any_process_with_the_key_is_the_user(target: Target) -> None:
    """So the tries above would have been seen to succeed."""
    process = target.attempt(SHELL, "-ls", "/", how="stolen")
    output, _ = process.communicate(timeout=120)
    assert process.returncode == 0, output
    assert " /secret\n" in output
