"""What the workers of an executor write: whole lines, appended to one file; and each its own stacks."""

import json
import os
from typing import Any

SAMPLE = 0.01
"""Seconds on a CPU for which a stack counts once, as those of async-profiler do."""


class Notes:
    """The file of an executor's workers: whole lines, appended."""

    def __init__(self, directory: "str | None") -> None:
        """Without a directory, nothing is written."""
        jvm = os.getppid()
        path = os.path.join(directory, f"{jvm}.jsonl") if directory else os.devnull
        self.file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        self.identity = _identity(self.file)
        self.of = executor(jvm)

    def write(self, **values: Any) -> None:
        """A job must not fail for it."""
        line = json.dumps({**self.of, "pid": os.getpid(), **values}) + "\n"
        try:
            # a job may have closed all descriptors, and opened others with the same numbers
            if _identity(self.file) == self.identity:
                os.write(self.file, line.encode())
        except OSError:
            pass


def _identity(file: int) -> "tuple[int, int]":
    found = os.fstat(file)
    return found.st_dev, found.st_ino


def executor(pid: int) -> "dict[str, str]":
    """Which executor a JVM is, by its command line; empty if it is none."""
    with open(f"/proc/{pid}/cmdline", encoding="utf-8", errors="replace") as file:
        words = file.read().split("\0")
    options = {"app": "--app-id", "executor": "--executor-id"}
    return {name: words[words.index(flag) + 1] for name, flag in options.items() if flag in words[:-1]}


class Stacks:
    """The stacks of a worker, with their seconds on a CPU: one file, written again and again."""

    def __init__(self, directory: str) -> None:
        self.path = os.path.join(directory, f"{os.getpid()}.python.collapsed")
        self.seconds: "dict[tuple[str, ...], float]" = {}

    def add(self, stack: "tuple[str, ...]", seconds: float) -> None:
        self.seconds[stack] = self.seconds.get(stack, 0.0) + seconds

    def write(self) -> None:
        """A job must not fail for it."""
        lines = [
            f"[{stack[0]}];{';'.join(stack[1:])} {count}\n"
            for stack, seconds in self.seconds.items()
            if (count := round(seconds / SAMPLE))
        ]
        try:
            with open(f"{self.path}.new", "w", encoding="utf-8") as file:
                file.writelines(lines)
            os.replace(f"{self.path}.new", self.path)
        except OSError:
            pass
