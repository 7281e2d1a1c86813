"""What record.json contains: one class writes it and reads it."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from weft.errors import FailureEvidence

Model = TypeVar("Model", bound=BaseModel)


def created(text: str) -> float | None:
    """When a record was begun: seconds since the epoch; None if it does not say."""
    try:
        return datetime.fromisoformat(text).timestamp()
    except (ValueError, OverflowError):
        return None


class Kept(BaseModel):
    """A part of a record. Keys that another weft wrote are left out."""

    model_config = ConfigDict(
        frozen=True, extra="ignore", coerce_numbers_to_str=True, allow_inf_nan=False, validate_by_name=True
    )


class StudyCell(Kept):
    """Which cell of which study a run is; empty for others."""

    study: str = ""
    coordinates: Mapping[str, str] = {}
    repeat: int | None = None
    control: Mapping[str, float] = {}
    """Of known work right before the run: seconds of computation and of file calls, and the load average before it."""


class RunInfo(Kept):
    """What a record's head and a report both say of a run. What does not exist yet, or never, has its default.

    Times are seconds, sizes bytes.
    """

    id: str = ""
    weft: str = ""
    """Its version."""
    commit: str = ""
    """Of weft; with a plus sign if files differed from it, empty if nobody knows."""
    created: str = ""
    host: str = ""
    verdict: str = "KILLED"
    checked_by: str = ""
    """Who checked the result: an independent program, or the job itself; empty if nobody did."""
    reason: str = ""
    hint: str = ""
    tail: tuple[str, ...] = ()
    """The last lines of the log that says why it failed."""
    evidence: FailureEvidence | None = None
    """Where the reason of a failure was read."""
    phase: str = ""
    workload: str = ""
    engine: str = ""
    key: str = ""
    """Of its spec: equal for equal specs."""
    cluster: str = ""
    """The persistent cluster that it ran on; empty for a cluster of its own."""
    application: str = ""
    """`ready` if it had the executors of an application that was there before it; empty if one was started for it."""
    input_of: str = ""
    """The run on its persistent cluster that made its input; empty if it made its own."""
    unsecured: str = ""
    """Who else could use the cluster of a run with security=none, in a sentence; empty for other runs."""
    measured: float | None = None
    """The program's own time of the work, without the start of its process: the result of a valid run."""
    bytes_in: int | None = None
    bytes_out: int | None = None
    throughput_per_node: float | None = None
    facts: Mapping[str, Any] = {}
    """The workload's results: values, and lists of tables."""
    lost: tuple[str, ...] = ()
    gaps: tuple[str, ...] = ()
    """What of the record, or of an imported log, is missing or was not readable."""
    probes: tuple[str, ...] = ()
    probes_missing: Mapping[str, str] = {}
    probes_added: Mapping[str, str] = {}
    """Probes that nobody asked for, and why they observed."""

    @property
    def begun(self) -> float:
        """Orders runs by their begin, in whatever time zone each says it; 0 if it says none."""
        return created(self.created) or 0.0


class Head(RunInfo):
    """A run in short."""

    version: int = Field(default=0, alias="schema")
    pid: int = 0
    pid_start: str = ""
    nodes: str = ""
    input: str = ""
    output: str = ""
    scratch: str = ""
    security: str = ""
    labels: tuple[str, ...] = ()
    """What its user calls it."""
    cell: StudyCell = StudyCell()
    slurm: Mapping[str, Any] = {}
    """What Slurm says of its batch job."""
    batch: Mapping[str, Any] = {}
    """What another batch system says of its job; `system` is which."""
    imported: Mapping[str, Any] | None = None
    """Which log it is made from."""
    phase: str = "acquire"
    phases: Mapping[str, float] = {}
    preload: Mapping[str, Any] = {}
    calibration: Mapping[str, Any] | None = None
    calibration_refused: Mapping[str, str] = {}

    @property
    def storages(self) -> dict[str, str]:
        """By role."""
        found = {"input": self.input, "output": self.output, "scratch": self.scratch}
        return {role: storage for role, storage in found.items() if storage}

    def written(self) -> dict[str, Any]:
        """As record.json has it."""
        return self.model_dump(by_alias=True, exclude_unset=True)

    def changed(self, **what: Any) -> "Head":
        """With other values."""
        assert what.keys() <= {*type(self).model_fields, "schema"}, what.keys()
        return type(self).model_validate({**self.written(), **what})


def lenient(model: type[Model], table: Mapping[str, Any], lost: list[str] | None = None) -> Model:
    """A table of others as a model: a value that is damaged has its default instead, and its key is added to `lost`."""
    try:
        return model.model_validate(table)
    except ValidationError as error:
        damaged = {str(each["loc"][0]) for each in error.errors()}
        if lost is not None:
            lost += sorted(damaged)
        return model.model_validate({key: value for key, value in table.items() if key not in damaged})
