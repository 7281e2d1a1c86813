"""Flags of the Java virtual machine that all JVM engines share."""

_OPENED = (
    "java.lang java.lang.invoke java.lang.reflect java.io java.net java.nio java.util java.util.concurrent "
    "java.util.concurrent.atomic jdk.internal.ref sun.nio.ch sun.nio.cs sun.security.action sun.util.calendar"
)
OPENS = (
    "-XX:+IgnoreUnrecognizedVMOptions",
    *(f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in _OPENED.split()),
    "-Djdk.reflect.useDirectMethodHandle=false",
    "-Dio.netty.tryReflectionSetAccessible=true",
)
"""What Spark's own launcher (JavaModuleOptions) opens to it on Java 17 and later."""


def heap(size: int) -> str:
    """-Xmx for a size in bytes, in whole MiB."""
    return f"-Xmx{size >> 20}m"
