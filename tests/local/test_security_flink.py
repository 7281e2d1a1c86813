"""A second user of the machine: submits nothing to Flink, cancels nothing, joins nothing, and reads no jar of another's."""

import json
import re
import shutil
import socket
import ssl
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.local.conftest import Weft
from tests.local.test_security import NOBODY, as_nobody, readable
from tests.needs import NAMESPACES, ROOT, needs

pytestmark = needs(ROOT, "unshare", "openssl", NAMESPACES)
"""Only root can become somebody else."""

CLIENT = "org.apache.flink.client.cli.CliFrontend"
UNTRUSTED = re.compile(r"SSLHandshakeException|unable to find valid certification path|handshake")


@dataclass
class Target:
    """A running Flink, and a certificate that another user has made for himself."""

    weft: Weft
    facts: dict
    own: Path

    @property
    def head(self) -> str:
        return str(self.facts["address"]).removeprefix("https://").partition(":")[0]

    @property
    def ports(self) -> dict[str, int]:
        """Where the JobManager listens."""
        log = (Path(self.facts["record"]) / "logs" / "node1" / "jobmanager.log").read_text()
        blobs = re.findall(r"Started BLOB server at \S+:(\d+)", log)
        return {"rest": 8081, "commands": 6123, "blobs": int(blobs[0])}


@pytest.fixture(scope="module")
def target() -> Iterator[Target]:
    home = Path(tempfile.mkdtemp(prefix="weft-security-"))
    home.chmod(0o755)
    weft = Weft(home)
    try:
        done = weft("up", "--engine", "flink", "--nodes", "local:2", "--set", "nodes.memory=3G", "--json")
        assert done.returncode == 0, done.stderr
        facts = json.loads(done.stdout)
        yield Target(weft, facts, found(home, facts))
        weft("down")
        assert weft.leftovers() == []
    finally:
        weft.end()
        weft("gc")
        shutil.rmtree(home)


def found(home: Path, facts: dict) -> Path:
    """The settings of the other user: addresses, and a certificate and key that are as good as the cluster's own."""
    own = home / "own"
    own.mkdir()
    head = str(facts["address"]).removeprefix("https://").partition(":")[0]
    words = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    words += ["-subj", "/CN=weft", "-addext", f"subjectAltName=IP:{head}", "-days", "2"]
    subprocess.run(
        [*words, "-keyout", own / "key.pem", "-out", own / "cert.pem"], check=True, capture_output=True
    )
    words = ["openssl", "pkcs12", "-export", "-inkey", own / "key.pem", "-in", own / "cert.pem"]
    subprocess.run(
        [*words, "-name", "weft", "-passout", "pass:changeit", "-out", own / "store.p12"], check=True
    )
    settings = {
        "rest.address": head,
        "rest.port": 8081,
        "client.timeout": "20 s",
        "rest.retry.max-attempts": 1,
        "jobmanager.rpc.address": head,
        "jobmanager.rpc.port": 6123,
    }
    here = f"{head.rpartition('.')[0]}.200"
    settings |= {
        "taskmanager.host": here,
        "taskmanager.bind-host": here,
        "taskmanager.memory.process.size": "700m",
    }
    settings |= {
        "taskmanager.memory.managed.size": "64m",
        "taskmanager.numberOfTaskSlots": 1,
        "io.tmp.dirs": str(own),
    }
    settings |= {"security.ssl.algorithms": "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256"}
    for use in ("internal", "rest"):
        ssl_ = f"security.ssl.{use}"
        settings |= {f"{ssl_}.enabled": True, f"{ssl_}.key-password": "changeit"}
        settings |= {f"{ssl_}.{store}": str(own / "store.p12") for store in ("keystore", "truststore")}
        settings |= {f"{ssl_}.{store}-password": "changeit" for store in ("keystore", "truststore")}
    (own / "config.yaml").write_text(
        "".join(f"{key}: {json.dumps(value)}\n" for key, value in settings.items())
    )
    for path in (own, *own.rglob("*")):
        shutil.chown(path, int(NOBODY))
    return own


def java(target: Target, *words: str) -> "subprocess.Popen[str]":
    start = [
        "java",
        "-Xmx256m",
        "-XX:+UseSerialGC",
        "-XX:TieredStopAtLevel=1",
        f"-Djava.io.tmpdir={target.own}",
    ]
    start += ["--add-opens=java.base/java.util=ALL-UNNAMED", "-cp", "/mnt/lib/*"]
    return as_nobody(*start, *words, engine="flink", HOME=str(target.own), FLINK_CONF_DIR=str(target.own))


def test_files_that_hold_the_certificate_and_jars_are_their_users_alone(target: Target) -> None:
    kept = [path for folder in ("work", "state") for path in (target.weft.home / folder).rglob("*")]
    assert any(path.name == "keystore.p12" for path in kept)
    assert readable(kept) == []


def answer(target: Target, port: int, context: ssl.SSLContext | None) -> bytes:
    """What a port says to a question, in plain text where there is no context; nothing where it refuses to."""
    with socket.create_connection((target.head, port), timeout=30) as plain:
        try:
            with context.wrap_socket(plain) if context else plain as connection:
                connection.sendall(b"GET /overview HTTP/1.0\r\n\r\n")
                return connection.recv(1000)
        except (ssl.SSLError, ConnectionError):
            return b""


def unchecked() -> ssl.SSLContext:
    """One who talks to everybody."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


def test_no_port_answers_without_the_runs_certificate(target: Target) -> None:
    foreign = unchecked()
    foreign.load_cert_chain(target.own / "cert.pem", target.own / "key.pem")
    for name, port in target.ports.items():
        for context in (unchecked(), foreign):
            assert (name, answer(target, port, context)) == (name, b"")
        assert b"taskmanagers" not in answer(target, port, None), name


def test_the_real_client_neither_lists_nor_submits_nor_cancels(target: Target) -> None:
    words = ("list", "-a"), ("cancel", "0" * 32)
    log = Path(target.facts["record"]) / "logs" / "node1" / "jobmanager.log"
    before = len(log.read_text())  # another test of this cluster is refused too
    for process in [java(target, CLIENT, *each) for each in words]:
        output, _ = process.communicate(timeout=120)
        assert process.returncode != 0, output
        assert "Running/Restarting Jobs" not in output
    end = time.monotonic() + 30
    while not UNTRUSTED.search(log.read_text()[before:]):  # it is logged while the client ends
        assert time.monotonic() < end, log.read_text()[before:]
        time.sleep(0.1)


def test_with_the_runs_certificate_the_same_is_answered(target: Target) -> None:
    (certificate,) = (target.weft.home / "work").rglob("keystore.pem")
    known = unchecked()
    known.load_cert_chain(certificate)
    assert b"200 OK" in answer(target, target.ports["rest"], known)
