"""Which limits of a host were reached: processes that the kernel killed for memory, and file systems that are full."""

import os
from contextlib import suppress
from pathlib import Path

from weft.host.programs import answers

_ROOT = Path("/sys/fs/cgroup")
_FILES = ("memory.events", "memory.oom_control")
"""With the number of kills, in version 2 and 1 of control groups."""
_KILLED = "Killed process"
"""What the kernel logs of a process that it killed for memory."""


def main(request: "dict") -> None:  # type: ignore[type-arg]
    """As `answer`."""
    answers.give(answer, request)


def answer(groups: "list[str]", paths: "list[str]") -> "dict[str, object]":
    """`groups`: control groups, besides this process's own; `paths`: directories whose file systems are wanted."""
    return {
        "kills": {file: count for group in [*groups, *_own()] for file, count in _kills(group)},
        "host": _of_host(),
        "words": _logged(),
        "full": {path: _share(path) for path in paths if os.path.isdir(path)},
    }


def _own() -> "list[str]":
    """The control groups of this process that limit memory: under Slurm, those of the job's step and of the job."""
    found = []
    with suppress(OSError):
        for line in Path("/proc/self/cgroup").read_text(encoding="utf-8").splitlines():
            _, controllers, path = line.split(":", 2)
            root = _ROOT / controllers if controllers else _ROOT
            if controllers in {"", "memory"} and path != "/":
                here = root / path.lstrip("/")
                found += [
                    str(each) for each in (here, *here.parents) if each != root and root in each.parents
                ]
    return [path for path in found if _limited(Path(path))]


def _limited(group: Path) -> bool:
    with suppress(OSError):
        return (group / "memory.max").read_text(encoding="utf-8").strip() != "max"
    return (group / "memory.limit_in_bytes").exists()


def _kills(group: str) -> "list[tuple[str, int]]":
    for name in _FILES:
        with suppress(OSError):
            words = (Path(group) / name).read_text(encoding="utf-8").split()
            if "oom_kill" in words:
                return [(f"{group}/{name}", int(words[words.index("oom_kill") + 1]))]
    return []


def _of_host() -> int:
    """How many processes the kernel has killed for memory since it was started, of any user."""
    with suppress(OSError):
        words = Path("/proc/vmstat").read_text(encoding="utf-8").split()
        if "oom_kill" in words:
            return int(words[words.index("oom_kill") + 1])
    return 0


def _logged() -> "list[str]":
    """What the kernel's log has on them, if this user may read it."""
    found: list[str] = []
    with suppress(OSError):
        log = os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK)
        try:
            while True:
                with suppress(BrokenPipeError):  # a record was overwritten
                    text = os.read(log, 8192).decode(errors="replace")
                    found += [text.partition(";")[2].partition("\n")[0]] if _KILLED in text else []
        finally:
            os.close(log)
    return found


def _share(path: str) -> float:
    """How much of a file system is in use, from 0 to 1."""
    found = os.statvfs(path)
    return 1 - found.f_bavail / found.f_blocks if found.f_blocks else 0.0
