"""The small program whose classes fill Spark's class-data archive: a Master and a Worker in its own process, and a job."""

from pathlib import Path

from weft.host.javaprogram import JavaProgram
from weft.layout.jvm import OPENS
from weft.text.arguments import assign

_SECRET = "0" * 64
"""It opens nothing: the program ends after seconds, and listens on the loopback interface."""


def program(classes: str, jar: Path, empty: Path, scratch: Path, page_filter: str) -> JavaProgram:
    """`classes`: the class path of Spark's processes; `page_filter`: the class that protects their pages."""
    settings = {
        "ui.enabled": "false",
        "driver.host": "127.0.0.1",
        "driver.bindAddress": "127.0.0.1",
        "authenticate": "true",
        "authenticate.secret": _SECRET,
        "ui.filters": page_filter,
        f"{page_filter}.param.secretKey": _SECRET,
        # as weft's own clusters: these load classes of their own
        **dict.fromkeys(("io.mode.default", "shuffle.io.mode", "rpc.io.mode"), "NIO"),
        "ui.reverseProxy": "true",
        "eventLog.enabled": "true",
        "eventLog.dir": f"file:{scratch}",
        # more than the program's Worker has, so that it starts no executor, which would be another process
        "executor.cores": "2",
    }
    submit = ["org.apache.spark.deploy.SparkSubmit", "--master", "local[1]"]
    submit += assign("--conf", {f"spark.{key}": value for key, value in settings.items()})
    submit += ["--class", "io.weft.spark.Training", f"local:{jar}", "--directory", str(scratch)]
    submit += ["--outcome", str(scratch / "outcome.json")]
    # the Worker's directory is below SPARK_HOME
    own = {"SPARK_LOCAL_IP": "127.0.0.1", "SPARK_CONF_DIR": str(empty), "SPARK_HOME": str(scratch)}
    return JavaProgram(["-Xmx600m", *OPENS, "-cp", classes, *submit], own)
