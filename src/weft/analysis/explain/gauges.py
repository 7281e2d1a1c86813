"""What a run used of what its machine can do: observed rates over calibrated ceilings.

An observed rate is the mean over seconds, each weighted by what was done in it.
Seconds in which nothing was done do not count, as a ceiling cannot be reached in them.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars

from weft.analysis.explain import spread
from weft.analysis.explain.evidence import Window
from weft.analysis.explain.filetime import part
from weft.analysis.explain.fitting import Used
from weft.analysis.explain.slots import SCHEDULING
from weft.analysis.explain.spread import Counters, Numbers, Readings
from weft.analysis.explain.timeparts import Limit
from weft.analysis.read.calibration import Calibration, StorageRates
from weft.record.samples import Measure

LIKE = {"open": "open", "stat": "stat", "lookup": "lookup", "unlink": "unlink", "rmdir": "unlink", "rename": "create",
        "mkdir": "create"}  # fmt: skip
"""Counted operations and the measured ones whose ceiling is theirs: those that change names cost a server alike."""
METADATA, BYTES, CORES, TASKS = "operations", "B", "cores", "tasks"
_STEP = 1.0
"""Seconds: probes read each second."""


@dataclass(frozen=True)
class _Run:
    """A run's counters, and the moments between which their rates are."""

    counters: Counters
    times: Numbers

    def rate(self, wanted: Callable[[str, Measure], bool]) -> Numbers:
        """The sum of the counters that are wanted, by node, in each step."""
        rates = (_rates(read, self.times) for key, read in self.counters.items() if wanted(*key))
        found: Numbers = sum(rates, np.zeros(len(self.times) - 1))
        return found

    def of_files(self, roles: Sequence[str], operation: str, what: str) -> Numbers:
        """A counter of the files of some roles, over all nodes."""
        wanted = {Measure(f"fileops.{what}", "", role, operation) for role in roles}
        return self.rate(lambda _, measure: measure in wanted)


def gauges(
    samples: polars.DataFrame,
    window: Window,
    cores: Mapping[str, int],
    used: Used,
    launches: Numbers | None = None,
) -> list[Limit]:
    """Every gauge that the record has readings for. `cores`: of each node; `launches`: when each task began."""
    if used.calibration is None:
        return []
    steps = max(1, round((window.end - window.begin) / _STEP))
    times = np.linspace(window.begin, window.end, steps + 1)
    run = _Run(spread.of_nodes(samples, "fileops.", "net_", "cpu_"), times)
    found = [
        *_storages(run, used, used.calibration),
        *_network(run, used.calibration),
        *_cpu(run, cores),
        *(_scheduler(run, launches, used.calibration) if launches is not None else ()),
    ]
    return [gauge for gauge in found if gauge.observed > 0]


def _storages(run: _Run, used: Used, found: Calibration) -> Iterator[Limit]:
    groups: dict[tuple[int, str], list[str]] = defaultdict(list)
    for role, index in used.roles.items():
        # each role of an emulated storage has a server of its own
        alone = bool(found.storages[index].emulated)
        groups[index, role if alone else ""].append(role)
    for (index, _), roles in groups.items():
        storage = found.storages[index]
        more = used.hosts / storage.hosts if storage.scope == "host" else 1.0
        about = {
            "service": "the server" if storage.scope == "shared" else "the storage",
            "note": f"{storage.storage}, emulated" if storage.emulated else storage.storage,
        }
        of_directions = [_bandwidth(run, roles, storage, direction) for direction in ("read", "write")]
        for name, unit, operation, done, ceiling in (_metadata(run, roles, storage), *of_directions):
            if ceiling and done.any():
                parts = [str(part(role, operation)) for role in roles]
                title = f"{name}: {', '.join(roles)}"
                yield _limit(title, unit, _weighted(done, done), ceiling * more, done, parts, **about)


def _metadata(run: _Run, roles: Sequence[str], storage: StorageRates) -> tuple[str, str, str, Numbers, float]:
    whole, share = np.zeros(len(run.times) - 1), np.zeros(len(run.times) - 1)
    # a stat that fails looks up a name that does not exist
    failed = run.of_files(roles, "stat", "errors")
    for operation, like in LIKE.items():
        ceiling = storage.per_second(like) or storage.per_second("stat" if like == "lookup" else like)
        done = failed if operation == "lookup" else run.of_files(roles, operation, "count")
        done = (done - failed).clip(min=0) if operation == "stat" else done
        if ceiling:
            whole, share = whole + done, share + done / ceiling
    highest = _weighted(whole, whole) / _weighted(share, whole) if whole.any() else 0.0
    return "metadata operations", METADATA, "open", whole, highest


def _bandwidth(
    run: _Run, roles: Sequence[str], storage: StorageRates, direction: str
) -> tuple[str, str, str, Numbers, float]:
    ceilings = [storage.bandwidth(direction, cached=cached) or 0.0 for cached in (False, True)]
    name = {"read": "bytes read", "write": "bytes written"}[direction]
    return name, BYTES, direction, run.of_files(roles, direction, "bytes"), max(ceilings)


def _network(run: _Run, found: Calibration) -> Iterator[Limit]:
    ceiling = max((link.bandwidth.value for link in found.links), default=0.0)
    for counter, words in {"net_send": "sent", "net_receive": "received"}.items():
        rates = {
            node: _rates(read, run.times)
            for (node, of), read in run.counters.items()
            if of.counter == counter
        }
        means = {node: _weighted(done, done) for node, done in rates.items() if done.any()}
        if means and ceiling:
            most = max(means, key=lambda node: means[node])
            title = f"network: {words} by {most}"
            yield _limit(title, BYTES, means[most], ceiling, rates[most], ["network"], service="the link")


def _cpu(run: _Run, cores: Mapping[str, int]) -> Iterator[Limit]:
    """The mean of all seconds: a core that nobody uses could have been used."""
    done = run.rate(lambda node, of: of.counter.startswith("cpu_") and node in cores)
    if done.any():
        mean = float(np.average(done, weights=np.diff(run.times)))
        yield _limit("CPUs", CORES, mean, float(sum(cores.values())), done, ["CPU"])


def _scheduler(run: _Run, launches: Numbers, found: Calibration) -> Iterator[Limit]:
    done = np.histogram(launches, run.times)[0] / np.diff(run.times)
    for each in found.schedulers if done.any() else ():
        ceiling = each.tasks_per_second.value
        yield _limit(
            "tasks started",
            TASKS,
            _weighted(done, done),
            ceiling,
            done,
            [SCHEDULING],
            service="the scheduler",
        )


def _limit(
    name: str, unit: str, observed: float, ceiling: float, rates: Numbers, parts: Sequence[str], **about: str
) -> Limit:
    share, peak = observed / ceiling if ceiling else 0.0, float(rates.max())
    return Limit(
        name=name,
        unit=unit,
        observed=observed,
        ceiling=ceiling,
        share=share,
        peak=peak,
        parts=tuple(parts),
        **about,
    )


def _rates(read: Readings, times: Numbers) -> Numbers:
    if len(read.times) < 2:
        return np.zeros(len(times) - 1)
    grown = np.diff(np.interp(times, read.times, read.values)).clip(min=0)
    found: Numbers = grown / np.maximum(np.diff(times), 1e-9)
    return found


def _weighted(rates: Numbers, weights: Numbers) -> float:
    """The rate that an average call met."""
    return float((rates * weights).sum() / weights.sum()) if weights.any() else 0.0
