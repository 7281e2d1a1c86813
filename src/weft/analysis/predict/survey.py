"""What a survey found: which storage for scratch on this machine, for which class of job, to how many nodes."""

from collections.abc import Sequence
from statistics import median

from weft.analysis.predict import jobprofile, projection
from weft.analysis.read import resolved
from weft.analysis.read.part import Part
from weft.errors import UsageError
from weft.facts.storages import layers
from weft.record.record import Stored

ALIKE = 1.10
"""Times the best below which a storage counts as good: single runs of one spec differ by as much."""


ENOUGH = 3
"""Runs of a cell, below which equal storages differ by more than ALIKE too often to decide for all users of a site."""
VOLATILE = "memory"
"""Never a default: a job whose scratch does not fit fails."""


class Cell(Part):
    """One job on one storage and one number of nodes."""

    job: str
    storage: str
    nodes: int
    seconds: float | None
    """Median of the valid runs; None without one."""
    ratio: float | None
    """Over the best storage of this job on as many nodes."""
    runs: int
    shortest: float | None = None
    """Of them, in seconds."""
    longest: float | None = None
    records: tuple[str, ...]
    """Newest last."""
    reason: str
    """Why there is no time."""


class Best(Part):
    """The storages of a job that are good, and on how many nodes."""

    job: str
    job_class: str
    """As measured on the storage where the job is slowest; empty if its records do not say."""
    storages: tuple[tuple[str, tuple[int, ...]], ...]
    """With the numbers of nodes on which each is good, that on most nodes first."""


class Surveyed(Part):
    """A survey."""

    host: str
    cells: tuple[Cell, ...]
    best: tuple[Best, ...]
    default: str
    """Empty if no storage can be it."""
    because: str
    nodes: int
    """The largest number that was surveyed."""
    evidence: str
    """The record of the default with most nodes."""
    repeat: int


def survey(runs: Sequence[Stored], storages: Sequence[str], host: str, asked: int) -> Surveyed:
    """The findings. `storages`: as they were asked for, those first that are preferred where times are alike; `asked`: cells."""
    cells = _with_ratios([_cell(*key, group) for key, group in _groups(runs).items()])
    best = [_best(job, cells, runs) for job in dict.fromkeys(cell.job for cell in cells)]
    default, because = _default(cells, storages, asked)
    widest = max((cell.nodes for cell in cells), default=0)
    of_default = [
        record
        for cell in cells
        if cell.storage == default and cell.nodes == widest
        for record in cell.records
    ]
    return Surveyed(
        host=host,
        cells=tuple(cells),
        best=tuple(best),
        default=default,
        because=because,
        nodes=widest,
        evidence=of_default[-1] if of_default else "",
        repeat=max((cell.runs for cell in cells), default=0),
    )


def _groups(runs: Sequence[Stored]) -> dict[tuple[str, str, int], list[Stored]]:
    found: dict[tuple[str, str, int], list[Stored]] = {}
    for stored in runs:
        where = stored.head.cell.coordinates
        found.setdefault((where["job"], where["scratch"], _nodes(stored)), []).append(stored)
    return dict(sorted(found.items(), key=lambda item: (item[0][0], item[0][2], item[0][1])))


def _nodes(stored: Stored) -> int:
    """Of a run; of one that failed before it had any, as many as were asked for."""
    count = stored.head.nodes.rpartition(":")[2]
    return len(resolved.of_record(stored).nodes) or (int(count) if count.isdecimal() else 0)


def _cell(job: str, storage: str, nodes: int, group: Sequence[Stored]) -> Cell:
    times = [one.head.measured for one in group if one.verdict == "VALID" and one.head.measured is not None]
    failed = [one.head.reason or one.verdict for one in group if one.verdict != "VALID"]
    return Cell(
        job=job,
        storage=storage,
        nodes=nodes,
        seconds=median(times) if times else None,
        ratio=None,
        runs=len(times),
        shortest=min(times, default=None),
        longest=max(times, default=None),
        records=tuple(str(one.directory) for one in group),
        reason=failed[-1] if failed and not times else "",
    )


def _with_ratios(cells: Sequence[Cell]) -> list[Cell]:
    best: dict[tuple[str, int], float] = {}
    for cell in cells:
        if cell.seconds:
            best[cell.job, cell.nodes] = min(cell.seconds, best.get((cell.job, cell.nodes), cell.seconds))
    return [
        cell.model_copy(update={"ratio": cell.seconds / best[cell.job, cell.nodes]}) if cell.seconds else cell
        for cell in cells
    ]


def _best(job: str, cells: Sequence[Cell], runs: Sequence[Stored]) -> Best:
    own = [cell for cell in cells if cell.job == job]
    good: dict[str, list[int]] = {}
    for cell in own:
        if cell.ratio is not None and cell.ratio <= ALIKE:
            good.setdefault(cell.storage, []).append(cell.nodes)
    ordered = sorted(good.items(), key=lambda item: -max(item[1]))
    slowest = max(own, key=lambda cell: cell.ratio or 0.0)
    return Best(
        job=job,
        job_class=_class([one for one in runs if str(one.directory) in slowest.records]),
        storages=tuple((name, tuple(sorted(nodes))) for name, nodes in ordered),
    )


def _class(runs: Sequence[Stored]) -> str:
    for stored in reversed(runs):
        try:
            return jobprofile.job_class(projection.read(stored).work)
        except UsageError:
            continue
    return ""


def _default(cells: Sequence[Cell], storages: Sequence[str], asked: int) -> tuple[str, str]:
    """The storage whose worst case is best, and why."""
    if len(cells) < asked:
        return "", f"{asked - len(cells)} of {asked} cells have not been run; the same command continues"
    lasting = _with_ratios([cell for cell in cells if layers(cell.storage)[0].kind != VOLATILE])
    worst: dict[str, float] = {}
    fewest = ENOUGH
    for one in storages:
        own = [cell for cell in lasting if cell.storage == one]
        if own and all(cell.seconds for cell in own):
            fewest = min(fewest, *(cell.runs for cell in own))
            worst[one] = max(cell.ratio or 0.0 for cell in own)
    if not worst:
        return "", f"no storage but {VOLATILE} did all jobs, and what does not fit into {VOLATILE} fails"
    if fewest < ENOUGH:
        return "", f"undecided ({fewest} run{'s' if fewest > 1 else ''}): a default needs --repeat {ENOUGH}"
    best = min(worst, key=lambda one: worst[one])
    chosen = next(
        one for one, ratio in worst.items() if ratio <= worst[best] * ALIKE or _overlap(lasting, one, best)
    )
    words = f"at worst {worst[chosen]:.2f} times as long as the best that is not {VOLATILE}"
    if worst[chosen] > worst[best] * ALIKE:
        words += f", and no job's runs are all longer than those on {best}"
    others = ", ".join(f"{name} {ratio:.2f}" for name, ratio in worst.items() if name != chosen)
    return chosen, words + (f" ({others})" if others else "")


def _overlap(cells: Sequence[Cell], one: str, other: str) -> bool:
    """Whether each job has a run on the one that is not longer than all of its runs on the other, on any number of nodes."""
    longest = {(cell.job, cell.nodes): cell.longest or 0.0 for cell in cells if cell.storage == other}
    return all(
        (cell.shortest or 0.0) <= longest.get((cell.job, cell.nodes), 0.0)
        for cell in cells
        if cell.storage == one
    )
