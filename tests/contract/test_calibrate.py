"""`weft calibrate`, for real and short: every figure is there, and nothing but the calibration is left."""

from pathlib import Path

import pytest

from tests.contract.conftest import live
from tests.needs import NATIVE, needs
from weft.analysis.read.calibration import CALLERS
from weft.host import settings
from weft.run.calibration.calibrate import calibrate
from weft.run.ceilings import machines, store
from weft.run.progress import Progress
from weft.spec.study import study_from

SHORT = 0.02
"""Seconds of each kind of operation: enough to see that it is measured."""

pytestmark = needs(*NATIVE)


@pytest.mark.long
def test_every_ceiling_of_two_nodes_and_a_directory_is_measured(tmp_path: Path) -> None:
    table = {"workload": "file-open", "nodes": "local:2", "matrix": {"scratch": [f"disk:{tmp_path}"]}}
    study = study_from(table, name="calibrate", where="a test")
    found = calibrate(study, "local:2", SHORT, (), Progress())
    (storage,) = found.storages
    operations = {row.operation for row in storage.operations}
    assert operations == {"open", "create", "stat", "lookup", "unlink", "read", "write"}
    for operation in operations:
        rows = storage.rates(operation)
        assert tuple(row.callers for row in rows) == CALLERS
        assert all(row.per_second > 0 and row.latency > 0 for row in rows)
    assert {(row.operation, row.cached) for row in storage.transfers} == {
        (operation, cached) for operation in ("read", "write") for cached in (False, True)
    }
    assert [node.name for node in found.nodes] == ["node1", "node2"]
    assert all(node.sort.value > 0 and node.memory_bandwidth.value > 0 for node in found.nodes)
    assert [(link.source_node, link.target_node) for link in found.links] == [("node1", "node2")]
    assert storage.sort is not None
    assert store.newest() == found
    assert list(settings.work().iterdir()) == []
    assert list((settings.state() / "leases").iterdir()) == []
    assert [path for path in tmp_path.iterdir() if path.name.startswith("weft-")] == []


def test_this_machine_is_recognized_again(tmp_path: Path) -> None:
    with live("local:1") as (_, nodes):
        assert machines.hosts(nodes) == machines.hosts(nodes)
        assert machines.file_system(nodes[0], str(tmp_path))
