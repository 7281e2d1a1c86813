"""What a run used of what its machine can do: observed rates over calibrated ceilings.

An observed rate is the mean over seconds, each weighted by what was done in it.
Seconds in which nothing was done do not count, as a ceiling cannot be reached in them.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import polars

from weft.analysis.explain import spread
from weft.analysis.explain.evidence import Window
from weft.analysis.explain.filetime import part
from weft.analysis.explain.fitting import Used
from weft.analysis.explain.spread import Numbers, Readings
from weft.analysis.explain.timeparts import Limit
from weft.analysis.read.calibration import StorageRates

LIKE = {"open": "open", "stat": "stat", "lookup": "lookup", "unlink": "unlink", "rmdir": "unlink", "rename": "create",
        "mkdir": "create"}  # fmt: skip
"""Counted operations and the measured ones whose ceiling is theirs: those that change names cost a server alike."""
METADATA, BYTES, CORES, TASKS = "operations", "B", "cores", "tasks"
_STEP = 1.0
"""Seconds: probes read each second."""
Read = Mapping[tuple[str, str], Readings]


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
    own = spread.of_nodes(samples, "fileops.", "net_", "cpu_")
    steps = max(1, round((window.end - window.begin) / _STEP))
    times = np.linspace(window.begin, window.end, steps + 1)
    found = [*_storages(own, times, used), *_network(own, times, used), *_cpu(own, times, cores)]
    if launches is not None:
        found += _scheduler(launches, times, used)
    return [gauge for gauge in found if gauge.observed > 0]


def _storages(own: Read, times: Numbers, used: Used) -> Iterator[Limit]:
    assert used.calibration is not None
    groups: dict[tuple[int, str], list[str]] = defaultdict(list)
    for role, index in used.roles.items():
        # each role of an emulated storage has a server of its own
        alone = bool(used.calibration.storages[index].emulated)
        groups[index, role if alone else ""].append(role)
    for (index, _), roles in groups.items():
        rates = used.calibration.storages[index]
        more = used.hosts / rates.hosts if rates.scope == "host" else 1.0
        yield from _metadata(own, times, roles, rates, more)
        for direction in ("read", "write"):
            yield from _bandwidth(own, times, roles, rates, more, direction)


def _metadata(
    own: Read, times: Numbers, roles: Sequence[str], rates: StorageRates, more: float
) -> Iterator[Limit]:
    whole, share = np.zeros(len(times) - 1), np.zeros(len(times) - 1)
    for operation, like in LIKE.items():
        ceiling = rates.per_second(like) or rates.per_second("stat" if like == "lookup" else like)
        done = sum((_done(own, times, role, operation) for role in roles), whole * 0)
        if ceiling:
            whole, share = whole + done, share + done / (ceiling * more)
    if whole.any():
        observed, part_of = _weighted(whole, whole), _weighted(share, whole)
        yield _gauge(
            "metadata operations", METADATA, observed, observed / part_of, whole, roles, rates, "open"
        )


def _done(own: Read, times: Numbers, role: str, operation: str) -> Numbers:
    """Calls per second; a stat that fails looks up a name that does not exist."""
    failed = _grown(own, times, f"fileops.{role}.stat.errors")
    if operation == "lookup":
        return failed
    done = _grown(own, times, f"fileops.{role}.{operation}.count")
    return (done - failed).clip(min=0) if operation == "stat" else done


def _bandwidth(
    own: Read, times: Numbers, roles: Sequence[str], rates: StorageRates, more: float, direction: str
) -> Iterator[Limit]:
    ceilings = [rates.bandwidth(direction, cached=cached) for cached in (False, True)]
    ceiling = max((one for one in ceilings if one), default=None)
    done = sum(
        (_grown(own, times, f"fileops.{role}.{direction}.bytes") for role in roles), np.zeros(len(times) - 1)
    )
    if ceiling and done.any():
        name = {"read": "bytes read", "write": "bytes written"}[direction]
        yield _gauge(name, BYTES, _weighted(done, done), ceiling * more, done, roles, rates, direction)


def _gauge(
    name: str,
    unit: str,
    observed: float,
    ceiling: float,
    rates: Numbers,
    roles: Sequence[str],
    storage: StorageRates,
    operation: str,
) -> Limit:
    files = ", ".join(roles)
    parts = [part(role, operation) for role in roles]
    service = "the server" if storage.scope == "shared" else "the storage"
    note = f"{storage.storage}, emulated" if storage.emulated else storage.storage
    return _limit(f"{name}: {files}", unit, observed, ceiling, rates, parts).model_copy(
        update={"service": service, "note": note}
    )


def _network(own: Read, times: Numbers, used: Used) -> Iterator[Limit]:
    assert used.calibration is not None
    ceiling = max((link.bandwidth.value for link in used.calibration.links), default=0.0)
    names = {"net_send": "sent", "net_receive": "received"}
    for counter, words in names.items():
        rates = {node: _rates(read, times) for (node, name), read in own.items() if name == counter}
        means = {node: _weighted(done, done) for node, done in rates.items() if done.any()}
        if means and ceiling:
            most = max(means, key=lambda node: means[node])
            found = _limit(
                f"network: {words} by {most}", BYTES, means[most], ceiling, rates[most], ["network"]
            )
            yield found.model_copy(update={"service": "the link"})


def _cpu(own: Read, times: Numbers, cores: Mapping[str, int]) -> Iterator[Limit]:
    """The mean of all seconds: a core that nobody uses could have been used."""
    done = sum(
        (
            _rates(read, times)
            for (node, name), read in own.items()
            if name.startswith("cpu_") and node in cores
        ),
        np.zeros(len(times) - 1),
    )
    if done.any():
        mean = float(np.average(done, weights=np.diff(times)))
        yield _limit("processors", CORES, mean, float(sum(cores.values())), done, ["processor"])


def _scheduler(launches: Numbers, times: Numbers, used: Used) -> Iterator[Limit]:
    assert used.calibration is not None
    for rates in used.calibration.schedulers:
        done = np.histogram(launches, times)[0] / np.diff(times)
        ceiling, part_of = rates.tasks_per_second.value, "no task: scheduling"
        if done.any():
            found = _limit("tasks started", TASKS, _weighted(done, done), ceiling, done, [part_of])
            yield found.model_copy(update={"service": "the scheduler"})


def _limit(
    name: str, unit: str, observed: float, ceiling: float, rates: Numbers, parts: Sequence[str]
) -> Limit:
    share = observed / ceiling if ceiling else 0.0
    peak = float(rates.max())
    return Limit(
        name=name, unit=unit, observed=observed, ceiling=ceiling, share=share, peak=peak, parts=tuple(parts)
    )


def _grown(own: Read, times: Numbers, name: str) -> Numbers:
    """The rate of a counter over all nodes, in each step."""
    found: Numbers = sum(
        (_rates(read, times) for (_, counter), read in own.items() if counter == name),
        np.zeros(len(times) - 1),
    )
    return found


def _rates(read: Readings, times: Numbers) -> Numbers:
    if len(read.times) < 2:
        return np.zeros(len(times) - 1)
    grown = np.diff(np.interp(times, read.times, read.values)).clip(min=0)
    found: Numbers = grown / np.maximum(np.diff(times), 1e-9)
    return found


def _weighted(rates: Numbers, weights: Numbers) -> float:
    """The rate that an average call met."""
    return float((rates * weights).sum() / weights.sum()) if weights.any() else 0.0
