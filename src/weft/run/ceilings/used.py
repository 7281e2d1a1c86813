"""Which calibration the reports of a run compare it with: found when the run has its nodes, and kept in its record."""

import time
from pathlib import Path

from weft.adapters.storage.base import label
from weft.analysis.explain.fitting import RoleDirectory, Used, chosen, misfit
from weft.analysis.read.calibration import CalibratedHost, Calibration
from weft.errors import WeftError
from weft.host import machine
from weft.layout.node import Node
from weft.layout.plan import Layout
from weft.record.record import Record
from weft.run.ceilings import machines, store
from weft.spec.model import Spec

FILE = "calibration.json"


def note(spec: Spec, layout: Layout, record: Record) -> None:
    """Write the ceilings that fit a run to its record, or why there are none. A run without them is as good."""
    try:
        found = _used(spec, layout)
    except (WeftError, OSError) as error:
        found = Used(refused={"machine": f"the hosts could not be recognized: {error}".splitlines()[0]})
    (record.directory / FILE).write_text(found.model_dump_json(indent=1) + "\n", encoding="utf-8")
    about = found.calibration
    record.update(
        calibration={"machine": about.machine, "created": about.created} if about else None,
        calibration_refused=dict(found.refused),
    )


def fitness(found: Calibration) -> str:
    """Whether a calibration is of this machine as it is now; empty if it is of other hosts."""
    if found.network.get("kind") not in {"local", "virtual"}:
        return ""
    here = Node("here", "127.0.0.1", machine.cores(), machine.memory(), Path())
    why = misfit(found, machines.hosts([here]), time.time())
    return f"Refused for runs on this machine: {why}." if why else "It fits this machine as it is now."


def _used(spec: Spec, layout: Layout) -> Used:
    known = store.all_of()
    hosts: list[CalibratedHost] = machines.hosts(layout.nodes) if known else []
    stored = {
        role: RoleDirectory(
            storage=label(storage),
            settings=machines.settings_of(storage),
            file_system=machines.backing(
                layout.nodes[0], storage, layout.places[role].paths[layout.nodes[0].name]
            ),
        )
        for role, storage in (spec.storage().items() if known else ())
        if role in layout.places
    }
    return chosen(known, hosts, time.time(), machines.network(spec.nodes), stored, spec.engine.kind)
