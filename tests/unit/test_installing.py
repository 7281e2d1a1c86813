"""uv, with which a checkout installs its packages: where it comes from, which settings of pip it follows, and when pip takes its place."""

import io
import os
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import bootstrap
import installing
import pytest

from tests.fakes import fake_program
from tests.mirror import Registry, python_page, serving, sha256
from weft.host import settings
from weft.host.provision.wheelset import Wheel

FILE = f"uv-{installing.UV.version}-py3-none-any.whl"
SCRIPT = '#!/bin/sh\necho "$@" "$UV_DEFAULT_INDEX" >"$(dirname "$0")/../installed"\n'


def silent(text: str) -> None:
    """Says nothing."""


@pytest.fixture
def wheel(monkeypatch: pytest.MonkeyPatch) -> bytes:
    """A locked uv that writes down what it is asked for."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr(f"uv-{installing.UV.version}.data/scripts/uv", SCRIPT)
    whole = content.getvalue()
    monkeypatch.setitem(vars(installing.UV), "wheels", [Wheel(sha256(whole), len(whole), FILE)])
    return whole


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch, wheel: bytes) -> Iterator[Registry]:
    """The index of pip's settings, which has it."""
    for variable in list(settings.pip()):
        monkeypatch.delenv("PIP_" + variable.upper().replace("-", "_"))
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    files = {"/simple/uv/": python_page(FILE, f"../../files/{FILE}"), f"/files/{FILE}": wheel}
    with serving(Registry(files=files)) as running:
        monkeypatch.setenv("PIP_INDEX_URL", f"{running.url}/simple")
        yield running


def test_the_program_comes_from_the_index_of_pips_settings(registry: Registry, tmp_path: Path) -> None:
    found = installing.program(tmp_path / "uv", silent)
    assert found.read_text() == SCRIPT
    assert os.access(found, os.X_OK)
    assert list((tmp_path / "uv").iterdir()) == [found]


def test_it_comes_from_a_directory_of_find_links_too(
    registry: Registry, wheel: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / FILE).write_bytes(wheel)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    assert installing.program(tmp_path / "uv", silent).read_text() == SCRIPT
    assert registry.asked == []


def test_one_with_another_checksum_is_not_run(registry: Registry, tmp_path: Path) -> None:
    registry.files[f"/files/{FILE}"] = b"another"
    with pytest.raises(installing.UnavailableError, match=f"{FILE} has the checksum "):
        installing.program(tmp_path / "uv", silent)


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        (
            "INDEX_URL",
            "http://me:secret@127.0.0.1:9/simple",
            "http://127.0.0.1:9/simple/uv/ needs a password",
        ),
        ("INDEX_URL", "file:///simple", "file:///simple/uv/ is no address of HTTP"),
        ("INDEX_URL", "https://127.0.0.1:9/simple", "without its certificate"),
        ("NO_INDEX", "1", f"no index of pip's settings has {FILE}"),
        ("CERT", "/nowhere.pem", "No such file"),
    ],
)
def test_what_urllib_cannot_do_safely_is_left_to_pip(
    registry: Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str, why: str
) -> None:
    monkeypatch.setenv("PIP_TRUSTED_HOST", "127.0.0.1")
    monkeypatch.setenv(f"PIP_{name}", value)
    with pytest.raises(installing.UnavailableError) as raised:
        installing.program(tmp_path / "uv", silent)
    assert why in str(raised.value)
    assert "secret" not in str(raised.value)


def test_an_index_without_it_is_named(registry: Registry, tmp_path: Path) -> None:
    registry.files.clear()
    with pytest.raises(installing.UnavailableError, match=f"{registry.url}/simple/uv/: HTTP Error 404"):
        installing.program(tmp_path / "uv", silent)


