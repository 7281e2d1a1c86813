"""What tools/build does: everything that is made from sources, in a copy of the checkout, and from that the archives.

The same commit gives the same archives, as long as the cache keeps the lists of classes: those come from a run.
"""

import hashlib
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import components
import sbom
from symbols import require_gccs_unwinder, require_old_glibc

from weft import __version__
from weft.api.flags import Flags
from weft.api.request import study_of
from weft.cli.guard import run_guarded
from weft.errors import MissingError, UsageError, WeftError
from weft.host import settings, shell
from weft.host.provision import distribution, jars, jdk, native
from weft.host.provision.tree import building, cached, digest, locked
from weft.run.provisioning import class_lists, downloaded
from weft.spec.model import Spec

ROOT = settings.SOURCE
GLIBC = "2.17"
"""Of RHEL 7 and its time; manylinux2014 (PEP 599)."""
MACHINES = ("x86_64", "aarch64")
"""As `uname -m` has them; a wheel is for one of them."""
MODULES = sorted(pom.parent.name for pom in (ROOT / "java").glob("*/pom.xml"))


def main() -> None:
    builder = Path(sys.argv[1])
    out = Path(sys.argv[2] if len(sys.argv) > 2 else settings.cache() / "dist").resolve()
    machines = sys.argv[3:] or [platform.machine()]
    for machine in machines:
        _require_machine(machine)
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=settings.cache(), prefix=".build-") as scratch:
        source = Path(scratch) / "source"
        _copy(source)
        _archive(builder, "sdist", source, out)
        shipped = source / "src" / "weft" / "shipped"
        _ship(shipped)
        for machine in machines:
            shutil.rmtree(shipped / "native", ignore_errors=True)
            ship_native(_native(builder, machine), shipped / "native")
            (shipped / "about.json").write_text(json.dumps(_about(machine), indent=1) + "\n")
            _archive(builder, "wheel", source, out)


def _require_machine(machine: str) -> None:
    """Raises WeftError if this machine's Rust cannot compile for it."""
    if machine not in MACHINES:
        raise UsageError(f"no wheel can be built for {machine}", hint=f"one of {', '.join(MACHINES)}")
    target = _target(machine)
    if machine != platform.machine():
        rustc = os.environ.get("RUSTC", "rustc")
        library = shell.run([rustc, "--print", "target-libdir", "--target", target]).out.strip()
        if not Path(library).is_dir():
            raise MissingError(
                f"Rust has no standard library for {machine}: {library}",
                hint=f"rustup target add {target}, or Debian's libstd-rust-web-dev of that architecture",
            )


def _target(machine: str) -> str:
    return f"{machine}-unknown-linux-gnu"


def _copy(source: Path) -> None:
    """The files of the checkout that git knows, or all of an unpacked sdist."""
    listed = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "-z"], capture_output=True, text=True, check=False
    )
    if listed.returncode == 0:
        for name in filter(None, listed.stdout.split("\0")):
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, source / name, follow_symlinks=False)
    else:
        shutil.copytree(ROOT, source, symlinks=True)


def _ship(shipped: Path) -> None:
    """As settings.shipped() describes it, without what differs between machines."""
    homes = {name: distribution.home(name, say) for name in distribution.DISTRIBUTIONS if name in MODULES}
    more = [module for module in MODULES if module not in homes and module != "core"]
    (shipped / "jars").mkdir(parents=True)
    for path in jars.build(list(homes), more, say).values():
        shutil.copy(path, shipped / "jars")
    (shipped / "classes").mkdir()
    # together they start every process of which classes are listed
    for home, listed in class_lists([_spec(engine) for engine in downloaded()], say).items():
        shutil.copy(listed, shipped / "classes" / f"{home.name}.txt")
    shutil.copytree(ROOT / "studies", shipped / "studies")
    shutil.copytree(ROOT / "machines", shipped / "machines")
    shutil.copytree(ROOT / "native" / "latencyfs" / "profiles", shipped / "profiles")
    (shipped / "notices.txt").write_text(sbom.notices([*components.rust(), *components.java(say)]))
    engines = components.engines(distribution.homes(list(distribution.DISTRIBUTIONS), say))
    (shipped / "engines.txt").write_text(sbom.of_engines(engines))


