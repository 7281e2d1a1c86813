"""An installed weft uses what it was shipped with; what tools/build checks about native programs."""

from pathlib import Path

import pytest
import symbols

from weft.errors import WeftError
from weft.host import settings
from weft.host.provision import classdata, jars, jdk, native
from weft.run.provisioning import Provisioned

ROOT = settings.SOURCE
NEEDS = "  0x00d0:   Name: GLIBC_2.9  Flags: none  Version: 5\n  0x00e0:   Name: GLIBC_2.{}  Flags: none  Version: 7\n"


@pytest.fixture
def shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "shipped").mkdir()
    monkeypatch.setattr(settings, "PACKAGE", tmp_path)
    return tmp_path / "shipped"


def test_a_checkout_has_nothing_shipped() -> None:
    assert settings.shipped() is None
    assert settings.installation() == [ROOT]
    assert list(settings.studies().glob("*/study.toml"))


def test_an_installed_weft_builds_nothing(shipped: Path) -> None:
    def silent(text: str) -> None:
        raise AssertionError(text)

    assert jars.build(["spark"], ["kerberos"], silent) == {
        name: shipped / "jars" / f"weft-{name}.jar" for name in ("core", "spark", "kerberos")
    }
    assert native.build(silent) == shipped / "native"


def test_jars_of_a_checkout_are_compiled_against_wefts_own_distribution(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEFT_CACHE", str(tmp_path))
    monkeypatch.setattr(jdk, "will_compile", lambda: True)
    assert set(jars.needs(["spark", "duckdb"])) == {"core-libraries", "spark-libraries", "spark"}
    assert set(jars.needs(["hadoop"])) == {"core-libraries", "hadoop-libraries"}, (
        "its module reads no file of it"
    )
    monkeypatch.setattr(jdk, "will_compile", lambda: False)
    assert set(jars.needs([])) == {"core-libraries", "ecj"}


def test_an_installed_weft_has_the_class_lists_of_its_own_engines(
    shipped: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = classdata.Observed([], {})
    (shipped / "classes").mkdir()
    listed = shipped / "classes" / "flink-1.txt"
    listed.touch()
    assert classdata.observe("flink", Path("/jdk/bin/java"), Path("/cache/flink-1"), job, print) == listed


def test_nodes_need_not_see_a_cache_that_was_never_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = tmp_path / "cache"
    monkeypatch.setenv("WEFT_CACHE", str(cache))
    provisioned = Provisioned(Path("/jdk/bin/java"), {}, {}, {}, Path("native"))
    assert cache not in provisioned.visible
    cache.mkdir()
    assert cache in provisioned.visible


@pytest.mark.parametrize(("minor", "fits"), [("12", True), ("17", True), ("18", False), ("2.5", True)])
def test_a_program_for_a_newer_glibc_is_refused(
    monkeypatch: pytest.MonkeyPatch, minor: str, fits: bool
) -> None:
    text = NEEDS.format(minor)
    done = symbols.subprocess.CompletedProcess([], 0, text, "")
    monkeypatch.setattr(symbols.subprocess, "run", lambda *_, **__: done)
    if fits:
        symbols.require_old_glibc(Path("x"), "2.17")
    else:
        with pytest.raises(WeftError, match=r"x needs glibc 2\.18, but it is built for 2\.17"):
            symbols.require_old_glibc(Path("x"), "2.17")


def test_a_program_without_glibc_is_not_taken_for_an_old_one(monkeypatch: pytest.MonkeyPatch) -> None:
    done = symbols.subprocess.CompletedProcess([], 0, "", "")
    monkeypatch.setattr(symbols.subprocess, "run", lambda *_, **__: done)
    with pytest.raises(WeftError):
        symbols.require_old_glibc(Path("x"), "2.17")


@pytest.mark.parametrize(
    ("needed", "fits"),
    [("[libc.so.6]", False), ("[libgcc_s.so.1]\n 0x01 (NEEDED) Shared library: [libc.so.6]", True)],
)
def test_a_library_with_an_unwinder_of_its_own_is_refused(
    monkeypatch: pytest.MonkeyPatch, needed: str, fits: bool
) -> None:
    done = symbols.subprocess.CompletedProcess([], 0, f" 0x01 (NEEDED) Shared library: {needed}\n", "")
    monkeypatch.setattr(symbols.subprocess, "run", lambda *_, **__: done)
    if fits:
        symbols.require_gccs_unwinder(Path("x"))
    else:
        with pytest.raises(WeftError, match="x does not load libgcc_s"):
            symbols.require_gccs_unwinder(Path("x"))
