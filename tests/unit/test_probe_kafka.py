"""The probe of Kafka's brokers: what they write is read once, whole lines only."""

from dataclasses import replace
from pathlib import Path

from tests.fakes import fake_layout
from weft.adapters.probes import kafka
from weft.adapters.probes.kafka import KafkaProbe
from weft.layout.endpoint import Endpoint


def test_lines_are_read_once_and_only_when_they_are_whole(tmp_path: Path) -> None:
    raw = fake_layout()
    name = raw.nodes[0].name
    layout = replace(raw, record=tmp_path, services={"kafka": Endpoint(nodes=[name])})
    (tmp_path / "kafka").mkdir()
    file = tmp_path / "kafka" / f"{name}.tsv"
    read: dict[str, int] = {}
    assert kafka._new(layout, read) == []
    file.write_text(
        "1000.500\tmessages_in\t7.0\n1000.500\tbytes_in\t1.2E9\n1000.500\tunknown\t1\n1001.5\tmess"
    )
    found = kafka._new(layout, read)
    assert [(one.t, one.node, one.counter, one.value) for one in found] == [
        (1000.5, name, "kafka.messages_in", 7.0),
        (1000.5, name, "kafka.bytes_in", 1.2e9),
    ]
    with file.open("a") as more:
        more.write("ages_in\t9.0\n")
    assert [one.value for one in kafka._new(layout, read)] == [9.0]


def test_only_a_run_with_kafka_has_it() -> None:
    assert KafkaProbe().missing(fake_layout()) == "this run has no Kafka"
    layout = replace(fake_layout(), services={"kafka": Endpoint(nodes=["node1"])})
    assert KafkaProbe().missing(layout) is None
