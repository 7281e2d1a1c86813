"""The tables of the documentation: each is made of the rows of `evidence/NAME.jsonl`."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass

from figures import rows, shown
from figures.rows import Row
from figures.tables import (
    advised,
    asjava,
    boundary,
    calls,
    doses,
    engines,
    explained,
    explainers,
    firstrun,
    firsttask,
    ibm,
    limit,
    links,
    long,
    mllib,
    moosefs,
    nexmark,
    nexmarkrecovery,
    nexmarkstate,
    poolpays,
    poolpredicted,
    published,
    pythonstorage,
    queries,
    replays,
    streams,
    studies,
    tuned,
    tuner,
    unseen,
    wide,
)
from figures.tables.ratios import over
from figures.tables.studies import grid, rules, together


@dataclass(frozen=True)
class Table:
    """How rows become the lines of a table."""

    command: str
    """Makes the rows."""
    lines: Callable[[Sequence[Row]], list[str]]
    data: str = ""
    """Whose rows they are, if not its own."""
    kind: str = ""
    """Of these rows, only those of this kind."""
    by: Callable[[Row], Hashable] = shown.cell_of
    """What is repeated."""
    behind: str = ""
    """What its numbers are based on, where that is not their number of runs."""
    bare: bool = False
    """Whether it is no table of measurements: it has no line about them, and exists without rows."""
    failed: str = ""
    """Kind of the rows of runs that failed: its lines count them, and nothing else does."""


def _dose(row: Row) -> Hashable:
    return row["name"], row["cell"]


def _limit(row: Row) -> Hashable:
    return shown.cell_of(row), row["size"]


TABLES: Mapping[str, Table] = {
    "advised": Table("bench/advised", advised.lines),
    "boundary": Table("bench/run boundary", boundary.lines),
    "bounds": Table("bench/doses", doses.bounds, "doses", "pair", _dose),
    "calls": Table("bench/calls", calls.lines),
    "categories": Table("bench/run ibm-network", ibm.categories, "ibm-network"),
    "clemson-orangefs": Table(
        "bench/run clemson-orangefs",
        together(grid("clemson-orangefs", [("ofs", "hdfs"), ("scaled", "hdfs")]), rules("clemson-orangefs")),
    ),
    "doses": Table("bench/doses", doses.doses, "doses", "dose", _dose, shown.MANY),
    "engines": Table(
        "bench/run engines",
        engines.lines({"spark": "Spark", "flink": "Flink", "hadoop": "Hadoop", "dask": "Dask", "ray": "Ray"}),
    ),
    "equal": Table("bench/doses again", doses.equal, "doses", "again", _dose),
    "explained": Table("bench/explained", explained.lines),
    "explainers": Table("bench/explainers", explainers.lines),
    "first-run": Table("bench/run first-run", firstrun.lines),
    "first-task": Table("bench/run first-task", firsttask.lines),
    "ibm-network": Table(
        "bench/run ibm-network",
        together(
            grid("ibm-network", [("one", "ten"), ("ten", "forty")]), ibm.partitions, rules("ibm-network")
        ),
    ),
    "inlining": Table("bench/run inlining", asjava.lines("inlining")),
    "java-cores": Table("bench/run java-cores", asjava.lines("cores")),
    "jit": Table("bench/run jit", asjava.lines("thresholds")),
    "join": Table(
        "bench/run join",
        engines.lines(
            {
                "spark": "Spark SQL",
                "flink": "Flink SQL",
                "hive": "Hive by Tez",
                "hive:on=mr": "Hive by MapReduce",
                "dask": "Dask's DataFrame",
                "ray": "Ray Data",
            }
        ),
    ),
    "limit": Table("bench/run limit", limit.lines, by=_limit),
    "links": Table("bench/run links", links.lines),
    "long": Table("./test long", long.lines, bare=True),
    "mllib": Table("bench/run mllib", mllib.verdicts),
    "moosefs": Table("bench/moosefs", moosefs.lines),
    "moosefs-remedies": Table("bench/run moosefs-remedies", poolpays.lines),
    "nersc-lustre": Table(
        "bench/run nersc-lustre",
        together(
            grid("nersc-lustre", [("lustre", "memory"), ("loopback", "memory"), ("pool", "memory")]),
            studies.difference("nersc-lustre", "lustre", 0.5),
            rules("nersc-lustre"),
        ),
    ),
    "nersc-lustre-mllib": Table(
        "bench/run nersc-lustre-mllib", together(mllib.slowdowns, rules("nersc-lustre-mllib"))
    ),
    "nexmark": Table("bench/nexmark", nexmark.lines),
    "nexmark-recovery": Table("bench/run nexmark-recovery", nexmarkrecovery.lines),
    "nexmark-state": Table("bench/run nexmark-state", nexmarkstate.lines),
    "one-node": Table(
        "bench/queries --table one-node --scale 0.1 --nodes virtual:1 duckdb sail", queries.table
    ),
    "overhead": Table("bench/run overhead", over("probes", "null", ["run"])),
    "pool-pays": Table("bench/run pool-pays", poolpays.lines),
    "pool-predicted": Table("bench/pool-predicted", poolpredicted.lines, by=poolpredicted.point),
    "published": Table("bench/published", published.lines, kind="point", by=published.point),
    "python-storage": Table("bench/run python-storage", pythonstorage.lines),
    "queries": Table("bench/queries", queries.table),
    "streams": Table("bench/run streams", streams.lines),
    "trace": Table("bench/run trace", replays.lines),
    "tuned": Table("bench/run tuned", tuned.lines),
    "tuner": Table("bench/tuner", tuner.lines),
    "unseen": Table("bench/unseen", unseen.lines, kind="cell", by=unseen.drawn, failed=unseen.FAILED),
    "wide": Table("bench/run wide", wide.lines),
    "zib-datawarp": Table(
        "bench/run zib-datawarp",
        together(
            grid("zib-datawarp", [("datawarp", "lustre")]),
            grid("zib-datawarp", [("datawarp", "lustre")], of="offered_per_second"),
            grid("zib-datawarp", [("datawarp", "lustre")], of="latency_mean_seconds"),
            rules("zib-datawarp"),
        ),
    ),
}


def read(name: str) -> list[Row]:
    """The rows of a table; none if nothing was kept."""
    table = TABLES[name]
    return [row for row in rows.read(table.data or name) if not table.kind or row["kind"] == table.kind]


def kind(name: str) -> str:
    """What the numbers of a table with rows are based on."""
    return TABLES[name].behind or shown.kind(shown.valid(read(name)), TABLES[name].by)


def lines(name: str) -> list[str] | None:
    """A table in Markdown, with what it is made of; None without rows."""
    found, table = read(name), TABLES[name]
    if table.bare:
        return table.lines(found)
    if not found:
        return None
    path = f"evidence/{table.data or name}.jsonl"
    every = rows.read(table.data or name) if table.failed else []
    failures = [row for row in every if row["kind"] == table.failed]
    return [*table.lines([*found, *failures]), "", shown.footer(found, table.command, path, table.by)]
