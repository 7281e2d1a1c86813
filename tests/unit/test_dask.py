"""Dask's plan: worker processes by cores, their ports and memory, one certificate, and where it is refused."""

import sys
from pathlib import Path

import pytest

from tests.commandline import after
from tests.fakes import RECORD, fake_layout, fake_nodes
from weft.adapters.engines.dask.engine import DaskEngine
from weft.adapters.engines.pythontasks import Missing
from weft.errors import UsageError
from weft.layout.job import Job
from weft.layout.plan import SECRET
from weft.run.preview import planned, sketch
from weft.spec.parse import parse

JOB = Job("job", "TeraSort", ["--input", "x"], RECORD / "outcomes" / "run.json")
CONF = Path("/weft/work/RUN/conf/dask.yaml")


def test_a_node_has_a_worker_process_for_each_core_and_two_ports_for_each_process() -> None:
    plan = DaskEngine().plan(fake_layout(fake_nodes(2, cores=3)))
    scheduler, *workers = plan.daemons
    assert scheduler.essential
    assert scheduler.ports == (8786, 8787)
    for worker in workers:
        argv = list(worker.argv)
        assert after("--nworkers", argv) == ["3"]
        assert after("--nthreads", argv) == ["1"]
        assert after("--worker-port", argv) == ["8788:8790"]
        assert after("--nanny-port", argv) == ["8791:8793"]
        assert worker.ports == tuple(range(8788, 8794))
    assert plan.derived["dask"].slots == 6


def test_processes_with_several_threads_are_fewer() -> None:
    plan = DaskEngine(threads=2).plan(fake_layout(fake_nodes(1, cores=5)))
    assert after("--nworkers", list(plan.daemons[1].argv)) == ["2"]
    assert after("--nthreads", list(plan.daemons[1].argv)) == ["2"]
    assert plan.derived["dask"].slots == 4


def test_every_process_listens_on_the_address_of_its_node() -> None:
    scheduler, *workers = DaskEngine().plan(fake_layout()).daemons
    assert after("--host", list(scheduler.argv)) == ["10.0.0.1"]
    assert after("--dashboard-address", list(scheduler.argv)) == ["10.0.0.1:8787"]
    assert [after("--host", list(worker.argv)) for worker in workers] == [["10.0.0.1"], ["10.0.0.2"]]
    assert all("weft_dask.workers.ClosedWorker" in worker.argv for worker in workers)


def test_results_that_do_not_fit_are_written_to_scratch() -> None:
    _, *workers = DaskEngine().plan(fake_layout()).daemons
    found = [after("--local-directory", list(worker.argv)) for worker in workers]
    assert found == [["/scratch/scratch/node1"], ["/scratch/scratch/node2"]]


def test_it_is_ready_when_all_processes_of_all_nodes_have_registered() -> None:
    (ready,) = DaskEngine().plan(fake_layout()).ready
    known = ["worker-node1-0", "worker-node1-1", "worker-node2-0"]
    assert ready.missing({"workers": known}) == ["worker-node2"]
    assert ready.missing({"workers": [*known, "worker-node2-1"]}) == []
    (ready,) = DaskEngine().plan(fake_layout(fake_nodes(2, cores=1))).ready
    assert ready.missing({"workers": ["worker-node1"]}) == ["worker-node2"]


def test_a_node_with_the_name_of_another_and_a_number_is_itself_alone() -> None:
    missing = Missing((("worker-gpu", 1), ("worker-gpu-1", 1)))
    assert missing({"workers": ["worker-gpu-1"]}) == ["worker-gpu"]
    assert missing({"workers": ["worker-gpu"]}) == ["worker-gpu-1"]
    assert missing({"workers": ["worker-gpu", "worker-gpu-1"]}) == []


def test_the_secret_is_in_a_file_and_in_no_argument_and_all_sides_have_the_certificate() -> None:
    layout = fake_layout()
    plan = DaskEngine().plan(layout)
    settings = plan.files[CONF]
    assert f'secret: "{SECRET}"' in settings
    assert "require-encryption: true" in settings
    assert settings.count("cert: /weft/work/RUN/conf/keystore.pem") == 3
    assert "scheduler-address: tls://10.0.0.1:8786" in settings
    for one in [*plan.daemons, DaskEngine().submit(JOB, layout)]:
        assert SECRET not in " ".join(one.argv)
        assert one.environment["DASK_CONFIG"] == str(CONF)


def test_the_settings_are_a_tree() -> None:
    lines = DaskEngine().plan(fake_layout()).files[CONF].splitlines()
    keys = [line.split(":")[0] for line in lines]
    assert len(set(keys)) < len(keys)  # three sides have a key and a cert
    assert keys.count("distributed") == keys.count("  scheduler") == keys.count("  comm") == 1
    assert keys.index("    tls") < keys.index("      ca-file")


def test_security_none_has_neither_secret_nor_certificate() -> None:
    spec = parse({"workload": "terasort", "engine": "dask", "nodes": "local:2", "security": "none"})
    plan = planned(spec, sketch(spec))
    assert SECRET not in "".join(plan.files.values())
    assert "keystore" not in "".join(plan.files.values())
    assert not plan.first


def test_its_processes_see_no_packages_of_weft() -> None:
    layout = fake_layout()
    for one in [*DaskEngine().plan(layout).daemons, DaskEngine().submit(JOB, layout)]:
        assert list(one.argv[:3]) == [sys.executable, "-S", "-P"]
        first, own, shared = one.environment["PYTHONPATH"].split(":")
        assert first == "/cache/dask/lib"
        assert (Path(own) / "weft_dask" / "cluster.py").exists()
        assert (Path(shared) / "weft_tasks" / "program.py").exists()


def test_memory_that_does_not_fit_is_refused() -> None:
    with pytest.raises(UsageError, match="for a worker process is not between"):
        DaskEngine().plan(fake_layout(fake_nodes(2, cores=16)))
    with pytest.raises(UsageError, match="for a worker process is not between"):
        DaskEngine(worker_memory=4 << 30).plan(fake_layout())


def test_files_that_are_not_mounted_are_refused() -> None:
    spec = parse({"workload": "terasort", "engine": "dask", "input": "hdfs"})
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
        parse({"workload": workload, "engine": "dask", "nodes": "local:2"})
    parse({"workload": workload["kind"], "engine": "dask", "nodes": "local:2"})
