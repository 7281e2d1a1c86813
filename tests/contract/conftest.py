"""What the contract suites share: adapters made from their one-line forms, and a search for what was left behind."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from tests.needs import NATIVE, require
from weft.adapters.nodes import AnyNodes
from weft.adapters.nodes.base import Nodes
from weft.adapters.services import resolved
from weft.adapters.storage import AnyStorage
from weft.adapters.storage.base import Storage
from weft.facts.roles import Role
from weft.host import lease, settings
from weft.host.programs import marks
from weft.host.provision import native
from weft.host.work import Work, open_work
from weft.layout.members import Members
from weft.run.topology import Topology

_WORKER = os.environ.get("PYTEST_XDIST_WORKER", "")
NAME = os.environ.setdefault(f"WEFT_CONTRACT_RUN{_WORKER}", f"contract-{os.getpid()}")
"""The name of the run that every test here makes, and the programs that it starts: no other test's."""


def nodes_of(text: str) -> Nodes:
    return TypeAdapter(AnyNodes).validate_python(text)


def storage_of(text: str, folder: Path) -> Storage:
    """`DIR` in the text stands for a directory of the test."""
    (folder / "base").mkdir(exist_ok=True)
    return TypeAdapter(AnyStorage).validate_python(text.replace("DIR", str(folder / "base")))


def nodes_for(form: str) -> str:
    """Two nodes on which a storage can be: the servers of MooseFS refuse the addresses of local ones."""
    return "virtual:2,memory=1500M" if form.startswith("moosefs") else "local:2"


@pytest.fixture(scope="session")
def programs() -> Path:
    """weft's native programs."""
    require(*NATIVE)
    return native.build(print)


@contextmanager
def holding(name: str = NAME, programs: Path | None = None) -> Iterator[Work]:
    with lease.hold(name, "a contract test") as held, open_work(name, held, programs) as work:
        yield work


@contextmanager
def live(
    text: str, programs: Path | None = None, made_of: Topology | None = None
) -> Iterator[tuple[Work, Members]]:
    """The nodes of a one-line form, and those that services want beside them."""
    base = settings.work().parent / "base"  # below /tmp, of which virtual nodes have one of their own
    base.mkdir(exist_ok=True)
    asked, made_of = nodes_of(text), made_of or Topology({}, [])
    with holding(programs=programs) as work, made_of.nodes(asked).acquire(work, [base]) as nodes:
        yield work, made_of.members(nodes, asked.count)


def topology_of(storage: Storage, role: Role) -> Topology:
    """One storage in one role, and the services that it needs."""
    return Topology({role: storage}, resolved({role: storage}, (), ()))


def traces(home: Path) -> list[str]:
    """Processes, mounts, loop devices, control groups and files of the run, wherever they would be."""
    found = [f"process {pid}" for pid in marks.marked(NAME)]
    found += [line for line in Path("/proc/self/mounts").read_text().splitlines() if str(home) in line]
    for path in Path("/sys/block").glob("loop*/loop/backing_file"):
        if str(home) in path.read_text():
            found.append(f"loop device {path}")
    found += [str(path) for path in Path("/sys/fs/cgroup").glob(f"**/weft-{NAME}-*")]
    found += [str(path) for path in Path("/dev/shm").glob(f"*{NAME}*")]
    found += [str(path) for folder in ("work", "state/leases", "base") for path in (home / folder).glob("*")]
    return found


def links() -> set[str]:
    """Network links of the host."""
    return {path.name for path in Path("/sys/class/net").iterdir()}


@pytest.fixture(autouse=True)
def nothing_stays(own_directories: Path) -> Iterator[None]:
    before = links()
    yield
    assert traces(own_directories) == []
    assert links() == before
