"""What Kafka's brokers count: messages, bytes, requests and the size of their logs, read within each broker's process."""

import re
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import ClassVar

from weft.adapters.probes.base import Probe, Read, Source
from weft.layout.plan import Layout
from weft.record.samples import Sample

_SETTLED = 2.2
"""Seconds after which a broker has written all counts: it reads them every second."""
_VARIABLE = "WEFT_KAFKA_COUNTS"
_BROKER, _REQUEST = "BrokerTopicMetrics", "RequestMetrics TotalTimeMs"
_COUNTERS = {
    "messages_in": ("", f"{_BROKER} MessagesInPerSec"),
    "bytes_in": ("B", f"{_BROKER} BytesInPerSec"),
    "bytes_out": ("B", f"{_BROKER} BytesOutPerSec"),
    "bytes_replicated": ("B", f"{_BROKER} ReplicationBytesInPerSec"),
    "failed_produce": ("", f"{_BROKER} FailedProduceRequestsPerSec"),
    "produce": ("", f"{_REQUEST} Produce, count"),
    "fetch": ("", f"{_REQUEST} FetchConsumer, count"),
    "flushes": ("", "LogFlushRateAndTimeMs, count"),
    "bytes_stored": ("B", "Log Size, sum of all partitions"),
}
"""By name: the unit, and the bean of the broker."""
_LINE = re.compile(r"^(\d+\.\d+)\t(\w+)\t([-\d.E]+)$")


class KafkaProbe(Probe):
    """A thread in each broker writes its counters to the record every second; no port is open for it."""

    name: ClassVar[str] = "kafka"
    sources: ClassVar[Mapping[str, Source]] = {
        f"kafka.{name}": Source(unit, f"{bean}, JMX of the broker", "work of a broker after it was lost")
        for name, (unit, bean) in _COUNTERS.items()
    }

    def missing(self, layout: Layout) -> str | None:
        return None if "kafka" in layout.services else "this run has no Kafka"

    def environment(self, layout: Layout) -> Mapping[str, Mapping[str, str]]:
        return {node.name: {_VARIABLE: str(_directory(layout))} for node in layout.serving("kafka")}

    def directories(self, layout: Layout) -> Mapping[str, Sequence[Path]]:
        return {node.name: [_directory(layout)] for node in layout.serving("kafka")}

    def watch(self, layout: Layout) -> AbstractContextManager[Read]:
        read: dict[str, int] = {}
        return self.polled(layout, lambda: _new(layout, read), _SETTLED)


def _directory(layout: Layout) -> Path:
    return layout.record / "kafka"


def _new(layout: Layout, read: dict[str, int]) -> list[Sample]:
    """The lines that brokers have added; `read` is the position in each file."""
    found: list[Sample] = []
    for node in layout.serving("kafka"):
        path = _directory(layout) / f"{node.name}.tsv"
        if not path.exists():
            continue
        with path.open("rb") as file:
            file.seek(read.get(node.name, 0))
            text = file.read()
        whole = text[: text.rfind(b"\n") + 1]
        read[node.name] = read.get(node.name, 0) + len(whole)
        found += [sample for line in whole.decode().splitlines() if (sample := _sample(line, node.name))]
    return found


def _sample(line: str, node: str) -> Sample | None:
    match = _LINE.match(line)
    if match is None or match[2] not in _COUNTERS:
        return None
    return Sample(float(match[1]), node, "", f"kafka.{match[2]}", float(match[3]))
