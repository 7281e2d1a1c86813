"""Maven, which runs the tests of java/, sees the files of java/maven.lock and nothing else."""

import hashlib
import shutil
import subprocess
import zipfile
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import maven
import pytest

from tests.mirror import Registry, serving, sha256
from tests.needs import JAVA, needs
from weft.errors import MissingError
from weft.host import settings
from weft.host.provision import distribution, jdk
from weft.host.provision.download import registries
from weft.host.provision.mavenset import Artifact

POM = (
    '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>{}'
    "<groupId>g</groupId><artifactId>{}</artifactId><version>1</version><packaging>pom</packaging></project>"
)
PARENT = (
    "<parent><groupId>g</groupId><artifactId>parent</artifactId><version>1</version><relativePath/></parent>"
)
PATH = "g/parent/1/parent-1.pom"
CONTENT = POM.format("", "parent").encode()


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Registry]:
    """A repository with Maven itself and one POM, which the settings of a user name as the mirror of all others."""
    lib = distribution.provided({"maven": maven.MAVEN}, print)["maven"] / "lib"
    itself = {f"/{each.path}": (lib / each.file).read_bytes() for each in maven.MAVEN.artifacts}
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("WEFT_CACHE", str(tmp_path / "cache"))
    checksum = hashlib.sha1(CONTENT).hexdigest().encode()
    with serving(Registry({**itself, f"/{PATH}": CONTENT, f"/{PATH}.sha1": checksum})) as registry:
        (tmp_path / ".m2").mkdir()
        (tmp_path / ".m2" / "settings.xml").write_text(
            f"<settings><localRepository>{tmp_path}/local</localRepository><mirrors><mirror><id>m</id>"
            f"<url>{registry.url}</url><mirrorOf>*</mirrorOf></mirror></mirrors></settings>"
        )
        yield registry


