"""What a bundle is made of, and what refuses to be one."""

import os
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from typer.testing import CliRunner

from weft import __version__
from weft.cli import app, manual
from weft.cli.verbs import VERBS
from weft.errors import MissingError, UsageError
from weft.host import settings
from weft.host.provision import bundle, distribution
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
        (["--engines", "sprak"], "unknown engine 'sprak'"),
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
        assert CliRunner().invoke(app, ["bundle", "--engines", engines]).exit_code == 0
    spark, others = (set(each.engines) for each in packed)
    assert spark == {"spark", "spark-kafka", "async-profiler"}
    assert others == {"flink", "hadoop", "kafka", "flink-sql", "flink-kafka", "async-profiler"}


def test_what_an_installation_lacks_is_named(installed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(distribution, "homes", HOMES)
    monkeypatch.setenv("WEFT_CACHE", str(installed.parents[2] / "own"))

    def unreachable(*_: object, **__: object) -> None:
        raise MissingError("x.jar could not be downloaded: no route", hint="check the network")

    monkeypatch.setattr(distribution, "fill", unreachable)
    with pytest.raises(MissingError, match=r"^x\.jar could not be downloaded"):
        distribution.homes(["flink-sql"], print)
    prefix = installed.parents[2]
    (prefix / "share" / "weft").mkdir(parents=True)
    (prefix / "share" / "weft" / "prefix.json").write_text("{}")
    with pytest.raises(
        MissingError, match=rf"the installation in {prefix} has no flink-sql, and x\.jar"
    ) as found:
        distribution.homes(["flink-sql"], print)
    assert "weft bundle --engines" in found.value.hint


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
    monkeypatch.setenv("WEFT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(settings, "PACKAGE", package)
    monkeypatch.setattr(distribution, "homes", lambda *_: {"engine": home})
    monkeypatch.setattr(bundle, "_completion", lambda name: f"completion for {name}\n")
    return package


def test_an_installation_from_a_bundle_is_read_only_and_starts_wherever_it_is(
    installed: Path, tmp_path: Path
) -> None:
    out = tmp_path / "bundle.tar.gz"
    bundle.pack(bundle.Contents(["engine"], None, {"weft.1": "page"}), out, lambda _: None)
    with tarfile.open(out) as archive:
        archive.extractall(tmp_path / "unpacked", filter="tar")
    root, prefix = tmp_path / "unpacked" / f"weft-{__version__}", tmp_path / "prefix"
    environment = {
        **os.environ,
        "WEFT_NO_ARCHIVES": "1",
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
    }
    done = subprocess.run(
        [root / "install", prefix], env=environment, capture_output=True, text=True, check=True
    )
    assert f"module use {prefix}/share/modulefiles" in done.stdout
    assert (prefix / "share/doc/weft/notices.txt").read_text() == "licences"
    assert [path for path in [prefix, *prefix.rglob("*")] if path.stat().st_mode & 0o222] == []
    packages = prefix / "lib" / f"python{PYTHON}"
    assert sorted(path.name for path in packages.iterdir()) == ["weft"]
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
    done = subprocess.run(
        [moved / "bin" / "weft"], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout == "weft of the bundle\n"
    again = subprocess.run(
        [root / "install", moved], env=environment, capture_output=True, text=True, check=False
    )
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
    assert "\\fB\\-\\-scratch\\fR" in pages["weft-run.1"]
    assert [name for name, text in pages.items() if not text.startswith(f".TH {name[:-2].upper()} 1 ")] == []
