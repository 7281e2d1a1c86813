"""What a bundle consists of runs on RHEL 8, Rocky 8 and newer: no native file needs a newer glibc or C++ library than theirs.

weft's own native programs are compared when tools/build makes them.
"""

import sysconfig
from collections.abc import Callable
from pathlib import Path

import pytest
import symbols

from tests.needs import needs
from weft.host.provision import distribution

pytestmark = needs("readelf")
GLIBC, GLIBCXX = (2, 28), (3, 4, 25)
"""Of RHEL 8, with GCC 8.5."""
OPTIONAL = ("arpack-", "blas-", "lapack-")
"""Spark's jars of netlib, whose native libraries need glibc 2.34: without them MLlib calculates in Java."""


def packages() -> Path:
    return Path(sysconfig.get_path("platlib"))


@pytest.mark.parametrize(
    "folder",
    [packages, lambda: distribution.home("spark", print), lambda: distribution.home("flink", print)],
    ids=["packages of Python", "spark", "flink"],
)
def test_no_native_file_needs_a_newer_glibc(folder: Callable[[], Path]) -> None:
    seen, newer = 0, []
    for name, path in symbols.natives(folder()):
        if name.startswith(OPTIONAL):
            continue
        text = symbols.version_needs(path)
        found = symbols.newest(text), symbols.newest(text, "GLIBCXX")
        seen += 1
        newer += [f"{name}: {found}"] if found[0] > GLIBC or found[1] > GLIBCXX else []
    assert seen > 3
    assert newer == []
