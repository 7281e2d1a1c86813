"""The preload library for aarch64, built as for a wheel, passes its own tests and needs an old glibc only."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.local import emulated
from tests.needs import NATIVE, USER_NAMESPACES, needs
from weft.host import settings
from weft.host.provision import native

ROOT = settings.SOURCE
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
    needs("mmdebstrap", "readelf", "qemu-aarch64-static", USER_NAMESPACES, *NATIVE),
    pytest.mark.skipif(bool(lacks_rust()), reason=lacks_rust()),
]


@pytest.fixture(scope="module")
def objects() -> Path:
    return native.objects_of(ROOT / "native")


@pytest.fixture(scope="module")
def built(objects: Path) -> dict[str, Path]:
    """The test programs by name, and the library beside them, where they look for it."""
    lock = ROOT / "requirements-build.lock"
    printed = [ROOT / "tools" / "python", lock, "-c", "import sys; print(sys.executable)"]
    builder = subprocess.run(printed, capture_output=True, text=True, check=True).stdout.strip()
    environment = {
        **os.environ,
        "PATH": f"{Path(builder).parent}:{os.environ['PATH']}",
        "CARGO_TARGET_DIR": str(objects),
        "WEFT_OLD_GLIBC": GLIBC,
    }
    common = ["--release", "--locked", "--target", f"{TARGET}.{GLIBC}"]
    common += ["--manifest-path", str(ROOT / "native" / "Cargo.toml")]
    library = ["cargo-zigbuild", "zigbuild", *common, "--package", PACKAGES[0]]
    subprocess.run(library, env=environment, check=True)
    packages = [word for name in PACKAGES for word in ("--package", name)]
    argv = ["cargo-zigbuild", "test", "--no-run", "--message-format=json", *common, *packages]
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
    tools = (
        f"import sys; sys.path.insert(0, {str(ROOT / 'tools')!r}); from symbols import require_old_glibc; "
    )
    check = f"from pathlib import Path; require_old_glibc(Path({str(path)!r}), {GLIBC!r})"
    subprocess.run([sys.executable, "-c", tools + check], check=True)


@pytest.mark.parametrize("name", PROGRAMS)
def test_its_own_tests_pass(built: dict[str, Path], objects: Path, name: str) -> None:
    assert set(PROGRAMS) <= set(built)
    folder = ROOT / "native" / "scratch"
    done = emulated.run([str(built[name])], seen=[objects, ROOT / "native"], directory=folder)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    assert "test result: ok" in done.stdout
