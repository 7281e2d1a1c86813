"""Every error that weft raises deliberately.

WeftError                     exit code 1: a requested action failed
├── UsageError                exit code 2: the request itself is invalid
├── MissingError              exit code 2 too: a program, a library or a privilege is missing
├── NodeError                 a node could not be acquired or used
├── StorageError              a directory could not be created or is full
├── ClusterError              a daemon did not start, did not answer, or died
├── WorkloadError             a program of the workload failed
└── RecordError               a record is not readable

A message says what failed, where and why; `tail` holds the last log lines; `hint` says what to do.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


def why(error: Exception) -> str:
    """The reason alone, where the system's own text has its number and the path again."""
    return error.strerror if isinstance(error, OSError) and error.strerror else str(error)


@dataclass(frozen=True)
class FailureEvidence:
    """Where the reason of a failure was read. What is not known is empty."""

    file: str = ""
    """Within the record, or a file of the kernel."""
    line: int = 0
    """Its number, from 1."""
    excerpt: str = ""
    rule: str = ""
    """The name in `facts/failures/` of what it means; empty: it is quoted."""
    node: str = ""
    time: str = ""
    """When it was written, as the file has it."""

    @property
    def where(self) -> str:
        """FILE:LINE."""
        return f"{self.file}:{self.line}" if self.line else self.file


class WeftError(Exception):
    """A requested action failed."""

    exit_code = 1
    record: Path | None = None
    """The record of the run that failed, if there is one."""
    left: Sequence[str] = ()
    """What that run could not remove."""
    evidence: FailureEvidence | None = None
    """Where its reason was read."""

    def __init__(
        self, message: str, *, hint: str = "", tail: Sequence[str] = (), exit_code: int | None = None
    ) -> None:
        super().__init__(message)
        if exit_code is not None:
            self.exit_code = exit_code
        self.message = message
        self.hint = hint
        self.tail = tuple(tail)

    def __str__(self) -> str:
        lines = [self.message, *(f"    {line}" for line in self.tail)]
        if self.hint:
            lines.append(f"hint: {self.hint}")
        return "\n".join(lines)


class UsageError(WeftError):
    """The request itself is invalid: unknown key, bad size, impossible combination."""

    exit_code = 2


class MissingError(WeftError):
    """A program, a library or a privilege is missing: nothing was started that could have failed."""

    exit_code = 2


class NodeError(WeftError):
    """A node could not be acquired or used."""


class StorageError(WeftError):
    """A directory could not be created, or is full."""


class ClusterError(WeftError):
    """A daemon did not start, did not answer in time, or died."""


class WorkloadError(WeftError):
    """A program of the workload failed."""


class RecordError(WeftError):
    """A record is not readable."""


class Stopped(BaseException):
    """weft was asked to stop by a signal; unwinds every `with`."""

    record: Path | None = None
    """The record of the run that it ended, if there is one."""
    phase: str = ""
    """Where that run was."""
    left: Sequence[str] | None = None
    """What that run could not remove; None if nobody has looked."""

    def __init__(self, exit_code: int) -> None:
        super().__init__()
        self.exit_code = exit_code
