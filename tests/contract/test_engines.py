"""Every engine's plan: pure, complete, and of a size that fits the nodes."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes import RECORD, WORK, fake_hadoop_layout, fake_nodes
from weft.adapters.engines import KINDS
from weft.adapters.engines.base import Engine
from weft.layout.job import Job
from weft.text.units import parse_size

CLASSES = dict(KINDS)
"""Imported before a test forbids to read files."""
ENGINES = pytest.mark.parametrize("kind", sorted(CLASSES))
TOUCHING = (
    "subprocess.Popen.__init__",
    "builtins.open",
    "pathlib.Path.mkdir",
    "pathlib.Path.open",
    "socket.socket.__init__",
)
JOB = Job("job", "io.weft.Main", ["--input", "x"], RECORD / "outcomes" / "run.json")


NEEDED: dict[str, dict[str, object]] = {"powergraph": {"home": Path("/opt/powergraph")}}
"""What has no default: where a program is that only the user can install."""
WITH_HEAPS = {"flink", "hadoop", "hive", "null", "spark"}
"""Engines, or the jobs that are submitted to them, with JVMs whose heaps are on command lines."""


def engine_of(kind: str) -> Engine:
    return CLASSES[kind].model_validate({"kind": kind, **NEEDED.get(kind, {})})


@pytest.fixture(autouse=True)
def nothing_is_touched(nothing_stays: None) -> Iterator[None]:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a plan is pure")

    with pytest.MonkeyPatch.context() as patch:
        for name in TOUCHING:
            patch.setattr(name, refuse)
        yield


@ENGINES
@pytest.mark.parametrize("count", [1, 3])
def test_the_same_layout_gives_the_same_plan(kind: str, count: int) -> None:
    layout = fake_hadoop_layout(fake_nodes(count))
    one, other = (engine_of(kind).plan(layout) for _ in range(2))
    assert (one.files, one.daemons, one.derived) == (other.files, other.daemons, other.derived)
    assert engine_of(kind).submit(JOB, layout) == engine_of(kind).submit(JOB, layout)


@ENGINES
def test_files_are_in_the_work_directory(kind: str) -> None:
    assert [
        path for path in engine_of(kind).plan(fake_hadoop_layout()).files if not path.is_relative_to(WORK)
    ] == []


@ENGINES
def test_daemons_have_names_of_their_own_and_run_on_nodes_of_the_layout(kind: str) -> None:
    layout = fake_hadoop_layout(fake_nodes(3))
    daemons = engine_of(kind).plan(layout).daemons
    assert len({daemon.name for daemon in daemons}) == len(daemons)
    assert all(daemon.node in layout.nodes for daemon in daemons)


@ENGINES
def test_every_process_carries_the_mark_that_gc_searches_for(kind: str) -> None:
    layout = fake_hadoop_layout()
    plan = engine_of(kind).plan(layout)
    for environment in [
        *(daemon.environment for daemon in plan.daemons),
        engine_of(kind).submit(JOB, layout).environment,
    ]:
        assert environment["WEFT_LEASE"] == layout.run


@ENGINES
def test_daemons_that_share_a_node_share_no_port(kind: str) -> None:
    taken = [
        (daemon.node.name, port)
        for daemon in engine_of(kind).plan(fake_hadoop_layout()).daemons
        for port in daemon.ports
    ]
    assert len(set(taken)) == len(taken)


@ENGINES
def test_an_engine_with_daemons_says_when_they_are_ready(kind: str) -> None:
    plan = engine_of(kind).plan(fake_hadoop_layout())
    assert bool(plan.ready) == bool(plan.daemons)


@ENGINES
def test_the_job_leaves_its_outcome_where_it_is_wanted(kind: str) -> None:
    command = engine_of(kind).submit(JOB, fake_hadoop_layout())
    assert command.outcome == JOB.outcome
    assert list(command.argv[-2:]) == list(JOB.arguments)


@ENGINES
def test_heaps_on_a_node_fit_into_its_memory(kind: str) -> None:
    layout = fake_hadoop_layout()
    processes = [*engine_of(kind).plan(layout).daemons, engine_of(kind).submit(JOB, layout)]
    heaps = [
        (one.node, parse_size(word.removeprefix("-Xmx")))
        for one in processes
        for word in one.argv
        if word.startswith("-Xmx")
    ]
    assert bool(heaps) == (kind in WITH_HEAPS)
    for node in layout.nodes:
        assert sum(size for of, size in heaps if of == node) < node.memory


@ENGINES
def test_programs_are_named_by_their_full_path_or_given_by_the_job(kind: str) -> None:
    layout = fake_hadoop_layout()
    for one in [*engine_of(kind).plan(layout).daemons, engine_of(kind).submit(JOB, layout)]:
        assert Path(one.argv[0]).is_absolute() or one.argv[0] == JOB.program
