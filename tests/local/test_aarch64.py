"""The preload library for aarch64, built as for a wheel, passes its own tests and needs an old glibc only."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
import symbols

from tests.local import emulated
from tests.needs import NAMESPACES, NATIVE, ROOT, needs
from weft.host import settings
from weft.host.provision import native

CHECKOUT = settings.SOURCE
TARGET = "aarch64-unknown-linux-gnu"
GLIBC = "2.17"
PACKAGES = ("weft-scratch", "weft-scratch-core")
INTEGRATION = ("count", "crash", "differential", "exerciser", "handshake", "network", "programs")
"""Of native/scratch: they start programs with the library."""
PROGRAMS = (*INTEGRATION, "weft-scratch", "weft_scratch_core")


def lacks_rust() -> str:
    """Why Rust cannot compile for it here; empty if it can."""
    rustc = shutil.which("rustc") or "rustc"
    try:
        done = subprocess.run(
            [rustc, "--print", "target-libdir", "--target", TARGET],
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return "there is no rustc"
    return "" if Path(done.stdout.strip()).is_dir() else f"Rust has no standard library for {TARGET}"


pytestmark = [
    pytest.mark.long,
    pytest.mark.timeout(3600),
    needs(ROOT, "mmdebstrap", "readelf", "qemu-aarch64-static", NAMESPACES, *NATIVE),
    pytest.mark.skipif(bool(lacks_rust()), reason=lacks_rust()),
]


@pytest.fixture(scope="module")
def objects() -> Path:
    return native.objects_of(CHECKOUT / "native")


@pytest.fixture(scope="module")
def built(objects: Path) -> dict[str, Path]:
    """The test programs by name, and the library and fsx beside them, where they look for these."""
    lock = CHECKOUT / "requirements-build.lock"
    printed = [CHECKOUT / "tools" / "python", lock, "-c", "import sys; print(sys.executable)"]
    builder = subprocess.run(printed, capture_output=True, text=True, check=True).stdout.strip()
    environment = {
        **os.environ,
        "PATH": f"{Path(builder).parent}:{os.environ['PATH']}",
        "CARGO_TARGET_DIR": str(objects),
        "WEFT_OLD_GLIBC": GLIBC,
    }
    common = ["--release", "--locked", "--manifest-path", str(CHECKOUT / "native" / "Cargo.toml")]
    # fsx, which no wheel has, calls what glibc has had since 2.27
    for package, glibc in {PACKAGES[0]: GLIBC, "fsx": "2.28"}.items():
        wanted = ["--target", f"{TARGET}.{glibc}", "--package", package]
        subprocess.run(["cargo-zigbuild", "zigbuild", *common, *wanted], env=environment, check=True)
    packages = [word for name in PACKAGES for word in ("--package", name)]
    argv = ["cargo-zigbuild", "test", "--no-run", "--message-format=json", *common, *packages]
    argv += ["--target", f"{TARGET}.{GLIBC}"]
    done = subprocess.run(argv, env=environment, check=True, stdout=subprocess.PIPE, text=True)
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    programs = [line for line in lines if line.get("executable") and line["profile"]["test"]]
    return {line["target"]["name"]: Path(line["executable"]) for line in programs}


@pytest.mark.parametrize("product", native.PACKAGES["weft-scratch"])
def test_it_needs_an_old_glibc_only(built: dict[str, Path], objects: Path, product: str) -> None:
    path = objects / TARGET / "release" / product
    assert (
        "AArch64"
        in subprocess.run(["readelf", "-h", path], capture_output=True, text=True, check=True).stdout
    )
    symbols.require_old_glibc(path, GLIBC)
    if product.endswith(".so"):
        symbols.require_gccs_unwinder(path)


@pytest.mark.parametrize("name", PROGRAMS)
def test_its_own_tests_pass(built: dict[str, Path], objects: Path, name: str) -> None:
    assert set(PROGRAMS) <= set(built)
    folder = CHECKOUT / "native" / "scratch"
    done = emulated.run([str(built[name])], seen=[objects, CHECKOUT / "native"], directory=folder)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    assert "test result: ok" in done.stdout
