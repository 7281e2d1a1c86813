"""A Flink session in containers of YARN: the same jobs, other daemons, and a JobManager that has to be found."""

from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.fakes import GIB, WORK, fake_hadoop_layout, fake_nodes, fake_plan
from weft.adapters.engines.flink import onyarn
from weft.adapters.engines.flink.engine import FlinkEngine
from weft.errors import UsageError
from weft.layout.job import Job
from weft.layout.plan import SECRET, Command, Daemon

ENGINE = FlinkEngine(master="yarn")


def yarn_site() -> dict[str, str]:
    text = fake_plan(ENGINE, fake_hadoop_layout()).files[WORK / "conf" / "yarn-site.xml"]
    found = ElementTree.fromstring(text)
    return {each.findtext("name", ""): each.findtext("value", "") for each in found}


def apps(*addresses: str) -> Any:
    return {"apps": {"app": [{"amRPCAddress": address} for address in addresses]} if addresses else None}


def managers(*hosts: str) -> Any:
    return {"taskmanagers": [{"path": f"pekko.ssl.tcp://flink@{host}:4711/user/rpc/x"} for host in hosts]}


def test_yarn_and_the_program_that_asks_it_take_the_place_of_the_daemons() -> None:
    plan = fake_plan(ENGINE, fake_hadoop_layout())
    names = [daemon.name for daemon in plan.daemons]
    assert names == ["resourcemanager", "nodemanager-node1", "nodemanager-node2", "session"]
    assert [daemon.name for daemon in plan.daemons if daemon.essential] == ["resourcemanager", "session"]
    assert [service.kind for service in ENGINE.services()] == ["yarn"]
    assert not FlinkEngine().services()


@pytest.mark.parametrize("memory", [4 * GIB, 16 * GIB, 256 * GIB])
def test_one_taskmanager_and_the_jobmanager_fit_a_node_and_no_second_taskmanager(memory: int) -> None:
    layout = fake_hadoop_layout(fake_nodes(2, memory=memory))
    cut = ENGINE.containers(layout)
    assert ENGINE.memory(layout).process <= cut.task
    assert cut.node < 2 * cut.task
    assert cut.node + ENGINE.driver_memory + (1 << 30) < memory


def test_all_slots_are_there_from_the_beginning() -> None:
    settings = ENGINE.settings(fake_hadoop_layout())
    assert settings["slotmanager.number-of-slots.min"] == settings["slotmanager.number-of-slots.max"] == "4"


def test_on_unequal_nodes_every_taskmanager_has_the_slots_of_the_smallest() -> None:
    """YARN's TaskManagers are equal: with the head's slots, the last one would be beyond the most that the session may have."""
    small, large = fake_nodes(2)
    for nodes in ([replace(small, cores=4), large], [large, replace(small, cores=4)]):
        settings = ENGINE.settings(fake_hadoop_layout(nodes))
        assert settings["taskmanager.numberOfTaskSlots"] == "2"
        assert settings["slotmanager.number-of-slots.max"] == settings["parallelism.default"] == "4"
        assert fake_plan(ENGINE, fake_hadoop_layout(nodes)).derived["flink"].slots == 4


def test_what_differs_from_node_to_node_is_left_to_yarn() -> None:
    settings = ENGINE.settings(fake_hadoop_layout())
    for key in ("io.tmp.dirs", "rest.address", "jobmanager.rpc.address", "taskmanager.bind-host"):
        assert key not in settings


def test_the_distribution_is_used_where_it_is() -> None:
    session = next(
        daemon for daemon in fake_plan(ENGINE, fake_hadoop_layout()).daemons if daemon.name == "session"
    )
    assert "FLINK_LIB_DIR" not in session.environment
    assert "/cache/flink/lib/*" in yarn_site()["yarn.application.classpath"]


def test_the_certificate_protects_it_and_its_password_is_in_files_alone() -> None:
    plan = fake_plan(ENGINE, fake_hadoop_layout())
    assert ENGINE.settings(fake_hadoop_layout())["security.ssl.rest.authentication-enabled"] == "true"
    submitted = ENGINE.submit(Job("job", "TeraSort", []), fake_hadoop_layout())
    commands: list[Daemon | Command] = [*plan.daemons, submitted]
    assert not [one.name for one in commands if SECRET in " ".join(one.argv)]
    pages = [asked.page for asked in (*plan.ready, *plan.applications)] + [asked.base for asked in plan.last]
    assert all(page.certificate for page in pages if page.follow)
    assert all(page.signed for page in pages)


def test_the_jobmanager_is_found_by_the_node_that_yarn_chose() -> None:
    nodes = fake_nodes(2)
    assert onyarn.interface(apps("node2:4000"), nodes) == "10.0.0.2:4000"
    assert onyarn.interface(apps("10.0.0.1:4000"), nodes) == "10.0.0.1:4000"
    for none in (apps(), {"apps": {"app": [{"id": "application_1"}]}}):
        with pytest.raises(KeyError):
            onyarn.interface(none, nodes)


def test_a_node_without_a_taskmanager_is_named() -> None:
    nodes = fake_nodes(2)
    assert onyarn.missing(managers("node1", "10.0.0.2"), nodes) == []
    assert onyarn.missing(managers("10.0.0.1"), nodes) == ["nodemanager-node2"]
    assert onyarn.missing(managers(), nodes) == ["nodemanager-node1", "nodemanager-node2"]


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(UsageError, match="TaskManager"):
        ENGINE.plan(fake_hadoop_layout(fake_nodes(2, memory=3 * GIB)))
