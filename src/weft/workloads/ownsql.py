"""A user's own SQL query on files in Parquet: weft runs and analyses it, but cannot check its result."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from weft.layout.places import Role
from weft.layout.plan import Command, Dependencies, Job, Layout
from weft.workloads import tablework
from weft.workloads.base import NOBODY, CheckedBy, Judgement, Outcome, Workload

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_WILD = re.compile(r"[*?\[{]")
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
    checked_by: ClassVar[CheckedBy] = NOBODY
    positional: ClassVar[str] = "query"
    engines: ClassVar[tuple[str, ...]] = tablework.ENGINES
    libraries: ClassVar[Mapping[str, str]] = tablework.LIBRARIES
    roles: ClassVar[tuple[Role, ...]] = ("output", "shuffle")

    query: Annotated[Path, BeforeValidator(_there)] = Field(description="a .sql file with one query")
    tables: Annotated[dict[str, str], AfterValidator(_named)] = Field(
        default_factory=dict,
        description="tables by name: a file, a directory or a pattern of files in Parquet",
    )
    result: Annotated[Path | None, AfterValidator(_suffixed)] = Field(
        default=None,
        description="file for the result, .parquet or .csv; default: result.parquet in the record",
    )
    conf: dict[str, str] = Field(
        default_factory=dict, description="settings of the engine for this query only"
    )

    @property
    def paths(self) -> list[Path]:
        """What every node must see."""
        local = [Path(path) for path in self.tables.values() if "://" not in path]
        return [self.query, *map(_fixed, local), *([self.result.parent] if self.result else [])]

    @property
    def purpose(self) -> str:
        return f"run {self.query.name}"

    def prepare(self, layout: Layout) -> Sequence[Command]:
        """The tables are the user's; only Flink has to be given their columns."""
        if "flink" not in layout.homes:
            return []
        options = [*tablework.table_options(self.tables), "--output", str(_columns(layout))]
        return [tablework.table_program(layout, "columns", "columns", options)]

    def job(self, layout: Layout, prepared: Sequence[Outcome]) -> Job:  # noqa: ARG002
        outcome = layout.record / "outcomes" / "run.json"
        arguments = tablework.table_options(self.tables)
        arguments += ["--query", f"result={self.query}", "--order", "result"]
        arguments += ["--columns", str(_columns(layout))]
        arguments += ["--output", layout.places["output"].path, "--executors", str(len(layout.nodes))]
        own = Dependencies(conf=self.conf, jars=[str(jar) for jar in layout.libraries])
        return Job(self.query.name, "Sql", [*arguments, "--outcome", str(outcome)], outcome, dependencies=own)

    def check(self, layout: Layout, prepared: Sequence[Outcome]) -> Sequence[Command]:  # noqa: ARG002
        file = self.result or layout.record / "result.parquet"
        options = ["--input", f"{layout.places['output'].path}/{_LABEL}", "--output", str(file)]
        return [tablework.table_program(layout, "result", "gather", options)]

    def judge(self, prepared: Sequence[Outcome], ran: Outcome, checked: Sequence[Outcome]) -> Judgement:  # noqa: ARG002
        one = ran["queries"][0]
        facts = {key: checked[0][key] for key in ("result", "rows", "columns")}
        facts |= {key: one[key] for key in ("shuffle_bytes", "disk_bytes_spilled") if key in one}
        return Judgement(
            valid=True, reason="", bytes_in=one.get("bytes_in", 0), bytes_out=checked[0]["bytes"],
            seconds=ran.get("seconds"), facts=facts,
        )  # fmt: skip


def _columns(layout: Layout) -> Path:
    return layout.record / "outcomes" / tablework.COLUMNS


def _fixed(pattern: Path) -> Path:
    """The path above the first part of a pattern that has a wildcard."""
    wild = next((i for i, part in enumerate(pattern.parts) if _WILD.search(part)), len(pattern.parts))
    return Path(*pattern.parts[:wild])
