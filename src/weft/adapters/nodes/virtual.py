"""Virtual nodes: each has its own network, mount, process and host-name namespaces and a share of CPU and memory.

All nodes are connected by a bridge in a separate namespace (and by a second one, if there is a network for storage), so
that the host's network is not changed and two runs cannot conflict. One process per node, which dies with weft, holds the
namespaces; the kernel then removes the rest.
"""

import json
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar, Literal

from pydantic import Field

from weft.adapters.nodes.access import access
from weft.adapters.nodes.base import Nodes
from weft.adapters.nodes.cgroups import CgroupNames, cgroups_writable, group_paths, make_group, require_limits
from weft.errors import MissingError, NodeError
from weft.host import machine, shell, signals
from weft.host.programs import marks
from weft.host.shell import Process, tool
from weft.host.work import Work, WorkDirectory
from weft.layout.node import Attachment, Node
from weft.text.units import parse_rate

_COMPUTE, _STORAGE = "eth0", "eth1"
_BURST_KIB_PER_GBIT = 256
"""Token bucket size that keeps 1 gbit/s and 10 gbit/s within 6 % on a virtual link."""

_JOIN = 'while [ "$1" != -- ]; do echo $$ > "$1/cgroup.procs" || exit 125; shift; done; shift; exec "$@"'
"""Enter control groups, then exec the command. The command is passed as arguments, never as text."""


def rootless() -> bool:
    """True inside a user namespace, where root has rights only over this command's namespaces."""
    return Path("/proc/self/uid_map").read_text(encoding="utf-8").split()[2:] != ["4294967295"]


class VirtualNodes(Nodes):
    """Nodes made of namespaces on this machine; needs root, or a kernel that allows user namespaces."""

    reached_by: ClassVar[str] = "every process on the virtual nodes' own network"
    private: ClassVar[bool] = True
    kind: Literal["virtual"] = "virtual"
    rate: str | None = Field(
        default=None,
        pattern=r"^\d+(mbit|gbit)$",
        description="link rate of each node, such as 1gbit or 10gbit (tbf); default: none",
    )
    storage_rate: str | None = Field(
        default=None,
        pattern=r"^(none|\d+(mbit|gbit))$",
        description="a second network for HDFS, GlusterFS and MooseFS with this link rate of each node, or `none` for no limit; "
        "default: one network for all traffic",
    )

    def limits(self) -> list[str]:
        lost = []
        if not cgroups_writable():
            lost.append("control groups are not writable here: CPU and memory shares are not enforced")
        if rootless():
            lost.append("rootless: loop mounts are not allowed, and files belong to one user")
        return lost

    def sketch(self, site: WorkDirectory) -> list[Node]:
        cores, memory = machine.share(self.count, self.cores, self.memory)
        return [
            Node(
                f"node{i}",
                f"10.87.0.{i}",
                cores,
                memory,
                site.directory / f"node{i}",
                ("nsenter", f"<node{i}>"),
                link=_bytes(self.rate),
                storage=self._storage(i),
            )
            for i in range(1, self.count + 1)
        ]

    def _storage(self, i: int) -> Attachment | None:
        if self.storage_rate is None:
            return None
        return Attachment(f"10.88.0.{i}", _STORAGE, _bytes(self.storage_rate))

    @contextmanager
    def acquire(self, work: Work, visible: Sequence[Path]) -> Iterator[list[Node]]:
        if os.geteuid() != 0:
            raise MissingError(
                "virtual nodes need root or user namespaces, and neither is available",
                hint="use --nodes local:2, or run as root, or `sysctl user.max_user_namespaces=1000`",
            )
        _share_mounts(work)
        switch = _hold("switch", ["unshare", "--net", "--", "sleep", "infinity"], work, ())
        holders = [switch]
        try:
            nodes: list[Node] = []
            for i, planned in enumerate(self.sketch(work), start=1):
                holders.append(holder := _hold_node(planned, work))
                nodes.append(_connect(i, planned, holder, work, switch.pid))
            for node in nodes:
                _prepare(node, nodes, visible)
            yield nodes
        finally:
            for holder in reversed(holders):
                holder.stop(grace=0)


def _bytes(rate: str | None) -> float | None:
    """Bytes a second of a link rate; None without a limit."""
    return None if rate in {None, "none"} else parse_rate(str(rate)) / 8


def _hold_node(node: Node, work: Work) -> Process:
    groups = make_group(CgroupNames(work.name, node.name), node.cores, node.memory, work.lease)
    namespaces = ["--net", "--mount", "--uts", "--ipc", "--pid", "--fork", "--kill-child", "--mount-proc"]
    keep = ["sh", "-c", "sleep infinity & wait"]  # a shell, because the first process must reap orphans
    return _hold(node.name, ["unshare", *namespaces, "--propagation", "slave", "--", *keep], work, groups)


def _connect(i: int, node: Node, holder: Process, work: Work, switch: int) -> Node:
    pid = _first_process(holder)
    _link(i, node, switch, pid)
    names = CgroupNames(work.name, node.name)
    groups = group_paths(names)
    require_limits(names, groups, node.cores, node.memory)
    enter = ["nsenter", "--target", str(pid), "--net", "--mount", "--uts", "--ipc", "--pid", "--"]
    prefix = (*_joining(groups), *enter)
    directory = work.make(node.name)
    return Node(
        node.name,
        node.address,
        node.cores,
        node.memory,
        directory,
        prefix,
        groups,
        pid,
        link=node.link,
        storage=node.storage,
        enters="nsenter",
    )


