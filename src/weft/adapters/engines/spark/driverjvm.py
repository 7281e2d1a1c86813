"""What a driver's JVM must have when it starts, which spark-submit's launcher reads (SparkSubmitCommandBuilder.java): weft starts it without."""

import shlex
from collections.abc import Mapping, Sequence
from itertools import pairwise

from weft.errors import UsageError
from weft.text.units import parse_size

_MEMORY, _CLASSES = "spark.driver.memory", "spark.driver.extraClassPath"
_DEFAULTS, _OPTIONS = "spark.driver.defaultJavaOptions", "spark.driver.extraJavaOptions"
_LIBRARIES = "spark.driver.extraLibraryPath"
_FLAGS = {
    _MEMORY: "--driver-memory",
    _CLASSES: "--driver-class-path",
    _OPTIONS: "--driver-java-options",
    _LIBRARIES: "--driver-library-path",
}
_SEARCHED = 'export LD_LIBRARY_PATH="${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$0"; exec "$@"'
"""After those that the host has, which are known there only."""


def given(conf: Mapping[str, str], options: Sequence[str]) -> dict[str, str]:
    """These settings of a job; its options of spark-submit win over them."""
    words = dict(pairwise(options))
    return {**conf, **{key: words[flag] for key, flag in _FLAGS.items() if flag in words}}


def heap(conf: Mapping[str, str], otherwise: int) -> int:
    """Bytes; a number without a unit is in MiB, as Spark reads it."""
    if _MEMORY not in conf:
        return otherwise
    text = conf[_MEMORY]
    try:
        return parse_size(f"{text}m" if text.isdecimal() else text)
    except ValueError as error:
        raise UsageError(f"{_MEMORY}: {error}", hint="write 8g, or set engine.driver_memory") from error


def started(java: Sequence[str], conf: Mapping[str, str]) -> list[str]:
    """The beginning of a command, up to its class path, with the options of Java, the classes and the libraries that settings add."""
    *words, flag, classes = java
    for key in (_DEFAULTS, _OPTIONS):
        try:
            words += shlex.split(conf.get(key, ""))
        except ValueError as error:
            raise UsageError(f"{key}: {str(error).lower()}", hint="close its quotes") from error
    searched = ["/bin/sh", "-c", _SEARCHED, conf[_LIBRARIES]] if conf.get(_LIBRARIES) else []
    return [*searched, *words, flag, ":".join(filter(None, [conf.get(_CLASSES), classes]))]
