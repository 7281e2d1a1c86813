"""The lock of a set of jars from Maven Central has what its engine needs."""

from weft.host.provision import distribution


def test_the_lock_names_every_daemon_s_jar() -> None:
    names = {each.file for each in distribution.HADOOP.artifacts}
    for module in (
        "hdfs",
        "yarn-server-resourcemanager",
        "yarn-server-nodemanager",
        "mapreduce-client-shuffle",
    ):
        assert f"hadoop-{module}-3.5.0.jar" in names
