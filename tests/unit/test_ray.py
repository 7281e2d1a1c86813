"""Ray's plan: a process for each node, its ports and memory, a token and a certificate, and where it is refused."""

import sys
from pathlib import Path

import pytest

from tests.commandline import after
from tests.fakes import RECORD, fake_layout, fake_nodes
from weft.adapters.engines.ray.engine import RayEngine
from weft.errors import UsageError
from weft.host.provision import native
from weft.layout.job import Job
from weft.layout.plan import SECRET
from weft.run.preview import planned, sketch
from weft.spec.parse import parse

JOB = Job("job", "TeraSort", ["--input", "x"], RECORD / "outcomes" / "run.json")
CONF = Path("/weft/work/RUN/conf")
LIBRARY = "/cache/native/libweft_listen.so"


def test_a_node_has_a_worker_for_each_core_and_ports_for_more() -> None:
    plan = RayEngine().plan(fake_layout(fake_nodes(2, cores=3)))
    head, second = plan.daemons
    assert head.essential
    assert not second.essential
    for daemon in plan.daemons:
        argv = list(daemon.argv)
        assert after("--cpus", argv) == ["3"]
        (first,), (last,) = after("--first-port", argv), after("--last-port", argv)
        assert set(range(int(first), int(last) + 1)) <= set(daemon.ports)
    assert set(head.ports) - set(second.ports) == {6379, 6380}
    assert min(second.ports) > 6380
    assert plan.derived["ray"].slots == 6


def test_only_the_head_node_has_the_page_and_the_other_waits_for_it() -> None:
    head, second = RayEngine().plan(fake_layout()).daemons
    assert after("--web-port", list(head.argv)) == ["6380"]
    assert head.page
    assert head.ports[-1] == 6380
    assert "--web-port" not in second.argv
    assert head.before is not None
    assert head.before.missing({"workers": []}) == ["ray-node1"]
    assert head.before.missing({"workers": ["ray-node1"]}) == []


def test_every_process_listens_on_the_address_of_its_node() -> None:
    layout = fake_layout()
    plan = RayEngine().plan(layout)
    for daemon, address in zip(plan.daemons, ("10.0.0.1", "10.0.0.2"), strict=True):
        assert after("--address", list(daemon.argv)) == [address]
        assert daemon.environment["WEFT_LISTEN"] == address
        assert daemon.environment["LD_PRELOAD"] == LIBRARY
        assert daemon.environment["RAY_LD_PRELOAD_ON_WORKERS"] == "1"
    assert RayEngine().submit(JOB, layout).environment["WEFT_LISTEN"] == "10.0.0.1"
    assert set(RayEngine.native) <= set(native.ENGINES)
    assert Path(LIBRARY).name in native.ENGINES["weft-listen"]


def test_a_library_of_the_scratch_directory_comes_first() -> None:
    spec = parse({"workload": "terasort", "engine": "ray", "nodes": "local:2", "scratch": "pool"})
    plan = planned(spec, sketch(spec))
    for daemon in plan.daemons:
        first, second = daemon.environment["LD_PRELOAD"].split(":")
        assert first.endswith("libweft_scratch.so")
        assert second.endswith("libweft_listen.so")


def test_objects_that_do_not_fit_are_written_to_scratch() -> None:
    found = [after("--spill", list(each.argv)) for each in RayEngine().plan(fake_layout()).daemons]
    assert found == [["/scratch/scratch/node1"], ["/scratch/scratch/node2"]]


def test_it_is_ready_when_all_nodes_have_registered() -> None:
    (ready,) = RayEngine().plan(fake_layout()).ready
    assert ready.page.signed
    assert ready.missing({"workers": ["ray-node1"]}) == ["ray-node2"]
    assert ready.missing({"workers": ["ray-node2", "ray-node1"]}) == []


def test_the_token_is_in_a_file_and_in_no_argument_and_both_sides_have_the_certificate() -> None:
    layout = fake_layout()
    plan = RayEngine().plan(layout)
    assert plan.files[CONF / "ray.token"] == SECRET
    for one in [*plan.daemons, RayEngine().submit(JOB, layout)]:
        assert SECRET not in " ".join(one.argv)
        own = one.environment
        assert (own["RAY_AUTH_MODE"], own["RAY_USE_TLS"]) == ("token", "1")
        assert own["RAY_AUTH_TOKEN_PATH"] == str(CONF / "ray.token")
        for key in ("SERVER_CERT", "SERVER_KEY", "CA_CERT"):
            assert own[f"RAY_TLS_{key}"] == str(CONF / "keystore.pem")


def test_security_none_has_neither_token_nor_certificate() -> None:
    spec = parse({"workload": "terasort", "engine": "ray", "nodes": "local:2", "security": "none"})
    plan = planned(spec, sketch(spec))
    assert SECRET not in "".join(plan.files.values())
    assert not plan.first
    for daemon in plan.daemons:
        assert daemon.environment["RAY_AUTH_MODE"] == "disabled"
        assert "RAY_USE_TLS" not in daemon.environment


def test_it_reports_to_nobody() -> None:
    for daemon in RayEngine().plan(fake_layout()).daemons:
        assert daemon.environment["RAY_USAGE_STATS_ENABLED"] == "0"


def test_its_processes_see_no_packages_of_weft() -> None:
    layout = fake_layout()
    for one in [*RayEngine().plan(layout).daemons, RayEngine().submit(JOB, layout)]:
        assert list(one.argv[:3]) == [sys.executable, "-S", "-P"]
        first, own, shared = one.environment["PYTHONPATH"].split(":")
        assert first == "/cache/ray/lib"
        assert (Path(own) / "weft_ray" / "node.py").exists()
        assert (Path(shared) / "weft_tasks" / "program.py").exists()


def test_tasks_may_ask_for_what_the_object_store_and_rays_own_processes_leave() -> None:
    nodes = fake_nodes(2, memory=4 << 30)
    plan = RayEngine(object_store=1 << 30).plan(fake_layout(nodes))
    head, second = (list(each.argv) for each in plan.daemons)
    assert after("--memory", head) == [str((3 << 30) - (448 << 20) - (384 << 20))]
    assert after("--memory", second) == [str((3 << 30) - (448 << 20))]


def test_memory_that_does_not_fit_is_refused() -> None:
    with pytest.raises(UsageError, match="for an object store is not between"):
        RayEngine().plan(fake_layout(fake_nodes(2, cores=32)))
    with pytest.raises(UsageError, match="for an object store is not between"):
        RayEngine(object_store=4 << 30).plan(fake_layout())
    with pytest.raises(UsageError, match="for an object store is not between"):
        RayEngine(object_store=64 << 20).plan(fake_layout())


def test_files_that_are_not_mounted_are_refused() -> None:
    spec = parse({"workload": "terasort", "engine": "ray", "input": "hdfs"})
    with pytest.raises(UsageError, match="mounted files only"):
        planned(spec, sketch(spec))


@pytest.mark.parametrize(
    ("workload", "why"),
    [
        ({"kind": "terasort", "method": "raw"}, "no method=raw"),
        ({"kind": "sql-join", "limit": "10s"}, "no limit=10"),
    ],
)
def test_what_its_programs_do_not_have_is_refused_before_a_run(workload: dict[str, str], why: str) -> None:
    with pytest.raises(UsageError, match=why):
        parse({"workload": workload, "engine": "ray", "nodes": "local:2"})
    parse({"workload": workload["kind"], "engine": "ray", "nodes": "local:2"})
