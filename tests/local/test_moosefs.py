"""A real metadata server: scratch on MooseFS, plain and below other storages, and who may connect to it."""

import re
from ipaddress import IPv4Address
from pathlib import Path

import pytest

from tests.contract.conftest import live, storage_of, topology_of
from tests.local.conftest import Weft
from tests.local.test_security import as_nobody
from tests.needs import LOOPBACK, MOOSEFS, NATIVE, needs
from weft.adapters.nodes.access import access
from weft.host.work import Work
from weft.layout.node import Node

pytestmark = needs(*MOOSEFS)


@pytest.mark.parametrize(
    "scratch",
    [
        "moosefs",
        pytest.param("loopback,size=256M+moosefs", marks=needs(*LOOPBACK)),
        pytest.param("pool+moosefs", marks=needs(*NATIVE)),
    ],
)
def test_files_are_opened_on_it(weft: Weft, scratch: str) -> None:
    few = ["--set", "files=20", "--set", "rounds=1"]
    done = weft("run", "file-open", "--nodes", "virtual:1", "--scratch", scratch, *few)
    assert done.returncode == 0, done.stderr
    assert weft.head()["verdict"] == "VALID"


def test_a_shuffle_on_it_is_valid(weft: Weft) -> None:
    small = ["--set", "mappers=20", "--set", "pairs=200", "--set", "value_bytes=100"]
    done = weft("run", "groupby", "--nodes", "virtual:2", "--scratch", "moosefs", *small)
    assert done.returncode == 0, done.stderr
    assert weft.head()["verdict"] == "VALID"


def test_nobody_reaches_it_without_the_password_and_no_other_user_reads_its_files(tmp_path: Path) -> None:
    made_of = topology_of(storage_of("moosefs:1", tmp_path), "input")
    with live("virtual:1", made_of=made_of) as (work, nodes), made_of.place(nodes, work) as places:
        path = Path(places.roles["input"].path)
        access(nodes[0]).run(["sh", "-c", 'echo private > "$1"', "sh", f"{path}/file"])
        files = list((work.directory / "moosefs").iterdir())
        chunks = [
            found for brick in places.backings["moosefs"].paths.values() for found in Path(brick).rglob("*")
        ]
        assert [found for found in chunks if found.suffix == ".mfs"]
        script = 'for path; do cat "$path" || ls "$path"; done 2>/dev/null; true'
        assert as_nobody("sh", "-c", script, "look", *map(str, [*files, *chunks])).communicate()[0] == ""
        text = (work.directory / "moosefs" / "client-node1.cfg").read_text()
        password = re.search(r"mfspassword=(\w+)", text)
        assert password
        assert [file for file in files if file.suffix == ".log" and password[1] in file.read_text()] == []
        assert tried(nodes[0], work, text) == "mounted"
        assert tried(nodes[0], work, text.replace(password[1], "wrong")) == "Incorrect password"
        assert tried(nodes[0], work, text.replace(password[0], "")) == "Password is needed"
        (server,) = nodes.servers
        assert listening(server) == {server.address}
        assert listening(nodes[0]) == {"127.0.0.1"}, "the client's own, for MooseFS's programs"


def tried(node: Node, work: Work, settings: str) -> str:
    """Whether a client with these settings is let in, or why not."""
    own, point = work.directory / "tried.cfg", work.make("tried")
    own.write_text(settings)
    done = access(node).run(["mfsmount", "-c", str(own), str(point)], check=False)
    access(node).run(["umount", "-l", str(point)], check=False)
    return "mounted" if done.code == 0 else (done.out + done.err).strip().rpartition("error: ")[2]


def listening(node: Node) -> set[str]:
    """Addresses of a node on which a process listens (proc(5): hexadecimal, least byte first; state 0A)."""
    rows = [line.split() for line in access(node).run(["cat", "/proc/net/tcp"]).out.splitlines()[1:]]
    return {str(IPv4Address(bytes.fromhex(row[1][:8])[::-1])) for row in rows if row[3] == "0A"}
