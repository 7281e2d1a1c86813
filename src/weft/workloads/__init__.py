"""What is asked of an engine: one file a workload, or a family that shares its definition."""

from typing import Annotated, get_args

from pydantic import BeforeValidator, Field

from weft.text.shorthand import expand
from weft.workloads.base import Workload
from weft.workloads.dfsio import Dfsio
from weft.workloads.fileopen import FileOpen
from weft.workloads.grep import Grep
from weft.workloads.groupby import GroupBy
from weft.workloads.ownjob import OwnJob
from weft.workloads.pagerank import PageRank, PageRankGraphx
from weft.workloads.persistent import Persistent
from weft.workloads.pi import Pi
from weft.workloads.sort import Sort
from weft.workloads.sparkperf import SparkPerf, SparkPerfTest
from weft.workloads.teracount import TeraCount
from weft.workloads.terasort import TeraSort
from weft.workloads.wordcount import WordCount

KINDS: dict[str, type[Workload]] = {
    "terasort": TeraSort,
    "teracount": TeraCount,
    "groupby": GroupBy,
    "wordcount": WordCount,
    "grep": Grep,
    "sort": Sort,
    "pi": Pi,
    "pagerank": PageRank,
    "pagerank-graphx": PageRankGraphx,
    "dfsio": Dfsio,
    "file-open": FileOpen,
    "own-job": OwnJob,
    "persistent": Persistent,
    **dict.fromkeys(get_args(SparkPerfTest), SparkPerf),
}

AnyWorkload = Annotated[
    Annotated[
        TeraSort
        | TeraCount
        | GroupBy
        | WordCount
        | Grep
        | Sort
        | Pi
        | PageRank
        | PageRankGraphx
        | SparkPerf
        | Dfsio
        | FileOpen
        | OwnJob
        | Persistent,
        Field(discriminator="kind"),
    ],
    BeforeValidator(
        lambda value: expand(value, {kind: workload.positional for kind, workload in KINDS.items()})
    ),
]
