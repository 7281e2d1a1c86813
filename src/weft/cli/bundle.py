"""The verb that packs a bundle for machines without a way to the registries."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from weft.adapters.workloads import KINDS as WORKLOADS
from weft.api.flags import Flags
from weft.api.request import study_of
from weft.cli import manual
from weft.cli.flags import every
from weft.errors import UsageError
from weft.host.provision import bundle as bundles
from weft.host.provision.distribution import DISTRIBUTIONS, PROFILER
from weft.run.provisioning import downloaded, provision
from weft.text.nearest import nearest

_USUAL = ("spark", "flink", "hadoop", "kafka")
"""Engines of a bundle without others."""


def bundle(
    engine: Annotated[
        list[str] | None,
        typer.Option(metavar="ENGINE,...", help=f"engines to include; default: {','.join(_USUAL)}"),
    ] = None,
    out: Annotated[
        Path, typer.Option("-o", "--out", metavar="FILE", help="the archive: .tar.zst, .tar.gz or .tar.xz")
    ] = Path("weft-bundle.tar.zst"),
    java: Annotated[
        Path | None, typer.Option(help="directory of a Java runtime to include; default: weft's own")
    ] = None,
    archives: Annotated[bool, typer.Option("--archives", hidden=True)] = False,
) -> None:
    """Pack weft and engines for machines without the Internet.

    An engine comes with the libraries that workloads need besides it, such as Flink's for Parquet and Kafka.
    There, `tar -xf` and `./install PREFIX` make an installation for all users: read-only, with module files,
    completion, man pages and a site profile, and nothing is downloaded.

    Example: weft bundle --engine spark,flink -o weft-bundle.tar.zst
    """
    if archives:
        _archive()
        return
    names = every("--engine", engine, _USUAL)
    for name in names:
        if name not in DISTRIBUTIONS:
            raise UsageError(f"unknown engine {name!r}", hint=nearest(name, list(DISTRIBUTIONS)))
    if java is not None and not (java / "bin" / "java").exists():
        raise UsageError(
            f"{java} is no Java runtime: it has no bin/java", hint="name its directory, as JAVA_HOME does"
        )
    bundles.pack(bundles.Contents(_complete(names), java, manual.pages()), out, _say)


def _complete(engines: Sequence[str]) -> list[str]:
    """Also the libraries that workloads need besides an engine, and that of the probe `profile`."""
    libraries = [
        work.libraries[name] for name in engines for work in WORKLOADS.values() if name in work.libraries
    ]
    return list(dict.fromkeys([*engines, *libraries, PROFILER.name]))


def _archive() -> None:
    """Called by `install`: the class-data archives of the engines that are there."""
    for name in downloaded():
        if bundles.included(DISTRIBUTIONS[name].key):
            ((_, spec),) = study_of("terasort", Flags(engine=name)).cells()
            provision(spec, _say)


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
