"""A calibration as a machine: what `weft calibrate` measured, in the terms of a prediction."""

from weft.analysis.predict.machine import Machine
from weft.analysis.predict.storagemodel import UNLIMITED, StorageModel
from weft.analysis.read.calibration import Calibration, StorageRates

HOSTED = ("virtual", "local")
"""Kinds of nodes that share one host and its processors."""
_OPERATIONS = ("open", "create", "stat", "unlink")
"""Their open and create include the close, which therefore is free."""
_DATA = ("read", "write")
_FREE = {"close": 0.0}


def machine(calibration: Calibration) -> Machine:
    """The machine that was calibrated."""
    hosted = calibration.asked.partition(":")[0] in HOSTED
    speeds = [link.bandwidth.value for link in calibration.links if link.bandwidth.value > 0]
    return Machine(
        calibration.machine,
        cores=min((node.cores for node in calibration.nodes), default=0),
        memory=min((node.memory for node in calibration.nodes), default=0),
        link=min(speeds, default=UNLIMITED),
        round_trip=min((link.round_trip.value for link in calibration.links), default=0.0),
        processors=calibration.hosts[0].cores if hosted and calibration.hosts else 0,
        capped=calibration.asked.partition(":")[0] == "virtual",
        launches={
            each.engine: each.tasks_per_second.value
            for each in calibration.schedulers
            # where driver and tasks share a host's processors, so few slots do not show what the driver can do
            if each.tasks_per_second.value > 0 and not hosted
        },
        storages={each.storage: service(each, hosted=hosted) for each in calibration.storages},
    )


def service(storage: StorageRates, *, hosted: bool) -> StorageModel:
    """A storage: an operation's rate is the highest at any number of callers, its delay that of a single one.

    What was not measured is as an open. Without an open nothing is known to have a limit.
    """
    rate, latency = storage.per_second("open"), storage.latency("open")
    rates = {name: storage.per_second(name) for name in _OPERATIONS}
    delays = {name: storage.latency(name) for name in _OPERATIONS}
    known = [one for one in (storage.bandwidth("read"), storage.bandwidth("write")) if one]
    return StorageModel(
        storage.storage,
        # virtual nodes all use the disk, the memory and the daemons of their one host
        shared=storage.scope == "shared" or hosted,
        latency=latency or 0.0,
        rate=rate or UNLIMITED,
        weights={**{name: rate / one for name, one in rates.items() if one and rate}, **_FREE},
        trips={**{name: one / latency for name, one in delays.items() if one and latency}, **_FREE},
        bandwidth=min(known, default=UNLIMITED),
        calls={name: seconds for name in _DATA if (seconds := storage.latency(name)) is not None},
        source=storage.source or "weft calibrate",
    )
