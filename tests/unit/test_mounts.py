"""The mount table, whose names are bytes, and the removal of directories in which something is mounted."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.needs import NAMESPACES, ROOT, needs
from weft.host.programs.mounts import mount_of, mounts, within
from weft.host.programs.removal import remove_tree
from weft.host.remote.reach import Reach

TABLE = b"""/dev/sda1 / ext4 rw,relatime 0 0
tmpfs /dev/shm tmpfs rw 0 0
weft /mnt/a\\040b tmpfs rw,size=65536k 0 0
latencyfs-lustre /mnt/a\\040b fuse.latencyfs rw 0 0
weft /scratch/m\xc3\xbcller/\\134x tmpfs rw 0 0
sshfs /home/x\xff\r fuse.sshfs rw 0 0
"""
IN_A_NAMESPACE = ("unshare", "--mount", sys.executable, "-P", "-c")
MOUNT = """
import os, subprocess, sys
from pathlib import Path
from weft.host import lease, leftovers
base = Path(sys.argv[1])
odd, mine, run = os.fsencode(base) + b"/x\\xff", base / "mine", base / "m\\u00fc" / "run"
for path in (odd, mine, run / "deep" / "mnt"):
    os.makedirs(path)
(mine / "thesis").write_text("x")
subprocess.run(["mount", "-t", "tmpfs", "tmpfs", odd], check=True)
"""
BIND = 'subprocess.run(["mount", "--bind", mine, run / "deep" / "mnt"], check=True)\n'


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/mnt/x", ("/", "ext4")),
        ("/dev/shm/x", ("/dev/shm", "tmpfs")),
        ("/dev/shmx", ("/", "ext4")),
        ("/mnt/a b/c", ("/mnt/a b", "fuse.latencyfs")),
        ("/scratch/müller/\\x/run", ("/scratch/müller/\\x", "tmpfs")),
        ("/home/x\udcff\r/y", ("/home/x\udcff\r", "fuse.sshfs")),
    ],
)
def test_a_path_is_on_the_last_of_the_innermost_mounts(path: str, expected: tuple[str, str]) -> None:
    assert mount_of(path, TABLE) == expected


def test_names_are_as_the_system_takes_them() -> None:
    assert os.fsencode(mounts(TABLE)[-1][0]) == b"/home/x\xff\r"
    assert within("/", "/")
    assert not within("/run2", "/run")


def test_a_tree_is_removed_whatever_its_names_are_and_no_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "file").touch()
    tree = tmp_path / "tree"
    (tree / "a" / "b").mkdir(parents=True)
    (tree / "a" / os.fsdecode(b"x\xff")).touch()
    (tree / "a" / "link").symlink_to(tmp_path / "kept")
    remove_tree(str(tree))
    remove_tree(str(tree))
    assert [path.name for path in tmp_path.rglob("*")] == ["kept", "file"]


def test_a_tree_of_any_depth_is_removed(tmp_path: Path) -> None:
    """Deeper than Python's recursion goes, than a path is long, and than a process may have files open."""
    script = """
import os, sys
above = os.open(sys.argv[1], os.O_RDONLY)
for _ in range(3000):
    os.mkdir("deep", dir_fd=above)
    open(os.open("file", os.O_CREAT, dir_fd=above)).close()
    below = os.open("deep", os.O_RDONLY, dir_fd=above)
    os.close(above)
    above = below
"""
    subprocess.run([sys.executable, "-c", script, str(tmp_path)], check=True)
    remove_tree(str(tmp_path / "deep"))
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@needs("setpriv", ROOT)
def test_what_cannot_be_removed_keeps_nothing_else(tmp_path: Path) -> None:
    script = """
import os, sys
from weft.host.programs.removal import remove_tree
os.chdir(sys.argv[1])
for mode, name in ((0o444, "not-entered"), (0o000, "not-read"), (0o555, "kept"), (0o700, "other")):
    os.makedirs("run/" + name)
    if name in ("kept", "other"):
        open("run/" + name + "/file", "w").close()
    os.chmod("run/" + name, mode)
remove_tree("run")
print(os.listdir("run"))
"""
    modes_count = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]  # for root too
    argv = [*modes_count, sys.executable, "-P", "-c", script, str(tmp_path)]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert done.stdout == "['kept']\n", done.stderr


def within_a_namespace(program: str, folder: Path) -> str:
    argv = [*IN_A_NAMESPACE, MOUNT + program, str(folder)]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@needs(ROOT, "unshare", NAMESPACES)
def test_another_user_s_mount_of_any_name_stops_neither_a_run_nor_its_cleanup(tmp_path: Path) -> None:
    program = """
with lease.hold("one", "a test") as held:
    held.note("directory", path=str(run))
print(run.exists(), lease.all_leases(), leftovers.sweep())
"""
    assert within_a_namespace(program, tmp_path) == "False [] []\n"


@needs(ROOT, "unshare", NAMESPACES)
def test_a_mount_below_a_name_beyond_ascii_is_seen_and_unmounted(tmp_path: Path) -> None:
    program = """
with lease.hold("one", "a test") as held:
    held.note("directory", path=str(run))
    held.note("mount", path=str(run / "deep" / "mnt"))
print(run.exists(), os.listdir(mine))
"""
    assert within_a_namespace(BIND + program, tmp_path) == "False ['thesis']\n"


@needs(ROOT, "unshare", NAMESPACES)
@pytest.mark.parametrize(
    "remover",
    [
        "from weft.host.programs import cleanup; cleanup.removed('none', [['directory', str(run)]])",
        "from weft.host.programs.removal import remove_tree; remove_tree(str(run))",
        "from weft.host.programs import cleanup; cleanup.mounts.points = lambda *_: []; cleanup.undone('directory', str(run))",
    ],
)
def test_no_remover_crosses_a_mount_even_one_of_the_same_device(remover: str, tmp_path: Path) -> None:
    found = within_a_namespace(f"{BIND}\n{remover.replace('; ', chr(10))}\nprint(os.listdir(mine))", tmp_path)
    assert found == "['thesis']\n"


@needs(ROOT, "unshare", NAMESPACES)
def test_the_cleanup_watchdog_unmounts_what_is_not_the_run_s(tmp_path: Path) -> None:
    program = "\nfrom weft.host.programs import watchdog\nwatchdog.remove(str(run))\nprint(run.exists(), os.listdir(mine))"
    assert within_a_namespace(BIND + program, tmp_path) == "False ['thesis']\n"


def test_a_program_is_sent_with_what_it_imports(tmp_path: Path) -> None:
    here = Reach("here", ("env",), login_shell=False)
    request = {
        "lease": "none",
        "held": [["directory", str(tmp_path / "x")]],
        "remove": True,
    }
    (tmp_path / "x").mkdir()
    for reach in (here, here.connected(tmp_path / "log")):
        assert reach.ask("cleanup", request)["left"] == []
        reach.close()
    assert not (tmp_path / "x").exists()
