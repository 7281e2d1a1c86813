"""What an engine has to do: one file per workload, or per family of workloads with a shared definition."""

from typing import Annotated

from pydantic import BeforeValidator, SerializeAsAny

from weft.adapters.workloads.base import ClusterUse
from weft.text.family import Family

KINDS: Family[ClusterUse] = Family()
KINDS.declare(
    __name__,
    {
        "terasort": "terasort:TeraSort",
        "teracount": "teracount:TeraCount",
        "groupby": "groupby:GroupBy",
        "wordcount": "wordcount:WordCount",
        "grep": "grep:Grep",
        "sort": "sort:Sort",
        "pi": "pi:Pi",
        "pagerank": "pagerank:PageRank",
        "pagerank-graphx": "pagerank:PageRankGraphx",
        "dfsio": "dfsio:Dfsio",
        "trace": "trace:Trace",
        "file-open": "fileopen:FileOpen",
        "tpcds": "tpcds:Tpcds",
        "sql-join": "sqljoin:SqlJoin",
        "own-job": "ownjob:OwnJob",
        "own-sql": "ownsql:OwnSql",
        "persistent": "persistent:Persistent",
        "scheduling-throughput": "sparkperf:SparkPerf",
        "aggregate-by-key": "sparkperf:SparkPerf",
        "aggregate-by-key-int": "sparkperf:SparkPerf",
        "aggregate-by-key-naive": "sparkperf:SparkPerf",
        "sort-by-key": "sparkperf:SparkPerf",
        "sort-by-key-int": "sparkperf:SparkPerf",
        "count": "sparkperf:SparkPerf",
        "count-with-filter": "sparkperf:SparkPerf",
        "summary-statistics": "sparkml:SparkMl",
        "pearson": "sparkml:SparkMl",
        "spearman": "sparkml:SparkMl",
        "chi-sq-feature": "sparkml:SparkMl",
        "chi-sq-gof": "sparkml:SparkMl",
        "chi-sq-mat": "sparkml:SparkMl",
        "svd": "sparkml:SparkMl",
        "pca": "sparkml:SparkMl",
        "block-matrix-mult": "sparkml:SparkMl",
        "fp-growth": "sparkml:SparkMl",
        "prefix-span": "sparkml:SparkMl",
        "naive-bayes": "sparkml:SparkMl",
        "glm-regression": "sparkml:SparkMl",
        "glm-classification": "sparkml:SparkMl",
        "decision-tree": "sparkml:SparkMl",
        "kmeans": "sparkml:SparkMl",
        "gmm": "sparkml:SparkMl",
        "pic": "sparkml:SparkMl",
        "als": "sparkml:SparkMl",
        "lda": "sparkml:SparkMl",
        "word2vec": "sparkml:SparkMl",
        "stream-statistics": "streamstatistics:StreamStatistics",
        "nexmark": "nexmark:Nexmark",
    },
)

AnyWorkload = Annotated[SerializeAsAny[ClusterUse], BeforeValidator(KINDS.read)]
