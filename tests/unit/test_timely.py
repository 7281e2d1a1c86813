"""timely's plan: one process per node, the same peers for all, and where it is refused."""

from pathlib import Path

import pytest

from tests.commandline import after
from tests.fakes import RECORD, fake_layout, fake_nodes
from weft.adapters.engines.timely import TimelyEngine
from weft.errors import UsageError
from weft.host import settings
from weft.host.provision import native
from weft.layout.job import Job
from weft.layout.plan import SECRET
from weft.run.preview import planned, sketch
from weft.spec.parse import parse

JOB = Job("job", "TeraSort", ["--input", "x"], RECORD / "outcomes" / "run.json")


def test_every_process_knows_all_of_them_by_the_address_of_their_node() -> None:
    plan = TimelyEngine(port=3000).plan(fake_layout(fake_nodes(3)))
    argvs = [list(daemon.argv) for daemon in plan.daemons]
    peers = [f"timely-node{i}=10.0.0.{i}:3000" for i in (1, 2, 3)]
    assert [after("--peer", argv) for argv in argvs] == [peers] * 3
    assert [after("--index", argv) for argv in argvs] == [["0"], ["1"], ["2"]]
    assert {word for argv in argvs for word in after("--control", argv)} == {"10.0.0.1:3001"}
    assert all(daemon.essential for daemon in plan.daemons)


def test_unequal_nodes_have_as_many_threads_as_the_smallest() -> None:
    nodes = [*fake_nodes(1, cores=8), *fake_nodes(2, cores=3)[1:]]
    plan = TimelyEngine().plan(fake_layout(nodes))
    assert [after("--threads", list(daemon.argv)) for daemon in plan.daemons] == [["3"], ["3"]]
    assert plan.derived["timely"].slots == 6


def test_it_is_ready_when_each_process_is_connected_with_each() -> None:
    plan = TimelyEngine().plan(fake_layout(fake_nodes(3)))
    (ready,) = plan.ready
    assert ready.missing({"connected": ["timely-node1"], "ready": False}) == ["timely-node2", "timely-node3"]
    names = [daemon.name for daemon in plan.daemons]
    assert ready.missing({"connected": names, "ready": False}) == names
    assert ready.missing({"connected": names, "ready": True}) == []


def test_the_secret_is_in_a_file_and_in_no_argument() -> None:
    layout = fake_layout()
    plan = TimelyEngine().plan(layout)
    ((path, content),) = plan.files.items()
    assert content == f"{SECRET}\n"
    for one in [*plan.daemons, TimelyEngine().submit(JOB, layout)]:
        assert SECRET not in " ".join(one.argv)
        assert after("--secret", list(one.argv)) == [str(path)]


def test_security_none_has_no_secret() -> None:
    spec = parse({"workload": "terasort", "engine": "timely", "nodes": "local:2", "security": "none"})
    layout = sketch(spec)
    plan = planned(spec, layout)
    assert SECRET not in "".join(plan.files.values())
    assert "--secret" not in [word for daemon in plan.daemons for word in daemon.argv]


@pytest.mark.parametrize("nodes", ["ssh:a,b", "slurm:2"])
def test_where_others_can_enter_the_network_it_is_refused(nodes: str) -> None:
    with pytest.raises(UsageError, match="timely knows no authentication") as caught:
        parse({"workload": "terasort", "engine": "timely", "nodes": nodes})
    assert "nodes.trusted=true" in caught.value.hint
    with pytest.raises(UsageError, match="run programs with your rights"):
        parse({"workload": "terasort", "engine": "timely", "nodes": nodes, "security": "none"})


@pytest.mark.parametrize("nodes", ["local:2", "virtual:2"])
def test_on_this_machine_it_is_not(nodes: str) -> None:
    assert parse({"workload": "terasort", "engine": "timely", "nodes": nodes}).secured


def test_trusted_hosts_can_run_it_without_security() -> None:
    table = {"workload": "terasort", "engine": "timely", "nodes": "slurm:2,trusted=true"}
    assert parse({**table, "security": "none"}).unsecured
    with pytest.raises(UsageError, match="knows no authentication"):
        parse(table)


def test_files_that_are_not_mounted_are_refused() -> None:
    spec = parse({"workload": "terasort", "engine": "timely", "input": "hdfs"})
    with pytest.raises(UsageError, match="mounted files only"):
        planned(spec, sketch(spec))


def test_its_program_is_built_for_its_own_runs_only_and_with_its_own_oldest_rust(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built = []

    def compile_(cargo: str, source: Path, target: Path, packages: list[str]) -> None:
        built.append(list(packages))
        (target / "program").touch()

    monkeypatch.setenv("WEFT_CACHE", str(tmp_path))
    monkeypatch.setattr(native, "_compile", compile_)
    monkeypatch.setattr(native, "cargo", lambda packages: ("cargo", "1.0"))
    first, second = native.build(print), native.build(print, TimelyEngine.native)
    assert first != second
    assert built == [list(native.PACKAGES), ["weft-timely"]]


def test_what_it_is_built_of_is_known() -> None:
    assert set(TimelyEngine.native) <= set(native.ENGINES)
    assert (settings.SOURCE / "native" / "timely" / "Cargo.toml").exists()
    assert native._oldest(TimelyEngine.native) == "1.86"
    assert native._oldest(tuple(native.PACKAGES)) == "1.85"
