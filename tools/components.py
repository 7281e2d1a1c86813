"""What a release contains besides weft's own code: packages of Python, Rust and Java, and engines, with their licences."""

import json
import re
import subprocess
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib.metadata import PackageMetadata, PackageNotFoundError, distributions, metadata
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import maven

from weft.errors import MissingError
from weft.host import settings
from weft.host.provision import javamodules, native
from weft.host.provision.distribution import DISTRIBUTIONS
from weft.host.provision.mavenset import locked
from weft.host.provision.pythonarchive import PythonArchive
from weft.host.provision.tree import Say
from weft.host.provision.wheelset import WheelSet

ROOT = settings.SOURCE
LOCKED = re.compile(r"^([\w.-]+)==([\w.+!-]+)", re.MULTILINE)
UNKNOWN = "unknown"
POM = "{http://maven.apache.org/POM/4.0.0}"
PACKING = ("core", "kerberos")
"""Modules whose jars have other projects' classes."""


@dataclass(frozen=True, order=True)
class Component:
    """One package."""

    purl: str
    """As the package URL specification has it: pkg:cargo/libc@0.2.0."""
    name: str
    version: str
    licence: str
    sha256: str = ""
    part: str = ""
    """The engine that it is part of: nothing of weft's own archives, but of a bundle."""
    notices: tuple[Path, ...] = ()
    """Its licence files on this machine."""


def python() -> Iterator[Component]:
    """The packages that pip installs with weft, from the environment of the lock."""
    for name, version in LOCKED.findall((ROOT / "requirements.lock").read_text()):
        try:
            about = metadata(name)
        except PackageNotFoundError as error:
            raise MissingError(
                f"{name} is not in this environment", hint="start it by tools/release"
            ) from error
        yield Component(f"pkg:pypi/{name.lower()}@{version}", name, version, _stated(about))


def _stated(about: PackageMetadata) -> str:
    """The licence that a package states."""
    stated = about.get_all("License-Expression") or _classified(about.get_all("Classifier") or [])
    first: str = (stated or about.get_all("License") or [UNKNOWN])[0]
    return first.splitlines()[0]


def _classified(classifiers: Sequence[str]) -> list[str]:
    found = [line.split(" :: ")[-1] for line in classifiers if line.startswith("License :: OSI Approved :: ")]
    return [" AND ".join(found)] if found else []


