"""Engine distributions, each from a registry that has it complete, with a locked checksum."""

from pathlib import Path

from weft.host.provision.mavenset import MavenSet
from weft.host.provision.pythonarchive import PythonArchive
from weft.host.provision.tree import Say, building, cached

SPARK = PythonArchive(
    name="spark",
    version="4.3.0",
    package="pyspark",
    sha256="e8c517948eff7088a7aa07449aa8eafa4a15a8d50319de2525a6fd26622476c6",
    # Spark's Python API, for PySpark jobs, is beside the jars
    folders={"pyspark-4.3.0/deps/": "", "pyspark-4.3.0/lib/": "python/lib/"},
    unpacked=1_100_000_000,
)
FLINK = PythonArchive(
    name="flink",
    version="2.3.0",
    package="apache-flink-libraries",
    sha256="38ece876553286b3a285cf344c2d2038f8a7ca10da5df54d5107250386d64151",
    folders={"pyflink/": ""},
    unpacked=700_000_000,
)
HADOOP = MavenSet(name="hadoop", version="3.5.0", unpacked=250_000_000)

DISTRIBUTIONS: dict[str, PythonArchive | MavenSet] = {each.name: each for each in (SPARK, FLINK, HADOOP)}


def home(name: str, say: Say) -> Path:
    """The engine's home in the cache, downloaded on first use."""
    wanted = DISTRIBUTIONS[name]
    if found := cached(wanted.key):
        return found
    with building(wanted.key, wanted.unpacked) as target:
        if target is not None:
            say(f"downloading {wanted.name} {wanted.version} (once)")
            wanted.fetch(target)
    found = cached(wanted.key)
    assert found is not None
    return found