def test_the_next_index_has_it(registry: Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", f"{registry.url}/empty")
    monkeypatch.setenv("PIP_EXTRA_INDEX_URL", f"http://127.0.0.1:9/simple {registry.url}/simple")
    assert installing.program(tmp_path / "uv", silent).read_text() == SCRIPT


def test_certificates_may_be_a_directory(
    registry: Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder := tmp_path / "authorities").mkdir()
    monkeypatch.setenv("PIP_CERT", str(folder))
    assert installing.program(tmp_path / "uv", silent).read_text() == SCRIPT


@pytest.mark.parametrize("script", ["#!/nowhere/loader\n", "#!/bin/sh\nexit 1\n"])
def test_one_that_does_not_start_here_is_not_used(
    tmp_path: Path, registry: Registry, monkeypatch: pytest.MonkeyPatch, script: str
) -> None:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr(f"uv-{installing.UV.version}.data/scripts/uv", script)
    registry.files[f"/files/{FILE}"] = whole = content.getvalue()
    monkeypatch.setitem(vars(installing.UV), "wheels", [Wheel(sha256(whole), len(whole), FILE)])
    with pytest.raises(installing.UnavailableError):
        installing.program(tmp_path / "uv", silent)


def test_a_machine_without_a_uv(registry: Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(vars(installing.UV), "wheels")
    monkeypatch.setattr("platform.machine", lambda: "ppc64le")
    with pytest.raises(installing.UnavailableError, match=r"no wheel of uv .* on ppc64le"):
        installing.program(tmp_path / "uv", silent)


def test_pips_settings_have_the_names_that_uv_has_for_them(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for variable in list(settings.pip()):
        monkeypatch.delenv("PIP_" + variable.upper().replace("-", "_"))
    given = {
        "CONFIG_FILE": os.devnull,
        "INDEX_URL": "https://me:secret@a/simple",
        "EXTRA_INDEX_URL": "https://b https://c",
        "FIND_LINKS": f"{tmp_path} /nowhere https://d/list",
        "TRUSTED_HOST": "a b:8443",
        "CERT": "/site/ca.pem",
        "CLIENT_CERT": "/site/me.pem",
        "PROXY": "proxy.site:3128",
        "TIMEOUT": "7",
        "RETRIES": "2",
    }
    for name, value in given.items():
        monkeypatch.setenv(f"PIP_{name}", value)
    monkeypatch.setenv("UV_OFFLINE", "1")
    found = installing.variables()
    assert {name: value for name, value in found.items() if name not in os.environ} == {
        "UV_DEFAULT_INDEX": "https://me:secret@a/simple",
        "UV_INDEX": "https://b https://c",
        "UV_INDEX_STRATEGY": "unsafe-best-match",
        "UV_FIND_LINKS": f"https://d/list,{tmp_path}",
        "UV_INSECURE_HOST": "a b:8443",
        "UV_HTTP_TIMEOUT": "7",
        "UV_HTTP_RETRIES": "2",
        "UV_SYSTEM_CERTS": "1",
        "SSL_CLIENT_CERT": "/site/me.pem",
        "HTTP_PROXY": "http://proxy.site:3128",
        **({} if "SSL_CERT_FILE" in os.environ else {"SSL_CERT_FILE": "/site/ca.pem"}),
        **({} if "HTTPS_PROXY" in os.environ else {"HTTPS_PROXY": "http://proxy.site:3128"}),
    }
    assert "UV_OFFLINE" not in found
    assert "secret" not in " ".join(installing.command(Path("uv"), "python"))


def test_pip_installs_where_uv_fails(
    registry: Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    ran: list[list[str]] = []
    lock = tmp_path / "requirements.lock"
    lock.touch()
    packages = bootstrap.Installer(Path(sys.executable), tmp_path / "uv")
    packages.install(lock)
    asked = (tmp_path / "installed").read_text().split()
    assert asked[-2:] == [str(lock), f"{registry.url}/simple"]
    assert {"--require-hashes", "--no-build", "--no-config"} <= set(asked)
    fake_program(tmp_path / "uv", "uv", r"printf '\303\227 \377 it broke\n'; exit 1")
    monkeypatch.setattr(bootstrap, "needed", ran.append)
    packages.install(lock)
    packages.install(lock)
    assert [argv[2] for argv in ran] == ["ensurepip", "pip", "pip"]
    assert all("--force-reinstall" in argv for argv in ran[1:])
    assert not (tmp_path / "uv").exists()
    assert "    \u00d7 \ufffd it broke\n" in capfd.readouterr().err
    monkeypatch.setattr(bootstrap.importlib.util, "find_spec", lambda name: None)
    registry.files.clear()
    with pytest.raises(SystemExit):
        bootstrap.Installer(Path(sys.executable), tmp_path / "again")
    assert "hint: apt-get install python3-venv" in capfd.readouterr().err
