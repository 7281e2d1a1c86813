"""Kafka's brokers beside a cluster: its programs under their known names, and nobody without the run's certificate."""

import json
import shutil
import socket
import ssl
import struct
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.local.conftest import Weft
from tests.local.test_security import NOBODY, as_nobody, readable
from tests.needs import NAMESPACES, ROOT, needs
from weft.host.web import mutual

pytestmark = [needs("openssl"), pytest.mark.long]
"""Two brokers and the programs of five commands: a minute on a busy machine."""
VERSIONS = struct.pack(">ihhih", 10, 18, 0, 7, -1)
"""A request for the versions of a broker's protocol, which needs no rights; its number is 7."""


@dataclass
class Brokers:
    """Two brokers, without an engine."""

    weft: Weft
    address: str
    certificate: Path

    def answers(self, way: ssl.SSLContext | None) -> bool:
        """Whether a broker answers those who connect in this way; None: as plain text."""
        host, _, port = self.address.partition(":")
        try:
            with (
                socket.create_connection((host, int(port)), timeout=10) as plain,
                way.wrap_socket(plain, server_hostname=host) if way else plain as connection,
            ):
                connection.sendall(VERSIONS)
                # a broker that refuses the certificate says so after the handshake
                return connection.recv(8)[4:] == VERSIONS[8:12]
        except OSError:
            return False


@pytest.fixture(scope="module")
def running() -> Iterator[Brokers]:
    home = Path(tempfile.mkdtemp(prefix="weft-kafka-"))
    # others may enter it, so that what is in it protects itself
    home.chmod(0o755)
    weft = Weft(home)
    try:
        asked = ["--nodes", "local:1", "--service", "kafka:2", "--set", "kafka.topics.events=2"]
        done = weft("up", "--engine", "null", *asked, "--set", "kafka.replication=2", "--json")
        assert done.returncode == 0, done.stderr
        facts = json.loads(done.stdout)["services"]["kafka"]
        settings = Path(facts["settings"])
        assert settings.stat().st_mode & 0o777 == 0o600
        yield Brokers(weft, facts["address"].partition(",")[0], settings.parent / "keystore.pem")
        done = weft("down")
        assert done.returncode == 0, done.stderr
        assert weft.head()["lost"] == []
        assert weft.leftovers() == []
    finally:
        weft.end()
        weft("gc")
        shutil.rmtree(home)


def test_what_is_produced_is_consumed(running: Brokers) -> None:
    command = ["kafka-producer-perf-test.sh", "--topic", "events", "--num-records", "1000"]
    done = running.weft("exec", "--", *command, "--record-size", "80", "--throughput", "-1")
    assert "1000 records sent" in done.stdout, done.stderr
    command = ["kafka-console-consumer.sh", "--topic", "events", "--from-beginning", "--max-messages", "1000"]
    done = running.weft("exec", "--", *command, "--timeout-ms", "60000")
    assert [len(line) for line in done.stdout.splitlines()] == [80] * 1000, done.stderr


def test_both_brokers_have_a_copy_of_each_partition(running: Brokers) -> None:
    done = running.weft("exec", "--", "kafka-topics.sh", "--describe", "--topic", "events")
    assert done.stdout.count("Leader: ") == 2, done.stderr
    assert "PartitionCount: 2\tReplicationFactor: 2" in done.stdout


def test_the_holder_of_the_certificate_is_answered(running: Brokers) -> None:
    assert running.answers(mutual(running.certificate))


@pytest.mark.parametrize("shows", ["nothing", "another certificate", "plain text"])
def test_nobody_else_is_answered(running: Brokers, tmp_path: Path, shows: str) -> None:
    way = ssl.create_default_context(cafile=str(running.certificate))
    if shows == "another certificate":
        way.load_cert_chain(_made(tmp_path, running.address.partition(":")[0]))
    assert not running.answers(None if shows == "plain text" else way)


@needs(ROOT, "unshare", NAMESPACES)
def test_another_user_reads_none_of_the_brokers_files(running: Brokers) -> None:
    home = running.weft.home
    kept = [path for folder in ("work", "state") for path in (home / folder).rglob("*")]
    assert len([path for path in kept if path.match("events-*/*.log")]) == 4, "copies of two partitions"
    assert running.certificate in kept
    environments = [Path(f"/proc/{each.pid}/environ") for each in running.weft.processes("kafka.Kafka")]
    assert len(environments) == 2
    assert readable([*kept, *environments]) == []
    assert readable([home]) == [str(home)]


@needs(ROOT, "unshare", NAMESPACES)
@pytest.mark.parametrize("shows", ["plain text", "another certificate", "the run's own"])
def test_another_user_produces_and_consumes_only_with_the_runs_certificate(
    running: Brokers, tmp_path: Path, shows: str
) -> None:
    host = running.address.partition(":")[0]
    own = Path(tempfile.mkdtemp(dir=running.weft.home))
    (own / "trusted.pem").write_text(ssl.get_server_certificate((host, int(running.address.split(":")[1]))))
    # with a copy of the run's own he would be answered, so that it is the certificate that keeps him out
    stolen = shows == "the run's own"
    shutil.copy(running.certificate if stolen else _made(tmp_path, host), own / "both.pem")
    settings = {"max.block.ms": "8000", "default.api.timeout.ms": "8000"}
    if shows != "plain text":
        settings["security.protocol"] = "SSL"
        for store, file in (("keystore", "both.pem"), ("truststore", "trusted.pem")):
            settings |= {f"ssl.{store}.type": "PEM", f"ssl.{store}.location": f"{own}/{file}"}
    (own / "client.properties").write_text("".join(f"{key}={value}\n" for key, value in settings.items()))
    for path in (own, *own.iterdir()):
        shutil.chown(path, int(NOBODY))
    ends = _ends(running)
    words = ["--bootstrap-server", running.address, "--command-config", f"{own}/client.properties"]
    words += ["--topic", "events"]
    send = [*words, "--num-records", "1", "--record-size", "9", "--throughput", "-1"]
    produced = _java(own, "org.apache.kafka.tools.ProducerPerformance", *send)
    receive = [*words, "--from-beginning", "--max-messages", "1", "--timeout-ms", "8000"]
    consumed = _java(own, "org.apache.kafka.tools.consumer.ConsoleConsumer", *receive)
    assert ("1 records sent" in produced) == stolen, produced
    assert ("Processed a total of 1 messages" in consumed) == stolen, consumed
    assert (_ends(running) != ends) == stolen


def _java(own: Path, *words: str) -> str:
    """What another user's Kafka prints."""
    java = ["java", "-Xmx128m", "-XX:TieredStopAtLevel=1", f"-Djava.io.tmpdir={own}", "-cp", "/mnt/lib/*"]
    return as_nobody(*java, *words, engine="kafka", HOME=str(own)).communicate(timeout=120)[0]


def _ends(running: Brokers) -> str:
    """How many records each partition has."""
    done = running.weft("exec", "--", "kafka-get-offsets.sh", "--topic", "events")
    assert done.stdout.count("events:") == 2, done.stderr
    return done.stdout


def _made(folder: Path, host: str) -> Path:
    """A certificate with the name of the run's own, of another key."""
    words = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    words += ["-subj", "/CN=weft", "-addext", f"subjectAltName=IP:{host}", "-days", "2"]
    key, certificate = folder / "key.pem", folder / "cert.pem"
    subprocess.run([*words, "-keyout", key, "-out", certificate], check=True, capture_output=True)
    both = folder / "both.pem"
    both.write_text(key.read_text() + certificate.read_text())
    return both
