"""Compares the answers to Nexmark's queries with DuckDB's on the same events, row by row: none lost, none repeated, none wrong.

usage: python -m weft.tables.nexmark --queries q5,q8 --window 10000 --directory DIR --validated FILE --scratch DIR --outcome FILE

The directory has the events as person.csv, auction.csv and bid.csv, made again by weft's generator, each with a mark of those that
are late in front, and the rows of each result as QUERY.csv. Times are in milliseconds since 1970.
"""

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from weft.tables.compare import show
from weft.tables.duck import counted, database
from weft.tables.program import execute, options, progress

_EVENTS = {
    "person": ("id BIGINT", "name VARCHAR", "emailAddress VARCHAR", "creditCard VARCHAR", "city VARCHAR", "state VARCHAR", "extra VARCHAR"),
    "auction": ("id BIGINT", "itemName VARCHAR", "description VARCHAR", "initialBid BIGINT", "reserve BIGINT", "expires BIGINT", "seller BIGINT", "category BIGINT", "extra VARCHAR"),
    "bid": ("auction BIGINT", "bidder BIGINT", "price BIGINT", "channel VARCHAR", "url VARCHAR", "extra VARCHAR"),
}  # fmt: skip
"""The columns of each kind of event, behind `late` and its time `t`."""


@dataclass(frozen=True)
class NexmarkQuery:
    """A query, as DuckDB answers it from whole tables."""

    columns: Sequence[str]
    """Of its result, with their types."""
    text: str
    """With $window and $hop in milliseconds, and $horizon: windows that end later are not closed."""
    updated: bool = False
    """Whether rows are updated: each begins with 1, or with 0 if its key is gone. The last of each first column counts."""


QUERIES = {
    "q0": NexmarkQuery(
        (
            "auction BIGINT",
            "bidder BIGINT",
            "price BIGINT",
            "channel VARCHAR",
            "url VARCHAR",
            "t BIGINT",
            "extra VARCHAR",
        ),
        "SELECT auction, bidder, price, channel, url, t, extra FROM bid",
    ),
    "q1": NexmarkQuery(
        ("auction BIGINT", "bidder BIGINT", "price DECIMAL(38, 3)", "t BIGINT", "extra VARCHAR"),
        "SELECT auction, bidder, CAST(price AS DECIMAL(18, 0)) * 0.908, t, extra FROM bid",
    ),
    "q2": NexmarkQuery(
        ("auction BIGINT", "price BIGINT"), "SELECT auction, price FROM bid WHERE auction % 123 = 0"
    ),
    "q3": NexmarkQuery(
        ("name VARCHAR", "city VARCHAR", "state VARCHAR", "id BIGINT"),
        """SELECT p.name, p.city, p.state, a.id FROM auction a, person p
        WHERE a.seller = p.id AND a.category = 10 AND p.state IN ('OR', 'ID', 'CA')""",
    ),
    "q4": NexmarkQuery(
        ("category BIGINT", "price BIGINT", "total BIGINT", "num BIGINT"),
        """WITH final AS (
            SELECT a.category, max(b.price) AS price FROM auction a, bid b
            WHERE a.id = b.auction AND b.t BETWEEN a.t AND a.expires GROUP BY a.id, a.category
        )
        SELECT category, sum(price) // count(*) AS price, sum(price) AS total, count(*) AS num FROM final GROUP BY category""",
        updated=True,
    ),
    "q5": NexmarkQuery(
        ("ends BIGINT", "auction BIGINT", "num BIGINT"),
        """WITH counts AS (
            SELECT (t // $hop + i) * $hop AS ends, auction, count(*) AS num
            FROM bid, unnest(range(1, 1 + $window // $hop)) AS hops(i)
            WHERE NOT late AND (t // $hop + i) * $hop <= $horizon GROUP BY ALL
        )
        SELECT ends, auction, num FROM counts QUALIFY num = max(num) OVER (PARTITION BY ends)""",
    ),
    "q7": NexmarkQuery(
        ("ends BIGINT", "auction BIGINT", "price BIGINT", "bidder BIGINT", "t BIGINT", "extra VARCHAR"),
        """SELECT (t // $window + 1) * $window AS ends, auction, price, bidder, t, extra FROM bid
        WHERE NOT late AND (t // $window + 1) * $window <= $horizon
        QUALIFY price = max(price) OVER (PARTITION BY t // $window)""",
    ),
    "q8": NexmarkQuery(
        ("id BIGINT", "name VARCHAR", "starts BIGINT"),
        """SELECT DISTINCT p.id, p.name, p.t // $window * $window AS starts FROM person p
        JOIN auction a ON p.id = a.seller AND p.t // $window = a.t // $window
        WHERE NOT p.late AND NOT a.late AND (p.t // $window + 1) * $window <= $horizon""",
    ),
    "q11": NexmarkQuery(
        ("bidder BIGINT", "num BIGINT", "starts BIGINT", "ends BIGINT"),
        """WITH gaps AS (
            SELECT bidder, t, coalesce(t - lag(t) OVER (PARTITION BY bidder ORDER BY t) >= $window, true) AS begins
            FROM bid WHERE NOT late
        ), numbered AS (
            SELECT bidder, t, sum(CAST(begins AS INTEGER)) OVER (PARTITION BY bidder ORDER BY t, NOT begins ROWS UNBOUNDED PRECEDING) AS session
            FROM gaps
        )
        SELECT bidder, count(*) AS num, min(t) AS starts, max(t) + $window AS ends FROM numbered
        GROUP BY bidder, session HAVING max(t) + $window <= $horizon""",
    ),
}
"""Public definitions (nexmark/nexmark); rows of windows name their window."""

