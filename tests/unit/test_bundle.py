"""What a bundle is made of, and what refuses to be one."""

import os
import subprocess
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.needs import ROOT, needs
from weft import __version__
from weft.cli import app, manual
from weft.cli.verbs import VERBS
from weft.doctor import owndirectories
from weft.errors import MissingError, UsageError
from weft.host import settings
from weft.host.provision import bundle, contents, distribution, environment, jdk
from weft.host.provision.tree import cached

HOMES = distribution.homes
PYTHON = f"{sys.version_info[0]}.{sys.version_info[1]}"


def test_a_checkout_makes_no_bundle() -> None:
    done = CliRunner().invoke(app, ["bundle"])
    assert isinstance(done.exception, UsageError)
    assert "checkout" in done.exception.message
    assert "tools/build" in done.exception.hint


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--engine", "sprak"], "unknown engine 'sprak'"),
        (["--java", "/nowhere"], "/nowhere is no Java runtime"),
    ],
)
def test_a_wrong_request_is_refused_at_once(words: list[str], why: str) -> None:
    assert why in str(CliRunner().invoke(app, ["bundle", *words]).exception)


def test_an_engine_comes_with_the_libraries_that_workloads_need_besides_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    packed: list[bundle.Contents] = []
    monkeypatch.setattr(bundle, "pack", lambda contents, out, say: packed.append(contents))
    for engines in ("spark", "flink,hadoop,kafka"):
        assert CliRunner().invoke(app, ["bundle", "--engine", engines]).exit_code == 0
    spark, others = (set(each.engines) for each in packed)
    assert spark == {"spark", "spark-kafka", "async-profiler"}
    assert others == {"flink", "hadoop", "kafka", "flink-sql", "flink-kafka", "async-profiler"}


