"""How many cores an executor may have."""

from collections.abc import Mapping, Sequence

from weft.errors import UsageError

STANDALONE = "standalone"
MOST, EACH = "spark.cores.max", "spark.executor.cores"
COUNT = "spark.executor.instances"


def of_each(cores: Sequence[int], master: str = STANDALONE) -> dict[str, str]:
    """How many cores each executor has, as a setting, on nodes of so many; none if Workers have unequal ones.

    Then an executor takes all cores of its Worker, by Spark's default; a Worker with fewer than the setting never gets one.
    YARN's executors are all equal, and it counts memory alone: none has more cores than the smallest node.
    """
    return {} if len(set(cores)) > 1 and master == STANDALONE else {EACH: str(min(cores))}


def number(settings: Mapping[str, str], otherwise: int) -> int:
    """How many cores each executor has by these settings; what is no number is Spark's to refuse."""
    each = settings.get(EACH, "")
    return int(each) if each.isdecimal() else otherwise


def of_all(settings: Mapping[str, str], cores: Sequence[int], master: str = STANDALONE) -> int:
    """How many cores all executors have together by these settings, on nodes of so many."""
    each, count = number(settings, 0), settings.get(COUNT, "")
    if master != STANDALONE:  # which takes as many as there are cores
        return (int(count) if count.isdecimal() else len(cores)) * each
    found = sum(own // each * each if each else own for own in cores)
    most = settings.get(MOST, "")
    if not most.isdecimal():
        return found
    limit = min(found, int(most))
    # the Master gives whole executors (Master.scala, scheduleExecutorsOnWorkers)
    return limit // each * each if each else limit


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
