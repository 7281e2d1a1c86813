"""weft's native programs, built by cargo once per state of native/."""

import shutil
from pathlib import Path

from weft.errors import MissingError, WeftError
from weft.host import settings, shell
from weft.host.provision.tree import Say, building, cached, digest

PRELOAD = "libweft_scratch.so"
"""The library that counts and serves."""

PRODUCTS = ("latencyfs", "weft-scratch", PRELOAD)
_PACKAGES = ("latencyfs", "weft-scratch")


def build(say: Say) -> Path:
    """The directory that holds PRODUCTS. Raises MissingError when cargo is not there or the build fails."""
    source = settings.SOURCE / "native"
    key = f"native-{digest([source])}"
    if found := cached(key):
        return found
    cargo = _cargo()
    with building(key, 1_500_000_000) as target:
        if target is not None:
            say("building weft's native programs (once, a minute or two)")
            _compile(cargo, source, target)
    found = cached(key)
    assert found is not None
    return found


def _cargo() -> str:
    found = shutil.which("cargo") or shutil.which("cargo", path=str(Path.home() / ".cargo" / "bin"))
    if found is None:
        raise MissingError(
            "delayed and pool storage and the fileops probe need cargo, which is not on this machine",
            hint="install Rust (rustup.rs), or use disk, memory, loopback or mount storage",
        )
    return found


def _compile(cargo: str, source: Path, target: Path) -> None:
    packages = [word for name in _PACKAGES for word in ("--package", name)]
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
    objects = settings.cache() / "native-objects"  # kept, so that a change compiles only what it touches
    try:
        shell.run(argv, timeout=1800, env={"CARGO_TARGET_DIR": str(objects)})
    except WeftError as error:
        raise MissingError(
            "weft's native programs could not be built", tail=error.tail, hint="run `cargo build` in native/"
        ) from error
    for product in PRODUCTS:
        shutil.copy(objects / "release" / product, target)
