"""A second user of the machine and GlusterFS: he reads no brick and no volume file, and no brick lets him in."""

import re
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.contract.conftest import live, storage_of, topology_of
from tests.local.test_security import NOBODY, as_nobody
from tests.needs import FUSE_OF_OTHERS, GLUSTER, NAMESPACES, USER_NAMESPACES, needs
from weft.host.work import Work

pytestmark = needs(*GLUSTER, "unshare", NAMESPACES)

OWN = ["unshare", "--user", "--map-root-user", "--mount", "--pid", "--fork", "--kill-child", "--"]
"""Namespaces of his own, in which he may mount."""
TRY = """
folder=$1
shift
rm -f "$folder/log"
glusterfs --log-file="$folder/log" --log-level=WARNING "$@" "$folder/mount"
for i in $(seq 30); do
    ls "$folder/mount/input" 2>/dev/null && exit 0
    grep -q -E "Authentication failed|failed to fetch volume file" "$folder/log" && exit 3
    sleep 1
done
cat "$folder/log"
exit 4
"""
"""Mount and list the files: 0 on success, 3 if the mount was refused, 4 if there was no answer."""


@dataclass
class Gluster:
    """A volume with a file in it, on local nodes: their addresses are reached by all users of the machine."""

    work: Work
    bricks: list[Path]
    path: Path

    @property
    def volume(self) -> str:
        """What a client needs to know, the password included."""
        return (self.work.directory / "gluster" / "client.vol").read_text()


@pytest.fixture
def gluster(tmp_path: Path) -> Iterator[Gluster]:
    made_of = topology_of(storage_of("gluster:1", tmp_path), "input")
    with live("local:1", made_of=made_of) as (work, nodes), made_of.place(nodes, work) as places:
        path = Path(places.roles["input"].path)
        (path / "file").write_text("private")
        bricks = places.backings["gluster"].paths.values()
        yield Gluster(work, [Path(brick) for brick in bricks], path)


@pytest.fixture
def his() -> Iterator[Path]:
    """A directory of the other user's."""
    folder = Path(tempfile.mkdtemp(prefix="weft-gluster-"))
    (folder / "mount").mkdir()
    shutil.chown(folder / "mount", int(NOBODY))
    shutil.chown(folder, int(NOBODY))
    yield folder
    shutil.rmtree(folder)


def attempt(his: Path, volume: str) -> tuple[int, str]:
    """His try to mount with a volume file of his own: its exit code, and what he listed."""
    (his / "his.vol").write_text(volume)
    (his / "his.vol").chmod(0o644)
    return mounted(his, f"--volfile={his}/his.vol")


def mounted(his: Path, *words: str) -> tuple[int, str]:
    process = as_nobody(*OWN, "sh", "-c", TRY, "try", str(his), *words)
    out, _ = process.communicate(timeout=100)
    return process.returncode, out


def test_another_user_reads_no_file_of_it(gluster: Gluster) -> None:
    volumes = list((gluster.work.directory / "gluster").iterdir())
    inside = [path for brick in gluster.bricks for path in brick.rglob("*")]
    assert [path for path in inside if path.name == "file"]
    paths = [*volumes, *gluster.bricks, *inside, gluster.path, gluster.path / "file"]
    script = 'for path; do cat "$path" || ls "$path"; done 2>/dev/null; true'
    assert as_nobody("sh", "-c", script, "look", *map(str, paths)).communicate()[0] == ""


def test_no_log_of_it_has_the_password(gluster: Gluster) -> None:
    """A log's last lines are in messages and records; GlusterFS writes its whole volume file into one, if it may."""
    password = re.search(r"option password (\w+)", gluster.volume)
    assert password
    logs = list((gluster.work.directory / "gluster").glob("*.log"))
    assert len(logs) == 2
    assert [path for path in logs if password[1] in path.read_text()] == []


@needs(USER_NAMESPACES, FUSE_OF_OTHERS)
def test_no_brick_lets_him_in_without_the_password(gluster: Gluster, his: Path) -> None:
    """The same try with the password lists the file, so that it is the password that he lacks."""
    password = re.compile(r"(option password) \w+")
    assert attempt(his, gluster.volume) == (0, "file\n")
    assert attempt(his, password.sub(r"\1 wrong", gluster.volume)) == (3, "")
    assert attempt(his, password.sub("", re.sub("option username .*", "", gluster.volume))) == (3, "")
    host, port = (re.search(rf"remote-{key} (\S+)", gluster.volume) for key in ("host", "port"))
    assert host
    assert port
    server = [f"--volfile-server={host[1]}", f"--volfile-server-port={port[1]}", "--volfile-id=client"]
    assert mounted(his, *server) == (3, ""), "a brick hands out volume files"
