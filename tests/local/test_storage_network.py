"""A second network of virtual nodes: the traffic of file systems goes over it, and not over the links with a rate."""

import polars
import pytest

from tests.local.conftest import Weft
from tests.needs import GLUSTER, VIRTUAL, needs

RECORDS = 40_000_000
"""Bytes of input."""


@pytest.mark.long
@pytest.mark.parametrize("kind", ["hdfs", pytest.param("gluster", marks=needs(*GLUSTER))])
@needs(*VIRTUAL, "tc")
def test_storage_traffic_has_a_network_of_its_own(weft: Weft, kind: str) -> None:
    """What a client of GlusterFS has written it reads from its node's page cache, so that only what the server receives is sure."""
    both = ["--input", f"{kind}:1+memory", "--output", f"{kind}:1+memory", "--json"]
    nodes = "virtual:2,rate=20mbit,storage_rate=none"
    done = weft("run", "teracount", "--nodes", nodes, "--size", f"{RECORDS}B", *both)
    assert done.returncode == 0, done.stderr
    server = polars.read_parquet(weft.record() / "samples.parquet").filter(node="node3", process="")
    grown = server.group_by("counter").agg(polars.col("value").max() - polars.col("value").min())
    moved = dict(grown.iter_rows())
    assert moved["storage_receive"] > RECORDS
    assert moved["net_receive"] + moved["net_send"] < RECORDS / 10
