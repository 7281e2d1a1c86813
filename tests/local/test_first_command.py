"""README's first command in a checkout, on a Debian that has Python with venv and nothing else: no Java, Maven, cargo, git."""

import json
import shutil
import subprocess
from collections.abc import Iterator

import pytest

from tests.local import bare
from tests.local.bare import Bare
from tests.needs import NAMESPACES, ROOT, needs
from weft.host import settings

pytestmark = [pytest.mark.long, pytest.mark.timeout(3600), needs(ROOT, NAMESPACES, "mmdebstrap")]


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bare]:
    """With the files of this checkout, and pip and Maven configured for registries on the loopback address."""
    with (
        bare.registries() as registry,
        bare.bare(
            tmp_path_factory.mktemp("bare"),
            {"PIP_INDEX_URL": f"{registry.url}/simple"},
            packages=bare.WITHOUT_JAVA,
        ) as debian,
    ):
        listed = subprocess.run(
            ["git", "-C", settings.SOURCE, "ls-files", "-z"], capture_output=True, check=True
        )
        for name in filter(None, listed.stdout.decode().split("\0")):
            (target := debian.root / "opt" / "weft" / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(settings.SOURCE / name, target, follow_symlinks=False)
        debian.run("useradd", "--create-home", "--uid", "1000", "me")
        for home in ("root", "home/me"):
            (debian.root / home / ".m2").mkdir()
            (debian.root / home / ".m2" / "settings.xml").write_text(bare.settings_xml(registry.url))
        yield debian


USERS = {"": "/root", "1000": "/home/me"}


def terasort(machine: Bare, user: str, engine: str) -> "subprocess.CompletedProcess[str]":
    script = f"cd {USERS[user]} && HOME={USERS[user]} exec /opt/weft/weft run terasort --size 10MB --engine {engine} --json"
    return machine.run("sh", "-c", script, user=user, check=False)


@pytest.mark.parametrize("engine", ["spark", "flink"])
@pytest.mark.parametrize("user", USERS, ids=["root", "a user"])
def test_it_gets_what_it_needs_and_the_result_is_valid(machine: Bare, user: str, engine: str) -> None:
    for program in ("java", "mvn", "cargo", "javac", "cc", "git"):
        assert machine.run("sh", "-c", f"command -v {program}", check=False).returncode != 0
    done = terasort(machine, user, engine)
    assert done.stdout, done.stderr
    assert json.loads(done.stdout)["verdict"] == "VALID", done.stderr
    assert "pip installs" not in done.stderr
    assert (machine.root / USERS[user][1:] / ".cache/weft").is_dir()


def test_an_engine_with_kerberos_says_that_it_needs_another_java(machine: Bare) -> None:
    done = terasort(machine, "", "hadoop")
    assert done.returncode == 2
    assert "lacks the module jdk.security.jgss, which kerberos needs" in done.stderr
    assert not list((machine.root / "root/.cache/weft").glob("hadoop-*"))
