"""How streams of Nexmark's queries went on after a process was killed."""

from collections.abc import Sequence

from figures.rows import Row
from figures.shown import spread, table, valid

_ENGINES = {"flink": "Flink", "spark": "Spark"}
_WORKERS = {"flink": "TaskManager", "spark": "executor"}


def lines(rows: Sequence[Row]) -> list[str]:
    """A line for each query, engine and kind of process."""
    found: dict[tuple[str, str, str], list[Row]] = {}
    for row in rows:
        cell = row["cell"]
        found.setdefault((cell["query"], cell["engine"], cell["killed"]), []).append(row)
    body = [
        [
            query,
            _ENGINES[engine],
            _WORKERS[engine] if killed == "worker" else killed,
            f"{len(valid(here))} of {len(here)}",
            *_figures(valid(here)),
        ]
        for (query, engine, killed), here in sorted(found.items())
    ]
    titles = ["query", "engine", "killed", "answers right", "thousand events/s", "rows repeated"]
    late = ["usual 99 %, s", "seconds until as before", "highest latency, s", "thousand events behind"]
    return table([*titles, *late], body)


def _figures(here: Sequence[Row]) -> list[str]:
    known = [row["recovery"] for row in here if row.get("recovery")]
    took = [one["seconds"] for one in known]
    never = took.count(None)
    return [
        spread(row["rate"] / 1000 for row in here),
        spread((row["facts"]["repeated"] for row in here), lambda value: f"{value:,.0f}"),
        spread(one["before"] for one in known),
        spread(took) + (f", {never} of {len(took)} never" if never else ""),
        spread(one["highest"] for one in known),
        spread(one["behind"] / 1000 for one in known if one["behind"] is not None),
    ]
