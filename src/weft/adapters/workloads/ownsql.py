"""A user's own SQL query on files in Parquet: weft runs and analyses it, but cannot check its result."""

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from weft.adapters.workloads import tablework
from weft.adapters.workloads.base import Judgement, Prepared, Results, Workload, engine_job
from weft.layout.job import Dependencies, Job
from weft.layout.plan import Command, Layout
from weft.tables.files import fixed, matching
from weft.text.executes import Executes, Settings

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
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
    time_limit = math.inf  # nobody but its user knows how long it takes
    positional = "query"
    engines = tablework.ENGINES
    libraries: ClassVar[Mapping[str, str]] = tablework.LIBRARIES
    roles = ("output", "scratch")
    optional: ClassVar[frozenset[str]] = frozenset({"input"})

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
        return [self.query, *map(fixed, local), *([self.result.parent] if self.result else [])]

    def require_files(self) -> None:
        """The tables' files exist, and are Parquet: looked at before a cluster starts."""
        for name, path in self.tables.items():
            # engines know alternatives in braces, and Python does not
            if "://" not in path and "{" not in path and not any(map(_parquet, matching(Path(path)))):
                raise ValueError(f"table {name}: no file of {path} is a Parquet file")

    @property
    def purpose(self) -> str:
        return f"run {self.query.name}"

    def prepare(self, layout: Layout) -> Sequence[Command]:
        """Columns are read from the tables for an engine that does not do so itself; the tables are copied to an input."""
        found = []
        if tablework.dialect(layout).columns:
            options = [*tablework.table_options(self.tables), "--output", str(_columns(layout))]
            found.append(tablework.table_program(layout, "columns", "columns", options))
        if copied := self._placed(layout):
            words = [word for name in copied for word in ("--from", f"{name}/={self.tables[name]}")]
            words += ["--to", layout.places["input"].path]
            found.append(tablework.table_program(layout, "stage", "stage", words))
        return found

    def _placed(self, layout: Layout) -> dict[str, str]:
        """The tables that are copied to the input, if there is one, and where they are then."""
        if "input" not in layout.places:
            return {}
        here = [name for name, path in self.tables.items() if "://" not in path]
        return {name: f"{layout.places['input'].path}/{name}" for name in here}

    def job(self, prepared: Prepared) -> Job:
        layout = prepared.layout
        options = {
            "query": f"result={self.query}",
            "order": "result",
            "columns": _columns(layout),
            "output": layout.places["output"].path,
        }
        own = Dependencies(conf=self.conf, jars=[str(jar) for jar in layout.libraries])
        tables = tablework.table_options({**self.tables, **self._placed(layout)})
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


def _parquet(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(_PARQUET)) == _PARQUET


def _columns(layout: Layout) -> Path:
    return layout.outcome(tablework.COLUMNS)