def test_what_an_installation_lacks_is_named(installed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(distribution, "homes", HOMES)
    monkeypatch.setenv("WEFT_CACHE", str(installed.parents[2] / "own"))

    def unreachable(*_: object, **__: object) -> None:
        raise MissingError("x.jar could not be downloaded: no route", hint="check the network")

    monkeypatch.setattr(distribution, "fetch_all", unreachable)
    with pytest.raises(MissingError, match=r"^x\.jar could not be downloaded"):
        distribution.homes(["flink-sql"], print)
    prefix = installed.parents[2]
    (prefix / "share" / "weft").mkdir(parents=True)
    (prefix / "share" / "weft" / "prefix.json").write_text("{}")
    with pytest.raises(
        MissingError, match=rf"the installation in {prefix} has no flink-sql, and x\.jar"
    ) as found:
        distribution.homes(["flink-sql"], print)
    assert "weft bundle --engine" in found.value.hint


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An environment with a weft, which has one engine in its cache."""
    package = tmp_path / "env" / "site-packages" / "weft"
    (package / "shipped").mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "shipped" / "notices.txt").write_text("licences")
    (package / "__main__.py").write_text("print('weft of the bundle')\n")
    (package / "pipsettings.py").touch()
    for name in ("pip", "pip-23.0.1.dist-info", "setuptools"):
        (package.parent / name).mkdir()
    home = tmp_path / "cache" / "engine-1"
    home.mkdir(parents=True)
    (home / "engine.jar").write_text("jar")
    (home / "link").symlink_to("engine.jar")
    monkeypatch.setenv("WEFT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(settings, "PACKAGE", package)
    monkeypatch.setattr(distribution, "homes", lambda *_: {"engine": home})
    (java := tmp_path / "cache" / "java-21").mkdir()
    monkeypatch.setattr(jdk, "own", lambda _: java)
    monkeypatch.setattr(bundle, "_completion", lambda name: f"completion for {name}\n")
    return package


@pytest.fixture(autouse=True)
def shell_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of an installation without engines, for the Python of the tests."""
    monkeypatch.setenv("WEFT_NO_ARCHIVES", "1")
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")


def unpacked(directory: Path) -> tuple[Path, str]:
    """A new bundle, and the checksum of its manifest."""
    out, messages = directory / "bundle.tar.gz", []
    bundle.pack(bundle.Contents(["engine"], None, {"weft.1": "page"}), out, messages.append)
    with tarfile.open(out) as archive:
        archive.extraction_filter = getattr(
            tarfile, "tar_filter", None
        )  # Debian 12's Python 3.11.2 has no filters
        archive.extractall(directory / "unpacked")
    return directory / "unpacked" / f"weft-{__version__}", messages[-1].split()[-1]


def install(root: Path, *words: str | Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([root / "install", *words], capture_output=True, text=True, check=False, input="")


def alter(root: Path) -> None:
    (root / "files/engines/engine-1/engine.jar").write_text("raj")


def add(root: Path) -> None:
    (root / f"files/lib/python{PYTHON}/sitecustomize.py").touch()


def lead_elsewhere(root: Path) -> None:
    (root / "files/engines/engine-1/link").unlink()
    (root / "files/engines/engine-1/link").symlink_to("/etc")


def adapt(root: Path) -> None:
    """As somebody would who knows of the manifest."""
    alter(root)
    altered = subprocess.run(
        ["sha256sum", root / "files/engines/engine-1/engine.jar"], capture_output=True, text=True, check=True
    )
    lines = (root / "SHA256SUMS").read_text().splitlines()
    changed = [altered.stdout[:64] + line[64:] if "engine.jar" in line else line for line in lines]
    (root / "SHA256SUMS").write_text("\n".join(changed) + "\n")


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(
    ("harm", "why"),
    [
        (alter, "engine.jar: FAILED"),
        (add, "sitecustomize.py"),
        (lead_elsewhere, "engine-1/link"),
        (adapt, "another manifest"),
    ],
)
def test_a_bundle_that_was_changed_is_not_installed(
    harm: Callable[[Path], None], why: str, tmp_path: Path
) -> None:
    root, manifest = unpacked(tmp_path)
    harm(root)
    done = install(root, tmp_path / "prefix", manifest)
    assert (done.returncode, why in done.stderr) == (2, True), done.stderr
    assert not (tmp_path / "prefix").exists()


@pytest.mark.usefixtures("installed")
def test_who_does_not_give_the_checksum_of_the_manifest_is_shown_it(tmp_path: Path) -> None:
    root, manifest = unpacked(tmp_path)
    done = install(root, os.path.relpath(tmp_path / "prefix"))
    assert (done.returncode, manifest in done.stderr) == (0, True), done.stderr
    subprocess.run(["chmod", "-R", "u+w", tmp_path / "prefix"], check=True)


def test_damage_to_the_packages_of_a_shared_installation_is_named(
    installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    root, _ = unpacked(tmp_path)
    packages = root / "files" / "lib" / f"python{PYTHON}"
    monkeypatch.setattr(settings, "PACKAGE", packages / "weft")
    environment.require_whole()
    (packages / "weft" / "__main__.py").write_text("print('weft of somebody')\n")
    with pytest.raises(SystemExit):
        environment.require_whole()
    assert f"{packages}/weft/__main__.py" in capsys.readouterr().err
    assert "__main__" in owndirectories.cached_files().found


def test_an_installation_from_a_bundle_is_read_only_and_starts_wherever_it_is(
    installed: Path, tmp_path: Path
) -> None:
    root, manifest = unpacked(tmp_path)
    prefix = tmp_path / "prefix"
    done = install(root, prefix, manifest)
    assert done.returncode == 0, done.stderr
    assert f"module use {prefix}/share/modulefiles" in done.stdout
    assert (prefix / "share/doc/weft/notices.txt").read_text() == "licences"
    assert [path for path in [prefix, *prefix.rglob("*")] if path.stat().st_mode & 0o222] == []
    packages = prefix / "lib" / f"python{PYTHON}"
    assert sorted(path.name for path in packages.iterdir() if path.name[0] != ".") == ["weft"]
    assert "__main__.cpython" in (packages / contents.FILE).read_text()
    assert (packages / "weft" / "pipsettings.py").exists()
    for path in (
        "engines/engine-1/engine.jar",
        "engines/empty",
        "share/man/man1/weft.1",
        "etc/weft/site.toml",
    ):
        assert (prefix / path).exists()
    for name in (__version__, f"{__version__}.lua"):
        assert str(tmp_path) not in (prefix / "share/modulefiles/weft" / name).read_text()
    moved = prefix.rename(tmp_path / "moved")
    done = subprocess.run([moved / "bin" / "weft"], capture_output=True, text=True, check=True)
    assert done.stdout == "weft of the bundle\n"
    again = install(root, moved)
    assert (again.returncode, "is not empty" in again.stderr) == (2, True)
    subprocess.run(["chmod", "-R", "u+w", moved], check=True)


def test_an_installation_for_another_python_says_which(installed: Path, tmp_path: Path) -> None:
    out = tmp_path / "bundle.tar"
    bundle.pack(bundle.Contents([], None, {}), out, lambda _: None)
    subprocess.run(["tar", "-xf", out, "-C", tmp_path], check=True)
    script = tmp_path / f"weft-{__version__}" / "install"
    script.write_text(script.read_text().replace(PYTHON, "3.99"))
    done = subprocess.run([script, tmp_path / "prefix"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "there is no Python 3.99 on PATH" in done.stderr
    assert not (tmp_path / "prefix").exists()


def test_engines_of_the_shared_installation_come_first(installed: Path, tmp_path: Path) -> None:
    assert cached("engine-1") == tmp_path / "cache" / "engine-1"
    prefix = installed.parents[2]
    for folder in ("share/weft", "engines/engine-1"):
        (prefix / folder).mkdir(parents=True)
    (prefix / "share" / "weft" / "prefix.json").write_text("{}")
    assert cached("engine-1") == prefix / "engines" / "engine-1"
    assert settings.installation() == [prefix]


def test_an_archive_of_an_unknown_kind_is_refused(installed: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"bundle\.zip: unknown kind of archive"):
        bundle.pack(bundle.Contents([], None, {}), tmp_path / "bundle.zip", lambda _: None)


def test_every_verb_has_a_man_page_with_its_options() -> None:
    pages = manual.pages()
    assert set(pages) == {"weft.1", *(f"weft-{verb}.1" for verb in VERBS)}
    assert "\\fB\\-\\-scratch STORAGE\\fR" in pages["weft-run.1"]
    assert [name for name, text in pages.items() if not text.startswith(f".TH {name[:-2].upper()} 1 ")] == []


@needs(ROOT)
@pytest.mark.usefixtures("installed")
def test_what_root_installs_is_roots_and_every_user_can_enter_it(tmp_path: Path) -> None:
    """Also if another user has unpacked the bundle, and root's own files are private."""
    root, manifest = unpacked(tmp_path)
    for path in [root, *root.rglob("*")]:
        os.chown(path, 12345, 12345, follow_symlinks=False)
    top, mask = tmp_path / "apps", os.umask(0o077)
    try:
        done = install(root, top / "weft" / "1", manifest)
    finally:
        os.umask(mask)
    assert done.returncode == 0, done.stderr
    made = [top, *top.rglob("*")]
    assert {path.lstat().st_uid for path in made} == {0}
    assert [path for path in made if path.is_dir() and path.stat().st_mode & 0o055 != 0o055] == []
    subprocess.run(["chmod", "-R", "u+w", top], check=True)
