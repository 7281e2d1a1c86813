"""What tools/release checks before it builds, and what it writes."""

import json
import shutil
import zipfile
from pathlib import Path

import building
import components
import pytest
import releasing
import sbom

from weft import __version__
from weft.host import settings
from weft.host.provision import contents

ROOT = settings.SOURCE


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    (tmp_path / "java").mkdir()
    for name in ("pyproject.toml", "java/pom.xml", "CITATION.cff"):
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "CHANGELOG.md").write_text(
        f"# Changes\n\n## Unreleased\n\n## {__version__} - 2026-12-01\n\n- x\n"
    )
    return tmp_path


@pytest.mark.parametrize(
    ("file", "old", "new", "why"),
    [
        ("CHANGELOG.md", "", "", None),
        ("CHANGELOG.md", "- 2026-12-01", "", "has no section"),
        ("CHANGELOG.md", "## Unreleased\n", "## Unreleased\n\n- more\n", "has changes above"),
        (
            "pyproject.toml",
            f'version = "{__version__}"',
            'version = "9.9.9"',
            "pyproject.toml has version 9.9.9",
        ),
        (
            "java/pom.xml",
            f"<version>{__version__}</version>",
            "<version>9.9.9</version>",
            "java/pom.xml has version 9.9.9",
        ),
        ("CITATION.cff", f"version: {__version__}", "version: 9.9.9", "CITATION.cff has version 9.9.9"),
    ],
)
def test_a_version_that_does_not_fit_is_named(
    checkout: Path,
    monkeypatch: pytest.MonkeyPatch,
    file: str,
    old: str,
    new: str,
    why: str | None,
) -> None:
    monkeypatch.setattr(releasing, "git", lambda *_: "")
    path = checkout / file
    path.write_text(path.read_text().replace(old, new, 1))
    found = list(releasing.check(checkout, rehearsal=False))
    assert (why in found[0]) if why else found == []
    rehearsed = [each for each in found if "CHANGELOG" not in each]
    assert list(releasing.check(checkout, rehearsal=True)) == rehearsed


def test_the_versions_of_this_checkout_fit() -> None:
    assert list(releasing.check(ROOT, rehearsal=True)) == []