def rust() -> Iterator[Component]:
    """The crates that are linked into the native programs."""
    argv = [native.cargo()[0], "metadata", "--locked", "--format-version", "1"]
    platform = ["--filter-platform", "x86_64-unknown-linux-gnu"]
    where = ["--manifest-path", str(ROOT / "native" / "Cargo.toml")]
    done = subprocess.run([*argv, *platform, *where], capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    packages = {each["id"]: each for each in found["packages"]}
    nodes = {each["id"]: each for each in found["resolve"]["nodes"]}
    roots = [key for key, each in packages.items() if each["name"] in {*native.PACKAGES, *native.ENGINES}]
    for key in sorted(_linked(roots, nodes)):
        each = packages[key]
        if each["source"]:
            folder, name, version = Path(each["manifest_path"]).parent, each["name"], each["version"]
            notices = (
                path for pattern in ("LICEN[SC]E*", "COPYING*", "NOTICE*") for path in folder.glob(pattern)
            )
            texts = tuple(sorted(path for path in notices if path.is_file()))
            yield Component(
                f"pkg:cargo/{name}@{version}", name, version, each["license"] or UNKNOWN, notices=texts
            )


def _linked(roots: Sequence[str], nodes: Mapping[str, Any]) -> set[str]:
    """Without what only builds and tests use."""
    seen: set[str] = set()
    left = list(roots)
    while left:
        key = left.pop()
        if key not in seen:
            seen.add(key)
            kinds = {one["pkg"]: [kind["kind"] for kind in one["dep_kinds"]] for one in nodes[key]["deps"]}
            left += [package for package, used in kinds.items() if None in used]
    return seen


def java(say: Say) -> Iterator[Component]:
    """What is packed into weft's own jars."""
    maven.files(say)
    artifacts = locked(ROOT / "java" / "maven.lock")
    packed = {each for name in PACKING for each in javamodules.read(ROOT / "java", name, artifacts).packed}
    for each in sorted(packed, key=lambda one: one.path):
        *folders, name, version, _ = each.path.split("/")
        group = ".".join(folders)
        purl = f"pkg:maven/{group}/{name}@{version}"
        yield Component(purl, name, version, _of_pom(_local(group, name, version)))


def engines(homes: Mapping[str, Path]) -> Iterator[Component]:
    """Every jar of the engines, with its locked or measured checksum."""
    for name, home in homes.items():
        each = DISTRIBUTIONS[name]
        if isinstance(each, PythonArchive):
            purl = f"pkg:pypi/{each.package}@{each.version}"
            yield Component(purl, each.package, each.version, "Apache-2.0", each.sha256, name)
        if isinstance(each, WheelSet):
            yield from _wheels(each, home)
        for jar in sorted(home.rglob("*.jar")):
            yield _jar(jar, name)


def _wheels(of: WheelSet, home: Path) -> Iterator[Component]:
    """Each package with the locked checksum of its wheel."""
    sums = {wheel.package: wheel.sha256 for wheel in of.wheels}
    for each in distributions(path=[str(home / "lib")]):
        package = each.name.lower().replace("_", "-")
        purl = f"pkg:pypi/{package}@{each.version}"
        yield Component(purl, each.name, each.version, _stated(each.metadata), sums[package], of.name)


def _jar(path: Path, engine: str) -> Component:
    digest = sha256(path.read_bytes()).hexdigest()
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        listed = [name for name in names if name.endswith("/pom.properties")]
        of_itself = [name for name in listed if path.name.startswith(name.split("/")[-2])]
        found = dict(_properties(archive.read(of_itself[0]).decode())) if of_itself else {}
        manifest = (
            archive.read("META-INF/MANIFEST.MF").decode(errors="replace")
            if "META-INF/MANIFEST.MF" in names
            else ""
        )
        texts = [name for name in names if re.fullmatch(r"(META-INF/)?LICENSE(\.\w+)?", name)]
        begins = archive.read(texts[0])[:2000].decode(errors="replace") if texts else ""
        poms = [name.replace("pom.properties", "pom.xml") for name in of_itself]
        pom = archive.read(poms[0]) if poms and poms[0] in names else b""
    name, _, version = path.stem.rpartition("-")
    name, version = found.get("artifactId", name or path.stem), found.get("version", version)
    group = found.get("groupId", "")
    licence = _of_pom(_local(group, name, version)) if group else UNKNOWN
    if licence == UNKNOWN:
        licence = (_of_xml(pom) if pom else "") or _of_manifest(manifest) or _of_text(begins)
    purl = f"pkg:maven/{group}/{name}@{version}" if group else f"pkg:generic/{path.name}"
    return Component(purl, name, version, licence, digest, engine)


def _properties(text: str) -> Iterator[tuple[str, str]]:
    for line in text.splitlines():
        key, equals, value = line.partition("=")
        if equals:
            yield key.strip(), value.strip()


def _of_manifest(text: str) -> str:
    found = re.search(r"(?m)^Bundle-License: (.*(?:\r?\n .*)*)", text)
    return " ".join(re.sub(r"\r?\n ", "", found[1]).split()) if found else ""


def _of_text(text: str) -> str:
    known = {
        "Apache License": "Apache-2.0",
        "MIT License": "MIT",
        "Eclipse Public License": "EPL",
        "BSD": "BSD",
    }
    return next((name for words, name in known.items() if words in text), UNKNOWN)


def _local(group: str, name: str, version: str) -> Path:
    """Its POM, if java/maven.lock has it."""
    return (
        settings.cache()
        / maven.FILES.key
        / group.replace(".", "/")
        / name
        / version
        / f"{name}-{version}.pom"
    )


def _of_pom(path: Path) -> str:
    """The licences that a POM or one of its parents names."""
    return (_of_xml(path.read_bytes()) if path.exists() else "") or UNKNOWN


def _of_xml(text: bytes) -> str:
    """The same of its text; empty if there are none."""
    root = ElementTree.fromstring(text)  # noqa: S314 - Maven verified it
    names = [each.findtext(f"{POM}name") or "" for each in root.iter(f"{POM}license")]
    if any(names):
        return " OR ".join(name.strip() for name in names)
    parent = root.find(f"{POM}parent")
    if parent is None:
        return ""
    group, name, version = (
        parent.findtext(f"{POM}{tag}") or "" for tag in ("groupId", "artifactId", "version")
    )
    above = _local(group, name, version)
    return _of_xml(above.read_bytes()) if above.exists() else ""