HOPS = 5
"""Of the hopping windows of q5, in one window: 10 s by 2 s in the definition."""


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("--queries", required=True, help="with commas between them")
    parser.add_argument("--window", type=int, required=True, help="milliseconds")
    parser.add_argument("--directory", type=Path, required=True)
    parser.add_argument(
        "--validated", type=Path, required=True, help="what the validator of the events found"
    )
    execute(parser, _work)


def _work(given: argparse.Namespace) -> Mapping[str, Any]:
    horizon = int(json.loads(given.validated.read_text(encoding="utf-8"))["horizon"])
    with database(given.threads, given.memory, given.scratch) as connection:
        events(connection, given.directory)
        late = sum(_number(connection, f"SELECT count(*) FROM {kind} WHERE late") for kind in _EVENTS)  # noqa: S608
        names = given.queries.split(",")
        found = {}
        for number, name in enumerate(names, 1):
            found[name] = compared(connection, given.directory / f"{name}.csv", name, given.window, horizon)
            progress(number, len(names))
    return {"queries": found, "late": late, "duckdb": duckdb.__version__}


def events(connection: duckdb.DuckDBPyConnection, directory: Path) -> None:
    """The events as tables."""
    for kind, columns in _EVENTS.items():
        _file(connection, kind, directory / f"{kind}.csv", ["late BOOLEAN", "t BIGINT", *columns])


def compared(
    connection: duckdb.DuckDBPyConnection, file: Path, query: str, window: int, horizon: int
) -> dict[str, Any]:
    """How many rows the answer has, and how many are lost, wrong (none of the answer) or repeated, with an example of each."""
    asked = QUERIES[query]
    text = asked.text.replace("$window", str(window)).replace("$hop", str(window // HOPS))
    text = text.replace("$horizon", str(horizon))
    names = ", ".join(column.split()[0] for column in asked.columns)
    connection.execute(f"CREATE OR REPLACE TABLE answer AS SELECT * FROM ({text}) AS found({names})")  # noqa: S608 - of this file
    if file.exists() and asked.updated:
        _file(connection, "updates", file, ["there BOOLEAN", *asked.columns])
        _last(connection, names)
    elif file.exists():
        _file(connection, "result", file, asked.columns)
    else:
        connection.execute("CREATE OR REPLACE VIEW result AS SELECT * FROM answer LIMIT 0")
    # of each row, how often it is there more than it should
    connection.execute(
        f"""CREATE OR REPLACE TABLE differs AS
        SELECT {names}, sum(n) AS more, max(n) FILTER (n < 0) IS NULL AS wrong
        FROM (SELECT *, -1 AS n FROM answer UNION ALL SELECT *, 1 FROM result)
        GROUP BY {names} HAVING sum(n) <> 0"""  # noqa: S608 - of this file
    )
    found: dict[str, Any] = {"rows": counted(connection, "answer")}
    if asked.updated and file.exists():
        found["updates"] = counted(connection, "updates")
    for kind, which in _DIFFERS.items():
        found[kind] = _number(connection, f"SELECT coalesce(sum(abs(more)), 0) FROM differs WHERE {which}")  # noqa: S608
        if found[kind]:
            example = f"SELECT {names} FROM differs WHERE {which} ORDER BY ALL LIMIT 1"  # noqa: S608 - of this file
            found[f"{kind}_row"] = ", ".join(map(show, connection.execute(example).fetchone() or ()))
    return found


def _last(connection: duckdb.DuckDBPyConnection, names: str) -> None:
    """The last row of each key, in the order of the file, if it is still there."""
    key = names.split(",", maxsplit=1)[0]
    connection.execute(
        "CREATE OR REPLACE TABLE numbered AS SELECT *, row_number() OVER () AS place FROM updates"
    )
    connection.execute(
        f"""CREATE OR REPLACE VIEW result AS
        SELECT {names} FROM (SELECT * FROM numbered QUALIFY place = max(place) OVER (PARTITION BY {key})) WHERE there"""  # noqa: S608 - of this file
    )


_DIFFERS = {"lost": "more < 0", "wrong": "wrong", "repeated": "more > 0 AND NOT wrong"}


def _file(connection: duckdb.DuckDBPyConnection, table: str, file: Path, columns: Sequence[str]) -> None:
    """A table of the lines of a file, whose values are separated by commas."""
    types = dict(column.split(" ", 1) for column in columns)
    connection.read_csv(
        str(file), header=False, sep=",", columns=types, quotechar="", escapechar="", auto_detect=False
    ).create_view(table)


def _number(connection: duckdb.DuckDBPyConnection, text: str) -> int:
    (found,) = connection.execute(text).fetchone() or (0,)
    return int(found)


if __name__ == "__main__":
    main()
