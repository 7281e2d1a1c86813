"""The runs of a study, on clusters that those share which differ in nothing that a cluster decides."""

from weft.record.record import Stored
from weft.run import matrix
from weft.run.progress import Progress
from weft.spec.study import Study


def run(study: Study, progress: Progress, *, again: bool = False, fresh: bool = False) -> list[Stored]:
    """One record a run. `again`: also what is finished; `fresh`: each run on a cluster of its own."""
    cells = study.cells()
    if fresh or not cells[1:]:
        return matrix.run(study, progress, again=again)
    from weft.clusters import shared  # noqa: PLC0415 - runs of one spec need none of it

    groups = shared.groups([spec for _, spec in cells])
    done = {key for key, _ in matrix.finished(study)} if groups and not again else set()
    # a study that had a cluster for each run goes on as it began
    if not groups or (done & set(groups) and not any(shared.key(key) in done for key in groups)):
        return matrix.run(study, progress, again=again)
    with shared.clusters(groups, study.name, progress.say) as source:
        return matrix.run(study, progress, again=again, source=source)
