"""file-open: the cost of opening a file for each read, and how many files per second a storage can create and remove.

The microbenchmark behind figure 7 of Chaimov et al. (CUG'16); it runs on the head node, on the scratch.
"""

from typing import Literal

from pydantic import Field

from weft.adapters.workloads.base import JOB, Judgement, Prepared, Results, Workload, flags
from weft.layout.plan import Job
from weft.text.fields import Count, Size


class FileOpen(Workload):
    """Open-per-read against one open, by read size; create, stat, rename, unlink rates by threads."""

    kind: Literal["file-open"] = "file-open"
    checked_by = JOB
    engines = ("null",)

    size: Size = Field(default=64 << 20, ge=1 << 20, description="bytes of the file that is read")
    read_bytes: str = Field(
        default="1024,4096,16384,65536,262144,1048576,4194304", description="sizes of a read"
    )
    reads: int = Field(default=200, ge=1, le=10**9, description="reads of each size and round")
    files: Count = Field(default=200, description="files of each thread")
    threads: str = Field(default="1,2,4,8", description="numbers of threads")
    rounds: Count = Field(default=3, description="interleaved rounds; medians are reported")
    seed: int = Field(default=0, ge=0, description="seed of the file content")

    def job(self, prepared: Prepared) -> Job:
        layout = prepared.layout
        outcome = layout.outcome()
        options = {
            "directory": f"{layout.places['scratch'].paths[layout.head.name]}/file-open",
            "file-bytes": self.size,
            "read-bytes": self.read_bytes,
            "reads": self.reads,
            "files": self.files,
            "threads": self.threads,
            "rounds": self.rounds,
            "seed": self.seed,
            "outcome": outcome,
        }
        arguments = flags(options)
        return Job("file-open", "FileOpen", arguments, outcome)

    def judge(self, results: Results) -> Judgement:
        ran = results.ran
        facts = {"reads": ran.get("reads"), "rates": ran.get("rates")}
        return Judgement(bool(ran["valid"]), str(ran.get("reason", "")), self.size, 0, None, facts)
