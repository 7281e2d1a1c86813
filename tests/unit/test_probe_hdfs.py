"""The probe of HDFS's counters: which beans, whose, and what the report shows."""

import json
from pathlib import Path

from tests.fakes import fake_layout
from tests.unit.report_fakes import make_record
from weft.adapters.probes.hdfs import HdfsProbe, counters
from weft.analysis.summary.gather import summarize
from weft.layout.plan import SECRET
from weft.report.draw.blocks import Table
from weft.report.sections.probes.hdfs import hdfs_counters
from weft.run import preview
from weft.spec.parse import parse

NAMENODE = {
    "beans": [
        {"name": "java.lang:type=Memory", "HeapMemoryUsage": {}},
        {"name": "Hadoop:service=NameNode,name=NameNodeActivity", "CreateFileOps": 7, "AddBlockOps": 9},
        {"name": "Hadoop:service=NameNode,name=FSNamesystem", "BlocksTotal": 9, "CapacityUsed": 1000},
    ]
}
DATANODE = {
    "beans": [
        {
            "name": "Hadoop:service=DataNode,name=DataNodeActivity-10.0.0.1-8021",
            "BytesWritten": 5000,
            "BlocksRead": 2,
        }
    ]
}


def test_each_daemon_has_its_counters() -> None:
    assert counters(NAMENODE) == {"create": 7, "add_block": 9, "blocks": 9, "bytes_stored": 1000}
    assert counters(DATANODE) == {"bytes_written": 5000, "blocks_read": 2}


def test_it_asks_every_daemon_and_says_where_there_is_none() -> None:
    assert HdfsProbe().missing(fake_layout()) == "no storage of this run is HDFS"
    spec = parse({"workload": "terasort:1GB", "nodes": "virtual:2", "input": "hdfs"})
    layout = preview.sketch(spec)
    assert HdfsProbe().missing(layout) is None
    assert layout.services["hdfs"].pages == {
        "namenode": "http://10.87.0.1:9870/jmx",
        "datanode-node1": "http://10.87.0.1:9871/jmx",
        "datanode-node2": "http://10.87.0.2:9872/jmx",
    }
    secret = layout.services["hdfs"].secret
    assert secret is not None
    assert SECRET in preview.planned(spec, layout).files[secret]


def test_the_report_has_a_table_for_each_kind_of_daemon(tmp_path: Path) -> None:
    stored = make_record(tmp_path, head={"probes": ["hdfs"]})
    assert hdfs_counters(summarize(stored)).blocks == ()
    found = {"namenode": counters(NAMENODE), "datanode-node1": counters(DATANODE)}
    (stored.directory / "hdfs.json").write_text(json.dumps(found))
    names, data = hdfs_counters(summarize(stored)).blocks
    assert isinstance(names, Table)
    assert isinstance(data, Table)
    assert ("create", "7") in [tuple(row) for row in names.rows]
    assert list(data.columns) == ["counter", "datanode-node1"]
