"""Whether a calibration is of the machines that a run used, and not too old: otherwise it is refused, with the reason."""

from collections.abc import Mapping, Sequence
from typing import Any

from weft.analysis.read.calibration import (
    CalibratedHost,
    Calibration,
    Fixed,
    StorageRates,
)
from weft.text.units import show_size

OLDEST = 30 * 86400.0
"""Seconds after which a calibration is stale: updates change kernels, and storages fill up."""
_MEMORY = 0.02
"""Share by which the memory of equal machines differs, because of what the firmware keeps."""


class Used(Fixed):
    """The ceilings that a run is compared with, and why others are not."""

    calibration: Calibration | None = None
    hosts: int = 1
    """Hosts of the run."""
    roles: Mapping[str, int] = {}
    """By role of its directories: index of the storage in the calibration."""
    refused: Mapping[str, str] = {}
    """By what it would have been the ceiling of: the reason, as a clause."""

    def storage(self, role: str) -> StorageRates | None:
        """The ceilings of a role's storage; None if it has none."""
        if self.calibration is None or role not in self.roles:
            return None
        return self.calibration.storages[self.roles[role]]


class RoleDirectory(Fixed):
    """What is known of a role's directory of a run."""

    storage: str
    settings: Mapping[str, Any]
    file_system: str


def misfit(found: Calibration, now: Sequence[CalibratedHost], moment: float) -> str:
    """Why a calibration is not of these machines as they are at a moment (seconds since the epoch); empty if it is."""
    days = (moment - found.created) / 86400
    if moment - found.created > OLDEST:
        return f"it is {days:.0f} days old, more than {OLDEST / 86400:.0f}"
    return next((why for host in now if (why := _other(host, found.hosts))), "")


def _other(now: CalibratedHost, known: Sequence[CalibratedHost]) -> str:
    """Why a host is neither one of those that were measured nor like one of them."""
    same = [host for host in known if host.name == now.name]
    if not same and any(not _changed(host, now) for host in known):
        return ""
    if not same:
        measured = ", ".join(host.name for host in known) or "no host"
        return f"it is of {measured}, and {now.name} is another machine"
    if changed := _changed(same[0], now):
        return f"{now.name} has changed: {changed}"
    if same[0].boot != now.boot:
        return f"{now.name} was started again since"
    return ""


def _changed(then: CalibratedHost, now: CalibratedHost) -> str:
    if then.kernel != now.kernel:
        return f"kernel {then.kernel}, now {now.kernel}"
    if then.processor != now.processor:
        return f"processor {then.processor}, now {now.processor}"
    if then.cores != now.cores:
        return f"{then.cores} cores, now {now.cores}"
    if abs(then.memory - now.memory) > _MEMORY * then.memory:
        return f"{show_size(then.memory)} of memory, now {show_size(now.memory)}"
    return ""


def chosen(
    known: Sequence[Calibration],
    now: Sequence[CalibratedHost],
    moment: float,
    network: Mapping[str, str],
    stored: Mapping[str, RoleDirectory],
    engine: str = "",
) -> Used:
    """The newest ceilings of each kind for a run: of its machines, of each role's storage, and of its network."""
    newest = sorted(known, key=lambda one: -one.created)
    if not newest:
        return Used(refused={"machine": "this machine was never calibrated: `weft calibrate` does it"})
    reasons = {id(one): misfit(one, now, moment) for one in newest}
    fitting = [one for one in newest if not reasons[id(one)]]
    if not fitting:
        return Used(refused={"machine": f"the calibration is refused: {reasons[id(newest[0])]}"})
    storages, roles, refused = _storages(fitting, stored)
    links = next((one.links for one in fitting if one.links and one.network == network), ())
    if not links:
        refused["network"] = "the network between such nodes was not calibrated"
    schedulers = tuple(row for one in fitting for row in one.schedulers if row.engine == engine)[:1]
    # what arrived over a link of this rate
    rate = network.get("rate", "")
    limited = [tuple(row for row in one.rates if rate and row.rate == rate) for one in fitting]
    rates = next(filter(None, limited), ())
    update = {"storages": tuple(storages), "links": links, "schedulers": schedulers, "rates": rates}
    whole = fitting[0].model_copy(update=update)
    return Used(calibration=whole, hosts=len(now), roles=roles, refused=refused)


def _storages(
    fitting: Sequence[Calibration], stored: Mapping[str, RoleDirectory]
) -> tuple[list[StorageRates], dict[str, int], dict[str, str]]:
    found: list[StorageRates] = []
    roles, refused = {}, {}
    every = [one for each in fitting for one in each.storages]
    for role, place in stored.items():
        wanted = (place.settings, place.file_system)
        rates = next((one for one in every if (one.settings, one.file_system) == wanted), None)
        if rates is None:
            refused[role] = (
                f"{role} on {place.storage} was not calibrated: `weft calibrate --scratch` does it"
            )
            continue
        if rates not in found:
            found.append(rates)
        roles[role] = found.index(rates)
    return found, roles, refused
