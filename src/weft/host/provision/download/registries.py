"""The registries' own addresses, as pip and Maven have them built in: weft has none of its own.

An installed weft, which does not need Maven, has those of the clients that it was built with.
"""

import importlib
import json
import shutil
import zipfile
from pathlib import Path
from xml.etree import ElementTree

from weft.host import settings

FILE = "registries.json"
"""In what an installed weft was shipped with: written by tools/build."""


def python_index() -> str:
    """pip's default for --index-url; empty where it is unknown."""
    return _shipped().get("python") or _of_pip()


def maven_repository() -> str:
    """The repository with the ID central of Maven's super POM; empty where it is unknown."""
    return _shipped().get("maven") or _of_maven()


def as_json() -> str:
    """Both, as an installed weft reads them."""
    return json.dumps({"python": _of_pip(), "maven": _of_maven()}, indent=1) + "\n"


def _shipped() -> dict[str, str]:
    shipped = settings.shipped()
    found: dict[str, str] = json.loads((shipped / FILE).read_text()) if shipped else {}
    return found


def _of_pip() -> str:
    try:
        module = importlib.import_module("pip._internal.models.index")
    except ImportError:
        return ""
    return str(module.PyPI.simple_url)


def _of_maven() -> str:
    """From the super POM, which every Maven has in its model builder."""
    program = shutil.which("mvn")
    found = (
        sorted((Path(program).resolve().parents[1] / "lib").glob("maven-model-builder-*.jar"))
        if program
        else []
    )
    if not found:
        return ""
    with zipfile.ZipFile(found[0]) as jar:
        root = ElementTree.fromstring(jar.read("org/apache/maven/model/pom-4.0.0.xml"))  # noqa: S314 - of Maven itself
    return root.findtext("repositories/repository/url") or ""
