"""HDFS under a real TeraSort: on nodes of its own, and when a DataNode is killed in the middle."""

import json

from tests.local.conftest import Weft, in_phase, kill, root


@root
def test_a_sort_from_and_to_hdfs_on_a_node_of_its_own(weft: Weft) -> None:
    """The engine is on the first two nodes, HDFS on the third, over memory."""
    both = ["--input", "hdfs:1+memory", "--output", "hdfs:1+memory"]
    process = weft.start("run", "terasort", "--nodes", "virtual:2", "--size", "100MB", *both, "--json")
    seen = weft.wait_for(process, lambda: in_phase(weft, "run") and {
        word: {p.environ()["WEFT_NODE"] for p in weft.processes(word) if p.name() == "java"}
        for word in ("NameNode", "DataNode", "deploy.worker.Worker")
    })  # fmt: skip
    out, err = process.communicate(timeout=300)
    assert seen == {"NameNode": {"node3"}, "DataNode": {"node3"}, "deploy.worker.Worker": {"node1", "node2"}}
    result = json.loads(out)
    assert result["verdict"] == "VALID", err
    assert result["bytes_in"] == result["bytes_out"] == 100_000_000


def test_a_killed_datanode_is_recovered_from_or_the_cause_is_told(weft: Weft) -> None:
    both = ["--input", "hdfs,replication=2", "--output", "hdfs,replication=2"]
    process = weft.start("run", "terasort", "--nodes", "local:2", "--size", "300MB", *both, "--json")
    weft.wait_for(
        process, lambda: in_phase(weft, "run") and weft.processes("CoarseGrainedExecutorBackend")[1:]
    )
    kill(next(p for p in weft.processes("DataNode") if p.environ()["WEFT_NODE"] == "node2"))
    out, err = process.communicate(timeout=400)
    result = json.loads(out) if out else weft.head()
    assert result["verdict"] == "VALID" or result["reason"], err
    shown = json.loads(weft("show", "last", "--json").stdout)
    assert "datanode-node2" in json.dumps(shown["lost"]), "the loss is told"
