"""Every storage: one directory per node for shuffle, one for all as input; files are read where promised; nothing stays."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.contract.conftest import live, nodes_for, storage_of, topology_of, traces
from tests.needs import DELAYED, GLUSTER, LOOPBACK, MOOSEFS, ROOT, VIRTUAL, XFS, needs
from weft.adapters.nodes.access import access
from weft.adapters.storage import KINDS
from weft.adapters.storage.base import Storage
from weft.errors import StorageError
from weft.facts.roles import SHARED_ROLES, Role
from weft.layout.node import Node
from weft.layout.places import Place

FORMS = {
    "null": {},
    "disk": {"disk": (), "disk:DIR": ()},
    "memory": {"memory:64M": ()},
    "loopback": {
        "loopback,size=64M": LOOPBACK,
        "loopback:DIR,size=64M,block=1K": LOOPBACK,
        "loopback,size=400M,fs=xfs": XFS,
    },
    "mount": {"mount:DIR": ()},
    "delayed": {"delayed:zero": DELAYED, "delayed:io500:helios": DELAYED},
    "hdfs": {},  # its files are seen through Hadoop's client alone: tests/local
    "gluster": {"gluster:2": GLUSTER, "gluster+memory:64M": GLUSTER},
    "moosefs": {"moosefs:2": MOOSEFS, "moosefs+memory:200M": MOOSEFS},
    "pool": {},  # its files are seen by preloaded programs alone: tests/local
}
"""One-line forms by kind, and what each needs."""
STORAGES = pytest.mark.parametrize(
    "form",
    [pytest.param(form, marks=needs(*names)) for forms in FORMS.values() for form, names in forms.items()],
)
NODES = pytest.mark.parametrize(
    "nodes", ["local:2", pytest.param("virtual:2,memory=1500M", marks=needs(*VIRTUAL))]
)
ROLES = pytest.mark.parametrize("role", ["input", "scratch"])


@pytest.fixture
def native(form: str, request: pytest.FixtureRequest) -> Path | None:
    """The native programs, built only where a storage needs them."""
    return request.getfixturevalue("programs") if form.startswith(("delayed", "pool")) else None


@contextmanager
def placed(
    storage: Storage, role: Role, nodes: str, native: Path | None = None
) -> Iterator[tuple[list[Node], Place]]:
    """The nodes that compute, and a place for a role; services have nodes of their own beside them."""
    made_of = topology_of(storage, role)
    with live(nodes, native, made_of) as (work, on), made_of.place(on, work) as places:
        yield list(on), places.roles[role]


def write(node: Node, place: Place, name: str) -> None:
    """As a process on the node would."""
    access(node).run(["sh", "-c", 'echo "$1" > "$2"', "sh", node.name, f"{place.paths[node.name]}/{name}"])


def read(node: Node, place: Place, name: str) -> str:
    return access(node).run(["cat", f"{place.paths[node.name]}/{name}"]).out.strip()


def test_every_adapter_is_under_contract() -> None:
    assert set(FORMS) == set(KINDS)


@STORAGES
@NODES
@ROLES
def test_files_are_where_they_are_promised(
    form: str, nodes: str, role: Role, tmp_path: Path, native: Path | None
) -> None:
    if form.startswith("moosefs") and nodes.startswith("local"):
        pytest.skip("MooseFS refuses the addresses of local nodes")
    storage = storage_of(form, tmp_path)
    with placed(storage, role, nodes, native) as (on, place):
        assert list(place.paths) == [node.name for node in on]
        assert place.shared == (role in SHARED_ROLES)
        assert len(set(place.paths.values())) == (1 if place.shared else len(on))
        assert [access(node).run(["ls", "-A", place.paths[node.name]]).out for node in on] == ["", ""], (
            "empty at first"
        )
        for node in on:
            write(node, place, f"from-{node.name}")
        for node in on:
            seen = access(node).run(["ls", place.paths[node.name]]).out.split()
            wanted = [f"from-{other.name}" for other in on] if place.shared else [f"from-{node.name}"]
            assert seen == wanted
            assert all(read(node, place, name) == name.removeprefix("from-") for name in seen)


@STORAGES
@ROLES
def test_what_is_placed_is_what_was_sketched(
    form: str, role: Role, tmp_path: Path, native: Path | None
) -> None:
    storage = storage_of(form, tmp_path)
    made_of = topology_of(storage, role)
    with live(nodes_for(form), native, made_of) as (work, on):
        sketched = made_of.sketch(on, work)
        with made_of.place(on, work) as placed:
            assert placed == sketched


@STORAGES
def test_an_error_leaves_nothing(form: str, tmp_path: Path, native: Path | None) -> None:
    storage = storage_of(form, tmp_path)
    with (
        pytest.raises(KeyError),
        placed(storage, "scratch", nodes_for(form), native) as (on, place),
    ):
        write(on[0], place, "file")
        raise KeyError
    assert traces(tmp_path) == []


@pytest.mark.parametrize(
    "form",
    [
        pytest.param("memory:16M", marks=needs(ROOT)),
        pytest.param("loopback,size=16M", marks=needs(ROOT, *LOOPBACK)),
    ],
)
def test_a_bounded_storage_is_full_at_its_size(form: str, tmp_path: Path) -> None:
    storage = storage_of(form, tmp_path)
    with live("local:2") as (work, on), storage.place("scratch", on, work) as place:
        path = place.paths["node1"]
        done = access(on[0]).run(["dd", "if=/dev/zero", f"of={path}/big", "bs=1M", "count=64"], check=False)
        assert "No space left" in done.err
        assert Path(f"{path}/big").stat().st_size <= 16 << 20
        write(on[1], place, "other")


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ("mount:DIR/none", "does not exist"),
        ("disk:/proc/none", "does not exist"),
        ("disk:/proc", "cannot create"),
    ],
)
def test_a_directory_that_cannot_be_used_is_named(form: str, words: str, tmp_path: Path) -> None:
    storage = storage_of(form, tmp_path)
    with (
        live("local:2") as (work, on),
        pytest.raises(StorageError, match=words),
        storage.place("scratch", on, work),
    ):
        pass


def test_null_stores_nothing(tmp_path: Path) -> None:
    with live("local:2") as (work, on), storage_of("null", tmp_path).place("scratch", on, work) as place:
        assert set(place.paths.values()) == {"/dev/null"}
