"""kill -9 of the owner: what it held is found and removed by the next `weft clean`, whatever nodes and storage it had."""

import sys
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.contract.conftest import NAME, traces
from tests.hosts.sshd import running
from tests.needs import DELAYED, LOOPBACK, SSH, VIRTUAL, needs
from tests.processes import child, says
from weft.cli import app
from weft.host import leftovers
from weft.host.programs import marks

HOLDER = """
import sys, time
from pathlib import Path
from tests.contract.conftest import NAME, live, storage_of
from weft.adapters.nodes.access import access
with live(sys.argv[1], Path(sys.argv[4])) as (work, nodes), storage_of(sys.argv[2], Path(sys.argv[3])).place("scratch", nodes, work) as place:
    for node in nodes:
        access(node).run(["touch", place.paths[node.name] + "/file"])
        access(node).spawn("nap", ["sleep", "600"], log=work.directory / "log", env={"WEFT_LEASE": NAME})
    print("holds", flush=True)
    time.sleep(600)
"""
ROOT_DIRECTORY = Path(__file__).parents[2]


FORMS = [
    "disk:DIR",
    "memory:64M",
    pytest.param("loopback:DIR,size=64M", marks=needs(*LOOPBACK)),
    pytest.param("delayed:zero", marks=needs(*DELAYED)),
]


@needs(*SSH)
@pytest.mark.parametrize("form", FORMS[:3])
def test_gc_removes_what_a_killed_command_held_on_other_hosts(
    form: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    with running(tmp_path / "hosts", 2) as hosts:
        test_gc_removes_what_a_killed_command_held(hosts.nodes(cores="1"), form, tmp_path, request)
        assert hosts.left() == []


@pytest.mark.parametrize("nodes", ["local:2", pytest.param("virtual:2,memory=1500M", marks=needs(*VIRTUAL))])
@pytest.mark.parametrize("form", FORMS)
def test_gc_removes_what_a_killed_command_held(
    nodes: str, form: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    programs = request.getfixturevalue("programs") if form.startswith("delayed") else tmp_path
    argv = [sys.executable, "-c", HOLDER, nodes, form, str(tmp_path), str(programs)]
    with child(*argv, cwd=ROOT_DIRECTORY) as owner:
        assert says(owner) == "holds\n"
        assert leftovers.sweep() == [], "a living owner is left alone"
        assert len(traces(tmp_path)) > 2
    assert [one.alive for one in leftovers.holdings()] == [False]
    done = CliRunner().invoke(app, ["gc"])
    assert done.exit_code == 0, done.output
    assert f"{NAME}: removed" in done.output
    assert traces(tmp_path) == []


def test_processes_end_with_their_owner_at_once(tmp_path: Path) -> None:
    argv = [sys.executable, "-c", HOLDER, "local:2", "disk", str(tmp_path), str(tmp_path)]
    with child(*argv, cwd=ROOT_DIRECTORY) as owner:
        assert says(owner) == "holds\n"
        assert len(marks.marked(NAME)) == 2
    end = time.monotonic() + 60
    while marks.marked(NAME) and time.monotonic() < end:
        time.sleep(0.01)
    assert marks.marked(NAME) == {}
    leftovers.sweep()
