"""Examines a host for `weft doctor`: names, networks, Java, limits, devices, and which directories and locks are shared."""

import errno
import fcntl
import json
import os
import resource
import shutil
import socket
import struct
import subprocess
import sys
import time

_NETMASK_OF_INTERFACE = 0x891B
"""SIOCGIFNETMASK, netdevice(7)."""


def main(request: "dict") -> None:  # type: ignore[type-arg]
    """`do`: `facts` with `java` and `marks` (directories by name), `seen` with `marks`, `hold` or `try` with `lock`."""
    try:
        if request["do"] == "hold":
            hold(request["lock"])
        elif request["do"] == "try":
            print(json.dumps(lock(request["lock"])))
        elif request["do"] == "seen":
            print(json.dumps(seen(request["marks"])))
        else:
            print(json.dumps(facts(request)))
    except OSError as error:
        sys.exit(f"{error.filename or 'this host'}: {error.strerror}")


def facts(request: "dict") -> "dict[str, object]":  # type: ignore[type-arg]
    """What the host is, after it has left its mark in the directories."""
    return {
        "name": socket.gethostname(),
        "resolved": resolved(socket.gethostname()),
        "networks": networks(),
        "java": java(request["java"]),
        "files": resource.getrlimit(resource.RLIMIT_NOFILE)[1],
        "processes": resource.getrlimit(resource.RLIMIT_NPROC)[0],
        "ports": ports(),
        "fuse": os.access("/dev/fuse", os.R_OK | os.W_OK) and bool(mounter()),
        "loop": os.access("/dev/loop-control", os.R_OK | os.W_OK),
        "clock": time.time(),
        "unwritten": unwritten(request["marks"], request["mark"]),
    }


def resolved(name: str) -> "list[str]":
    """Addresses that the host's own name leads to; empty where it leads to none."""
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


def java(path: str) -> str:
    """The first line of what a `java` says of itself, or why it cannot be run."""
    try:
        done = subprocess.Popen([path, "-version"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    except OSError as error:
        return f"cannot be run: {error.strerror}"
    lines = done.communicate()[0].decode(errors="replace").splitlines()
    return next((line for line in lines if "version" in line), lines[0] if lines else "says nothing")


def ports() -> "list[int]":
    """The first and the last port that the kernel gives to whoever asks for any."""
    with open("/proc/sys/net/ipv4/ip_local_port_range") as file:
        return [int(word) for word in file.read().split()]


def mounter() -> "str | None":
    """The program by which a user mounts; root needs none."""
    return "root" if os.geteuid() == 0 else shutil.which("fusermount3")


def unwritten(marks: "dict[str, str]", name: str) -> "dict[str, str]":
    """By directory: why this host cannot leave its mark there."""
    found = {}
    for kind, folder in marks.items():
        try:
            with open(os.path.join(folder, name), "w"):
                pass
        except OSError as error:
            found[kind] = error.strerror or str(error)
    return found


def seen(marks: "dict[str, str]") -> "dict[str, list[str]]":
    """By directory: whose marks this host sees."""
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
    """Why a file that another host has locked cannot be locked too; `got` where it can."""
    with open(path, "r+") as file:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            return "refused" if error.errno in (errno.EACCES, errno.EAGAIN) else str(error.strerror)
    return "got"