def _joining(groups: Sequence[Path]) -> list[str]:
    return ["sh", "-c", _JOIN, "join", *map(str, groups), "--"] if groups else []


def _hold(name: str, argv: Sequence[str], work: Work, groups: Sequence[Path]) -> Process:
    tool(argv[0], "util-linux")
    log = work.directory / f"{name}.holder.log"
    return shell.spawn(name, [*_joining(groups), *argv], log=log, env={marks.LEASE: work.name})


def _first_process(holder: Process) -> int:
    """The pid (as the host sees it) of the first process inside a node's namespaces."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline and holder.code() is None:
        inside = [child for child in holder.family() if child.name() == "sh"]
        if inside:
            return inside[0].pid
        signals.sleep(0.01)
    raise NodeError(
        f"{holder.name}: creating its namespaces failed",
        tail=shell.tail(holder.log),
        hint="use --nodes local:2",
    )


def _share_mounts(work: Work) -> None:
    """A directory whose later mounts are visible in every node."""
    shared = work.make("shared")
    work.lease.note("mount", path=str(shared))
    shell.run(["mount", "--bind", str(shared), str(shared)])
    shell.run(["mount", "--make-shared", str(shared)])


def _in_network(pid: int, program: str, lines: Sequence[str]) -> None:
    shell.run(
        ["nsenter", "--target", str(pid), "--net", tool(program, "iproute2"), "-batch", "-"],
        stdin="\n".join(lines) + "\n",
    )


def _link(i: int, node: Node, switch: int, pid: int) -> None:
    _wait_for_own_network(switch)
    _in_network(pid, "ip", ["link set lo up"])
    _attach(i, node.name, Attachment(node.address, _COMPUTE, node.link), "weft", switch, pid)
    if node.storage:
        _attach(i, node.name, node.storage, "storage", switch, pid)


def _attach(i: int, node: str, at: Attachment, bridge: str, switch: int, pid: int) -> None:
    """Connect a node to a bridge, which the first node creates."""
    made = [f"link add {bridge} type bridge", f"link set {bridge} up"] if i == 1 else []
    port = f"{bridge}{i}"
    veth = f"link add {port} type veth peer name {at.interface} netns {pid}"
    _in_network(switch, "ip", [*made, veth, f"link set {port} master {bridge} up"])
    _in_network(pid, "ip", [f"addr add {at.address}/24 dev {at.interface}", f"link set {at.interface} up"])
    if at.link:
        rate = at.link * 8
        burst = f"{max(32, int(rate / 1e9 * _BURST_KIB_PER_GBIT))}kb"
        for there, device in ((switch, port), (pid, at.interface)):
            limit = f"qdisc add dev {device} root tbf rate {rate:.0f}bit burst {burst} latency 20ms"
            _in_network(there, "tc", [limit])
            _require_rate(there, device, rate, node)


def _require_rate(pid: int, device: str, wanted: float, node: str) -> None:
    """Raises NodeError, which names both, if a link has another rate (bits per second) than the requested one."""
    show = [tool("tc", "iproute2"), "-json", "qdisc", "show", "dev", device]
    done = shell.run(["nsenter", "--target", str(pid), "--net", *show])
    if (found := rate_of(done.out)) is None or abs(found - wanted) > wanted / 100:
        has = "none" if found is None else f"{found / 1e6:.0f} mbit"
        raise NodeError(
            f"{node}: its link was to have a rate of {wanted / 1e6:.0f} mbit, but has {has}",
            hint="use virtual nodes without rate=, or a kernel with the queueing discipline tbf",
        )


def rate_of(text: str) -> float | None:
    """Bits per second of the token bucket among the queueing disciplines that `tc -json` prints; None without one."""
    rates = [one["options"]["rate"] * 8 for one in json.loads(text or "[]") if one.get("kind") == "tbf"]
    return rates[0] if rates else None


def _wait_for_own_network(pid: int) -> None:
    deadline = time.monotonic() + 10
    while Path(f"/proc/{pid}/ns/net").readlink() == Path("/proc/self/ns/net").readlink():
        if time.monotonic() > deadline:
            raise NodeError("creating the switch's network namespace failed", hint="use --nodes local:2")
        signals.sleep(0.01)


def _prepare(node: Node, nodes: Sequence[Node], visible: Sequence[Path]) -> None:
    """Host name, host table, and a private /tmp that still shows what every node must see."""
    hosts = node.directory / "hosts"
    hosts.write_text(
        "127.0.0.1 localhost\n" + "".join(f"{other.address} {other.name}\n" for other in nodes),
        encoding="utf-8",
    )
    private = node.directory / "tmp"
    private.mkdir(mode=0o700)
    private.chmod(0o1777)
    access(node).run(["hostname", node.name])
    access(node).run(["mount", "--bind", str(hosts), "/etc/hosts"])
    for path in (*visible, node.directory.parent):
        if path.is_relative_to("/tmp"):  # noqa: S108
            inside = private / path.relative_to("/tmp")  # noqa: S108
            inside.mkdir(parents=True, exist_ok=True)
            access(node).run(["mount", "--rbind", str(path), str(inside)])
    access(node).run(["mount", "--rbind", str(private), "/tmp"])  # noqa: S108
