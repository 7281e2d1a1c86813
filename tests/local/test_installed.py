"""weft from its wheel, on a Debian that has Python and a Java runtime and nothing else."""

import json
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.local import bare
from tests.local.bare import Bare
from tests.needs import NAMESPACES, NATIVE, ROOT, needs
from tests.unit.test_containerfiles import definition

pytestmark = [
    pytest.mark.long,
    pytest.mark.timeout(3600),
    needs(ROOT, NAMESPACES, "mmdebstrap", "readelf", *NATIVE),
]
WEFT = "/opt/weft/bin/weft"


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bare]:
    """With weft installed by pip from the wheel, and pip and Maven configured for registries on the loopback address."""
    wheel = bare.wheel()
    with (
        bare.registries(wheel) as registry,
        bare.bare(tmp_path_factory.mktemp("bare"), {"PIP_INDEX_URL": f"{registry.url}/simple"}) as debian,
    ):
        (debian.root / "root" / ".m2").mkdir()
        (debian.root / "root" / ".m2" / "settings.xml").write_text(bare.settings_xml(registry.url))
        began = time.monotonic()
        debian.run("python3", "-m", "venv", "/opt/weft")
        debian.run("/opt/weft/bin/pip", "install", "--quiet", "--no-compile", "weft")
        print(f"pip install: {time.monotonic() - began:.1f} s")  # seen with -rP
        yield debian


def terasort(machine: Bare, *words: str) -> dict[str, str]:
    done = machine.run(WEFT, "run", "terasort", "--size", "100MB", *words, "--json", check=False)
    assert done.stdout, done.stderr
    found: dict[str, str] = json.loads(done.stdout)
    assert found["verdict"] == "VALID", done.stderr
    return found


def test_it_says_what_it_was_built_from(machine: Bare) -> None:
    assert "platform=manylinux_2_17_" in machine.run(WEFT, "--version").stdout


def test_nothing_of_a_builder_is_there(machine: Bare) -> None:
    for program in ("mvn", "cargo", "javac", "cc", "git"):
        assert machine.run("sh", "-c", f"command -v {program}", check=False).returncode != 0


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("--scratch", "delayed:lustre"),
        ("--scratch", "pool"),
        ("--engine", "flink"),
        ("--engine", "hadoop"),
    ],
    ids=" ".join,
)
def test_a_run_is_valid(machine: Bare, words: tuple[str, ...]) -> None:
    began = time.monotonic()
    assert terasort(machine, *words)["bytes_out"] == 100_000_000
    print(f"{' '.join(words) or 'spark'}: {time.monotonic() - began:.1f} s with download")  # seen with -rP


def test_engines_are_in_the_cache_and_nothing_is_below_the_installation(machine: Bare) -> None:
    written: set[Path] = set((machine.root / "opt/weft/lib").rglob("*.partial"))
    assert written == set()
    assert list((machine.root / "root/.cache/weft").glob("spark-*"))


def test_the_steps_of_the_containers_definition_give_a_weft(tmp_path_factory: pytest.TempPathFactory) -> None:
    """As Apptainer would take them, on the same Debian."""
    wheel, made = bare.wheel(), definition()
    with (
        bare.registries(wheel) as registry,
        bare.bare(tmp_path_factory.mktemp("image"), {"PIP_INDEX_URL": f"{registry.url}/simple"}) as debian,
    ):
        shutil.copy(wheel, debian.root / "opt")
        debian.run("sh", "-e", "-c", "\n".join(made["post"]))
        script = "\n".join([*made["environment"], *made["runscript"]])
        assert "platform=manylinux_2_17_" in debian.run("sh", "-c", script, "sh", "--version").stdout
        assert list((debian.root / "opt").iterdir()) == [debian.root / "opt" / "weft"]
