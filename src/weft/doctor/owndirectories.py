"""weft's own directories: whether they are writable, have free space, and hold leftovers."""

import os
import shutil
from pathlib import Path

from weft.doctor.finding import Finding, limits, missing, ok
from weft.errors import RecordError
from weft.host import lease, settings
from weft.host.exposed import exposed
from weft.host.provision import contents
from weft.host.provision.distribution import SPARK
from weft.host.provision.tree import cached
from weft.record import record
from weft.record.record import Stored
from weft.text.units import show_size

RUN = 4_000_000_000
"""Bytes for a terasort of the default size: input, shuffle files, output, and some reserve."""
_RECORD = 200_000_000
"""Bytes for the records of a few runs."""
_JARS = 200_000_000
"""Bytes for a build of weft's jars."""
_LEASES = 1_000_000
"""Bytes for lease files."""


def cache() -> Finding:
    """Engines, jars, and weft's own Python packages."""
    here = not exposed(settings.directory_of("WEFT_CACHE")) and cached(SPARK.key)
    need = _JARS + (0 if here else SPARK.unpacked)
    return _room("WEFT_CACHE", settings.cache(), need, "engines and jars cannot be stored", essential=True)


def work() -> Finding:
    """Files of running commands."""
    path = settings.work()
    if path.exists() and path.stat().st_uid != os.getuid():
        fix = "set WEFT_WORK to a directory that you own"
        return missing("WEFT_WORK", f"{path} belongs to another user", costs="every run", fix=fix)
    return _room("WEFT_WORK", path, RUN, "runs of the default size with their files on disk", essential=False)


def runs() -> Finding:
    """Records."""
    return _room("WEFT_RUNS", settings.runs(), _RECORD, "records cannot be stored", essential=True)


def state() -> Finding:
    """Lease files."""
    return _room("WEFT_STATE", settings.state(), _LEASES, "leases cannot be stored", essential=True)


def _room(variable: str, path: Path, need: int, costs: str, *, essential: bool) -> Finding:
    """Checks the nearest directory that exists, so that nothing is created."""
    there = next(parent for parent in (path, *path.parents) if parent.exists())
    if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
        fix = f"set {variable} to a directory that you own"
        return missing(variable, f"{path} is not writable", costs="every run", fix=fix)
    if why := str(exposed(settings.directory_of(variable)) or ""):
        fix = "remove the others' permission (chmod go-w), or set WEFT_TRUST if you trust them with your account"
        if variable == "WEFT_RUNS":
            return limits(variable, why, costs="records that others may have changed", fix=fix)
        return missing(variable, why, costs="every run: what others put there runs as you", fix=fix)
    free = shutil.disk_usage(there).free
    found = f"{path}, {show_size(free)} free"
    if free >= need:
        return ok(variable, found)
    fix = f"free {show_size(need - free)} there, or set {variable} elsewhere"
    return (missing if essential else limits)(variable, found, costs=costs, fix=fix)


def cached_files() -> Finding:
    """Whether the files in the cache are as they were made: jars, libraries, engines, Python packages."""
    if prefix := settings.prefix():
        shared = [settings.PACKAGE.parent, *sorted((prefix / "engines").glob("*/"))]
        if why := next(filter(None, map(contents.damage, shared)), ""):
            costs = "programs that are not those of the bundle"
            return missing("files in cache", why, costs=costs, fix="install the bundle again")
    found = [why for one in sorted(settings.cache().glob("*/")) if (why := contents.damage(one))]
    if not found:
        return ok("files in cache", "as they were made")
    more = f" (and {len(found) - 1} more)" if found[1:] else ""
    fix = "none: the next run that needs it makes it again"
    costs = "time for making it again"
    return limits("files in cache", found[0] + more, costs=costs, fix=fix)


def leftovers() -> Finding:
    """Leases whose owner was killed."""
    dead = [found for found in lease.all_leases() if not found.alive]
    if not dead:
        return ok("leftovers", "none")
    names = ", ".join(found.lease.name for found in dead[:3]) + (", ..." if dead[3:] else "")
    costs = "memory, disk and addresses that killed commands left"
    return limits("leftovers", f"{len(dead)} killed: {names}", costs=costs, fix="weft clean")


def unsecured() -> Finding:
    """Running clusters without security."""
    found = [one for held in lease.all_leases() if held.alive and (one := _unsecured(held.lease.name))]
    if not found:
        return ok("unsecured clusters", "none is running")
    names = ", ".join(f"{one.directory.name} ({one.head.nodes})" for one in found)
    costs = f"privacy and integrity; {found[0].head.unsecured}"
    return limits("unsecured clusters", names, costs=costs, fix="end them, or omit security=none")


def _unsecured(name: str) -> Stored | None:
    """The record of a running command, if it has no security."""
    try:
        found = record.read(settings.runs() / name)
    except RecordError:
        return None
    return found if found.head.unsecured else None
