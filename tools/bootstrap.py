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
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import asked
import installing
import lacking

BEGAN = time.monotonic()
ROOT = Path(__file__).resolve().parents[1]
BEAT = 5.0
"""Seconds between lines while packages are being installed."""
PATIENCE = 15.0
"""Seconds for what is ended to clean up."""
NEED = 1_000_000_000
"""Bytes that an environment takes while it is being made."""
NEED_OF_ENGINE = 2_000_000_000
"""Bytes that the largest engine takes with its archive."""
DOWNLOADER = ("anyio", "h11", "httpcore2", "httpx2", "idna", "psutil", "truststore", "typing-extensions")
"""The packages that weft's downloader imports."""


def main() -> None:
    lock = Path(sys.argv[1])
    os.umask(os.umask(0o022) | 0o022)  # nobody else may change what runs as this user
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
    """Download an engine and build jars for it, for as long as the block installs packages. Where that fails, weft tries again, and says why."""
    if not engine:
        yield
        return
    own = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    argv = [python, "-B", "-P", "-m", "weft.host.provision.ahead", engine, str(BEGAN)]
    with subprocess.Popen(argv, env=own, stdin=subprocess.PIPE) as download:
        try:
            yield
        except BaseException:
            assert download.stdin is not None
            download.stdin.close()  # upon which it ends, and removes what is half there
            try:
                download.wait(PATIENCE)
            finally:
                download.kill()
            raise
        download.wait()


def parts(lock: str, *names: str) -> str:
    """The lines of a lock file for some of its packages, with their hashes."""
    found = re.split(r"\n(?=\w)", lock)
    return "\n".join(each for each in found if re.split(r"[=\[ ]", each)[0] in names)


def make(environment: Path, lock: Path, engine: str = "") -> None:
    """In place, because an environment cannot be moved; the stamp is written last. `engine`: what is downloaded meanwhile."""
    free = shutil.disk_usage(environment.parent).free
    if free < NEED:
        stop(
            f"{environment.parent} has {free >> 20} MiB free, {NEED >> 20} are needed",
            "set WEFT_CACHE elsewhere",
        )
    shutil.rmtree(environment, ignore_errors=True)
    say(f"setting up in {environment} (once)")
    needed([sys.executable, "-m", "venv", "--without-pip", str(environment)])
    python = environment / "bin" / "python"
    uv = environment / ".uv"
    packages = Installer(python, uv)
    count = lock.read_text().count("==")
    say(f"installing {count} packages, checked by their hashes")
    ahead = engine if free > NEED + NEED_OF_ENGINE else ""
    if ahead:
        first = environment / "downloader.lock"
        first.write_text(parts(lock.read_text(), *DOWNLOADER))
        packages.install(first)
        first.unlink()
    with engine_ahead(ahead, str(python)):
        packages.install(lock)
        shutil.rmtree(uv, ignore_errors=True)
        close(environment)
        contents = ROOT / "src" / "weft" / "host" / "provision" / "contents.py"
        needed([str(python), "-B", str(contents), str(environment)])
    (environment / ".complete").touch()
    say("ready")


def close(environment: Path) -> None:
    """Directories for what Python compiles later, which it would make with the umask of that time; and nobody else may lock what uv locked."""
    for folder, _, files in os.walk(environment / "lib"):
        if any(file.endswith(".py") for file in files):
            Path(folder, "__pycache__").mkdir(exist_ok=True)
    (environment / ".lock").unlink(missing_ok=True)


class Installer:
    """Installs the packages of a lock for a Python: with uv, in a folder of its own for as long, or with pip once that fails."""

    def __init__(self, python: Path, folder: Path) -> None:
        self._python = str(python)
        self._uv: Path | None = None
        self._pip_options: list[str] = []
        try:
            self._uv = installing.program(folder, say)
        except installing.UnavailableError as error:
            self._use_pip(f"there is no uv ({error})")

    def install(self, lock: Path) -> None:
        if self._uv is not None:
            argv = [*installing.command(self._uv, self._python), str(lock)]
            if not (lines := follow(argv, installing.variables())):
                return
            show(lines)
            shutil.rmtree(self._uv.parent, ignore_errors=True)
            self._uv = None
            self._use_pip("uv failed")
            # a package may be half there
            self._pip_options = ["--force-reinstall"]
        quiet = ["--disable-pip-version-check", "--no-compile", "--progress-bar=off"]
        locked = ["--only-binary", ":all:", "--require-hashes", "--requirement", str(lock)]
        needed([self._python, "-m", "pip", "install", *self._pip_options, *quiet, *locked])

    def _use_pip(self, why: str) -> None:
        say(f"{why}: pip installs packages")
        if importlib.util.find_spec("ensurepip") is None:
            stop(
                f"{sys.executable} cannot install packages: its module ensurepip is missing",
                "apt-get install python3-venv",
            )
        needed([self._python, "-m", "ensurepip"])


def follow(argv: list[str], environment: Mapping[str, str] | None = None) -> list[str]:
    """Run a command to its end, showing the last line of its output now and then. Its last lines if it fails, else none."""
    output = ["still busy"]
    done = threading.Event()

    def beat() -> None:
        while not done.wait(BEAT):
            say(f"  {output[-1][:70]}")

    threading.Thread(target=beat, daemon=True).start()
    pipe, joined = subprocess.PIPE, subprocess.STDOUT
    try:
        # uv prints UTF-8 in any locale
        with subprocess.Popen(
            argv, stdout=pipe, stderr=joined, encoding="utf-8", errors="replace", env=environment
        ) as process:
            assert process.stdout is not None
            output.extend(line.strip() for line in process.stdout)
    finally:
        done.set()
    return output[-12:] if process.returncode else []


def needed(argv: list[str]) -> None:
    """Run a command without which there is no environment."""
    if lines := follow(argv):
        show(lines)
        stop(
            f"`{' '.join(argv[1:4])}` failed", "check the network and pip's index settings, then start again"
        )


def show(lines: Sequence[str]) -> None:
    print("\n".join(f"    {line}" for line in lines), file=sys.stderr)


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
