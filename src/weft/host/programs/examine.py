"""Examines a host for `weft doctor`: names, networks, Java, limits, devices, directories, and which of them are shared."""

import errno
import fcntl
import os
import resource
import shutil
import socket
import subprocess
import sys
import time
from typing import Any

from weft.host.programs import answers, inventory, mounts

_NETMASK_OF_INTERFACE = 0x891B
"""SIOCGIFNETMASK, netdevice(7)."""


def main(request: "dict") -> None:  # type: ignore[type-arg]
    """As `answer`; or `hold`: a file to lock until the input ends."""
    if "hold" in request:
        answers.give(hold, {"path": request["hold"]})
    else:
        answers.give(answer, request)


def answer(do: str, **request: "Any") -> object:
    """`facts` with `java`, `programs`, `mark` and `marks` (directories by name), `seen` with `marks`, `lock` with `path`."""
    if do == "facts":
        return facts(**request)
    return seen(**request) if do == "seen" else lock(**request)


def facts(
    programs: "list[str]",
    java: str = "",
    marks: "dict[str, str] | None" = None,
    mark: str = "",
) -> "dict[str, object]":
    """Facts about the host, after it has written its mark to the directories."""
    own, began, folders = socket.gethostname(), time.monotonic(), marks or {}
    addresses = resolved(own)
    return {
        "name": own,
        "resolved": addresses,
        "lookup": time.monotonic() - began,
        "foreign": [address for address in addresses if not bound(address)],
        "networks": networks(),
        "java": version(java) if java else "",
        "files": resource.getrlimit(resource.RLIMIT_NOFILE),
        "processes": resource.getrlimit(resource.RLIMIT_NPROC),
        "ports": ports(),
        "fuse": fuse(),
        "loop": loop(),
        "clock": time.time(),
        "unwritten": unwritten(folders, mark),
        "noexec": noexec(programs),
        "free": free(folders),
        "types": {kind: mounts.mount_of(os.path.realpath(folder))[1] for kind, folder in folders.items()},
    }


def resolved(name: str) -> "list[str]":
    """Addresses to which the host's own name resolves; empty if it does not resolve."""
    try:
        return sorted({str(found[4][0]) for found in socket.getaddrinfo(name, None, type=socket.SOCK_STREAM)})
    except OSError:
        return []


def bound(address: str) -> bool:
    """Whether an address is one of the host."""
    try:
        with socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET) as probe:
            probe.bind((address, 0))
    except OSError as error:
        return error.errno != errno.EADDRNOTAVAIL
    return True


def networks() -> "dict[str, str]":
    """The netmask of each interface that has an IPv4 address."""
    return inventory.of_interfaces(_NETMASK_OF_INTERFACE)


def version(path: str) -> str:
    """The first line of the version that a `java` prints, or why it cannot run."""
    try:
        done = subprocess.Popen([path, "-version"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    except OSError as error:
        return f"cannot run: {error.strerror}"
    lines = done.communicate()[0].decode(errors="replace").splitlines()
    return next((line for line in lines if "version" in line), lines[0] if lines else "prints nothing")


def ports() -> "list[int]":
    """The first and the last port that the kernel assigns to outgoing connections."""
    with open("/proc/sys/net/ipv4/ip_local_port_range", encoding="utf-8") as file:
        return [int(word) for word in file.read().split()]


def loop() -> str:
    """Why the kernel's loop device cannot be used; empty if it can."""
    return opened("/dev/loop-control") if os.geteuid() == 0 else "weft does not run as root"


def fuse() -> str:
    """Why FUSE cannot be used; empty if it can. Root needs no program to mount."""
    mounts = os.geteuid() == 0 or shutil.which("fusermount3")
    return opened("/dev/fuse") or ("" if mounts else "fusermount3 is missing")


def opened(device: str) -> str:
    """Why a device cannot be opened, which its mode alone does not show: a container may forbid it."""
    try:
        os.close(os.open(device, os.O_RDWR))
    except OSError as error:
        return f"{device}: {error.strerror}"
    return ""


def unwritten(marks: "dict[str, str]", name: str) -> "dict[str, str]":
    """By directory: why this host cannot write its mark there."""
    found = {}
    for kind, folder in marks.items():
        try:
            os.makedirs(folder, mode=0o700, exist_ok=True)
            with open(os.path.join(folder, name), "w", encoding="utf-8"):
                pass
        except OSError as error:
            found[kind] = error.strerror or str(error)
    return found


def noexec(folders: "list[str]") -> "list[str]":
    """Those directories, which need not exist yet, that do not allow programs to run."""
    return [folder for folder in folders if os.statvfs(existing(folder)).f_flag & os.ST_NOEXEC]


def existing(folder: str) -> str:
    """The nearest directory that exists."""
    return folder if os.path.isdir(folder) else existing(os.path.dirname(folder))


def free(marks: "dict[str, str]") -> "dict[str, int]":
    """By directory: bytes that a user can still write."""
    found = {kind: os.statvfs(folder) for kind, folder in marks.items() if os.path.isdir(folder)}
    return {kind: status.f_bavail * status.f_frsize for kind, status in found.items()}


def seen(marks: "dict[str, str]") -> "dict[str, list[str]]":
    """By directory: the hosts whose marks this host sees."""
    return {
        kind: sorted(os.listdir(folder)) if os.path.isdir(folder) else [] for kind, folder in marks.items()
    }


def hold(path: str) -> None:
    """Lock a file, and keep it until the connection to weft ends."""
    with open(path, "w", encoding="utf-8") as file:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        print("held", flush=True)
        sys.stdin.buffer.read()


def lock(path: str) -> str:
    """Why a file that another host has locked cannot be locked here; `got` if it can."""
    with open(path, "r+", encoding="utf-8") as file:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            return "refused" if error.errno in (errno.EACCES, errno.EAGAIN) else str(error.strerror)
    return "got"
