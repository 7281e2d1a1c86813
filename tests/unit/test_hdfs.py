"""HDFS: what it asks of the nodes, what it starts, and who has to know."""

import json
import re

import pytest

from tests.fakes import GIB, fake_nodes
from weft.adapters.services import kerberos
from weft.errors import UsageError
from weft.layout.jvm import core
from weft.layout.node import Node
from weft.run import preview
from weft.run.described import described
from weft.run.topology import topology
from weft.spec.model import Spec
from weft.spec.parse import parse


def spec(storage: str = "hdfs", **more: str) -> Spec:
    return parse(
        {"workload": "terasort:1GB", "nodes": "virtual:3", "input": storage, "output": storage, **more}
    )


def computing(wanted: Spec, nodes: list[Node]) -> list[Node]:
    asked = topology(wanted)
    return asked.computing(asked.members(nodes, wanted.nodes.count))


def test_input_and_output_are_on_one_namenode() -> None:
    plan = preview.planned(spec(), layout := preview.sketch(spec()))
    assert layout.places["input"].path == "hdfs://10.87.0.1:8020/weft/input"
    assert layout.places["output"].path == "hdfs://10.87.0.1:8020/weft/output"
    names = [daemon.name for daemon in plan.daemons]
    assert names[:6] == ["kdc", "namenode", "datanode-node1", "datanode-node2", "datanode-node3", "master"]
    ports = [port for daemon in plan.daemons[1:5] for port in daemon.ports]
    assert len(set(ports)) == 8, "on local nodes a DataNode is known by its port alone"


def test_nodes_of_its_own_do_not_compute() -> None:
    wanted = spec("hdfs:2,replication=1", nodes="virtual:2")
    assert topology(wanted).nodes(wanted.nodes).count == 4
    layout = preview.sketch(wanted)
    assert [node.name for node in layout.nodes] == ["node1", "node2"]
    assert [node.name for node in layout.servers] == ["node3", "node4"]
    assert layout.places["input"].path.startswith("hdfs://10.87.0.3:")
    assert list(layout.places["input"].paths) == ["node1", "node2"]
    assert list(layout.all_places["hdfs"].paths) == layout.services["hdfs"].nodes == ["node3", "node4"]
    on = {daemon.name: daemon.node.name for daemon in preview.planned(wanted, layout).daemons}
    assert on["namenode"] == on["datanode-node3"] == "node3"
    assert {on["master"], on["worker-node1"], on["worker-node2"]} == {"node1", "node2"}
    assert "serves hdfs" in preview.text(preview.preview(wanted))


def test_it_is_reached_on_a_network_for_storage_and_the_engine_is_not() -> None:
    wanted = spec("hdfs:1", nodes="virtual:2,rate=34mbit,storage_rate=10gbit")
    layout = preview.sketch(wanted)
    assert layout.places["input"].path == "hdfs://10.88.0.3:8020/weft/input"
    plan = preview.planned(wanted, layout)
    on = {daemon.name: daemon.node for daemon in plan.daemons}
    assert (on["namenode"].address, on["namenode"].link) == ("10.88.0.3", 1.25e9)
    assert (on["master"].address, on["master"].link, on["kdc"].address) == ("10.87.0.1", 4.25e6, "10.87.0.1")
    (datanode,) = [daemon for daemon in plan.daemons if daemon.name == "datanode-node3"]
    assert "-Dweft.address=10.88.0.3" in datanode.argv
    policy = next(text for path, text in plan.files.items() if path.name == "hadoop-policy.xml")
    assert {f"10.8{network}.0.{node}" in policy for network in (7, 8) for node in (1, 2, 3)} == {True}
    (first, _), described_ = layout.nodes, described(wanted, layout, plan)
    assert described_["nodes"][0]["storage"] == {"address": "10.88.0.1", "interface": "eth1", "link": 1.25e9}
    assert first.addresses == {"10.87.0.1", "10.88.0.1"}


