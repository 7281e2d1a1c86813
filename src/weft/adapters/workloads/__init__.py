"""What an engine has to do: one file per workload, or per family of workloads with a shared definition."""

from typing import Annotated

from pydantic import BeforeValidator, SerializeAsAny

from weft.adapters.workloads import (
    dfsio,
    fileopen,
    grep,
    groupby,
    nexmark,
    ownjob,
    ownsql,
    pagerank,
    persistent,
    pi,
    sort,
    sparkml,
    sparkperf,
    sqljoin,
    streamstatistics,
    teracount,
    terasort,
    tpcds,
    trace,
    wordcount,
)
from weft.adapters.workloads.base import ClusterUse
from weft.text.family import Family

KINDS: Family[ClusterUse] = Family()
KINDS.add(
    terasort.TeraSort,
    teracount.TeraCount,
    groupby.GroupBy,
    wordcount.WordCount,
    grep.Grep,
    sort.Sort,
    pi.Pi,
    pagerank.PageRank,
    pagerank.PageRankGraphx,
    dfsio.Dfsio,
    trace.Trace,
    fileopen.FileOpen,
    tpcds.Tpcds,
    sqljoin.SqlJoin,
    ownjob.OwnJob,
    ownsql.OwnSql,
    persistent.Persistent,
    sparkperf.SparkPerf,
    sparkml.SparkMl,
    streamstatistics.StreamStatistics,
    nexmark.Nexmark,
)

AnyWorkload = Annotated[SerializeAsAny[ClusterUse], BeforeValidator(KINDS.read)]
