"""How many cores an executor may have."""

from collections.abc import Mapping

from weft.errors import UsageError

STANDALONE = "standalone"
MOST, EACH = "spark.cores.max", "spark.executor.cores"


def fitting(conf: Mapping[str, str], cores: int, master: str = STANDALONE) -> dict[str, str]:
    """An application's settings, with executors that its limit of cores has room for, otherwise of `cores` each.

    A standalone Master gives no executor to an application whose executors have more cores than spark.cores.max, and says
    nothing (Master.scala, startExecutorsOnWorkers); YARN knows no such limit. Raises UsageError where both are set so.
    """
    found = dict(conf)
    most, each = found.get(MOST, ""), found.get(EACH, str(cores))
    if master != STANDALONE or not (most.isdecimal() and each.isdecimal()) or int(each) <= int(most):
        return found
    if EACH in found:
        raise UsageError(
            f"no executor can ever start: {EACH}={each} is more than {MOST}={most}",
            hint=f"lower {EACH}, or leave it out",
        )
    return {**found, EACH: most}
