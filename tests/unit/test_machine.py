"""An equal share of the machine, and the error if there is none."""

from types import SimpleNamespace

import pytest

from weft.errors import UsageError
from weft.host import machine

GB = 10**9


@pytest.fixture(autouse=True)
def sixteen(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine with 16 GB free after the reserve, and eight cores."""
    memory = SimpleNamespace(available=16 * GB + machine.RESERVE)
    monkeypatch.setattr("psutil.virtual_memory", lambda: memory)
    monkeypatch.setattr("weft.host.programs.inventory.bounds", list)
    monkeypatch.setattr("os.sched_getaffinity", lambda _: set(range(8)))


def test_nodes_share_equally() -> None:
    assert machine.share(4, None, None) == (2, 4 * GB)


def test_nodes_share_what_a_job_or_a_container_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    bounds = [(400 * GB, 9 * GB), (machine.RESERVE + 10 * GB, 2 * GB)]
    monkeypatch.setattr("weft.host.programs.inventory.bounds", lambda: bounds)
    assert machine.share(2, None, None) == (4, 4 * GB)
    with pytest.raises(UsageError, match="2 nodes of 5 GB do not fit"):
        machine.share(2, None, 5 * GB)


def test_what_is_asked_for_is_given() -> None:
    assert machine.share(2, 3, 2 * GB) == (3, 2 * GB)


def test_a_node_has_a_core_at_least() -> None:
    assert machine.share(10, None, None)[0] == 1


@pytest.mark.parametrize(
    ("count", "asked", "most"),
    [(3, 8 * GB, 2), (100, None, 11), (2, 1 * GB, None)],
)
def test_too_many_or_too_small_nodes_are_refused(count: int, asked: int | None, most: int | None) -> None:
    with pytest.raises(UsageError) as caught:
        machine.share(count, None, asked)
    assert str(count) in caught.value.message
    assert most is None or f"at most {most} nodes" in caught.value.hint


def test_without_memory_for_one_node_the_machine_is_named_and_no_number_of_nodes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("psutil.virtual_memory", lambda: SimpleNamespace(available=GB))
    with pytest.raises(
        UsageError, match=r"this machine has 1 GB of free memory; a node needs 1\.4 GB"
    ) as caught:
        machine.share(1, None, None)
    assert "at most" not in caught.value.hint


def test_a_large_machine_has_no_more_nodes_than_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    memory = SimpleNamespace(available=4000 * GB)
    monkeypatch.setattr("psutil.virtual_memory", lambda: memory)
    assert machine.share(254, None, None)[0] == 1
    with pytest.raises(UsageError, match="255 nodes of one machine have no addresses"):
        machine.share(255, None, None)
