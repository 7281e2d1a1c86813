"""A machine without an optional program: nothing fails for it, and what is left out says which package to install."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.needs import NAMESPACES, ROOT, SEARCHED, needs, packages

pytestmark = needs(ROOT, "unshare", NAMESPACES)
"""Only in a mount namespace of its own can a program be hidden from weft, which looks into /usr/sbin too."""

HIDE = """
set -e
program=$1
shift
IFS=:
for folder in $1; do
    [ ! -e "$folder/$program" ] || mount --bind /dev/null "$folder/$program"
done
shift
exec "$@"
"""
SKIPPED = re.compile(r"^SKIPPED \[\d+\] \S+: (.*)$", re.MULTILINE)


@pytest.mark.parametrize(
    ("program", "concerned"),
    [
        ("mkfs.ext4", "loopback"),
        pytest.param("mkfs.xfs", "loopback and input", marks=pytest.mark.long),
        ("glusterfsd", "gluster"),  # glusterfs is a link to it
        ("mfsmaster", "moosefs"),
        ("cargo", "delayed"),
        ("cc", "delayed"),
        ("unshare", "disk"),
        ("nsenter", "disk"),
        ("ip", "disk"),
    ],
)
def test_storages_that_need_it_are_left_out_with_its_package(program: str, concerned: str) -> None:
    if shutil.which(program, path=SEARCHED) is None:
        pytest.skip(f"{program} is not on this machine anyway")
    suite = [str(Path(__file__).with_name("test_storage.py")), "-k", concerned, "-rs"]
    # it is no run of ./test: what it does is not written into the lists that the run around it keeps
    environment = {name: value for name, value in os.environ.items() if not name.startswith("WEFT_TEST_")}
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-c", HIDE, "sh", program, SEARCHED, sys.executable, "-m", "pytest", *suite],
        cwd=Path(__file__).parents[2], env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    reason = f"{program} is not on this machine: apt-get install {packages()[program][0]}"
    assert reason in SKIPPED.findall(done.stdout), done.stdout