def ship_native(built: Path, shipped: Path) -> None:
    """The programs alone: beside them, the cache keeps what it knows of them, with times and inodes."""
    shutil.copytree(built, shipped, ignore=shutil.ignore_patterns(".*"))


def _spec(engine: str) -> Spec:
    ((_, spec),) = study_of("terasort", Flags(engine=engine)).cells()
    return spec


def _native(builder: Path, machine: str) -> Path:
    """The directory of the native programs, linked against an old glibc; kept in the cache."""
    source = ROOT / "native"
    key = f"native-{GLIBC}-{digest([source, ROOT / 'requirements-build.lock'], _target(machine), native.cargo()[1])}"
    with building(key, 2_000_000_000) as target:
        if target is not None:
            say(f"building weft's native programs for {machine} and glibc {GLIBC} (once, minutes)")
            _cargo(builder, source, target, _target(machine))
    found = cached(key)
    assert found is not None
    return found


def _cargo(builder: Path, source: Path, folder: Path, target: str) -> None:
    objects = native.objects_of(source)
    argv = [
        native.cargo()[0],
        "zigbuild",
        "--quiet",
        "--release",
        "--locked",
        "--target",
        f"{target}.{GLIBC}",
    ]
    products = [*native.PRODUCTS, *(name for names in native.ENGINES.values() for name in names)]
    packages = [word for name in (*native.PACKAGES, *native.ENGINES) for word in ("--package", name)]
    cargo_home = os.environ.get("CARGO_HOME") or Path.home() / ".cargo"
    # no path of this machine is left in the programs; those of weft's own sources are relative
    renamed = f"--remap-path-prefix={cargo_home}=/cargo"
    environment = {
        "PATH": f"{builder.parent}:{os.environ['PATH']}",
        "CARGO_TARGET_DIR": str(objects),
        "CARGO_ENCODED_RUSTFLAGS": renamed,
        "WEFT_OLD_GLIBC": GLIBC,
    }
    with locked(objects.with_name(f".{objects.name}.lock")):
        shell.run(
            [*argv, "--manifest-path", str(source / "Cargo.toml"), *packages], timeout=1800, env=environment
        )
        for product in products:
            shutil.copy(objects / target / "release" / product, folder)
    for product in products:
        require_old_glibc(folder / product, GLIBC)
    require_gccs_unwinder(folder / "libweft_scratch.so")


def _about(machine: str) -> dict[str, str]:
    """What `weft --version` shows."""
    return {
        "version": __version__,
        "commit": git("rev-parse", "HEAD") + ("-changed" if git("status", "--porcelain") else ""),
        "platform": f"manylinux_{GLIBC.replace('.', '_')}_{machine}",
        "rust": native.cargo()[1],
        "java": str(jdk.version(jdk.java())),
    }


def _archive(builder: Path, kind: str, source: Path, out: Path) -> None:
    """An archive by hatchling, with the commit's time in place of those of the files."""
    say(f"packing the {kind}")
    environment = {"SOURCE_DATE_EPOCH": git("log", "-1", "--format=%ct") or "1767225600", "PYTHONPATH": ""}
    argv = [str(builder), "-m", "hatchling", "build", "--target", kind, "--directory", str(out)]
    done = subprocess.run(
        argv, cwd=source, env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise WeftError(f"the {kind} could not be packed", tail=done.stderr.splitlines()[-8:])
    path = Path(done.stdout.split()[-1] if done.stdout.strip() else done.stderr.split()[-1])
    path = path if path.is_absolute() else out / path.name
    print(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path}", flush=True)


def git(*arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    run_guarded(main)
