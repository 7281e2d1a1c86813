"""Open files of a process: the soft limit is often 1024, and what the process starts inherits it."""

import resource

_ENOUGH = 1 << 16
"""For connections, logs and daemons on many nodes."""


def allow() -> None:
    """Use what the host allows."""
    try:
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        most = _ENOUGH if hard == resource.RLIM_INFINITY else min(hard, _ENOUGH)
        if soft != resource.RLIM_INFINITY and soft < most:
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    except (OSError, ValueError):
        pass