def test_without_a_network_for_storage_a_node_has_one_address() -> None:
    layout = preview.sketch(spec())
    assert layout.head.on("storage") is layout.head
    assert "storage" not in described(spec(), layout, preview.planned(spec(), layout))["nodes"][0]
    none = preview.sketch(spec(nodes="virtual:2,storage_rate=none")).head
    assert none.storage is not None
    assert none.on("storage").link is None


def test_the_engine_gets_the_memory_that_the_daemons_leave() -> None:
    nodes = fake_nodes(3)
    shared = [node.memory for node in computing(spec(), nodes)]
    assert shared[0] < shared[1] == shared[2] < 4 * GIB
    alone = computing(spec("hdfs:1", nodes="virtual:2"), nodes)
    assert [node.memory for node in alone] == [4 * GIB - kerberos.MEMORY, 4 * GIB]
    with pytest.raises(UsageError, match="what serves it takes"):
        computing(spec("hdfs,datanode_memory=4G"), nodes)


def test_the_directories_are_on_the_storage_below() -> None:
    layout = preview.sketch(spec("hdfs+loopback:/lustre/me,size=2G"))
    assert "HDFS on the nodes that compute" in layout.places["input"].description
    assert "image file" in layout.places["input"].description
    datanode = preview.planned(spec("hdfs+loopback:/lustre/me,size=2G"), layout).daemons[1]
    assert f"-Dweft.blocks={layout.all_places['hdfs'].paths['node1']}" in datanode.argv
    assert "loopback-hdfs" in layout.all_places["hdfs"].paths["node1"]


def test_every_client_knows_the_settings() -> None:
    wanted = spec("hdfs,replication=2,block=64M")
    layout = preview.sketch(wanted)
    plan = preview.planned(wanted, layout)
    text = "".join(plan.files.values())
    assert "spark.hadoop.dfs.replication 2\n" in text
    assert "<name>dfs.blocksize</name><value>67108864</value>" in text
    assert "-Dweft.hadoop.dfs.replication=2" in core(layout)
    assert "/lib/*" in core(layout)[-1]
    assert core(preview.sketch(spec("disk")))[-1].endswith("weft-core.jar")


def test_what_can_be_on_without_kerberos_is_on() -> None:
    text = "".join(preview.planned(spec(), preview.sketch(spec())).files.values())
    found = dict(re.findall(r"<name>(.*)</name><value>(.*?)</value>", text))
    assert found["dfs.block.access.token.enable"] == "true"
    assert found["hadoop.security.authorization"] == "true"
    assert found["security.service.authorization.default.acl"] not in {"", "*"}
    assert found["hadoop.http.filter.initializers"].startswith("io.weft.hadoop.PageFilterInitializer,")
    assert found["dfs.datanode.httpserver.filter.handlers"] == "io.weft.hadoop.PageHandler"
    assert found["dfs.namenode.http-address"] == "10.87.0.1:9870"
    assert not any("0.0.0.0" in value for value in found.values())


def test_the_namenode_names_who_is_missing() -> None:
    ready = preview.planned(spec(), preview.sketch(spec())).ready[0]
    live = {"10.87.0.1:8021": {}, "10.87.0.3:8023": {}}
    bean = {"LiveNodes": json.dumps(live), "Safemode": "Safe mode is ON."}
    assert ready.missing({"beans": [bean]}) == ["namenode", "datanode-node2"]
    bean = {"LiveNodes": json.dumps({**live, "10.87.0.2:8022": {}}), "Safemode": ""}
    assert ready.missing({"beans": [bean]}) == []
    with pytest.raises(KeyError):
        ready.missing({"beans": []})


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ({"scratch": "hdfs"}, "engines keep scratch in local files"),
        ({"input": "hdfs", "output": "hdfs,block=64M"}, "a run has only one hdfs"),
        ({"input": "hdfs,replication=4"}, "as many DataNodes, there are 3"),
        ({"input": "hdfs:1,replication=2"}, "as many DataNodes, there are 1"),
    ],
)
def test_what_cannot_be_meant_is_refused(table: dict[str, str], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        preview.preview(parse({"workload": "terasort:1GB", "nodes": "virtual:3", **table}))
