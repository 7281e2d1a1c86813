"""One calibration from its request to its file: nodes, network, and each storage in turn."""

import os
import secrets
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from weft import __version__
from weft.adapters.services import resolved
from weft.adapters.storage.base import Storage, label
from weft.analysis.read.calibration import (
    CALLERS,
    Calibration,
    LimitedLink,
    OperationRate,
    StorageRates,
    TransferRate,
)
from weft.errors import UsageError
from weft.host import lease, settings
from weft.host.provision import native
from weft.host.work import Work, open_work, work_directory
from weft.layout.node import Node
from weft.run.calibration import linkrates, measures
from weft.run.calibration.program import Gauge
from weft.run.calibration.schedulers import scheduler
from weft.run.ceilings import machines, store
from weft.run.progress import Progress
from weft.run.topology import Topology
from weft.spec.model import Spec
from weft.spec.study import Study
from weft.text.units import show_seconds

_SECONDS = {"nodes": 3.0, "network": 3.0, "transfer": 3.0, "sort": 2.0}
"""Usual length of each step on storages that are not slow: for the estimate that users see."""
_TIMED = 4
"""Kinds of file operations that last as long as asked; reads, writes and unlinks end earlier."""


def calibrate(
    study: Study,
    asked: str,
    seconds: float,
    engines: Sequence[str],
    progress: Progress,
    *,
    rates: bool = False,
) -> Calibration:
    """Measure the nodes, and the scratch of every cell of a study, and keep the result.

    `seconds` is the time for each kind of file operation at each number of callers; `rates`: also limited links.
    """
    specs = [spec for _, spec in study.cells()]
    for spec in specs:
        _topology(spec).require_possible(spec)
        _require_files(spec)
    programs = native.build(progress.say)
    progress.say(f"calibration of {asked}: about {show_seconds(_estimate(specs, seconds))}")
    with _working(specs[0].paths(), programs) as work:
        found = _machine(specs[0], asked, work, progress)
    storages = []
    for spec in specs:
        with _working(spec.paths(), programs) as work:
            storages.append(_storage(spec, work, seconds, progress))
    limited: list[LimitedLink] = []
    for rate in linkrates.RATES if rates else ():
        length = len(linkrates.CONNECTIONS) * linkrates.SECONDS + 1
        with _step(progress, f"link of {rate or 'any rate'}", length), _working((), programs) as work:
            limited += linkrates.measured(rate, work)
    tasks = [scheduler(engine, asked, progress) for engine in engines]
    update = {"storages": tuple(storages), "schedulers": tuple(tasks), "rates": tuple(limited)}
    whole = found.model_copy(update=update)
    store.keep(whole)
    return whole


@contextmanager
def _working(paths: Sequence[Path], programs: Path) -> Iterator[Work]:
    """A lease and a directory of their own: each storage has nodes of its own, as in a run."""
    name = f"calibrate-{secrets.token_hex(4)}"
    visible = [settings.cache(), *settings.installation(), *paths]
    with lease.hold(name, "calibrate") as held, open_work(name, held, programs, visible) as work:
        yield work


def _estimate(specs: Sequence[Spec], seconds: float) -> float:
    each = len(CALLERS) * _TIMED * seconds + 2 * _SECONDS["transfer"] + _SECONDS["sort"]
    return _SECONDS["nodes"] + _SECONDS["network"] + len(specs) * each


def _topology(spec: Spec) -> Topology:
    storages = {"scratch": spec.scratch}
    return Topology(storages, resolved(storages, (), ()))


def _require_files(spec: Spec) -> None:
    """Raises UsageError for a storage without files that a program can open."""
    made_of, here = _topology(spec), work_directory("RUN")
    members = made_of.members(made_of.nodes(spec.nodes).sketch(here), spec.nodes.count)
    paths = made_of.sketch(members, here).roles["scratch"].paths.values()
    if any(not path.startswith("/") or Path(path) == Path(os.devnull) for path in paths):
        raise UsageError(
            f"{label(spec.scratch)} has no files that a program can open, so its rates are not measured",
            hint="name a file system: --scratch disk:DIR, memory, mount:DIR",
        )


def _machine(spec: Spec, asked: str, work: Work, progress: Progress) -> Calibration:
    with spec.nodes.acquire(work, work.visible) as nodes:
        hosts = machines.hosts(nodes)
        gauge = Gauge(work)
        with _step(progress, "nodes", _SECONDS["nodes"]):
            rates = measures.nodes(nodes, hosts, gauge)
        links = []
        if measures.pairs(nodes):
            with _step(progress, "network", _SECONDS["network"]):
                links = measures.links(nodes, gauge)
        return Calibration(
            weft=__version__,
            created=time.time(),
            machine=store.machine([host.name for host in hosts]),
            asked=asked,
            network=machines.network(spec.nodes),
            hosts=tuple(hosts),
            nodes=tuple(rates),
            links=tuple(links),
        )


def _storage(spec: Spec, work: Work, seconds: float, progress: Progress) -> StorageRates:
    made_of, config = _topology(spec), spec.scratch
    with made_of.nodes(spec.nodes).acquire(work, work.visible) as nodes:
        members = made_of.members(nodes, spec.nodes.count)
        with made_of.place(members, work) as places:
            place = places.roles["scratch"]
            return _measured(config, list(members), Gauge(work, place), seconds, progress)


def _measured(
    config: Storage, nodes: Sequence[Node], gauge: Gauge, seconds: float, progress: Progress
) -> StorageRates:
    rates: list[OperationRate | TransferRate] = []
    name = label(config)
    for callers in CALLERS:
        with _step(progress, f"{name}, {callers} caller(s)", _TIMED * seconds):
            rates += measures.calls(callers, seconds, nodes, gauge)
    for callers in sorted({1, sum(node.cores for node in nodes)}):
        with _step(progress, f"{name}, large files, {callers} caller(s)", _SECONDS["transfer"]):
            rates += measures.transfers(callers, nodes, gauge)
    with _step(progress, f"{name}, sort", _SECONDS["sort"]):
        rate = measures.sort(nodes, gauge)
    return measures.storage(config, gauge.storage, nodes, rates, rate)


@contextmanager
def _step(progress: Progress, name: str, seconds: float) -> Iterator[None]:
    progress.expected[name] = seconds
    with progress.phase(name):
        yield