@pytest.fixture
def java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout whose java/ has one project; its parent is what Maven needs."""
    (tmp_path / "java" / "core").mkdir(parents=True)
    (tmp_path / "java" / "pom.xml").write_text(POM.format(PARENT, "child"))
    monkeypatch.setattr(settings, "SOURCE", tmp_path)
    return tmp_path / "java"


def lock(java: Path, monkeypatch: pytest.MonkeyPatch, *artifacts: Artifact) -> maven.MavenRepository:
    locked_lines = [f"{each.sha256} {each.size:9} {each.path}\n" for each in artifacts]
    (java / "maven.lock").write_text("".join(locked_lines))
    locked = maven.MavenRepository("maven-files", "3", 1)
    monkeypatch.setattr(maven, "FILES", locked)
    return locked


@needs(*JAVA)
def test_a_file_that_was_changed_on_its_way_is_refused_without_a_lock_too(
    registry: Registry, tmp_path: Path
) -> None:
    registry.files[f"/{PATH}"] = CONTENT + b"<!-- -->"
    shutil.copytree(settings.SOURCE / "java" / ".mvn", tmp_path / ".mvn")
    (tmp_path / "pom.xml").write_text(POM.format(PARENT, "child"))
    named = f"--settings={tmp_path}/.m2/settings.xml"
    program = distribution.provided({"maven": maven.MAVEN}, print)["maven"]
    argv = [
        *maven.start(jdk.java(), program, tmp_path),
        "--batch-mode",
        named,
        "--file",
        str(tmp_path / "pom.xml"),
        "validate",
    ]
    done = subprocess.run(argv, check=False, capture_output=True, text=True)
    assert done.returncode != 0, done.stdout
    assert "Checksum validation failed" in done.stdout


@needs(*JAVA)
def test_what_is_not_locked_is_not_built_with_even_if_a_mirror_has_it(
    registry: Registry, java: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock(java, monkeypatch)
    argv = maven.command(java, {}, print)
    done = subprocess.run([*argv, "validate"], check=False, capture_output=True, text=True)
    assert done.returncode != 0
    assert "in offline mode and the artifact g:parent:pom:1 has not been downloaded" in done.stdout
    assert not any(PATH in asked for asked in registry.asked)


@needs(*JAVA)
def test_maven_reads_what_is_locked_and_asks_nobody(
    registry: Registry, java: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock(java, monkeypatch, Artifact(sha256(CONTENT), len(CONTENT), PATH))
    argv = maven.command(java, {"spark": Path("/x")}, print)
    registry.asked.clear()
    subprocess.run([*argv, "validate"], check=True)
    assert registry.asked == []


def test_a_mirror_that_changes_a_file_and_its_checksum_is_refused(
    registry: Registry, java: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed = CONTENT.replace(b"g", b"h")
    lock(java, monkeypatch, Artifact(sha256(CONTENT), len(CONTENT), PATH))
    registry.files[f"/{PATH}"] = changed
    with pytest.raises(MissingError, match=rf"has the SHA-256 {sha256(changed)}, but .* is locked"):
        maven.command(java, {}, print)


def test_a_file_that_was_changed_in_the_cache_is_replaced(
    registry: Registry, java: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    locked = lock(java, monkeypatch, Artifact(sha256(CONTENT), len(CONTENT), PATH))
    lines: list[str] = []
    maven.command(java, {}, lines.append)
    path = settings.cache() / locked.key / PATH
    path.write_bytes(CONTENT.replace(b"g", b"h"))
    maven.command(java, {}, lines.append)
    assert path.read_bytes() == CONTENT
    assert any("does not have its recorded SHA-256" in line for line in lines)
    assert registry.asked


def test_every_version_that_a_pom_names_is_locked() -> None:
    poms = [ElementTree.parse(path).getroot() for path in (settings.SOURCE / "java").rglob("pom.xml")]
    properties = {
        f"${{{each.tag.rpartition('}')[2]}}}": each.text or ""
        for pom in poms
        for each in pom.iterfind("{*}properties/*")
    }
    locked = {each.path.rpartition("/")[0] for each in maven.FILES.artifacts}
    assert {
        path
        for pom in poms
        for kind in ("dependency", "plugin")
        for each in pom.iter(f"{{http://maven.apache.org/POM/4.0.0}}{kind}")
        if (path := locked_path(each, properties))
    } <= locked


def locked_path(each: ElementTree.Element, properties: dict[str, str]) -> str:
    """Where a repository has it; empty for what is weft's own, of a distribution, or named elsewhere."""
    name, version = each.findtext("{*}artifactId") or "", each.findtext("{*}version") or ""
    group = each.findtext("{*}groupId") or "org.apache.maven.plugins"
    if group == "io.weft" or not version or each.findtext("{*}scope") == "system":
        return ""
    return f"{group.replace('.', '/')}/{name}/{properties.get(version, version)}"


@needs(*JAVA)
def test_the_central_repository_is_that_of_mavens_super_pom() -> None:
    lib = distribution.provided({"maven": maven.MAVEN}, print)["maven"] / "lib"
    with zipfile.ZipFile(next(lib.glob("maven-model-builder-*.jar"))) as jar:
        pom = ElementTree.fromstring(jar.read("org/apache/maven/model/pom-4.0.0.xml"))
    assert pom.findtext("{*}repositories/{*}repository/{*}url") == registries.maven_repository()


def test_equal_files_are_locked_once() -> None:
    """What is downloaded is kept by its checksum until it is whole."""
    for each in (
        maven.MAVEN,
        maven.FILES,
        distribution.HADOOP,
        distribution.HIVE,
        distribution.KAFKA,
    ):
        assert len({one.sha256 for one in each.artifacts}) == len(each.artifacts)


def test_what_runs_tests_is_locked() -> None:
    """Maven finds out while it runs them."""
    names = {each.file.rpartition("-")[0] for each in maven.FILES.artifacts}
    assert {"surefire-junit-platform", "junit-platform-launcher", "junit-jupiter-engine"} <= names
