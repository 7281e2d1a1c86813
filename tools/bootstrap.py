"""Makes the environment of a lock file, once, and prints the path of its Python. Standard library only."""

import fcntl
import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import asked
import lacking

BEGAN = time.monotonic()
ROOT = Path(__file__).resolve().parents[1]
BEAT = 5.0
"""Seconds between lines while packages are being installed."""
NEED = 1_000_000_000
"""Bytes that an environment takes while it is being made."""
NEED_OF_ENGINE = 2_000_000_000
"""Bytes that the largest engine takes with its archive."""
DOWNLOADER = ("anyio", "h11", "httpcore2", "httpx2", "idna", "psutil", "truststore", "typing-extensions")
"""The packages that weft's downloader imports."""


def main() -> None:
    lock = Path(sys.argv[1])
    try:
        if lacks := lacking.message(sys.argv[2:]):
            print(lacks, file=sys.stderr)
            sys.exit(2)
        environment = cache() / name(lock)
        with locked(environment):
            if not usable(environment):
                make(environment, lock, asked.downloaded(sys.argv[2:]))
    except OSError as error:
        why = f"{error.filename}: {(error.strerror or 'failed').lower()}" if error.filename else str(error)
        stop(f"cannot make the environment: {why}", "set WEFT_CACHE to a directory of yours")
    print(environment / "bin" / "python")


def cache() -> Path:
    """As settings.cache() has it."""
    base = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache")
    try:
        return Path(os.environ.get("WEFT_CACHE") or base / "weft").expanduser().resolve()
    except RuntimeError:
        stop("there is no home directory", "set HOME, or WEFT_CACHE")


def name(lock: Path) -> str:
    """env-HASH-pyVERSION, as tools/python has it."""
    kind = "envdev" if lock.name.endswith("-dev.lock") else "env"
    return f"{kind}-{hashlib.sha256(lock.read_bytes()).hexdigest()[:12]}-py{sys.version_info[0]}.{sys.version_info[1]}"


@contextmanager
def locked(environment: Path) -> Iterator[None]:
    """One process at a time makes an environment; the others wait for it."""
    for folder in reversed(environment.parents):
        # mkdir(parents=True) gives some of them what the umask leaves: a cache that a group can change is refused
        if not folder.is_dir():
            folder.mkdir(mode=0o755, exist_ok=True)
    with (environment.parent / f".{environment.name}.lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("waiting for another weft that is setting itself up")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def usable(environment: Path) -> bool:
    """Whether it is whole, and the Python that it was made with is still there."""
    return (environment / ".complete").exists() and os.access(environment / "bin" / "python", os.X_OK)


@contextmanager
def engine_ahead(engine: str, python: str) -> Iterator[None]:
    """Download an engine and build jars for it meanwhile: pip installs packages on one core. Where that fails, weft tries again, and says why."""
    if not engine:
        yield
        return
    own = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    argv = [python, "-B", "-P", "-m", "weft.host.provision.ahead", engine, str(BEGAN)]
    with subprocess.Popen(argv, env=own, stdin=subprocess.PIPE) as download:
        try:
            yield
        except BaseException:
            download.kill()
            raise
        download.wait()


def parts(lock: str, *names: str) -> str:
    """The lines of a lock file for some of its packages, with their hashes."""
    found = re.split(r"\n(?=\w)", lock)
    return "\n".join(each for each in found if re.split(r"[=\[ ]", each)[0] in names)


def make(environment: Path, lock: Path, engine: str = "") -> None:
    """In place, because an environment cannot be moved; the stamp is written last. `engine`: what is downloaded meanwhile."""
    if importlib.util.find_spec("ensurepip") is None:
        stop(
            f"{sys.executable} cannot make an environment: its module ensurepip is missing",
            "apt-get install python3-venv",
        )
    free = shutil.disk_usage(environment.parent).free
    if free < NEED:
        stop(
            f"{environment.parent} has {free >> 20} MiB free, {NEED >> 20} are needed",
            "set WEFT_CACHE elsewhere",
        )
    shutil.rmtree(environment, ignore_errors=True)
    say(f"setting up in {environment} (once)")
    follow([sys.executable, "-m", "venv", str(environment)])
    count = lock.read_text().count("==")
    say(f"installing {count} packages, checked by their hashes")
    python = str(environment / "bin" / "python")
    # a source archive would be built with packages that nobody locked; Python compiles what it imports, which is a part of them
    quiet = ["--disable-pip-version-check", "--no-compile", "--progress-bar=off"]
    locked = ["--only-binary", ":all:", "--require-hashes", "--requirement"]
    install = [python, "-m", "pip", "install", *quiet, *locked]
    ahead = engine if free > NEED + NEED_OF_ENGINE else ""
    if ahead:
        first = environment / "downloader.lock"
        first.write_text(parts(lock.read_text(), *DOWNLOADER))
        follow([*install, str(first), "--no-deps"])
        first.unlink()
    with engine_ahead(ahead, python):
        follow([*install, str(lock)])
        contents = ROOT / "src" / "weft" / "host" / "provision" / "contents.py"
        follow([python, "-B", str(contents), str(environment)])
    (environment / ".complete").touch()
    say("ready")


def follow(argv: list[str]) -> None:
    """Run a command to its end, showing the last line of its output now and then, and the last lines when it fails."""
    output = ["still busy"]
    done = threading.Event()

    def beat() -> None:
        while not done.wait(BEAT):
            say(f"  {output[-1][:70]}")

    threading.Thread(target=beat, daemon=True).start()
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        assert process.stdout is not None
        output.extend(line.strip() for line in process.stdout)
    done.set()
    if process.returncode != 0:
        print("\n".join(f"    {line}" for line in output[-12:]), file=sys.stderr)
        stop(
            f"`{' '.join(argv[1:4])}` failed", "check the network and pip's index settings, then start again"
        )


def say(text: str) -> None:
    print(f"{time.monotonic() - BEGAN:6.1f} s  {text}", file=sys.stderr, flush=True)


def stop(message: str, hint: str) -> NoReturn:
    print(f"error: {message}\n\nhint: {hint}", file=sys.stderr)
    sys.exit(2)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
