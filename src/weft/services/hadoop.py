"""What Hadoop's daemons and clients share, whoever starts them: jars, the form of settings, who may call."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.sax.saxutils import escape

from weft.layout.jvm import SharedClasses
from weft.nodes.base import Node

_LOOPBACK = "127.0.0.0/8"

_INITIALIZERS = "hadoop.http.filter.initializers"
_FINAL = frozenset({_INITIALIZERS})
"""Whoever submits a job puts a filter in its place that believes addresses; the job's master has to keep it."""

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


def classes(home: Path, own: Path) -> list[str]:
    """The same behind weft's `own` jar, which has a class that stands for one of Hadoop's."""
    return [str(own), *jars(home)]


def shared_classes(homes: Mapping[str, Path], jars: Mapping[str, Path]) -> dict[str, SharedClasses]:
    """The processes of Hadoop, whichever service they belong to, have one archive."""
    small = ["--engine", "hadoop", "--input", "hdfs", "--output", "hdfs"]
    # without an archive, and on a busy machine, a process is no worse for being slow
    patience = [
        "yarn.am.liveness-monitor",
        "yarn.nm.liveness-monitor",
        "yarn.resourcemanager.rm.container-allocation",
    ]
    small += [word for key in patience for word in ("--set", f"engine.conf.{key}.expiry-interval-ms=600000")]
    return {"hadoop": SharedClasses(classes(homes["hadoop"], jars["hadoop"]), small)}


def callers(nodes: Sequence[Node]) -> dict[str, str]:
    """The part of hadoop-policy.xml that says from where anything may be asked: from the nodes themselves."""
    found = {address for node in nodes for address in node.addresses}
    # what goes to one of the loopback's addresses may come from any other
    hosts = {_LOOPBACK if address.startswith("127.") else address for address in found}
    return {"security.service.authorization.default.hosts": ",".join(sorted(hosts))}


def closed(secret: Path) -> dict[str, str]:
    """The part of core-site.xml that shows a daemon's pages only to who has a token signed with the file's secret."""
    return {
        "weft.pages.secret.file": str(secret),
        # the second is Hadoop's own default: whoever is let in is nobody in particular
        _INITIALIZERS: "io.weft.hadoop.PageFilterInitializer,org.apache.hadoop.http.lib.StaticUserWebFilter",
    }


def configuration(settings: Mapping[str, str]) -> str:
    """Settings as Hadoop reads them."""
    lines = [
        f"<property><name>{escape(key)}</name><value>{escape(value)}</value>{_final(key)}</property>"
        for key, value in sorted(settings.items())
    ]
    return "\n".join(["<configuration>", *lines, "</configuration>", ""])


def _final(key: str) -> str:
    return "<final>true</final>" if key in _FINAL else ""
