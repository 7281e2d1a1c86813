"""What the operators of a plan of Spark SQL do, by their names (SparkPlan.nodeName)."""

WRAPPERS = (
    "AdaptiveSparkPlan", "WholeStageCodegen", "InputAdapter", "ShuffleQueryStage", "BroadcastQueryStage",
    "ResultQueryStage", "TableCacheQueryStage", "AQEShuffleRead", "Subquery", "ReusedSubquery", "CommandResult",
    "ColumnarToRow", "RowToColumnar", "CollectMetrics",
)  # fmt: skip
"""Nodes that only hold others, or change the form of their rows."""

_KINDS = (
    ("Python", ("Python", "Pandas", "InArrow")),
    ("write", ("Insert", "CreateDataSource", "WriteFiles", "AppendData", "Overwrite", "CreateTableAs", "ReplaceTableAs")),
    ("aggregate", ("Aggregate",)),
    ("join", ("Join", "CartesianProduct")),
    ("window", ("Window",)),
)  # fmt: skip
"""By what their names contain; the first that fits."""
_BEGIN = (
    ("scan", ("Scan", "BatchScan", "FileScan", "InMemoryTableScan", "LocalTableScan", "Range")),
    ("broadcast", ("BroadcastExchange",)),
    ("exchange", ("Exchange", "ReusedExchange")),
    ("sort", ("Sort", "TakeOrderedAndProject")),
)
"""By how they begin."""
OTHER = "other"


def kind(name: str) -> str:
    """scan, exchange, broadcast, sort, aggregate, join, window, Python, write, or other: filters, projections."""
    found = next((kind for kind, words in _KINDS if any(word in name for word in words)), None)
    return found or next((kind for kind, beginnings in _BEGIN if name.startswith(beginnings)), OTHER)
