"""The registries' own addresses, as pip and Maven have them built in."""

import importlib
import json

from weft.host import settings

FILE = "registries.json"
"""In what an installed weft was shipped with: written by tools/build."""


def python_index() -> str:
    """pip's default for --index-url; empty where it is unknown."""
    return _shipped().get("python") or _of_pip()


def maven_repository() -> str:
    """The repository with the ID central, of the super POM that is in every Maven."""
    return "https://repo.maven.apache.org/maven2"


def as_json() -> str:
    """What an installed weft reads, whose environment may have no pip."""
    return json.dumps({"python": _of_pip()}, indent=1) + "\n"


def _shipped() -> dict[str, str]:
    shipped = settings.shipped()
    found: dict[str, str] = json.loads((shipped / FILE).read_text(encoding="utf-8")) if shipped else {}
    return found


def _of_pip() -> str:
    try:
        module = importlib.import_module("pip._internal.models.index")
    except ImportError:
        return ""
    return str(module.PyPI.simple_url)
