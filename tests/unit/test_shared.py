"""The clusters that runs of a study share: which do, and when one is started and ended; nothing real is started."""

import dataclasses
import os
from pathlib import Path
from typing import Any

import pytest

from tests.fakes import fake_shared_layout
from weft.api import studies
from weft.clusters import shared
from weft.clusters.joined import JoinedCluster
from weft.clusters.registry import PersistentCluster
from weft.clusters.shared import SharedClusters
from weft.errors import ClusterError, UsageError, WeftError
from weft.layout.client import Client
from weft.run.progress import Progress
from weft.run.run import OwnCluster
from weft.run.topology import topology
from weft.spec.model import Spec
from weft.spec.study import Study, study_from

BASE = {"workload": {"kind": "terasort", "size": "10MB"}, "nodes": "local:2"}
PARTITIONS = {"workload.partitions": [2, 4]}


def study(matrix: dict[str, Any], **more: Any) -> Study:
    return study_from({**BASE, "matrix": matrix, **more}, name="s")


def specs(matrix: dict[str, Any], **more: Any) -> list[Spec]:
    return [spec for _, spec in study(matrix, **more).cells()]


@pytest.mark.parametrize(
    ("matrix", "clusters"),
    [
        (PARTITIONS, 1),
        ({"workload.size": ["10MB", "20MB"], **PARTITIONS}, 1),
        ({"workload": [{"kind": "terasort"}, {"kind": "pi"}]}, 1),
        ({"scratch": ["disk", "memory"], **PARTITIONS}, 2),
        ({"engine": [{"kind": "spark", "conf": {"spark.worker.timeout": text}} for text in ("60", "70")], **PARTITIONS}, 2),
    ],
    ids=["workload", "sizes", "workloads", "storage", "settings of the engine"],
)  # fmt: skip
def test_cells_that_differ_in_nothing_that_a_cluster_decides_share_it(
    matrix: dict[str, Any], clusters: int
) -> None:
    asked = specs(matrix)
    found = shared.groups(asked)
    assert set(found) == {spec.key() for spec in asked}
    assert (len(set(found.values())), "" in found.values()) == (clusters, False)


@pytest.mark.parametrize(
    ("matrix", "more"),
    [
        ({"scratch": ["disk", "memory"]}, {}),
        (PARTITIONS, {"probes": "+profile"}),
        (PARTITIONS, {"engine": "flink"}),
        (PARTITIONS, {"engine": "spark:master=yarn"}),
        (PARTITIONS, {"output": "hdfs"}),
        (PARTITIONS, {"input": "hdfs", "output": "hdfs"}),
        ({"engine.conf": [{"spark.x.password": "one"}, {"spark.x.password": "two"}]}, {}),
        ({"workload.arguments": [["1"], ["2"]]}, {"workload": {"kind": "own-job", "program": __file__}}),
    ],
    ids=["no two", "a probe", "engine", "YARN", "input elsewhere", "HDFS", "secrets", "own program"],
)  # fmt: skip
def test_otherwise_each_run_has_its_own(matrix: dict[str, Any], more: dict[str, Any]) -> None:
    assert shared.groups(specs(matrix, **more)) == {}


@pytest.mark.parametrize(
    ("more", "probes"),
    [
        ({"probes": "+fileops"}, ["python", "fileops"]),
        ({"probes": "proc"}, []),
        ({"scratch": "delayed:lustre"}, ["python", "fileops"]),
    ],
    ids=["asked for", "not asked for", "of the storage"],
)
def test_the_cluster_has_the_probes_that_must_be_there_at_the_start_of_a_process(
    more: dict[str, Any], probes: list[str]
) -> None:
    asked = specs(PARTITIONS, **more)
    assert len(set(shared.groups(asked).values())) == 1
    assert shared._table(asked[0], "mine")["probes"] == probes


