"""Problems of the directories of a set of hosts, derived from their answers. Pure."""

from collections.abc import Mapping, Sequence

from weft.doctor.answers import Check, HostAnswers, each
from weft.doctor.finding import Finding, limits, missing, ok
from weft.doctor.owndirectories import RUN
from weft.facts import filesystems
from weft.text.units import show_size


def judge(hosts: Sequence[HostAnswers], directory: str, locks: Mapping[str, str]) -> list[Finding]:
    """One finding per check; `directory` is the shared one, `locks` the other hosts' results for a lock in it."""
    plain = [check.judge(hosts) for check in CHECKS]
    return [*plain, _shared(hosts, directory), _locks(locks, directory)]


def _memory(host: HostAnswers) -> str:
    on = filesystems.of(str(host.facts["types"]["local"]))
    return f"on {on.word}" if on.scope == "memory" else ""


def _room(host: HostAnswers) -> str:
    low = {kind: free for kind, free in host.facts["free"].items() if free < RUN}
    return ", ".join(f"{show_size(free)} free in the {kind} directory" for kind, free in low.items())


CHECKS = (
    Check(
        "writing",
        lambda host: ", ".join(f"{kind}: {why}" for kind, why in host.facts["unwritten"].items()),
        "both the shared and the local directory",
        costs="every run",
        fix="set WEFT_WORK and WEFT_SHARED to directories that you own, with free space",
        bad=missing,
    ),
    Check(
        "local directory",
        lambda host: ", ".join(f"sees files of {one}" for one in host.sees["local"] if one != host.name),
        "local to each host",
        costs="the scratch of all nodes shares one file system",
        fix="set WEFT_WORK to a disk or tmpfs in the node, such as $TMPDIR or /local",
    ),
    Check(
        "files in memory",
        _memory,
        "none of the local directory's",
        costs="scratch uses memory that engines expect to have",
        fix="set WEFT_WORK to a disk of the node where it has one; otherwise reserve memory: --nodes ...,memory=SIZE",
    ),
    Check(
        "room",
        _room,
        f"at least {show_size(RUN)} in both directories",
        costs="runs of the default size with their files on disk",
        fix="free some space, or set WEFT_WORK (local) and WEFT_SHARED to directories with more",
    ),
)


def _shared(hosts: Sequence[HostAnswers], directory: str) -> Finding:
    everybody = {host.name for host in hosts}
    found = each(
        hosts,
        lambda host: ", ".join(
            f"sees no files of {one}" for one in sorted(everybody - {*host.sees["shared"]})
        ),
    )
    if not found:
        return ok("shared directory", f"{directory}, the same on each")
    fix = "set WEFT_SHARED (and WEFT_RUNS) to a directory on a file system that all hosts mount"
    return missing("shared directory", f"{directory}: {found}", costs="input and output in files", fix=fix)


def _locks(locks: Mapping[str, str], directory: str) -> Finding:
    wrong = {name: why for name, why in locks.items() if why != "refused"}
    if not wrong:
        return ok("file locks", f"in {directory}: other hosts respect a lock")
    found = "; ".join(
        f"{name}: {'obtained a lock that another host holds' if why == 'got' else why}"
        for name, why in wrong.items()
    )
    fix = "mount it with locks (Lustre: -o flock, not localflock), or set WEFT_SHARED elsewhere"
    return limits(
        "file locks", f"in {directory}: {found}", costs="daemons that protect their state with locks", fix=fix
    )
