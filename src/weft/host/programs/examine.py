"""Examines a host for `weft doctor`: names, networks, Java, limits, devices, directories, and which of them are shared."""

import errno
import fcntl
import os
import resource
import shutil
import socket
import struct
import subprocess
import sys
import time
from typing import Any

from weft.host.programs import answers, mounts

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


def facts(java: str, programs: "list[str]", marks: "dict[str, str]", mark: str) -> "dict[str, object]":
    """Facts about the host, after it has written its mark to the directories."""
    return {
        "name": socket.gethostname(),
        "resolved": resolved(socket.gethostname()),
        "networks": networks(),
        "java": version(java),
        "files": resource.getrlimit(resource.RLIMIT_NOFILE)[1],
        "processes": resource.getrlimit(resource.RLIMIT_NPROC)[0],
        "ports": ports(),
        "fuse": opened("/dev/fuse") and bool(mounter()),
        "loop": opened("/dev/loop-control"),
        "clock": time.time(),
        "unwritten": unwritten(marks, mark),
        "noexec": noexec(programs),
        "free": free(marks),
        "local": mounts.mount_of(os.path.realpath(marks["local"]))[1],
    }


def resolved(name: str) -> "list[str]":
    """Addresses to which the host's own name resolves; empty if it does not resolve."""
    try:
        return sorted({str(found[4][0]) for found in socket.getaddrinfo(name, None, socket.AF_INET)})
    except OSError:
        return []


def networks() -> "dict[str, str]":
    """The netmask of each interface that has an IPv4 address."""
    found = {}
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        for _, name in socket.if_nameindex():
            asked = struct.pack("256s", name.encode()[:15])
            try:
                answer = fcntl.ioctl(any_socket.fileno(), _NETMASK_OF_INTERFACE, asked)
            except OSError:
                continue
            found[name] = socket.inet_ntoa(answer[20:24])
    return found


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
    with open("/proc/sys/net/ipv4/ip_local_port_range") as file:
        return [int(word) for word in file.read().split()]


def mounter() -> "str | None":
    """The program with which a user mounts; root needs none."""
    return "root" if os.geteuid() == 0 else shutil.which("fusermount3")


def opened(device: str) -> bool:
    """Whether a device can be opened, which its mode alone does not show: a container may forbid it."""
    try:
        os.close(os.open(device, os.O_RDWR))
    except OSError:
        return False
    return True


def unwritten(marks: "dict[str, str]", name: str) -> "dict[str, str]":
    """By directory: why this host cannot write its mark there."""
    found = {}
    for kind, folder in marks.items():
        try:
            os.makedirs(folder, mode=0o700, exist_ok=True)
            with open(os.path.join(folder, name), "w"):
                pass
        except OSError as error:
            found[kind] = error.strerror or str(error)
    return found


def noexec(folders: "list[str]") -> "list[str]":
    """Those directories that do not allow programs to run."""
    return [
        folder for folder in folders if os.path.isdir(folder) and os.statvfs(folder).f_flag & os.ST_NOEXEC
    ]


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
    with open(path, "w") as file:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        print("held", flush=True)
        sys.stdin.buffer.read()


def lock(path: str) -> str:
    """Why a file that another host has locked cannot be locked here; `got` if it can."""
    with open(path, "r+") as file:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            return "refused" if error.errno in (errno.EACCES, errno.EAGAIN) else str(error.strerror)
    return "got"
