"""Whether this machine resolves its own name, and whether its clock is plausible."""

import errno
import socket
import time

from weft.doctor.finding import Finding, limits, ok
from weft.host import settings

_SLOW = 1.0
"""Maximum seconds for resolving the machine's own name."""


def name() -> Finding:
    """The host's own name resolves to an address of this machine."""
    own = socket.gethostname()
    costs = "programs that resolve their own host name wait or fail"
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
        found = f"{own} resolves to {foreign[0]}, which is not an address of this machine"
        return limits("host name", found, costs="daemons bind or announce a wrong address", fix=fix)
    if seconds > _SLOW:
        fix = f"add {own} to /etc/hosts, so that no name server is needed"
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
    """A clock that is earlier than weft's own files is wrong."""
    seconds = time.time() if now is None else now
    text = time.strftime("%Y-%m-%d %H:%M:%S %Z", time.localtime(seconds))
    if seconds >= (settings.PACKAGE / "doctor" / "host.py").stat().st_mtime - 60:
        return ok("clock", text)
    costs = "downloads fail their certificate checks, and records are in the wrong order"
    return limits(
        "clock", f"{text} is before weft was installed", costs=costs, fix="timedatectl set-ntp true"
    )
