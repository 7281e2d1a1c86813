"""A calibration with round figures."""

from typing import Any

from weft.analysis.explain.fitting import RoleDirectory
from weft.analysis.read.calibration import (
    CalibratedHost,
    Calibration,
    LinkRates,
    Measured,
    NodeRates,
    OperationRate,
    StorageRates,
    TransferRate,
)

DAY = 86400.0
NOW = 1_800_000_000.0
NETWORK = {"kind": "virtual"}
HOST = CalibratedHost(name="here", processor="Epyc", cores=4, memory=8_000_000_000, kernel="6.8", boot="a")


def of(value: float) -> Measured:
    return Measured(value=value, source="a test")


STORAGE = StorageRates(
    storage="mount",
    settings={"kind": "mount"},
    file_system="lustre mgs:/scratch",
    scope="shared",
    nodes=2,
    source="a test",
    operations=(
        OperationRate(operation="open", callers=1, per_second=1000, latency=1e-3),
        OperationRate(operation="open", callers=16, per_second=45_000, latency=4e-3),
        OperationRate(operation="stat", callers=16, per_second=90_000, latency=1e-3),
        OperationRate(operation="lookup", callers=1, per_second=1000, latency=1e-3),
        OperationRate(operation="read", callers=1, per_second=500, latency=2e-3),
    ),
    transfers=(
        TransferRate(operation="read", callers=1, bytes_per_second=2e8),
        TransferRate(operation="read", callers=4, bytes_per_second=5e8),
    ),
)
CALIBRATION = Calibration(
    weft="0",
    created=NOW,
    machine="here",
    asked="virtual:2",
    network=NETWORK,
    hosts=(HOST,),
    nodes=tuple(
        NodeRates(
            name=f"node{number}",
            host="here",
            cores=2,
            memory=4_000_000_000,
            memory_bandwidth=of(1e10),
            sort=of(2e8),
            serialize=of(3e8),
        )
        for number in (1, 2)
    ),
    storages=(STORAGE,),
    links=(LinkRates(source_node="node1", target_node="node2", bandwidth=of(1e9), round_trip=of(5e-5)),),
)


def stored(**change: Any) -> RoleDirectory:
    known: dict[str, Any] = {
        "storage": "mount",
        "settings": {"kind": "mount"},
        "file_system": "lustre mgs:/scratch",
    }
    return RoleDirectory(**{**known, **change})
