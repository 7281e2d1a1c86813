"""A software bill of materials in CycloneDX's JSON, and the licence texts that go along with weft's archives."""

import json
from collections.abc import Iterable
from typing import Any

from components import Component

from weft import __version__


def cyclonedx(found: Iterable[Component], timestamp: str) -> str:
    """The same components give the same text."""
    parts = {each.purl: _component(each) for each in sorted(set(found))}
    about = {"type": "application", "bom-ref": "weft", "name": "weft", "version": __version__}
    bill = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "timestamp": timestamp,
            "component": {**about, "licenses": [{"expression": "Apache-2.0"}]},
        },
        "components": list(parts.values()),
    }
    return json.dumps(bill, indent=1) + "\n"


def _component(each: Component) -> dict[str, Any]:
    """An engine's parts are optional: weft downloads them on first use, and only a bundle has them."""
    found: dict[str, Any] = {
        "type": "library",
        "bom-ref": each.purl,
        "name": each.name,
        "version": each.version,
        "purl": each.purl,
        "scope": "optional" if each.part else "required",
        "licenses": [{"license": {"name": each.licence}}],
    }
    if each.sha256:
        found["hashes"] = [{"alg": "SHA-256", "content": each.sha256}]
    if each.part:
        found["properties"] = [{"name": "weft:engine", "value": each.part}]
    return found


def of_engines(found: Iterable[Component]) -> str:
    """By engine, the licence of each of its parts as the part itself states it."""
    lines = [
        "What the engines contain, and the licences that each part names. Texts of licences are in the parts, and in `licenses`."
    ]
    part = ""
    for each in sorted(set(found), key=lambda each: (each.part, each)):
        if each.part != part:
            part = each.part
            lines += ["", part]
        lines.append(f"  {each.name} {each.version}: {each.licence}")
    return "\n".join([*lines, ""])


def notices(found: Iterable[Component]) -> str:
    """Name, version, licence and licence texts of each; equal texts once."""
    lines, texts = ["What weft's programs and jars contain besides its own code."], dict[str, list[str]]()
    for each in sorted(set(found)):
        lines.append(f"{each.name} {each.version}: {each.licence}")
        for path in each.notices:
            texts.setdefault(path.read_text(errors="replace").strip(), []).append(
                f"{each.name} ({path.name})"
            )
    for text, names in texts.items():
        lines += ["", "-" * 80, ", ".join(names), "", text]
    return "\n".join([*lines, ""])
