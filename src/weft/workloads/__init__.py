"""What is asked of an engine: one file a workload, or a family that shares its definition."""

from typing import Annotated, get_args

from pydantic import BeforeValidator, Field

from weft.shorthand import expand
from weft.workloads.base import Workload
from weft.workloads.dfsio import Dfsio
from weft.workloads.fileopen import FileOpen
from weft.workloads.groupby import GroupBy
from weft.workloads.ownjob import OwnJob
from weft.workloads.sparkperf import SparkPerf, SparkPerfTest
from weft.workloads.standing import Standing
from weft.workloads.teracount import TeraCount
from weft.workloads.terasort import TeraSort

KINDS: dict[str, type[Workload]] = {
    "terasort": TeraSort,
    "teracount": TeraCount,
    "groupby": GroupBy,
    "dfsio": Dfsio,
    "file-open": FileOpen,
    "own-job": OwnJob,
    "standing": Standing,
    **dict.fromkeys(get_args(SparkPerfTest), SparkPerf),
}

AnyWorkload = Annotated[
    Annotated[
        TeraSort | TeraCount | GroupBy | SparkPerf | Dfsio | FileOpen | OwnJob | Standing,
        Field(discriminator="kind"),
    ],
    BeforeValidator(
        lambda value: expand(value, {kind: workload.positional for kind, workload in KINDS.items()})
    ),
]
