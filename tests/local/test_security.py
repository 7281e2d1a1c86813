"""A second user of the machine: reads no secret and no scratch, and sees no page."""

import json
import os
import shutil
import subprocess
import tempfile
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from tests.local.conftest import Weft, root
from weft.provision import distribution

pytestmark = root
"""Only root can become somebody else."""

NOBODY = "65534"


@dataclass
class Target:
    """A cluster that stands in directories whose parents everybody may enter."""

    weft: Weft
    told: dict

    @property
    def conf(self) -> Path:
        return Path(self.told["settings"])

    @property
    def secret(self) -> str:
        return dict(line.split(" ", 1) for line in self.conf.read_text().splitlines())[
            "spark.authenticate.secret"
        ]

    @property
    def processes(self) -> list[psutil.Process]:
        return self.weft.processes("")


@pytest.fixture(scope="module")
def target() -> Iterator[Target]:
    home = Path(tempfile.mkdtemp(prefix="weft-security-"))
    home.chmod(0o755)
    weft = Weft(home)
    try:
        done = weft("up", "--nodes", "local:2", "--scratch", "pool", "--set", "engine.encrypt=true", "--json")
        assert done.returncode == 0, done.stderr
        yield Target(weft, json.loads(done.stdout))
        weft("down")
        assert weft.leftovers() == []
    finally:
        weft("gc")
        shutil.rmtree(home)


def as_nobody(*words: str, **environment: str) -> "subprocess.Popen[str]":
    """A command of another user, who has a Spark of his own in /mnt."""
    spark = distribution.home("spark", print)
    enter = 'mount --bind "$1" /mnt && shift && cd / && exec "$@"'
    become = ["setpriv", "--reuid", NOBODY, "--regid", NOBODY, "--clear-groups", "--no-new-privs", "--"]
    return subprocess.Popen(
        ["unshare", "--mount", "--", "sh", "-c", enter, "enter", str(spark), *become, *words],
        env={"PATH": os.environ["PATH"], **environment}, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip


def readable(paths: list[Path]) -> list[str]:
    """Which of some files and directories another user can read."""
    look = 'for path; do { [ -d "$path" ] && ls "$path" || head -c 1 "$path"; } >/dev/null 2>&1 && echo "$path"; done; true'
    out, _ = as_nobody("sh", "-c", look, "look", *map(str, paths)).communicate()
    return out.splitlines()


def test_files_that_hold_or_show_secrets_are_their_users_alone(target: Target) -> None:
    home, record = target.weft.home, Path(target.told["record"])
    kept = [path for folder in ("work", "state") for path in (home / folder).rglob("*")]
    indexes = list(Path("/dev/shm").glob(f"*{record.name}*"))
    environments = [Path(f"/proc/{process.pid}/environ") for process in target.processes]
    assert target.conf in kept
    assert len(indexes) == 2
    assert len(environments) >= 3
    assert readable([*kept, *indexes, *environments]) == []
    assert readable([Path("/etc/hostname"), home]) == ["/etc/hostname", str(home)], (
        "he can read what is open to all"
    )


def test_no_secret_is_on_a_command_line_or_in_the_record(target: Target) -> None:
    lines = [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if path.exists()]
    assert [line for line in lines if target.secret.encode() in line] == []
    files = [path for path in Path(target.told["record"]).rglob("*") if path.is_file()]
    assert [path for path in files if target.secret.encode() in path.read_bytes()] == []


def test_status_pages_show_nothing_without_a_token(target: Target) -> None:
    head = target.told["address"].removeprefix("spark://").partition(":")[0]
    worker = f"{head.rpartition('.')[0]}.2"
    tried = [
        f"http://{head}:8080/",
        f"http://{head}:8080/json/",
        f"http://{head}:8080/app/kill/",
        f"http://{worker}:8081/logPage",
    ]
    assert [status(page) for page in tried] == [403] * len(tried)
    listening = {
        c.laddr.ip for process in target.processes for c in process.net_connections() if c.status == "LISTEN"
    }
    assert {address.removeprefix("::ffff:") for address in listening} == {head, worker}


def status(page: str) -> int:
    try:
        with urllib.request.urlopen(page, timeout=10) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code
