"""What Hadoop's daemons and clients share, whoever starts them: where the jars are, and how settings are written."""

from collections.abc import Mapping
from pathlib import Path
from xml.sax.saxutils import escape

_JARS = (
    "lib/*",
    *(
        f"share/hadoop/{part}{below}/*"
        for part in ("common", "hdfs", "yarn", "mapreduce")
        for below in ("", "/lib")
    ),
)


def jars(home: Path) -> list[str]:
    """Class path of a Hadoop: in lib/ of weft's own distribution, or as Apache's release has them."""
    return [f"{home}/{jars}" for jars in _JARS]


def configuration(settings: Mapping[str, str]) -> str:
    """Settings as Hadoop reads them."""
    lines = [
        f"<property><name>{escape(key)}</name><value>{escape(value)}</value></property>"
        for key, value in sorted(settings.items())
    ]
    return "\n".join(["<configuration>", *lines, "</configuration>", ""])
