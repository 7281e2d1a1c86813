"""A query of the user's own on the command line: its tables and its result, before or after its file."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from weft.api.flags import pairs
from weft.cli.command import renamed
from weft.errors import UsageError
from weft.layout.job import option_of


def own_query(
    query: Path,
    arguments: Sequence[str],
    tables: Sequence[str],
    result: Path | None,
    job: Mapping[str, Any],
) -> dict[str, Any] | None:
    """The table of the workload; None for a program that is no .sql file.

    Raises UsageError for options that belong to the other kind of program, and for a result that exists.
    """
    if query.suffix != ".sql":
        if tables or result:
            raise UsageError("--table and --out belong to a .sql file", hint=f"{query} is another program")
        return None
    if other := [name for name, value in job.items() if value and name != "conf"]:
        raise UsageError(
            f"a .sql file has no {option_of(other[0])}", hint="it has only --table, --out and --conf"
        )
    named, results = list(tables), [str(result)] if result else []
    for flag, value in _options(query, arguments):
        (named if flag == "--table" else results).append(value)
    _require_new(results)
    found = {"kind": "own-sql", "query": str(query.resolve()), "tables": pairs("--table", named)}
    given = {"result": results[0] if results else None, "conf": job.get("conf")}
    return {**found, **{key: value for key, value in given.items() if value}}


def _options(query: Path, arguments: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The options behind the file."""
    left = list(arguments)
    while left:
        flag, equals, value = left.pop(0).partition("=")
        if flag == "--result":
            renamed("--result FILE", "--out FILE")
            flag = "--out"
        if flag not in {"--table", "--out"}:
            raise UsageError(
                f"{query} takes no argument {flag}", hint=f"write options of weft before {query}"
            )
        if not equals and not left:
            raise UsageError(f"{flag}: value missing", hint="write --table NAME=FILES, --out FILE")
        yield flag, value if equals else left.pop(0)


def _require_new(results: Sequence[str]) -> None:
    if results[1:]:
        raise UsageError("--out is given twice", hint="a query has one result")
    for result in map(Path, results):
        if result.exists():
            raise UsageError(f"{result} exists", hint="remove it, or choose another file for --out")
        if not result.absolute().parent.is_dir():
            raise UsageError(f"{result.parent} is not a directory", hint="create it, or choose another --out")
