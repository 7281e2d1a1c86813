"""Kafka's brokers beside a cluster: its programs under their known names, and nobody without the run's certificate."""

import json
import shutil
import socket
import ssl
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.local.conftest import Weft
from tests.needs import needs
from weft.services import brokers

pytestmark = [needs("openssl"), pytest.mark.long]
"""Two brokers and the programs of five commands: a minute on a busy machine."""


@dataclass
class Brokers:
    """Two brokers, without an engine."""

    weft: Weft
    address: str
    certificate: Path

    @property
    def url(self) -> str:
        return f"kafka://{self.address}"


@pytest.fixture(scope="module")
def running() -> Iterator[Brokers]:
    home = Path(tempfile.mkdtemp(prefix="weft-kafka-"))
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
    assert running.address in brokers.registered(running.url, running.certificate)


@pytest.mark.parametrize("shows", ["nothing", "another certificate", "plain text"])
def test_nobody_else_is_answered(running: Brokers, tmp_path: Path, shows: str) -> None:
    host, _, port = running.address.partition(":")
    with (
        pytest.raises((OSError, ValueError)),
        socket.create_connection((host, int(port)), timeout=10) as plain,
    ):
        if shows == "plain text":
            brokers.registered(running.url, None)
        context = ssl.create_default_context(cafile=str(running.certificate))
        if shows == "another certificate":
            context.load_cert_chain(_made(tmp_path, host))
        with context.wrap_socket(plain, server_hostname=host) as encrypted:
            encrypted.sendall(brokers._request(1))
            # a broker that refuses the certificate says so after the handshake
            if not encrypted.recv(4):
                raise ConnectionError("closed without an answer")


def _made(folder: Path, host: str) -> Path:
    """A certificate with the name of the run's own, of another key."""
    words = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    words += ["-subj", "/CN=weft", "-addext", f"subjectAltName=IP:{host}", "-days", "2"]
    key, certificate = folder / "key.pem", folder / "cert.pem"
    subprocess.run([*words, "-keyout", key, "-out", certificate], check=True, capture_output=True)
    both = folder / "both.pem"
    both.write_text(key.read_text() + certificate.read_text())
    return both
