"""The pool under real engines: right answers, few opens below, and injected faults that never make a wrong result."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.local.conftest import Weft, in_phase
from tests.needs import DELAYED, NATIVE, VIRTUAL, needs

delayed = needs(*DELAYED, *VIRTUAL)

PROBES = ("--set", "probes=proc,engine,fileops,lustre")
GROUPBY = ("groupby", "--set", "mappers=40", "--set", "pairs=200", "--set", "value_bytes=200")
AGGREGATE = ("aggregate-by-key", "--set", "records=40000", "--set", "partitions=16")


def counted(record: Path, kind: str, operation: str) -> int:
    """Calls of all processes that the fileops probe saw."""
    files = (json.loads(path.read_text()) for path in (record / "fileops").glob("*.json"))
    processes = [process["classes"].get(kind, {}) for node in files for process in node["processes"]]
    return sum(counters.get(operation, {}).get("count", 0) for counters in processes)


def below(record: Path) -> dict[str, Any]:
    """Lustre's counters of the storage that backs the pool."""
    found: dict[str, Any] = json.loads((record / "lustre" / "scratch.json").read_text())
    return found


def opens(clients: dict[str, Any]) -> int:
    llite = [client["llite"] for client in clients.values()]
    return sum(counters.get(name, {}).get("count", 0) for counters in llite for name in ("open", "create"))


@pytest.mark.long
@needs(*NATIVE)
def test_a_workload_is_valid_on_a_pool_over_a_disk(weft: Weft) -> None:
    done = weft("run", *AGGREGATE, "--nodes", "local:2", "--scratch", "pool", *PROBES)
    assert done.returncode == 0, done.stderr
    assert weft.head()["verdict"] == "VALID"
    assert counted(weft.record(), "scratch", "open") > 10
    assert {node: counts["programs"] > 1 for node, counts in weft.head()["preload"].items()} == {
        "node1": True,
        "node2": True,
    }
    assert "lustre" in weft.head()["probes_missing"]


@needs(*NATIVE)
def test_a_program_that_the_loader_gave_no_library_makes_the_record_invalid(weft: Weft) -> None:
    (weft.home / "libweft_scratch.so").touch()
    done = weft("up", "--engine", "null", "--nodes", "local:1", "--scratch", "pool")
    assert done.returncode == 0, done.stderr
    script = f"export LD_PRELOAD={weft.home}/libweft_scratch.so; exec cat /dev/null"
    assert weft("exec", "--", "sh", "-c", script).returncode == 0
    weft("down")
    assert weft.head()["verdict"] == "INVALID"
    assert "/cat" in weft.head()["reason"]
    assert "ran without the preload library" in weft.head()["reason"]


@needs(*NATIVE)
def test_a_program_in_a_pid_namespace_of_its_own_is_refused_and_makes_the_record_invalid(weft: Weft) -> None:
    apart = ["unshare", "--pid", "--fork"]
    if subprocess.run([*apart, "true"], check=False).returncode:
        pytest.skip("needs permission to make pid namespaces")
    done = weft("up", "--engine", "null", "--nodes", "local:1", "--scratch", "pool")
    assert done.returncode == 0, done.stderr
    first = ["sh", "-c", 'echo > "$WEFT_SCRATCH_PREFIX/first"']  # makes the index
    assert weft("exec", "--", *first).returncode == 0
    assert "belongs to another pid namespace" in weft("exec", "--", *apart, "cat", "/dev/null").stderr
    weft("down")
    assert weft.head()["verdict"] == "INVALID"
    assert "does not serve the pool" in weft.head()["reason"]


@delayed
def test_a_workload_is_valid_over_delayed_lustre_which_sees_few_opens(weft: Weft) -> None:
    done = weft("run", *GROUPBY, "--nodes", "virtual:2", "--scratch", "pool+delayed:lustre", *PROBES)
    assert done.returncode == 0, done.stderr
    assert weft.head()["verdict"] == "VALID"
    above, seen = counted(weft.record(), "scratch", "open"), below(weft.record())
    assert "latencyfs" in seen["emulated"]
    assert opens(seen["clients"]) <= 8, "a few segments for each of two nodes"
    assert above >= 5 * opens(seen["clients"])


def placed(weft: Weft, workload: str, *faults: str) -> str:
    """A run's TOML: a pool over an emulated Lustre that fails."""
    path = weft.home / "faults.toml"
    path.write_text(
        f'nodes = "virtual:2"\nprobes = ["engine", "lustre"]\ntimeout = "5m"\n{workload}\n[scratch]\nkind = "pool"\n'
        f"segment = 8388608\ncache = 0\non = {{kind = 'delayed', profile = 'lustre', faults = {json.dumps(list(faults))}}}\n"
    )
    return str(path)


FAULTY_GROUPBY = "workload = {kind = 'groupby', mappers = 40, pairs = 200, value_bytes = 500}"
FAULTY_TERASORT = "workload = {kind = 'terasort', size = '40MB'}"


def right_or_clearly_failed(weft: Weft, code: int, err: str) -> bool:
    """Whether the run was VALID; anything else has to say why, with an exit code."""
    head = weft.head()
    assert (code, head["verdict"]) in {(0, "VALID"), (1, "INVALID")}, err
    if code:
        assert head["reason"], "a failure has a reason"
        assert "checksum" not in head["reason"], "an engine that reports success must be right"
        assert "error:" in err
    return code == 0


@delayed
@pytest.mark.parametrize(
    ("workload", "fault"),
    [
        pytest.param(FAULTY_GROUPBY, "eio:write:nth=2", id="groupby-a-write", marks=pytest.mark.long),
        pytest.param(FAULTY_TERASORT, "eio:write:nth=20", id="terasort-a-write", marks=pytest.mark.long),
    ],
)
def test_input_output_errors_never_make_a_wrong_result(weft: Weft, workload: str, fault: str) -> None:
    done = weft("run", placed(weft, workload, fault))
    right_or_clearly_failed(weft, done.returncode, done.stderr)
    (injected,) = below(weft.record())["faults"]["faults"]
    assert injected["spec"] == fault
    assert injected["injected"] == 1, injected


@delayed
def test_a_full_file_system_fails_with_its_cause(weft: Weft) -> None:
    done = weft("run", placed(weft, FAULTY_TERASORT, "enospc:write:after=4MB"))
    assert not right_or_clearly_failed(weft, done.returncode, done.stderr)
    assert "No space left" in " ".join(done.stderr.split())


@pytest.mark.long
@delayed
def test_a_stalled_metadata_server_only_costs_time(weft: Weft) -> None:
    process = weft.start("run", placed(weft, FAULTY_GROUPBY))
    weft.wait_for(process, lambda: in_phase(weft, "run"))
    (control,) = (weft.home / "work").glob("*/latencyfs-scratch/control")
    with control.open("a") as file:
        file.write("add stall:mds:at=0s,for=3s\nadd stall:data:at=0s,for=3s\n")
    _, err = process.communicate(timeout=500)
    assert right_or_clearly_failed(weft, process.returncode, err), err
    assert below(weft.record())["faults"]["control_lines"] == 2
