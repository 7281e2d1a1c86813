"""weft's native programs, built by cargo once per version of native/."""

import re
import shutil
import tomllib
from pathlib import Path

from weft.errors import MissingError, WeftError
from weft.host import settings, shell
from weft.host.provision.tree import Say, building, cached, digest, locked

PRELOAD = "libweft_scratch.so"
"""The library that counts and serves file calls."""

PRODUCTS = ("latencyfs", "weft-scratch", "gauge", PRELOAD)
_INSTALL = "apt-get install cargo (on Debian 12 cargo-web), or https://rustup.rs"
PACKAGES = ("latencyfs", "weft-scratch", "gauge")


def build(say: Say) -> Path:
    """The directory with PRODUCTS, which an installed weft has. Raises MissingError if cargo is missing or the build fails."""
    if shipped := settings.shipped():
        return shipped / "native"
    source = settings.SOURCE / "native"
    key = f"native-{digest([source])}"
    if found := cached(key):
        return found
    program, _ = cargo()
    with building(key, 1_500_000_000, say) as target:
        if target is not None:
            say("building weft's native programs (once, a minute or two)")
            _compile(program, source, target)
    found = cached(key)
    assert found is not None
    return found


def cargo() -> tuple[str, str]:
    """Rust's builder and its version. Raises MissingError when it is not there, or older than native/ wants it."""
    oldest = tomllib.loads((settings.SOURCE / "native" / "Cargo.toml").read_text())["workspace"]["package"]
    wanted = f"Rust {oldest['rust-version']} or newer, for delayed and pool storage, the fileops probe and `weft calibrate`"
    found = shutil.which("cargo") or shutil.which("cargo", path=str(Path.home() / ".cargo" / "bin"))
    if found is None:
        raise MissingError(f"the program `cargo` is not installed: {wanted}", hint=_INSTALL)
    version = re.search(r"\d+\.\d+(\.\d+)?", shell.run([found, "--version"]).out)
    if version is None or _numbers(version[0]) < _numbers(oldest["rust-version"]):
        known = version[0] if version else "of no known version"
        raise MissingError(f"{found} is {known}: weft needs {wanted}", hint=_INSTALL)
    return found, version[0]


def _numbers(version: str) -> list[int]:
    return [int(part) for part in version.split(".")]


def objects_of(source: Path) -> Path:
    """Cargo's directory for a checkout.

    Each has its own: cargo names what it compiles by the path below the workspace and compares times, so that it would
    take the programs of another checkout for those of an older one.
    """
    return settings.cache() / f"native-objects-{digest([], str(source))}"


def _compile(cargo: str, source: Path, target: Path) -> None:
    packages = [word for name in PACKAGES for word in ("--package", name)]
    argv = [
        cargo,
        "build",
        "--quiet",
        "--release",
        "--locked",
        "--manifest-path",
        str(source / "Cargo.toml"),
        *packages,
    ]
    objects = objects_of(source)  # kept for incremental builds
    # cargo's own lock ends with its build: another process would replace the programs before they are copied
    with locked(objects.with_name(f".{objects.name}.lock")):
        try:
            shell.run(argv, timeout=1800, env={"CARGO_TARGET_DIR": str(objects)})
        except WeftError as error:
            raise MissingError(
                "building weft's native programs failed", tail=error.tail, hint="run `cargo build` in native/"
            ) from error
        for product in PRODUCTS:
            shutil.copy(objects / "release" / product, target)
