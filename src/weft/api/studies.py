"""The runs of a study, on clusters that those share which differ in nothing that a cluster decides."""

from collections.abc import Callable, Mapping

from weft.record.record import Stored
from weft.run import matrix
from weft.run.progress import Progress
from weft.spec.study import Study


def run(
    study: Study,
    progress: Progress,
    *,
    again: bool = False,
    fresh: bool = False,
    enough: Callable[[], str] = lambda: "",
) -> list[Stored]:
    """One record a run. `again`: also what is finished; `fresh`: each run on a cluster of its own; `enough`: as of `matrix.run`."""
    groups = {} if fresh else shared(study, again=again)
    if not groups:
        return matrix.run(study, progress, again=again, enough=enough)
    from weft.clusters.shared import clusters  # noqa: PLC0415 - runs of one spec need none of it

    with clusters(groups, study.name, progress.say) as source:
        return matrix.run(study, progress, again=again, enough=enough, source=source)


def shared(study: Study, *, again: bool = False) -> Mapping[str, str]:
    """By the key of a spec: what is equal for those whose runs share a cluster; empty if each run has its own."""
    cells = study.cells()
    if not cells[1:]:
        return {}
    from weft.clusters.shared import groups, key  # noqa: PLC0415 - as above

    found = groups([spec for _, spec in cells])
    done = {key for key, _ in matrix.finished(study)} if found and not again else set()
    # a study that had a cluster for each run goes on as it began
    began_otherwise = done & set(found) and not any(key(one) in done for one in found)
    return {} if began_otherwise else found