def test_the_cluster_has_all_but_the_workload() -> None:
    conf = {"spark.worker.timeout": "70", "spark.driver.memory": "2g"}
    (spec, _) = specs(PARTITIONS, engine={"kind": "spark", "conf": conf})
    table = shared._table(spec, "mine")
    assert (table["engine"]["conf"], table["nodes"]["count"], table["probes"]) == (conf, 2, ["python"])
    assert (table["workload"]["kind"], table["workload"]["name"]) == ("persistent", "mine")


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is done, in its order, with every cluster as it should be."""
    done: list[str] = []

    def launch(spec: Spec, text: str) -> PersistentCluster:
        name = spec.workload.name  # type: ignore[attr-defined]
        done.append("started")
        layout = dataclasses.replace(fake_shared_layout(spec.engine), record=Path("record"))
        return PersistentCluster(name, os.getpid(), spec.engine, "local:2", layout, Client({}), 1.0, None)

    monkeypatch.setattr(shared.supervisor, "launch", launch)
    monkeypatch.setattr(shared.supervisor, "end", lambda _: done.append("ended"))
    monkeypatch.setattr(JoinedCluster, "require", lambda *_: done.append("joined"))
    monkeypatch.setattr(OwnCluster, "require", lambda *_: None)
    return done


def source(asked: list[Spec]) -> SharedClusters:
    return SharedClusters(shared.groups(asked), "s", lambda _: None)


def test_a_cluster_is_started_once_for_its_group_and_ended_before_the_next(calls: list[str]) -> None:
    asked = specs({"scratch": ["disk", "memory"], **PARTITIONS})
    ordered = sorted(asked, key=lambda spec: spec.scratch.kind)
    with shared.clusters(shared.groups(asked), "s", lambda _: None) as found:
        for spec in ordered:
            found.require(spec, topology(spec))
            assert (found.key(spec), found.about(spec)["key"]) == (f"{spec.key()}-persistent",) * 2
            assert found.about(spec)["cluster"].startswith("study-")
    assert calls == ["started", "joined", "joined", "ended"] * 2


@pytest.mark.parametrize("error", [ClusterError("worker-2 is missing"), UsageError("its directory is gone")])
def test_a_damaged_cluster_is_replaced(
    error: WeftError, calls: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = specs(PARTITIONS)
    found = source([one, other])
    found.require(one, topology(one))
    answers = iter([error])

    def require(*_: object) -> None:
        for each in answers:
            raise each

    monkeypatch.setattr(JoinedCluster, "require", require)
    found.require(other, topology(other))
    assert calls == ["started", "joined", "ended", "started"]
    assert found.about(other)["cluster"]


@pytest.mark.parametrize("how", ["not started", "not joined"])
def test_runs_have_clusters_of_their_own_where_none_can_be_shared(
    how: str, calls: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: object) -> Any:
        raise (
            SystemExit(1) if how == "not started" else UsageError("the output directory is not visible here")
        )

    if how == "not started":
        monkeypatch.setattr(shared.supervisor, "launch", failing)
    else:
        monkeypatch.setattr(JoinedCluster, "require", failing)
    asked = specs(PARTITIONS)
    found = source(asked)
    for spec in asked:
        found.require(spec, topology(spec))
        assert (found.key(spec), "cluster" in found.about(spec)) == (spec.key(), False)
    assert calls == ([] if how == "not started" else ["started", "ended"])


def test_ctrl_c_while_a_cluster_starts_ends_the_study(
    calls: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*_: object) -> Any:
        raise SystemExit(130)

    monkeypatch.setattr(shared.supervisor, "launch", stopped)
    one, other = specs(PARTITIONS)
    with pytest.raises(SystemExit):
        source([one, other]).require(one, topology(one))
    assert calls == []


@pytest.mark.parametrize(
    ("fresh", "again", "done", "shares"),
    [(False, False, False, True), (True, False, False, False), (False, False, True, False), (False, True, True, True)],
    ids=["as it is", "--fresh", "continued", "--again"],
)  # fmt: skip
def test_a_study_goes_on_as_it_began(
    fresh: bool, again: bool, done: bool, shares: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = study(PARTITIONS)
    earlier = {(spec.key(), 0): object() for _, spec in asked.cells()} if done else {}
    monkeypatch.setattr(studies.matrix, "finished", lambda _: earlier)
    seen: list[Any] = []
    monkeypatch.setattr(studies.matrix, "run", lambda *_, **named: seen.append(named.get("source")) or [])
    studies.run(asked, Progress(), fresh=fresh, again=again)
    assert isinstance(seen[0], SharedClusters) is shares


def test_a_study_of_which_some_runs_shared_a_cluster_goes_on_so(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = study(PARTITIONS)
    one, other = (spec.key() for _, spec in asked.cells())
    monkeypatch.setattr(studies.matrix, "finished", lambda _: {(one, 0): 1, (shared.key(other), 0): 1})
    seen: list[Any] = []
    monkeypatch.setattr(studies.matrix, "run", lambda *_, **named: seen.append(named.get("source")) or [])
    studies.run(asked, Progress())
    assert isinstance(seen[0], SharedClusters)


def test_a_cluster_that_does_not_end_changes_no_result(
    calls: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(_: str) -> None:
        raise ClusterError("it has not ended within 120 s")

    monkeypatch.setattr(shared.supervisor, "end", failing)
    asked, shown = specs(PARTITIONS), []  # type: ignore[var-annotated]
    with shared.clusters(shared.groups(asked), "s", shown.append) as found:
        found.require(asked[0], topology(asked[0]))
    assert calls == ["started", "joined"]
    assert "not ended" in shown[-1]
