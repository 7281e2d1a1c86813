"""A set of jars from Maven Central is what was locked, or it is refused."""

import hashlib
from pathlib import Path

import pytest

from weft.errors import MissingError
from weft.host.provision import distribution
from weft.host.provision.mavenset import MavenSet


@pytest.fixture
def hadoop(tmp_path: Path) -> MavenSet:
    found = MavenSet(name="hadoop", version="3.5.0", unpacked=1)
    found.__dict__["locked"] = {
        name: hashlib.sha256(name.encode()).hexdigest() for name in ("a.jar", "b.jar")
    }
    for name in ("a.jar", "b.jar"):
        (tmp_path / name).write_text(name)
    return found


def test_the_locked_jars_pass(hadoop: MavenSet, tmp_path: Path) -> None:
    hadoop.verify(tmp_path)


@pytest.mark.parametrize("name", ["a.jar", "c.jar"])
def test_a_changed_or_an_unknown_jar_is_named(hadoop: MavenSet, tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("something else")
    with pytest.raises(MissingError, match=name):
        hadoop.verify(tmp_path)


def test_a_missing_jar_is_named(hadoop: MavenSet, tmp_path: Path) -> None:
    (tmp_path / "b.jar").unlink()
    with pytest.raises(MissingError, match=r"b\.jar"):
        hadoop.verify(tmp_path)


def test_the_lock_names_every_daemon_s_jar() -> None:
    names = distribution.HADOOP.locked
    for module in (
        "hdfs",
        "yarn-server-resourcemanager",
        "yarn-server-nodemanager",
        "mapreduce-client-shuffle",
    ):
        assert f"hadoop-{module}-3.5.0.jar" in names
