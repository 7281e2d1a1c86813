"""The modules of java/, as their poms have them: what each is compiled against, and what of others its jar has.

Every library is a direct dependency in a pom, with its version: nothing is resolved here.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from xml.etree import ElementTree

from weft import __version__
from weft.errors import MissingError
from weft.host.provision.mavenset import Artifact, MavenSet

CORE = "core"
_PROPERTY = re.compile(r"\$\{([\w.]+)\}")
_GROUP = "io.weft"
"""Of weft's own modules; the only one that another uses is core."""


@dataclass(frozen=True)
class Libraries(MavenSet):
    """Jars from a Maven repository that modules are compiled against."""

    of: Sequence[Artifact] = ()

    @cached_property
    def artifacts(self) -> list[Artifact]:
        return list(self.of)

    @property
    def _hint(self) -> str:
        return "check the network and Maven's settings"


@dataclass(frozen=True)
class Module:
    """One module."""

    name: str
    source: Path
    """Its directory."""
    on_core: bool
    """Whether it uses core, which its jar then has."""
    engine_jars: tuple[str, ...]
    """Jars of distributions: ${NAME.home}/PATH."""
    compiled_with: tuple[Artifact, ...]
    """Jars that are on the class path where it runs."""
    packed: tuple[Artifact, ...]
    """Jars whose classes its own jar has."""

    @property
    def main(self) -> Path:
        """The directory of its sources and resources, without tests."""
        return self.source / "src" / "main"

    @property
    def libraries(self) -> Libraries:
        return Libraries(
            f"{self.name}-libraries", __version__, 60_000_000, of=[*self.compiled_with, *self.packed]
        )

    @property
    def distributions(self) -> set[str]:
        """Those whose jars it is compiled against."""
        return {name.removesuffix(".home") for jar in self.engine_jars for name in _PROPERTY.findall(jar)}

    def in_distributions(self, homes: Mapping[str, Path]) -> list[Path]:
        """The jars of distributions, by where those are."""
        places = {f"{name}.home": str(home) for name, home in homes.items()}
        return [Path(_resolved(jar, places)) for jar in self.engine_jars]


def read(java: Path, name: str, locked: Sequence[Artifact]) -> Module:
    """A module, with the checksums of maven.lock. Raises MissingError for a library that is not there."""
    top, own = (_parsed(java / "pom.xml"), _parsed(java / name / "pom.xml"))
    properties = {**_properties(top), **_properties(own)}
    known = {each.path: each for each in locked}
    found: dict[str, list[Artifact]] = {"compile": [], "provided": []}
    engine_jars, on_core = [], False
    for each in own.iterfind("dependencies/dependency"):
        scope = each.findtext("scope") or "compile"
        if each.findtext("groupId") == _GROUP:
            on_core = True
        elif scope == "system":
            engine_jars.append(_resolved(each.findtext("systemPath") or "", properties))
        elif scope in found:
            path = _path(each, properties)
            if path not in known:
                raise MissingError(
                    f"java/maven.lock does not have {path}, which building weft's jars needs",
                    hint="after a change of a pom.xml: `tools/lock maven` writes the lock",
                )
            found[scope].append(known[path])
    return Module(
        name, java / name, on_core, tuple(engine_jars), tuple(found["provided"]), tuple(found["compile"])
    )


def _parsed(path: Path) -> ElementTree.Element:
    """Without namespaces."""
    root = ElementTree.fromstring(path.read_bytes())  # noqa: S314 - a file of this checkout
    for each in root.iter():
        each.tag = each.tag.rpartition("}")[2]
    return root


def _properties(pom: ElementTree.Element) -> dict[str, str]:
    return {each.tag: each.text or "" for each in pom.iterfind("properties/*")}


def _resolved(text: str, properties: Mapping[str, str]) -> str:
    """With the values of properties that poms have; ${NAME.home} is none."""
    found = _PROPERTY.sub(lambda match: properties.get(match[1], match[0]), text)
    return found if found == text else _resolved(found, properties)


def _path(each: ElementTree.Element, properties: Mapping[str, str]) -> str:
    group, name, version = (
        _resolved(each.findtext(tag) or "", properties) for tag in ("groupId", "artifactId", "version")
    )
    return f"{group.replace('.', '/')}/{name}/{version}/{name}-{version}.jar"
