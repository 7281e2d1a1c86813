"""The settings of a MapReduce job, which its cluster keeps beside the job's history: copied without passwords."""

import os
from pathlib import Path
from xml.etree import ElementTree

from weft.text import entry
from weft.text.redaction import redacted

_MOST = 1 << 24
"""Bytes above which it is no file of settings."""


def copy(path: Path, folder: Path, gaps: list[str]) -> None:
    """Write its properties to a file of the same name, for its owner only; a link is not followed."""
    try:
        found = ElementTree.fromstring(entry.of(path).data(_MOST))  # noqa: S314 - expat limits what entities expand to
    except FileNotFoundError:
        return
    except (OSError, ValueError, LookupError, RecursionError, ElementTree.ParseError) as error:
        gaps.append(f"the settings next to it, {path.name}, were left out: {error}")
        return
    properties = {
        each.findtext("name") or "": each.findtext("value") or "" for each in found.iter("property")
    }
    kept = ElementTree.Element("configuration")
    for name, value in redacted(properties).items():
        inner = ElementTree.SubElement(kept, "property")
        ElementTree.SubElement(inner, "name").text = name
        ElementTree.SubElement(inner, "value").text = value
    target = os.open(folder / path.name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    with os.fdopen(target, "wb") as out:
        ElementTree.ElementTree(kept).write(out)
