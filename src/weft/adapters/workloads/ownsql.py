"""A user's own SQL query on files in Parquet: weft runs and analyses it, but cannot check its result."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from weft.adapters.workloads import tablework
from weft.adapters.workloads.base import NOBODY, Judgement, Prepared, Results, Workload, engine_job
from weft.layout.plan import Command, Dependencies, Job, Layout
from weft.text.executes import Executes, Settings

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_WILD = re.compile(r"[*?\[{]")
_PARQUET = b"PAR1"
_LABEL = "result-1"


def _named(tables: dict[str, str]) -> dict[str, str]:
    """Names as SQL has them without quotes, and absolute paths; a URI is not changed."""
    for name in tables:
        if not _NAME.fullmatch(name):
            raise ValueError(f"{name!r} is not a name of a table: use letters, digits and _")
    return {name: path if "://" in path else str(Path(path).absolute()) for name, path in tables.items()}


def _suffixed(path: Path | None) -> Path | None:
    if path is not None and path.suffix not in {".parquet", ".csv"}:
        raise ValueError(f"{path} is neither .parquet nor .csv")
    return path and path.absolute()


def _there(value: Any) -> Path:
    if not Path(value).is_file():
        raise ValueError(f"file not found: {value}")
    return Path(value).resolve()


class OwnSql(Workload):
    """A file with one query, and the tables that it names."""

    kind: Literal["own-sql"] = "own-sql"
    checked_by = NOBODY
    positional = "query"
    engines = tablework.ENGINES
    libraries: ClassVar[Mapping[str, str]] = tablework.LIBRARIES
    roles = ("output", "scratch")

    query: Annotated[Path, BeforeValidator(_there), Executes("SQL of an engine can call Java methods")] = (
        Field(description="a .sql file with one query")
    )
    tables: Annotated[dict[str, str], AfterValidator(_named)] = Field(
        default_factory=dict,
        description="tables by name: a file, a directory or a pattern of files in Parquet",
    )
    result: Annotated[Path | None, AfterValidator(_suffixed)] = Field(
        default=None,
        description="file for the result, .parquet or .csv; default: result.parquet in the record",
    )
    conf: Settings = Field(default_factory=dict, description="settings of the engine for this query only")

    @property
    def paths(self) -> list[Path]:
        """What every node must see."""
        local = [Path(path) for path in self.tables.values() if "://" not in path]
        return [self.query, *map(_fixed, local), *([self.result.parent] if self.result else [])]

    def require_files(self) -> None:
        """The tables' files exist, and are Parquet: looked at before a cluster starts."""
        for name, path in self.tables.items():
            # engines know alternatives in braces, and Python does not
            if "://" not in path and "{" not in path and not any(map(_parquet, _files(Path(path)))):
                raise ValueError(f"table {name}: no file of {path} is a Parquet file")

    @property
    def purpose(self) -> str:
        return f"run {self.query.name}"

    def prepare(self, layout: Layout) -> Sequence[Command]:
        """The tables are the user's; their columns are read from them for an engine that does not do so itself."""
        if not tablework.dialect(layout).columns:
            return []
        options = [*tablework.table_options(self.tables), "--output", str(_columns(layout))]
        return [tablework.table_program(layout, "columns", "columns", options)]

    def job(self, prepared: Prepared) -> Job:
        layout = prepared.layout
        options = {
            "query": f"result={self.query}",
            "order": "result",
            "columns": _columns(layout),
            "output": layout.places["output"].path,
        }
        own = Dependencies(conf=self.conf, jars=[str(jar) for jar in layout.libraries])
        tables = tablework.table_options(self.tables)
        return engine_job(layout, self.query.name, "Sql", options, tables, dependencies=own)

    def check(self, prepared: Prepared) -> Sequence[Command]:
        layout = prepared.layout
        file = self.result or layout.record / "result.parquet"
        options = ["--input", f"{layout.places['output'].path}/{_LABEL}", "--output", str(file)]
        return [tablework.table_program(layout, "result", "gather", options)]

    def judge(self, results: Results) -> Judgement:
        ran, checked = results.ran, results.checked
        one = ran["queries"][0]
        facts = {key: checked[0][key] for key in ("result", "rows", "columns")}
        facts |= {key: one[key] for key in ("shuffle_bytes", "disk_bytes_spilled") if key in one}
        return Judgement(
            valid=True, reason="", bytes_in=one.get("bytes_in", 0), bytes_out=checked[0]["bytes"],
            seconds=ran.get("seconds"), facts=facts,
        )  # fmt: skip


def _files(path: Path) -> Iterator[Path]:
    """The files of a path or a pattern, without those that no engine reads."""
    above = _fixed(path)
    for found in (
        [path] if path.exists() else above.glob(str(path.relative_to(above))) if above != path else []
    ):
        for each in found.rglob("*") if found.is_dir() else [found]:
            if each.is_file() and each.name[0] not in "._":
                yield each


def _parquet(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(_PARQUET)) == _PARQUET


def _columns(layout: Layout) -> Path:
    return layout.outcome(tablework.COLUMNS)


def _fixed(pattern: Path) -> Path:
    """The path above the first part of a pattern that has a wildcard."""
    wild = next((i for i, part in enumerate(pattern.parts) if _WILD.search(part)), len(pattern.parts))
    return Path(*pattern.parts[:wild])
