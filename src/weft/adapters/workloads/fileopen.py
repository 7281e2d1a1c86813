"""file-open: the cost of opening a file for each read, and how many files per second a storage can create and remove.

The microbenchmark behind figure 7 of Chaimov et al. (CUG'16); it runs on the head node, on the scratch.
"""

import re
from collections.abc import Sequence
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from weft.adapters.workloads.base import (
    Checker,
    Judgement,
    Prepared,
    Results,
    Workload,
    answer,
    flags,
    program,
)
from weft.layout.job import Job
from weft.layout.plan import Command, Layout
from weft.text.fields import Count, Size

_NUMBER = re.compile(r"[1-9][0-9]{0,8}")


def _numbers(value: str) -> str:
    """A list of which each number is in the names of results."""
    words = value.split(",")
    wrong = next((word for word in words if not _NUMBER.fullmatch(word) or words.count(word) > 1), None)
    if wrong is not None:
        raise ValueError(f"{wrong!r} is no positive whole number, or there more than once")
    return value


Numbers = Annotated[str, AfterValidator(_numbers)]
"""Numbers with commas between them."""


class FileOpen(Workload):
    """Open-per-read against one open, by read size; create, stat, rename, unlink rates by threads."""

    kind: Literal["file-open"] = "file-open"
    checker = Checker(
        "FileOpenValidate",
        "the answer: the CRC32 of each round of reads, and the number of files after each step; by bytes that are made again",
        (
            "a line of the answer lost or changed",
            "a wrong byte at the begin, in the middle or at the end of a read",
            "a truncated file",
            "a read that gives nothing or the same place again",
        ),
        ("FileOpenTest",),
    )
    engines = ("null",)

    size: Size = Field(default=64 << 20, ge=1 << 20, le=1 << 40, description="bytes of the file that is read")
    read_bytes: Numbers = Field(
        default="1024,4096,16384,65536,262144,1048576,4194304", description="sizes of a read"
    )
    reads: int = Field(default=200, ge=1, le=1_000_000, description="reads of each size and round")
    files: Count = Field(default=200, description="files of each thread")
    threads: Numbers = Field(default="1,2,4,8", description="numbers of threads")
    rounds: int = Field(default=3, ge=1, le=1000, description="interleaved rounds; medians are reported")
    seed: int = Field(default=0, ge=0, description="seed of the file content")

    @model_validator(mode="after")
    def _reads_fit_into_the_file(self) -> Self:
        if (most := max(map(int, self.read_bytes.split(",")))) > self.size:
            raise ValueError(f"read_bytes: a read of {most} bytes does not fit into the file of {self.size}")
        return self

    def asked(self, layout: Layout) -> dict[str, object]:
        """The options that decide what the job finds."""
        return {
            "file-bytes": self.size,
            "read-bytes": self.read_bytes,
            "reads": self.reads,
            "files": self.files,
            "threads": self.threads,
            "rounds": self.rounds,
            "seed": self.seed,
            "answer": answer(layout),
        }

    def job(self, prepared: Prepared) -> Job:
        layout = prepared.layout
        directory, outcome = layout.places["scratch"].paths[layout.head.name], layout.outcome()
        options = {**self.asked(layout), "directory": f"{directory}/file-open", "outcome": outcome}
        return Job("file-open", "FileOpen", flags(options), outcome)

    def check(self, prepared: Prepared) -> Sequence[Command]:
        layout = prepared.layout
        return [program(layout, "validate", "FileOpenValidate", self.asked(layout))]

    def judge(self, results: Results) -> Judgement:
        ran, found = results.ran, results.checked[0]
        facts = {"reads": ran.get("reads"), "rates": ran.get("rates")}
        return Judgement(found["valid"], str(found.get("reason", "")), self.size, 0, None, facts)
