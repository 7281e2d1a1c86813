"""What a pool asks of a node's memory."""

import pytest

from tests.fakes import GIB, WORK, fake_nodes
from weft.adapters.storage.pool import PoolStorage
from weft.host.work import WorkDirectory
from weft.layout.members import Members


def asked(pool: PoolStorage, memory: int) -> int:
    nodes = fake_nodes(1, memory=memory)
    place = pool.sketch("scratch", Members(nodes), WorkDirectory("RUN", WORK))
    return int(place.environment["node1"]["WEFT_SCRATCH_MEMORY"])


@pytest.mark.parametrize(
    ("memory", "expected"), [(GIB, 64 << 20), (4 * GIB, 256 << 20), (64 * GIB, 256 << 20)]
)
def test_a_pool_takes_a_sixteenth_of_a_node_s_memory_and_256_mib_at_most(memory: int, expected: int) -> None:
    assert asked(PoolStorage(), memory) == expected


def test_a_pool_takes_the_memory_that_is_configured_even_none() -> None:
    assert asked(PoolStorage(cache=0), GIB) == 0
    assert asked(PoolStorage(cache=GIB), GIB) == GIB
