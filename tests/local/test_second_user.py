"""A second user of the machine, without the kernel's fs.protected_*: he cannot read, change or redirect what a run keeps."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.local.conftest import Weft
from tests.needs import NATIVE, ROOT, needs
from weft.host.provision import native

pytestmark = needs(ROOT, "setpriv", *NATIVE)
"""Only root can become somebody else."""

NOBODY = 65534
PROTECTED = [Path(f"/proc/sys/fs/protected_{kind}") for kind in ("symlinks", "hardlinks", "regular", "fifos")]

TAKE = """
echo ready
for taken in 1 2 3; do
    while [ "$(ls "$1" | wc -l)" -lt $taken ]; do :; done
    run=$(ls "$1" | tail -n 1)
    for file in node1.index node1.index.memory node2.index node2.index.memory; do
        (umask 0 && : > "/dev/shm/weft-$run-$file")
    done
    echo "$run"
done
"""
"""Takes the names that a run's files in memory could have, as soon as the run has one."""
SEARCH = "find /dev/shm -type f -exec grep -l OF-THE-FIRST-USER {} + 2>/dev/null; echo looked"


@pytest.fixture(autouse=True)
def unprotected() -> Iterator[None]:
    """The kernel leaves all to weft; afterwards as before."""
    before = {path: path.read_text() for path in PROTECTED if path.exists()}
    try:
        for path in before:
            path.write_text("0")
    except OSError as error:
        pytest.skip(f"fs.protected_* cannot be changed here: {error.strerror}")
    yield
    for path, value in before.items():
        path.write_text(value)


@pytest.fixture
def home() -> Iterator[Path]:
    """Where both users can create files."""
    path = Path(tempfile.mkdtemp(prefix="weft-second-"))
    path.chmod(0o1777)
    yield path
    shutil.rmtree(path)


@pytest.fixture
def weft(home: Path) -> Iterator[Weft]:
    command = Weft(home)
    yield command
    command.end()
    assert command.leftovers() == []


def nobody(*argv: str) -> "subprocess.Popen[str]":
    become = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--pdeathsig", "KILL"]
    return subprocess.Popen([*become, *argv], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def by_nobody(*argv: str) -> str:
    return nobody(*argv).communicate()[0]


def test_a_pool_is_neither_read_nor_changed_by_who_guesses_its_names(weft: Weft, home: Path) -> None:
    (home / "runs").mkdir(mode=0o755)
    with nobody("sh", "-c", TAKE, "sh", str(home / "runs")) as thief:
        assert thief.stdout is not None
        assert thief.stdout.readline() == "ready\n"
        done = weft("up", "--engine", "null", "--nodes", "local:2", "--scratch", "pool")
        assert done.returncode == 0, done.stderr
        run = thief.stdout.readline().strip()
        thief.kill()
    try:
        script = (
            'cd "$WEFT_SCRATCH_PREFIX" && for i in 1 2 3; do echo OF-THE-FIRST-USER > $i; done; cat 1 2 3'
        )
        written = weft("exec", "--", "sh", "-c", script)
        assert written.stdout == "OF-THE-FIRST-USER\n" * 3, written.stderr
        own = [path for path in Path("/dev/shm").glob(f"*{run}*/*") if path.suffix == ".index"]
        assert own, "the pool does have an index"
        assert by_nobody("sh", "-c", SEARCH) == "looked\n"
        taken = list(Path("/dev/shm").glob(f"weft-{run}-node*"))
        assert len(taken) == 4
        assert {path.stat().st_size for path in taken} == {0}
        assert weft("down").returncode == 0
        assert all(path.exists() for path in taken), "what is not weft's stays"
    finally:
        weft("down")
        weft("gc")
        for path in Path("/dev/shm").glob(f"weft-{run}-node*"):
            path.unlink()


@pytest.mark.parametrize("kind", ["file", "symbolic link", "hard link", "pipe"])
def test_the_library_uses_no_index_that_another_user_prepared(kind: str, home: Path) -> None:
    index, precious = home / "x.index", home / "precious"
    precious.touch(mode=0o600)
    make = {
        "file": 'touch "$1"; chmod 666 "$1"',
        "symbolic link": 'ln -s "$2" "$1"',
        "hard link": 'ln "$2" "$1"',
        "pipe": 'mkfifo -m 666 "$1"',
    }[kind]
    output = by_nobody("sh", "-c", make, "sh", str(index), str(precious))
    assert os.path.lexists(index), output
    for folder in ("prefix", "store"):
        (home / folder).mkdir(mode=0o700)
    own = {"LD_PRELOAD": str(native.build(print) / native.PRELOAD)}
    own |= {"WEFT_SCRATCH_PREFIX": f"{home}/prefix", "WEFT_SCRATCH_STORE": f"{home}/store"}
    write = ["sh", "-c", 'echo mine > "$WEFT_SCRATCH_PREFIX/file"']
    done = subprocess.run(
        write,
        check=False,
        env={**os.environ, **own, "WEFT_SCRATCH_INDEX": str(index)},
        capture_output=True,
        text=True,
    )
    assert done.returncode != 0, "the file is not written past the pool either"
    assert "Operation not permitted" in done.stderr or "symbolic links" in done.stderr
    assert precious.stat().st_size == 0
    assert list((home / "store").iterdir()) == list((home / "prefix").iterdir()) == []


@pytest.mark.parametrize("variable", ["WEFT_WORK", "WEFT_STATE", "WEFT_CACHE", "WEFT_RUNS"])
@pytest.mark.parametrize("make", ['mkdir -m 777 "$1"', 'ln -s "$2" "$1"'], ids=["directory", "link"])
def test_a_directory_that_another_user_prepared_is_refused(
    variable: str, make: str, weft: Weft, home: Path
) -> None:
    mine, prepared = home / "mine", home / "prepared"
    mine.mkdir(mode=0o700)
    by_nobody("sh", "-c", make, "sh", str(prepared), str(mine))
    words = ("run", "file-open", "--size", "8M", "--nodes", "local:1")
    done = weft(*words, **{variable: str(prepared)})
    assert done.returncode == 2, done.stderr
    output = " ".join(done.stderr.split())
    assert f"{variable}: {prepared}" in output, output
    assert "another user" in output or "symbolic link" in output
    assert list(mine.iterdir()) == []


def test_the_test_s_second_user_can_do_what_the_tests_try(home: Path) -> None:
    """Otherwise they would prove nothing."""
    (home / "mine").touch(mode=0o600)
    by_nobody("ln", str(home / "mine"), str(home / "theirs"))
    assert (home / "theirs").stat().st_ino == (home / "mine").stat().st_ino
