"""Processes by the marks in their environment, which every process inherits: of the command, and of the node it is on."""

import os
import time

LEASE = "WEFT_LEASE"
NODE = "WEFT_NODE"
ANY_NODE = "@NODE@"
"""Replaced by the value of NODE, by what reads a variable that processes on every node have."""
_MIDDLE_OF_EXEC = 200
"""How often a process is inspected, every 10 ms, while it is about to exec: an inspection can take seconds."""
_START_CODE, _ENVIRONMENT = 23, slice(47, 49)
"""Fields of start_code, which is 0 until a new program is loaded, and of env_start and env_end, after the name in /proc/PID/stat (proc(5))."""


def marked(lease: str) -> "dict[int, list[bytes]]":
    """Every live process of a command but this one, by PID, with its variables. A mark that continues with a point is the command's too."""
    mark = f"{LEASE}={lease}".encode()
    longer = mark + b"."
    found = {}  # type: dict[int, list[bytes]]
    asked = [int(name) for name in os.listdir("/proc") if name.isdigit() and int(name) != os.getpid()]
    for _ in range(_MIDDLE_OF_EXEC):
        seen = [(pid, variables(pid)) for pid in asked]
        found.update((pid, words) for pid, words in seen if words and _one_of(words, mark, longer))
        asked = [pid for pid, words in seen if words == []]
        if not asked:
            break
        time.sleep(0.01)
    return found


def _one_of(words: "list[bytes]", mark: bytes, longer: bytes) -> bool:
    return mark in words or any(word.startswith(longer) for word in words)


def variables(pid: int) -> "list[bytes] | None":
    """The variables of a process; none during an exec; None for processes that are dead, of the kernel or of others."""
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            text = file.read()
        if text:
            return text.split(b"\0")
        os.readlink(f"/proc/{pid}/exe")
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            fields = file.read().rpartition(")")[2].split()
    except OSError:
        return None
    begin, end = map(int, fields[_ENVIRONMENT])
    return [] if fields[_START_CODE] == "0" or begin < end else None


def value(words: "list[bytes] | None", name: str) -> str:
    """The value of a mark among the variables of a process; empty without it."""
    found = [word for word in words or [] if word.startswith(f"{name}=".encode())]
    return os.fsdecode(found[0].partition(b"=")[2]) if found else ""
