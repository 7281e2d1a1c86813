"""Arguments of a Java program that engines, storages and workloads share."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from weft.host.javaprogram import IN_PLACE
from weft.host.provision import classlist
from weft.layout.node import Node
from weft.layout.plan import Layout

_OPENED = (
    "java.lang java.lang.invoke java.lang.reflect java.io java.net java.nio java.util java.util.concurrent "
    "java.util.concurrent.atomic jdk.internal.ref sun.nio.ch sun.nio.cs sun.security.action sun.util.calendar"
)
OPENS = (
    "-XX:+IgnoreUnrecognizedVMOptions",
    *(f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in _OPENED.split()),
    "--add-opens=java.security.jgss/sun.security.krb5=ALL-UNNAMED",
    "-Dio.netty.tryReflectionSetAccessible=true",
    "-Dio.netty.allocator.type=pooled",
    # Java before 23 has no such option, and ignores it by the first line
    "--sun-misc-unsafe-memory-access=allow",
    "--enable-native-access=ALL-UNNAMED",
)
"""The options of Spark 4.3's own launcher (JavaModuleOptions), which its executors have too, but for two. With jdk.incubator.vector every JVM
prints a warning; without it MLlib has no vector instructions in the driver. Clients keep comparing the name of a host with its certificate."""

_LATER = 20
COMPILED_LATER = tuple(
    f"-XX:Tier4{name}Threshold={_LATER * count}"
    for name, count in {"Invocation": 5000, "MinInvocation": 600, "Compile": 15000, "BackEdge": 40000}.items()
)
"""The JIT compiler C2 begins after twenty times as many calls and loops as by Java's defaults (compiler_globals.hpp); docs/decisions/0068 has what
that saves, and where it was not measured."""
INLINED_LESS = "-XX:C1MaxInlineSize=10"
"""Bytes of bytecode up to which the JIT compiler C1 inlines a method, instead of 35 (c1_globals.hpp); docs/decisions/0072 has what that saves."""


@dataclass(frozen=True)
class SharedClasses:
    """Processes whose classes are in one class-data archive."""

    class_path: Sequence[str]
    """The beginning of their class paths."""
    run: Sequence[str]
    """Arguments of a small `weft run terasort` that loads the same classes."""


def heap(size: int) -> str:
    """-Xmx for a size in bytes, in whole MiB."""
    return f"-Xmx{size >> 20}m"


def archived(classes: Path | None) -> list[str]:
    """Arguments of a JVM whose class path matches a class-data archive, if there is one; a mismatch is silent.

    If the path is a directory instead of an archive, the JVM writes its list of loaded classes there.
    """
    if classes is None:
        return []
    if classes.suffix != ".jsa":
        return [classlist.option(classes)]
    return [*IN_PLACE, f"-XX:SharedArchiveFile={classes}", "-Xlog:cds=off", "-Xlog:cds+dynamic=off"]


def temporary(layout: Layout, node: Node, classes: Path | None = None) -> dict[str, str]:
    """Variables that keep temporary files in the node's own directory, for a JVM and its child JVMs.

    A JVM counts the cores of its node, by which it chooses its GC and the number of its threads: those of a
    machine are shared by the local nodes on it (docs/decisions/0070).
    `classes` is the class-data archive for JVMs with a matching class path; others ignore it.
    -UsePerfData: otherwise the JVM maps a file in /tmp whatever java.io.tmpdir is, and waits for its disk.
    """
    flags = [
        f"-Djava.io.tmpdir={node.directory}",
        "-XX:-UsePerfData",
        f"-XX:ActiveProcessorCount={node.cores}",
    ]
    flags += [*COMPILED_LATER, INLINED_LESS, *archived(classes), *layout.java_options]
    return {"TMPDIR": str(node.directory), "JDK_JAVA_OPTIONS": " ".join(flags)}


def core(layout: Layout) -> list[str]:
    """The class path of weft's core programs, with the clients of file systems that are reached by URIs."""
    if not layout.file_systems:
        return ["-cp", str(layout.jars["core"])]
    options = [f"-Dweft.hadoop.{key}={value}" for key, value in layout.file_system_properties.items()]
    # weft's own jar is first: it replaces one of Hadoop's classes
    classes = [str(layout.jars["hadoop"]), *layout.file_system_jars]
    return [*options, *layout.java_options, "-cp", ":".join(classes)]
