"""TeraCount: TeraSort's shuffle without the sort, to separate the cost of moving from that of sorting."""

from typing import Literal

from weft.adapters.workloads.base import JOB, Judgement, Prepared, Results, engine_job
from weft.adapters.workloads.terarecords import TeraRecords, total
from weft.layout.plan import Job


class TeraCount(TeraRecords):
    """Move generated records into their range partitions and count them there."""

    kind: Literal["teracount"] = "teracount"
    checked_by = JOB
    roles = ("input", "scratch")

    def job(self, prepared: Prepared) -> Job:
        layout = prepared.layout
        options = {
            "input": layout.places["input"].path,
            "partitions": self.reducers(layout),
            "checksum": total(prepared.outcomes),
        }
        return engine_job(layout, "teracount", "TeraCount", options)

    def judge(self, results: Results) -> Judgement:
        prepared, ran = results.prepared, results.ran
        reason = str(ran.get("reason", ""))
        if ran.get("rows") != self.rows:
            reason = f"{ran.get('rows')} records arrived of {self.rows} generated ones"
        elif ran.get("checksum") != total(prepared):
            reason = f"the records that arrived sum to {ran.get('checksum')}, the generated ones to {total(prepared)}"
        facts = {key: ran.get(key) for key in ("rows", "checksum", "partitions", "misplaced")}
        return Judgement(not reason, reason, ran.get("bytes_in", 0), 0, ran.get("seconds"), facts)
