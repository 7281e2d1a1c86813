"""HDFS under a real TeraSort: on nodes of its own, encrypted and not, and when a DataNode is killed in the middle."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path

import psutil
import pytest

from tests.local import wire
from tests.local.conftest import Weft, in_phase, kill
from tests.needs import VIRTUAL, needs

RECORDS = "0011" + b"00000000".hex()
"""In every record of TeraGen's that is not sorted by: two bytes, and zeros that its number begins with."""


@contextmanager
def listening(ports: Sequence[int], *prefix: str) -> Iterator[dict[str, int]]:
    """What goes over the network for the length of a `with`: bytes from and to the ports, and records among them."""
    argv = [*prefix, sys.executable, str(Path(wire.__file__)), RECORDS, *map(str, ports)]
    seen: dict[str, int] = {}
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "there\n"
        try:
            yield seen
        finally:
            process.send_signal(signal.SIGTERM)
            seen["bytes"], seen["records"] = map(int, process.communicate()[0].split())


def java(weft: Weft, word: str) -> list[psutil.Process]:
    return [one for one in weft.processes(word) if one.name() == "java"]


@pytest.mark.long
@needs(*VIRTUAL)
def test_a_sort_from_and_to_hdfs_on_a_node_of_its_own(weft: Weft) -> None:
    """The engine is on the first two nodes, HDFS on the third, over memory; who listens there learns no record."""
    both = ["--input", "hdfs:1+memory", "--output", "hdfs:1+memory", "--set", "engine.encrypt=true"]
    process = weft.start("run", "terasort", "--nodes", "virtual:2", "--size", "100MB", *both, "--json")
    weft.wait_for(process, lambda: java(weft, "DataNode"))
    inside = ("nsenter", f"--target={java(weft, 'DataNode')[0].pid}", "--net")
    with listening((8020, 8021), *inside) as heard:
        seen = weft.wait_for(process, lambda: in_phase(weft, "run") and {
            word: {p.environ()["WEFT_NODE"] for p in java(weft, word)}
            for word in ("NameNode", "DataNode", "weft.spark.Worker")
        })  # fmt: skip
        out, err = process.communicate(timeout=300)
    assert seen == {"NameNode": {"node3"}, "DataNode": {"node3"}, "weft.spark.Worker": {"node1", "node2"}}
    result = json.loads(out)
    assert result["verdict"] == "VALID", err
    assert result["bytes_in"] == result["bytes_out"] == 100_000_000
    (settings,) = (weft.record() / "plan").rglob("spark-defaults.conf")
    assert "spark.io.encryption.enabled true" in settings.read_text()
    assert heard["bytes"] > 100_000_000
    assert heard["records"] == 0


@pytest.mark.long
def test_a_killed_datanode_is_recovered_from_or_the_cause_is_reported(weft: Weft) -> None:
    """Nothing is encrypted here, so that who may listen learns the records."""
    both = ["--input", "hdfs,replication=2", "--output", "hdfs,replication=2"]
    process = weft.start("run", "terasort", "--nodes", "local:2", "--size", "150MB", *both, "--json")
    weft.wait_for(process, lambda: java(weft, "CoarseGrainedExecutorBackend")[1:])
    with listening((8021, 8022)) if os.geteuid() == 0 else nullcontext() as heard:
        weft.wait_for(process, lambda: in_phase(weft, "run"))
        kill(next(p for p in java(weft, "DataNode") if p.environ()["WEFT_NODE"] == "node2"))
        out, err = process.communicate(timeout=400)
    result = json.loads(out) if out else weft.head()
    (lost,) = json.loads(weft("show", "last", "--json").stdout)["lost"]
    assert "datanode-node2" in lost, "the loss is reported"
    assert result["verdict"] == "VALID" or lost in result["reason"], err
    assert heard is None or heard["records"] > 100_000
