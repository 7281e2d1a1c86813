"""The JVMs of Spark's Master and Workers, which wait for most of their time."""

from collections.abc import Mapping

HEAP = 192 << 20
"""Bytes of heap for a Master or a Worker; both use a third of it when idle."""
TOTAL = 320 << 20
"""Bytes of such a daemon's process, including the heap."""
_LIGHT = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
_LOGGING = "-Dlog4j2.configurationFile=classpath:org/apache/spark/log4j2-defaults.properties"
"""What they come to by themselves, once Log4j has searched all jars and configured itself without."""


def flags(conf: Mapping[str, str]) -> tuple[str, ...]:
    """Flags of Java; the file of structured logging is another one, to which they come by themselves."""
    return _LIGHT if "spark.log.structuredLogging.enabled" in conf else (*_LIGHT, _LOGGING)