def test_changed_files_are_no_release(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(releasing, "git", lambda *_: " M src/weft/errors.py")
    assert list(releasing.check(checkout, rehearsal=False)) == [
        "the checkout has changes that are not committed"
    ]


def test_the_same_files_give_the_same_archive(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name / "site").mkdir(parents=True)
        for file in ("b", "a") if name == "two" else ("a", "b"):
            (tmp_path / name / "site" / file).write_text(file)
        (tmp_path / name / "site" / "a").chmod(0o600 if name == "two" else 0o640)
        releasing.pack(tmp_path / name / "site", tmp_path / f"{name}.tar", 1)
    assert (tmp_path / "one.tar").read_bytes() == (tmp_path / "two.tar").read_bytes()
    (tmp_path / "two/site/a").write_text("other")
    releasing.pack(tmp_path / "two" / "site", tmp_path / "two.tar", 1)
    assert (tmp_path / "one.tar").read_bytes() != (tmp_path / "two.tar").read_bytes()


def test_a_second_build_shares_what_was_downloaded_and_nothing_that_was_built(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    second.mkdir()
    shared = {f"{name}-1-a" for name in releasing.distribution.DISTRIBUTIONS} | {
        "env-a",
        "classlist-a",
        "empty",
    }
    for name in {*shared, "jars-a", "native-a", "native-objects-a", "wheel-a"}:
        (first / name).mkdir(parents=True)
    releasing.share(first, second)
    assert {path.name for path in second.iterdir()} == shared


def test_the_wheel_has_native_programs_without_what_the_cache_knows_of_them(tmp_path: Path) -> None:
    built = tmp_path / "built"
    built.mkdir()
    (built / "gauge").write_text("program")
    contents.record(built)
    assert contents.damage(built) == ""
    assert len(list(built.iterdir())) == 3
    building.ship_native(built, tmp_path / "native")
    assert [path.name for path in (tmp_path / "native").iterdir()] == ["gauge"]


def test_what_wefts_jars_have_of_others_are_components(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(components.maven, "files", lambda say: ROOT)
    found = {each.purl: each for each in components.java(print)}
    assert "pkg:maven/info.picocli/picocli@4.7.7" in found
    assert "pkg:maven/org.apache.kerby/kerb-server@2.1.0" in found
    assert not [purl for purl in found if "kafka" in purl or "hadoop" in purl], "engines have these"


def test_an_engines_wheels_are_components_with_their_locked_checksums(tmp_path: Path) -> None:
    about = tmp_path / "lib" / "tblib-3.2.2.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Name: tblib\nVersion: 3.2.2\nLicense-Expression: BSD-2-Clause\n")
    (one,) = components.engines({"dask": tmp_path})
    assert (one.purl, one.licence, one.part) == ("pkg:pypi/tblib@3.2.2", "BSD-2-Clause", "dask")
    assert len(one.sha256) == 64


def test_an_engines_jars_are_components_with_what_they_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    made = {
        "stated-1.2.jar": {
            "META-INF/maven/org.x/stated/pom.properties": "groupId=org.x\nartifactId=stated\nversion=1.2\n",
            "META-INF/maven/org.x/stated/pom.xml": (
                '<project xmlns="http://maven.apache.org/POM/4.0.0"><licenses><license><name>MIT</name></license>'
                "</licenses></project>"
            ),
        },
        "bundle-3.jar": {"META-INF/MANIFEST.MF": "Bundle-License: Apache-2.0\r\n  OR MIT\r\nX: y\r\n"},
        "text-4.jar": {"LICENSE.txt": "  Apache License\n Version 2.0"},
        "nothing-5.jar": {"a.class": ""},
    }
    for name, files in made.items():
        with zipfile.ZipFile(tmp_path / name, "w") as jar:
            for inside, text in files.items():
                jar.writestr(inside, text)
    found = list(components.engines({"hadoop": tmp_path}))
    assert {each.name: (each.version, each.licence) for each in found} == {
        "stated": ("1.2", "MIT"),
        "bundle": ("3", "Apache-2.0 OR MIT"),
        "text": ("4", "Apache-2.0"),
        "nothing": ("5", "unknown"),
    }
    bill = json.loads(sbom.cyclonedx([*found, *found], "2026-01-01T00:00:00Z"))
    assert sbom.of_engines([*found, *found]).split("\n\n")[1] == (
        "hadoop\n  bundle 3: Apache-2.0 OR MIT\n  nothing 5: unknown\n  text 4: Apache-2.0\n  stated 1.2: MIT\n"
    )
    assert (bill["bomFormat"], bill["specVersion"], len(bill["components"])) == ("CycloneDX", "1.6", 4)
    one = next(each for each in bill["components"] if each["name"] == "stated")
    assert (one["purl"], one["scope"]) == ("pkg:maven/org.x/stated@1.2", "optional")
    assert len(one["hashes"][0]["content"]) == 64


def test_every_locked_package_is_a_component_with_a_licence() -> None:
    found = list(components.python())
    assert len(found) == (ROOT / "requirements.lock").read_text().count("==")
    assert [each.name for each in found if each.licence == components.UNKNOWN] == []


def test_notices_have_equal_texts_once(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "LICENSE").write_text("the text\n")
    made = [
        components.Component(f"pkg:cargo/{name}@1", name, "1", "MIT", notices=(tmp_path / name / "LICENSE",))
        for name in ("a", "b")
    ]
    text = sbom.notices(made)
    assert text.count("the text") == 1
    assert "a (LICENSE), b (LICENSE)" in text
    assert "b 1: MIT" in text
