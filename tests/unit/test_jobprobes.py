"""Probes of one job of a persistent cluster: which measure it, and the variables by which they do."""

import dataclasses
from pathlib import Path

import pytest

from tests.fakes import fake_layout, fake_shared_layout
from weft.adapters.probes import KINDS as PROBES
from weft.clusters import jobprobes
from weft.layout.node import Node
from weft.layout.plan import Layout
from weft.spec.parse import parse

ENGINE = parse({"workload": {"kind": "persistent", "name": "mine"}, "engine": "spark"}).engine


def test_the_probes_that_tell_jobs_apart_say_so() -> None:
    assert {name for name, probe in PROBES.items() if probe.joins} == {"proc", "threads", "engine"}
    assert {name for name, probe in PROBES.items() if probe.by_node} == {"fileops", "python"}


def probed(*names: str) -> tuple[Layout, jobprobes.Variables]:
    """A job's layout on a cluster that was started with these probes, and the variables of its processes."""
    whole = fake_shared_layout(ENGINE)
    job = dataclasses.replace(whole, run="JOB", record=Path("/runs/JOB"))
    found = [PROBES[name]().environment(whole) for name in names]
    preload = {
        node.name: {key: value for each in found for key, value in each[node.name].items()}
        for node in whole.all_nodes
    }
    return job, preload


def test_a_probe_measures_a_job_if_the_processes_of_the_cluster_have_it() -> None:
    job, has = probed("fileops")
    lacking = {name: jobprobes.lacking(probe(), job, has, ready=False) for name, probe in PROBES.items()}
    assert {name for name, why in lacking.items() if not why} == {"proc", "threads", "engine", "fileops"}
    assert "`weft up --probe python`" in lacking["python"]
    assert "had to be there at their start" in lacking["profile"]
    assert "before the run" in jobprobes.lacking(PROBES["fileops"](), job, has, ready=True)


def test_executors_have_the_variables_of_the_job_in_place_of_the_clusters() -> None:
    job, has = probed("fileops", "python")
    probes = [PROBES[name]() for name in ("proc", "fileops", "python")]
    measured = jobprobes.measured(job, probes, has)
    settings = ENGINE.of_one_job(measured)
    folder = job.directory
    assert settings["spark.executorEnv.WEFT_COUNT_DIR"] == f"{folder}/@NODE@/fileops/JOB/engine"
    assert settings["spark.executorEnv.WEFT_PYTHON_DIR"] == "/runs/JOB/python/@NODE@/engine"
    assert "spark.executorEnv.LD_PRELOAD" not in settings
    for node in job.nodes:
        of_node = {name: text.replace("@NODE@", node.name) for name, text in measured.of_job.items()}
        assert (
            of_node.items()
            <= {**probes[1].environment(job)[node.name], **probes[2].environment(job)[node.name]}.items()
        )
        assert of_node["WEFT_COUNT_DIR"] != has[node.name]["WEFT_COUNT_DIR"]


def test_processes_of_a_run_have_what_the_cluster_has_and_the_run_does_not_ask_for() -> None:
    job, has = probed("fileops", "python")
    without = jobprobes.measured(job, [], has)
    assert (without.preload, without.of_job) == (has, {})
    own = PROBES["fileops"]()
    within = jobprobes.measured(dataclasses.replace(job, preload=own.environment(job)), [own], has)
    for node in job.nodes:
        assert within.preload[node.name] == {**has[node.name], **own.environment(job)[node.name]}


def test_a_probe_whose_variables_are_not_alike_on_the_nodes_measures_none() -> None:
    job, has = probed("fileops")
    place = dataclasses.replace(
        job.places["scratch"], paths={node.name: f"/s/{at}" for at, node in enumerate(job.nodes)}
    )
    apart = dataclasses.replace(job, places={**job.places, "scratch": place})
    assert "differ between nodes" in jobprobes.lacking(PROBES["fileops"](), apart, has, ready=False)


@pytest.mark.parametrize(
    ("texts", "one"),
    [
        ({"n1": "/a/n1/b:/c/n1", "n2": "/a/n2/b:/c/n2"}, "/a/@NODE@/b:/c/@NODE@"),
        ({"n1": "/weft-run-n1/files", "n2": "/weft-run-n2/files"}, "/weft-run-@NODE@/files"),
        ({"n1": "/home/n1/n1", "n2": "/home/n1/n2"}, "/home/n1/@NODE@"),
        ({"n1": "/n1", "n10": "/n10"}, "/@NODE@"),
        ({"n1": "/same", "n2": "/same"}, "/same"),
        ({"n1": "/s/a", "n2": "/s/b"}, None),
        ({"n1": "/s", "n2": "/s/n2"}, None),
        ({"n1": "/n10/x", "n10": "/n10/x"}, None),
    ],
)
def test_one_text_is_that_of_each_node_with_its_name(texts: dict[str, str], one: str | None) -> None:
    assert jobprobes._nameless(texts) == one
    if one:
        assert {node: one.replace("@NODE@", node) for node in texts} == texts


def test_a_probe_of_the_job_reads_nothing_that_is_counted_for_the_whole_node() -> None:
    node = Node("node1", "10.0.0.1", 1, 1, Path("/n"), cgroups=(Path("/sys/fs/cgroup/x"),), network_pid=7)
    (bare,) = jobprobes.without_counters(fake_layout([node])).nodes
    assert (bare.cgroups, bare.network_pid) == ((), None)


def test_no_probe_is_added_that_would_count_all_jobs_of_a_cluster_until_it_ends() -> None:
    table = {"engine": "spark", "scratch": "delayed:lustre"}
    persistent = {"kind": "persistent", "name": "mine"}
    assert list(parse({**table, "workload": "terasort"}).added_probes()) == ["fileops"]
    assert parse({**table, "workload": persistent}).added_probes() == {}
    assert "fileops" in parse({**table, "workload": persistent, "probes": "+fileops"}).probes
