"""The emulated file system, without mounting it."""

import pytest

from weft.adapters.storage.delayed import DelayedStorage
from weft.errors import UsageError
from weft.host.work import work_directory
from weft.layout.node import Node


def test_more_nodes_than_a_latencyfs_has_mounts_are_refused_before_it_starts() -> None:
    work = work_directory("RUN")
    nodes = [Node(f"node{i}", f"127.0.0.{i}", 1, 1 << 30, work.directory / f"node{i}") for i in range(1, 66)]
    storage = DelayedStorage(profile="zero")
    assert len(storage.sketch("scratch", nodes[:64], work).paths) == 64
    assert len(storage.sketch("input", nodes, work).paths) == 65
    with pytest.raises(UsageError, match="at most 64 times, and there are 65 nodes"):
        storage.sketch("scratch", nodes, work)
