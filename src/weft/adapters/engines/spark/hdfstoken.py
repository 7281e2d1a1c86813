"""A token of HDFS in a file, for processes that cannot log in: Spark's executors act as a user other than their own."""

from pathlib import Path

from weft.layout.jvm import core, temporary
from weft.layout.plan import Command, Layout

VARIABLE = "HADOOP_TOKEN_FILE_LOCATION"
"""The variable in which Hadoop's clients look for such a file."""


def path(layout: Layout) -> Path:
    return layout.directory / "kerberos" / "hdfs.token"


def fetch_command(layout: Layout) -> Command:
    """Request it when HDFS is ready."""
    head, token = layout.head, path(layout)
    arguments = [str(layout.java), "-XX:TieredStopAtLevel=1", *core(layout), "io.weft.hadoop.FetchToken"]
    arguments += ["--systems", ",".join(layout.token_uris), "--output", str(token)]
    arguments += ["--outcome", f"{token}.json"]
    environment = {**layout.environment(head), **temporary(layout, head)}
    return Command("hdfs-token", head, arguments, environment, makes=[token])
