"""TeraCount: TeraSort's shuffle without the sort, to separate the cost of moving from that of sorting."""

from collections.abc import Sequence
from typing import ClassVar, Literal

from weft.layout.plan import Command, Job, Layout
from weft.workloads.base import JOB, CheckedBy, Judgement, Outcome
from weft.workloads.terarecords import TeraRecords, total


class TeraCount(TeraRecords):
    """Move generated records into their range partitions and count them there."""

    kind: Literal["teracount"] = "teracount"
    checked_by: ClassVar[CheckedBy] = JOB
    roles: ClassVar[tuple[str, ...]] = ("input", "shuffle")

    def job(self, layout: Layout, prepared: Sequence[Outcome]) -> Job:
        outcome = layout.record / "outcomes" / "run.json"
        arguments = [
            "--input",
            layout.places["input"].path,
            "--partitions",
            str(self.reducers(layout)),
            "--checksum",
            total(prepared),
        ]
        arguments += ["--executors", str(len(layout.nodes)), "--outcome", str(outcome)]
        return Job("teracount", "TeraCount", arguments, outcome)

    def check(self, layout: Layout, prepared: Sequence[Outcome]) -> Sequence[Command]:  # noqa: ARG002 - the counts are the result
        return []

    def judge(self, prepared: Sequence[Outcome], ran: Outcome, checked: Sequence[Outcome]) -> Judgement:  # noqa: ARG002
        reason = str(ran.get("reason", ""))
        if ran.get("rows") != self.rows:
            reason = f"{ran.get('rows')} records arrived of {self.rows} generated ones"
        elif ran.get("checksum") != total(prepared):
            reason = f"the records that arrived sum to {ran.get('checksum')}, the generated ones to {total(prepared)}"
        facts = {key: ran.get(key) for key in ("rows", "checksum", "partitions", "misplaced")}
        return Judgement(not reason, reason, ran.get("bytes_in", 0), 0, ran.get("seconds"), facts)
