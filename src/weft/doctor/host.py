"""Whether this machine knows its own name, and what time it is."""

import errno
import socket
import time

from weft.doctor.finding import Finding, limits, ok
from weft.host import settings

_SLOW = 1.0
"""Seconds that a lookup of one's own name must stay below."""


def name() -> Finding:
    """The host's own name leads to an address, and the address is one of this machine."""
    own = socket.gethostname()
    costs = "programs that look their own host up wait or fail"
    began = time.monotonic()
    try:
        addresses = sorted(
            {str(found[4][0]) for found in socket.getaddrinfo(own, None, type=socket.SOCK_STREAM)}
        )
    except OSError as error:
        fix = f"echo '127.0.1.1 {own}' >> /etc/hosts"
        return limits("host name", f"{own} does not resolve: {error.strerror}", costs=costs, fix=fix)
    seconds = time.monotonic() - began
    if foreign := [address for address in addresses if not _here(address)]:
        fix = f"correct the line of {own} in /etc/hosts"
        found = f"{own} resolves to {foreign[0]}, which no interface here has"
        return limits("host name", found, costs="daemons bind or announce a wrong address", fix=fix)
    if seconds > _SLOW:
        fix = f"add {own} to /etc/hosts, so that no name server is asked"
        return limits("host name", f"looking up {own} took {seconds:.1f} s", costs=costs, fix=fix)
    return ok("host name", f"{own} is {', '.join(addresses)}")


def _here(address: str) -> bool:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family) as probe:
        try:
            probe.bind((address, 0))
        except OSError as error:
            return error.errno != errno.EADDRNOTAVAIL
    return True


def clock(now: float | None = None) -> Finding:
    """A clock that is behind the files of weft itself is wrong."""
    seconds = time.time() if now is None else now
    text = time.strftime("%Y-%m-%d %H:%M:%S %Z", time.localtime(seconds))
    if seconds >= (settings.SOURCE / "src" / "weft" / "doctor" / "host.py").stat().st_mtime - 60:
        return ok("clock", text)
    costs = "downloads fail their certificate checks, and records stand in a wrong order"
    return limits(
        "clock", f"{text} is before weft was installed", costs=costs, fix="timedatectl set-ntp true"
    )
