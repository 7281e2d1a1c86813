"""A stand-in for Apptainer, for root: it really does what weft asks of the real one, in a mount namespace of its own.

As Apptainer does, it takes ext3 images only, mounts images before directories, shows nothing of the host but what is
bound, and refuses options that it does not know. Its root has to be a directory.
"""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

STATE = Path(__file__).resolve().parent / "instances"
TOP = Path("/mnt")
"""Where the root of a container is, in its namespace."""


def install(folder: Path) -> Path:
    """The directory with the program `apptainer`, for PATH."""
    folder.mkdir()
    program = folder / "apptainer"
    program.write_text(f"#!{sys.executable}\n{Path(__file__).read_text()}\nmain(sys.argv[1:])\n")
    program.chmod(0o755)
    return folder


def main(words: list[str]) -> None:
    match words:
        case ["instance", "start", *rest]:
            start(rest)
        case ["instance", "stop", name]:
            stop(name)
        case ["exec", where, *command] if where.startswith("instance://"):
            pid = (STATE / where.removeprefix("instance://")).read_text()
            enter = ["nsenter", "--target", pid, "--mount", "--", "chroot", str(TOP)]
            os.execvp("nsenter", [*enter, *command])
        case ["hold", *rest]:
            hold(rest)
        case _:
            sys.exit(f"this stand-in has no {words}")


def start(words: list[str]) -> None:
    """Start a process that holds the namespace, and wait until all is mounted in it."""
    name = words[-1]
    STATE.mkdir(exist_ok=True)
    made = STATE / f"{name}.root"
    made.mkdir()
    enter = ["unshare", "--mount", "--propagation", "private", "--"]
    log = (STATE / f"{name}.log").open("wb")
    holder = subprocess.Popen(
        [*enter, sys.executable, __file__, "hold", str(made), *words],
        stdout=log, stderr=log, stdin=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    while not (made / "ready").exists():
        if holder.poll() is not None:
            sys.exit((STATE / f"{name}.log").read_text())
        time.sleep(0.02)
    (STATE / name).write_text(str(holder.pid))


def stop(name: str) -> None:
    pid = int((STATE / name).read_text())
    held = Path(f"/proc/{pid}/cmdline")
    with suppress(OSError):
        while name in held.read_text():
            os.kill(pid, signal.SIGKILL)
            time.sleep(0.02)
    (STATE / f"{name}.root" / "ready").unlink()
    (STATE / f"{name}.root").rmdir()
    for path in (STATE / f"{name}.log", STATE / name):
        path.unlink()


def hold(words: list[str]) -> None:
    """Make the root in this namespace, and stay."""
    made, *options, root, _ = words
    (Path(made) / "ready.tmp").write_text("")
    mount("-t", "tmpfs", "none", str(TOP))
    for path in Path(root).iterdir():
        if path.is_symlink():
            (TOP / path.name).symlink_to(path.readlink())
        else:
            bind(path, TOP / path.name)
    binds = options[1::2]
    if options != [word for one in binds for word in ("--bind", one)]:
        sys.exit(f"unknown options among {options}")
    images = [one for one in binds if one.endswith(":image-src=/")]
    for image, point, _ in (one.split(":") for one in images):
        features = subprocess.run(
            ["dumpe2fs", "-h", image], capture_output=True, text=True, check=True
        ).stdout
        if "extent" in features:
            sys.exit(f"{image} is no ext3")
        (TOP / point.lstrip("/")).mkdir(parents=True)
        mount("-o", "loop", image, str(TOP / point.lstrip("/")))
    for path in ["/proc", "/sys", "/dev", *(one for one in binds if one not in images)]:
        bind(Path(path), TOP / path.lstrip("/"))
    (Path(made) / "ready.tmp").rename(Path(made) / "ready")
    os.chroot(TOP)
    os.chdir("/")
    while True:
        time.sleep(3600)


def bind(path: Path, point: Path) -> None:
    point.mkdir(parents=True, exist_ok=True)
    mount("--rbind", str(path), str(point))


def mount(*words: str) -> None:
    subprocess.run(["mount", *words], check=True)
