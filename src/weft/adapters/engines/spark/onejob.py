"""What one job of a cluster has for itself: its executors, which Spark starts for each application, and its event log."""

from weft.host.programs import marks
from weft.layout.plan import COMPONENT, Layout


def settings(layout: Layout) -> dict[str, str]:
    """The settings of a job whose processes carry the mark of a layout's run."""
    # an executor has the variables of its Worker, and these over them
    probed = {name: value.replace(COMPONENT, layout.component) for name, value in layout.of_job.items()}
    variables = {marks.LEASE: layout.run, **probed}
    return {**{f"spark.executorEnv.{name}": value for name, value in variables.items()}, **history(layout)}


def history(layout: Layout) -> dict[str, str]:
    """Whether and where a driver writes its event log."""
    return {
        "spark.eventLog.enabled": str(layout.metrics).lower(),
        "spark.eventLog.dir": f"file:{layout.record}/engine",
    }
