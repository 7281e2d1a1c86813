"""weft's native programs, built by cargo once per version of native/."""

import re
import shutil
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

from weft.errors import MissingError, WeftError
from weft.host import settings, shell
from weft.host.own import made
from weft.host.provision.tree import Say, building, cached, digest, locked
from weft.text.arguments import repeat

PRELOAD = "libweft_scratch.so"
"""The library that counts and serves file calls."""

PACKAGES: Mapping[str, tuple[str, ...]] = {
    "latencyfs": ("latencyfs",),
    "weft-scratch": ("weft-scratch", PRELOAD),
    "gauge": ("gauge",),
}
"""The products of each package that storages, probes and `weft calibrate` need."""
ENGINES: Mapping[str, tuple[str, ...]] = {
    "weft-timely": ("weft-timely",),
    "weft-listen": ("libweft_listen.so",),
}
"""The same of engines, each built for its own runs only."""
PRODUCTS = tuple(product for products in PACKAGES.values() for product in products)


def _install() -> str:
    return f"{shell.install('cargo')} (on Debian 12 cargo-web), or https://rustup.rs"


def build(say: Say, packages: Sequence[str] = tuple(PACKAGES)) -> Path:
    """The directory with the products of some packages; all of them if weft is installed.

    Raises MissingError if cargo is missing or the build fails.
    """
    if shipped := settings.shipped():
        return shipped / "native"
    source = settings.SOURCE / "native"
    key = f"native-{digest([source], *packages)}"
    if found := cached(key):
        return found
    program, _ = cargo(packages)
    with building(key, 1_500_000_000, say) as target:
        if target is not None:
            say("building weft's native programs (once, a minute or two)")
            _compile(program, source, target, packages)
    found = cached(key)
    assert found is not None
    return found


def cargo(packages: Sequence[str] = ()) -> tuple[str, str]:
    """Rust's builder and its version. Raises MissingError when it is not there, or older than what it builds wants it."""
    oldest = _oldest(packages)
    what = ", ".join(name for name in packages if name in ENGINES)
    what = what or "delayed and pool storage, the fileops probe and `weft calibrate`"
    wanted = f"Rust {oldest} or newer, for {what}"
    found = shutil.which("cargo") or shutil.which("cargo", path=str(Path.home() / ".cargo" / "bin"))
    if found is None:
        raise MissingError(f"the program `cargo` is not installed: {wanted}", hint=_install())
    done = shell.run([found, "--version"], check=False)
    if done.code != 0:
        why = (done.err.strip().splitlines() or [f"exit code {done.code}"])[0]
        raise MissingError(
            f"{found} is there and does not run ({why}): {wanted}",
            hint=f"rustup default stable, or {_install()}",
        )
    version = re.search(r"\d+\.\d+(\.\d+)?", done.out)
    if version is None or _numbers(version[0]) < _numbers(oldest):
        known = version[0] if version else "of no known version"
        raise MissingError(f"{found} is {known}: weft needs {wanted}", hint=_install())
    return found, version[0]


def _oldest(packages: Sequence[str]) -> str:
    """The oldest Rust that builds them: the workspace's, or that of an engine."""
    native = settings.SOURCE / "native"
    tables = [tomllib.loads((native / "Cargo.toml").read_text(encoding="utf-8"))["workspace"]["package"]]
    for name in packages:
        if name in ENGINES:
            manifest = native / name.removeprefix("weft-") / "Cargo.toml"
            tables.append(tomllib.loads(manifest.read_text(encoding="utf-8"))["package"])
    return max((str(table["rust-version"]) for table in tables), key=_numbers)


def _numbers(version: str) -> list[int]:
    return [int(part) for part in version.split(".")]


def objects_of(source: Path) -> Path:
    """Cargo's directory for a checkout.

    Each has its own: cargo names what it compiles by the path below the workspace and compares times, so that it would
    take the programs of another checkout for those of an older one.
    """
    return settings.cache() / f"native-objects-{digest([], str(source))}"


def command(cargo: str, source: Path, packages: Sequence[str] = tuple(PACKAGES)) -> list[str]:
    """What compiles packages of a checkout."""
    chosen = repeat("--package", packages)
    where = ["--manifest-path", str(source / "Cargo.toml")]
    return [cargo, "build", "--quiet", "--release", "--locked", *where, *chosen]


def _compile(cargo: str, source: Path, target: Path, packages: Sequence[str]) -> None:
    objects = objects_of(source)  # kept for incremental builds, of which nobody else may change a part
    made(objects, 0o700)
    # cargo's own lock ends with its build: another process would replace the programs before they are copied
    with locked(objects.with_name(f".{objects.name}.lock")):
        try:
            shell.run(command(cargo, source, packages), timeout=1800, env={"CARGO_TARGET_DIR": str(objects)})
        except WeftError as error:
            raise MissingError(
                "building weft's native programs failed", tail=error.tail, hint="run `cargo build` in native/"
            ) from error
        for product in [product for name in packages for product in {**PACKAGES, **ENGINES}[name]]:
            shutil.copy(objects / "release" / product, target)
