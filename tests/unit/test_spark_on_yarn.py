"""Spark in containers of YARN: the same driver and executors, other daemons."""

from dataclasses import replace
from xml.etree import ElementTree

import pytest

from tests.fakes import GIB, WORK, fake_hadoop_layout, fake_nodes, fake_plan
from weft.adapters.engines.spark.engine import SparkEngine
from weft.adapters.engines.spark.onyarn import overhead
from weft.errors import UsageError
from weft.layout.job import Job

ENGINE = SparkEngine(master="yarn")


def yarn_site(cores: int = 2) -> dict[str, str]:
    text = fake_plan(ENGINE, fake_hadoop_layout(fake_nodes(2, cores=cores))).files[
        WORK / "conf" / "yarn-site.xml"
    ]
    found = ElementTree.fromstring(text)
    return {each.findtext("name", ""): each.findtext("value", "") for each in found}


def test_yarn_takes_the_place_of_master_and_workers() -> None:
    plan = fake_plan(ENGINE, fake_hadoop_layout())
    names = [daemon.name for daemon in plan.daemons]
    assert names == ["resourcemanager", "nodemanager-node1", "nodemanager-node2"]
    assert ENGINE.settings(fake_hadoop_layout())["spark.master"] == "yarn"
    assert [service.kind for service in ENGINE.services()] == ["yarn"]
    assert not SparkEngine().services()


def test_one_executor_and_one_application_master_fit_a_node_and_no_second_executor() -> None:
    settings, site = ENGINE.settings(fake_hadoop_layout()), yarn_site()
    node = int(site["yarn.nodemanager.resource.memory-mb"]) << 20
    heap = ENGINE.heap(fake_hadoop_layout())
    assert heap + overhead(heap) <= node < 2 * (heap + overhead(heap))
    assert int(site["yarn.scheduler.maximum-allocation-vcores"]) == int(settings["spark.executor.cores"])


@pytest.mark.parametrize("memory", [4 * GIB, 16 * GIB, 256 * GIB])
def test_containers_and_daemons_fit_the_head(memory: int) -> None:
    layout = fake_hadoop_layout(fake_nodes(2, memory=memory))
    heap = ENGINE.heap(layout)
    assert heap + overhead(heap) + ENGINE.driver_memory + (2 << 29) < memory


def test_python_workers_may_have_what_an_executors_heap_leaves_of_a_node() -> None:
    layout = fake_hadoop_layout(fake_nodes(2, memory=64 * GIB))
    settings, heap = ENGINE.settings(layout), ENGINE.heap(layout)
    left = int(settings["spark.executor.memoryOverhead"].removesuffix("m")) << 20
    assert overhead(heap) < 20 * GIB < left
    assert heap + left + ENGINE.driver_memory + GIB <= 64 * GIB
    assert ENGINE.containers(layout).task == heap + left


def test_the_secret_is_left_to_the_application() -> None:
    assert "spark.authenticate.secret" not in ENGINE.settings(fake_hadoop_layout())
    assert ENGINE.settings(fake_hadoop_layout())["spark.authenticate"] == "true"


def test_the_driver_finds_yarns_settings() -> None:
    driver = ENGINE.submit(Job("job", "TeraSort", []), fake_hadoop_layout())
    assert driver.environment["HADOOP_CONF_DIR"] == str(WORK / "conf")
    assert driver.argv[driver.argv.index("-cp") + 1].endswith(str(WORK / "conf"))


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(UsageError, match="below"):
        ENGINE.plan(fake_hadoop_layout(fake_nodes(2, memory=3 * GIB)))


def test_on_unequal_nodes_every_executor_has_the_cores_of_the_smallest() -> None:
    """YARN's executors are equal, and it counts memory alone: one with the head's cores would share those of a smaller node."""
    small, large = fake_nodes(2)
    for nodes in ([replace(small, cores=4), large], [large, replace(small, cores=4)]):
        layout = fake_hadoop_layout(nodes)
        assert ENGINE.settings(layout)["spark.executor.cores"] == "2"
        assert ENGINE.plan(layout).derived["spark"].slots == 4


@pytest.mark.parametrize(
    ("conf", "slots"),
    [
        ({}, 4),
        ({"spark.executor.cores": "1"}, 2),
        ({"spark.executor.cores": "1", "spark.executor.instances": "3"}, 3),
    ],
)
def test_slots_are_the_cores_of_all_executors(conf: dict[str, str], slots: int) -> None:
    engine = SparkEngine(master="yarn", conf=conf)
    assert engine.plan(fake_hadoop_layout()).derived["spark"].slots == slots


@pytest.mark.parametrize(
    ("conf", "slots"),
    [
        ({}, 6),
        ({"spark.executor.cores": "2"}, 6),
        ({"spark.executor.cores": "3"}, 3),
        ({"spark.cores.max": "5"}, 5),
    ],
)
def test_a_worker_has_as_many_executors_as_its_cores_suffice_for(conf: dict[str, str], slots: int) -> None:
    small, large = fake_nodes(2)
    plan = SparkEngine(conf=conf).plan(fake_hadoop_layout([replace(large, cores=4), small]))
    assert plan.derived["spark"].slots == slots
