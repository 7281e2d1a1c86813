"""Common parts of Hadoop's daemons and clients: jars, the format of settings, access control."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.sax.saxutils import escape

from weft.layout.jvm import SharedClasses
from weft.layout.node import Node

_LOOPBACK = "127.0.0.0/8"

_INITIALIZERS = "hadoop.http.filter.initializers"
_FINAL = frozenset({_INITIALIZERS})
"""A job's submitter could replace it with a filter that trusts addresses; the job's ApplicationMaster must keep it."""

_PARTS = ("common", "hdfs", "yarn", "mapreduce")
_JARS = ("lib/*", *(f"share/hadoop/{part}{below}/*" for part in _PARTS for below in ("", "/lib")))


def jars(home: Path) -> list[str]:
    """Class path of a Hadoop: lib/ of weft's own distribution, or the directories of Apache's release."""
    return [f"{home}/{jars}" for jars in _JARS]


def classes(home: Path, own: Path) -> list[str]:
    """The same after weft's `own` jar, which replaces one of Hadoop's classes."""
    return [str(own), *jars(home)]


def hadoop_classes(homes: Mapping[str, Path], jars: Mapping[str, Path]) -> dict[str, SharedClasses]:
    """Hadoop's processes, of any service, share one archive."""
    small = ["--engine", "hadoop", "--input", "hdfs", "--output", "hdfs"]
    # without an archive, or on a busy machine, a slow process is not a failed one
    patience = ("am.liveness-monitor", "nm.liveness-monitor", "resourcemanager.rm.container-allocation")
    for key in patience:
        small += ["--set", f"engine.conf.yarn.{key}.expiry-interval-ms=600000"]
    return {"hadoop": SharedClasses(classes(homes["hadoop"], jars["hadoop"]), small)}


def allowed_hosts(nodes: Sequence[Node]) -> dict[str, str]:
    """The part of hadoop-policy.xml with the addresses of clients: only those of the nodes."""
    found = {address for node in nodes for address in node.addresses}
    # connections to a loopback address can come from any other loopback address
    hosts = {_LOOPBACK if address.startswith("127.") else address for address in found}
    return {"security.service.authorization.default.hosts": ",".join(sorted(hosts))}


def page_filter(secret: Path) -> dict[str, str]:
    """The part of core-site.xml that shows a daemon's pages only with a token signed with the file's secret."""
    return {
        "weft.pages.secret.file": str(secret),
        # the second is Hadoop's own default: an authenticated client is an anonymous user
        _INITIALIZERS: "io.weft.hadoop.PageFilterInitializer,org.apache.hadoop.http.lib.StaticUserWebFilter",
    }


def configuration(settings: Mapping[str, str]) -> str:
    """Settings in Hadoop's format."""
    final = "<final>true</final>"
    lines = [
        f"<property><name>{escape(key)}</name><value>{escape(value)}</value>{final if key in _FINAL else ''}</property>"
        for key, value in sorted(settings.items())
    ]
    return "\n".join(["<configuration>", *lines, "</configuration>", ""])
