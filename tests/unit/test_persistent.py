"""How a persistent cluster is described, named and reached; nothing is started."""

import base64
import dataclasses
import hashlib
import hmac
import json
import os
import subprocess
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.fakes import fake_hadoop_layout, fake_layout
from weft.adapters.engines.flink.engine import FlinkEngine
from weft.adapters.engines.hadoop import HadoopEngine
from weft.adapters.engines.null import NullEngine
from weft.adapters.engines.spark.engine import SparkEngine
from weft.cli import persistent, submitted
from weft.clusters import attach, registry, supervisor
from weft.clusters import logs as daemonlogs
from weft.clusters.registry import PersistentCluster
from weft.errors import ClusterError, UsageError
from weft.host import lease, signals
from weft.host.remote.reach import Reach
from weft.host.schedulers import known
from weft.host.web import token
from weft.layout.client import Client
from weft.layout.job import Dependencies, Job

DEPENDENCIES = Dependencies("a.Main", ("a.py", "b.zip"), ("x.jar",), ("t.txt",), {"k": "v w"})


def cluster(name: str = "mine") -> PersistentCluster:
    layout, engine = fake_layout(), SparkEngine()
    return PersistentCluster(name, os.getpid(), engine, "local:2", layout, engine.client(layout), 1.0, None)


def test_a_cluster_is_read_as_it_was_registered_and_gone_when_it_ended() -> None:
    with registry.reserved("mine"):
        assert (registry.names(), registry.read("mine")) == (["mine"], None)
        with registry.announced(cluster()):
            found, job = registry.find(None), Job("j", "/j.jar", ["x"])
            assert (found.name, found.client.address) == ("mine", cluster().client.address)
            assert found.engine.submit(job, found.layout) == SparkEngine().submit(job, fake_layout())
            assert registry.free_name("mine") == "mine-2"
        with pytest.raises(UsageError, match="is not ready yet"):
            registry.find("mine")
    assert registry.names() == []
    with pytest.raises(UsageError, match="no cluster is running"):
        registry.find(None)


def test_a_name_is_one_clusters() -> None:
    with (
        registry.reserved("mine"),
        pytest.raises(UsageError, match="is already running"),
        registry.reserved("mine"),
    ):
        pass


def test_what_a_killed_supervisor_left_is_removed_by_any_command_that_lists() -> None:
    with registry.reserved("mine"):
        folder = registry.log("mine").parent
        left = {path.name: path.read_bytes() for path in folder.iterdir()}
    for name, text in {**left, "mine.json": b"{}", "mine.partial": b"", "mine.log": b""}.items():
        (folder / name).write_bytes(text)
    assert registry.names() == []
    assert list(folder.iterdir()) == []


