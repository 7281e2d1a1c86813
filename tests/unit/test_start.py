"""The start of a cluster: what ends while others are waited for."""

import dataclasses
from pathlib import Path

import pytest

from tests.fakes import fake_layout
from weft.errors import ClusterError
from weft.layout.node import Node
from weft.layout.plan import Command, Daemon, Plan
from weft.run import cluster


def test_a_daemon_that_ends_is_reported_though_a_command_still_waits_for_it(tmp_path: Path) -> None:
    node = Node("node1", "127.0.0.1", 1, 1 << 30, tmp_path)
    layout = dataclasses.replace(fake_layout([node]), places={}, directory=tmp_path, record=tmp_path)
    plan = Plan(
        {},
        [Daemon("broker", node, ["sh", "-c", "exit 3"], {})],
        then=[Command("topics", node, ["sleep", "600"], {})],
    )
    with (
        pytest.raises(ClusterError, match=r"broker on node1 ended while it was starting \(exit code 3\)"),
        cluster.start(plan, layout, deadline=60, note=lambda *_, **__: None),
    ):
        pass