def test_a_cluster_that_has_not_written_which_process_it_is_gets_no_signal_yet(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Process 0 would be weft's own process group."""
    answers, signalled = iter([0, 0, None]), list[int]()
    monkeypatch.setattr(registry, "supervisor", lambda _: next(answers, None))
    monkeypatch.setattr(os, "kill", lambda pid, _: signalled.append(pid))
    assert supervisor.end("starts") is None
    assert signalled == []


def test_the_cluster_of_another_login_node_is_named_and_no_process_of_this_one_is_signalled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    signalled = list[int]()
    monkeypatch.setattr(os, "kill", lambda pid, _: signalled.append(pid))
    with registry.reserved("mine"), registry.announced(cluster()):
        assert registry.elsewhere("mine") == ""
        registry.log("mine").with_suffix(".lock").write_text(f"{os.getpid()} login2 another-boot")
        assert registry.names() == ["mine"]
        with pytest.raises(UsageError, match="are on login2"):
            registry.find("mine")
        with pytest.raises(ClusterError, match=f"belongs to process {os.getpid()} of login2"):
            supervisor.end("mine")
    assert signalled == []


def test_down_all_tries_every_cluster_and_names_those_that_did_not_end(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def end(name: str) -> None:
        if name in {"a", "c"}:
            raise ClusterError(f"{name} is stuck", hint=f"kill {name}")

    monkeypatch.setattr(supervisor, "end", end)
    monkeypatch.setattr(registry, "names", lambda: ["a", "b", "c", "d"])
    with pytest.raises(ClusterError) as caught:
        persistent.down(None, every=True)
    assert str(caught.value).splitlines() == [
        "of 4 clusters, 2 could not be ended: a, c",
        *("    a is stuck", "    hint: kill a", "    c is stuck", "    hint: kill c"),
    ]
    assert capsys.readouterr().out.splitlines() == ["b has ended", "d has ended"]
    with pytest.raises(ClusterError, match=r"^a is stuck\nhint: kill a$"):
        persistent.down("a", every=False)


def test_a_process_that_ends_before_its_signal_has_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = iter([os.getpid()])
    monkeypatch.setattr(registry, "supervisor", lambda _: next(answers, None))

    def kill(pid: int, _: int) -> None:
        raise ProcessLookupError(pid)

    monkeypatch.setattr(os, "kill", kill)
    assert supervisor.end("gone") is None


def test_what_a_cluster_does_that_is_not_ready_is_followed_until_it_has_ended(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    waited = list[float]()
    with ExitStack() as holding:
        holding.enter_context(registry.reserved("mine"))
        registry.log("mine").write_text("starting\n")

        def sleep(seconds: float) -> None:
            waited.append(seconds)
            with registry.log("mine").open("a") as log:
                log.write(f"step {len(waited)}\n")
            if len(waited) == 2:
                holding.close()

        monkeypatch.setattr(signals, "sleep", sleep)
        with pytest.raises(UsageError, match="'mine' is not ready yet"):
            persistent.logs("mine", "master", follow=False)
        persistent.logs(None, None, follow=False)
        assert capsys.readouterr().out == "starting\n"
        persistent.logs(None, None, follow=True)
    assert capsys.readouterr().out == "starting\nstep 1\nstep 2\n"


def test_following_is_refused_without_the_name_of_a_log(tmp_path: Path) -> None:
    (tmp_path / "logs" / "n1").mkdir(parents=True)
    (tmp_path / "logs" / "n1" / "master.log").write_text("a\n")
    layout = dataclasses.replace(fake_layout(), record=tmp_path)
    with pytest.raises(UsageError, match=r"is of one log\nhint: name one of master"):
        list(daemonlogs.lines(dataclasses.replace(cluster(), layout=layout), None, follow=True))


@pytest.mark.parametrize(
    ("owner", "lives"),
    [
        ("1 {here} {boot} ", False),
        ("1 login2 another-boot ", True),
        ("1 node7 another-boot pbs:7", True),
        ("1 node7 another-boot pbs:8", False),
    ],
)
def test_a_free_lock_of_another_host_is_no_end_of_its_cluster_but_that_of_its_job_is(
    owner: str, lives: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on NFS without a lock daemon, where a listing removed the files of clusters of other login nodes."""
    monkeypatch.setattr(known, "gone", lambda job: job == "pbs:8")
    lock = registry.log("mine").with_suffix(".lock")
    lock.write_text(owner.format(here=os.uname().nodename, boot=lease.boot()))
    assert (registry.names(), lock.exists()) == (["mine"] if lives else [], lives)
    if lives:
        with pytest.raises(UsageError, match="is already running"), registry.reserved("mine"):
            pass
        assert lock.read_text().startswith(owner)


def test_a_command_on_another_host_does_not_ask_the_batch_system_each_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []

    def gone(job: str) -> bool:
        asked.append(job)
        return False

    now = [1000.0]
    monkeypatch.setattr(known, "gone", gone)
    monkeypatch.setattr(registry, "time", SimpleNamespace(monotonic=lambda: now[0]))
    registry.log("mine").with_suffix(".lock").write_text("1 node7 another-boot 4711")
    for _ in range(100):
        assert registry.supervisor("mine") == 1
        now[0] += 0.5
    assert asked == ["4711"] * 5


def test_a_cluster_of_another_version_is_named_with_what_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    ended: list[int] = []
    with registry.reserved("mine"), registry.announced(cluster()):
        path = registry.log("mine").with_suffix(".json")
        path.write_text(json.dumps({**json.loads(path.read_text()), "client": {"of": "tomorrow"}}))
        with pytest.raises(UsageError, match="data of the cluster 'mine' cannot be read") as caught:
            registry.find("mine")
        assert caught.value.hint == "`weft down mine` ends it"
        monkeypatch.setattr(os, "kill", lambda pid, _: ended.append(pid))
        alive = iter([os.getpid(), None])
        monkeypatch.setattr(registry, "supervisor", lambda _: next(alive))
        monkeypatch.setattr(registry, "read", refused)
        assert supervisor.end("mine") is None
    assert ended == [os.getpid()]


def refused(name: str) -> PersistentCluster:
    raise UsageError(f"the data of the cluster {name!r} cannot be read")


def test_the_users_search_paths_come_last(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/own/bin")
    monkeypatch.delenv("PYTHONPATH", raising=False)
    found = attach.environment(cluster())
    assert found["PATH"].split(":")[0::3] == ["/weft/work/RUN/bin", "/own/bin"]
    assert not found["PYTHONPATH"].endswith(":")


def test_the_variables_of_another_host_survive_its_shell(tmp_path: Path) -> None:
    client = Client({"A": "it's $HOME", "WEFT_LEASE": "RUN"}, {"PATH": ("/first dir", "/second")})
    (tmp_path / "client.sh").write_text(attach.script(client, "node1"))
    show = f'. {tmp_path}/client.sh; echo "$A|$PATH|$WEFT_NODE"'
    done = subprocess.run(
        ["/bin/sh", "-c", show], env={"PATH": "/own"}, capture_output=True, text=True, check=True
    )
    assert done.stdout == "it's $HOME|/first dir:/second:/own|node1\n"


def test_a_terminal_is_asked_for_where_there_is_one() -> None:
    ssh = Reach("h", ("/usr/bin/ssh", "-F", "x", "h"), login_shell=True)
    assert ssh.attached(["a", "b c"], terminal=True) == ["/usr/bin/ssh", "-t", "-F", "x", "h", "a 'b c'"]
    srun = Reach("h", ("srun", "--overlap"), login_shell=False)
    assert srun.attached(["a", "b c"], terminal=True) == ["srun", "--pty", "--overlap", "a", "b c"]
    assert srun.attached(["a"], terminal=False) == ["srun", "--overlap", "a"]
    bare = Reach("h", ("env", "--unset=A", "srun", "--overlap"), login_shell=False)
    assert bare.attached(["a"], terminal=True) == ["env", "--unset=A", "srun", "--pty", "--overlap", "a"]


def test_a_token_is_signed_with_the_secret_as_rfc_7515_has_it() -> None:
    signed, _, signature = token("ab" * 32).rpartition(".")
    head, payload = (json.loads(base64.urlsafe_b64decode(part + "==")) for part in signed.split("."))
    assert (head, payload) == ({"alg": "HS256", "typ": "JWT"}, {})
    expected = hmac.new(base64.urlsafe_b64decode("ab" * 32), signed.encode(), hashlib.sha256).digest()
    assert base64.urlsafe_b64decode(signature + "=") == expected


def test_what_a_job_brings_is_passed_in_the_options_of_each_engine() -> None:
    job = Job("j", "/j.jar", ["x"], dependencies=DEPENDENCIES)
    argv = list(SparkEngine().submit(job, fake_layout()).argv)
    at = argv.index("--class")
    assert argv[at : at + 10] == [
        "--class", "a.Main", "--py-files", "a.py,b.zip", "--jars", "x.jar", "--files", "t.txt", "--conf", "k=v w",
    ]  # fmt: skip
    without = dataclasses.replace(job, dependencies=dataclasses.replace(DEPENDENCIES, py_files=()))
    argv = list(HadoopEngine().submit(without, fake_hadoop_layout()).argv)
    at = argv.index("/j.jar")
    assert argv[at:] == ["/j.jar", "a.Main", "-D", "k=v w", "-libjars", "x.jar", "-files", "t.txt", "x"]


@pytest.mark.parametrize(
    "engine", [HadoopEngine(), FlinkEngine(), NullEngine()], ids=lambda engine: engine.kind
)
def test_an_engine_refuses_what_it_cannot_take_along(engine: HadoopEngine | FlinkEngine | NullEngine) -> None:
    with pytest.raises(UsageError, match="for a job"):
        engine.submit(Job("j", "/j.jar", [], dependencies=DEPENDENCIES), fake_layout())


def test_a_tunnel_of_a_user_without_a_name_has_his_number(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a container that runs as a number."""
    for name in ("LOGNAME", "USER", "LNAME", "USERNAME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("pwd.getpwuid", lambda number: {}[number])
    served: Any = {"spark": SimpleNamespace(port=7000, address="http://localhost:7000/key")}
    assert f" {os.getuid()}@" in persistent._tunnels(cluster(), served)[1]


@pytest.mark.parametrize("secured", [True, False])
def test_a_secret_that_a_running_flink_would_not_read_is_refused(secured: bool, tmp_path: Path) -> None:
    """It would be in a file that the JVM finds by FLINK_CONF_DIR, which is the cluster's there."""
    (jar := tmp_path / "my.jar").touch()
    layout = dataclasses.replace(fake_layout(), secured=secured)
    running = dataclasses.replace(cluster(), engine=FlinkEngine(), layout=layout)
    asked = submitted.Asked(jar, [], {}, conf={"s3.password": "hunter-22"})
    with pytest.raises(UsageError, match="flink reads a secret in --conf only on a cluster of its own"):
        submitted._submit_to(running, asked, None)
