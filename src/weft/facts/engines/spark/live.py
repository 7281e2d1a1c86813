"""What a running application of Spark does, from its event log: only the few events of jobs and stages are decoded."""

import json
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from weft.facts.activity import Activity, Growing, StageActivity
from weft.facts.engines.spark.stagename import stage_name
from weft.facts.loglines import DAMAGED
from weft.text.entry import Entry

_EVENT = re.compile(rb'\{"Event":"SparkListener(\w+)"')
_STAGE = re.compile(rb'"Stage ID":(\d+)')
_READ = re.compile(rb'"(?:Bytes Read|Remote Bytes Read|Local Bytes Read)":(\d+)')
_UNFINISHED = ".inprogress"
"""The end of a log's name while its application runs."""
_SUCCESS = b'"Reason":"Success"'


@dataclass
class SparkActivity:
    """The event logs of all applications of a record."""

    growing: Growing = field(default_factory=Growing)
    found: Activity = field(default_factory=Activity)
    jobs: dict[str, list[str]] = field(default_factory=dict)
    """By job that runs: its stages."""

    def update(self, record: Entry) -> Activity:
        """Everything that is known by now."""
        for file in (record / "engine").files():
            app = file.name.removesuffix(_UNFINISHED)
            for line in self.growing.lines(file, app):
                event = _EVENT.match(line)
                act = _EVENTS.get(event[1]) if event else None
                if act is not None:
                    with suppress(*DAMAGED):
                        act(self, app, line)
        return self.found

    def task_ended(self, app: str, line: bytes) -> None:
        """Well, or not. Which tasks run is in no event that Spark writes at once: it holds up to 8 KiB back."""
        stage = self._stage(app, line)
        if _SUCCESS in line:
            stage.done = min(stage.done + 1, stage.total or stage.done + 1)
        else:
            stage.failed += 1
        self.found.bytes_read += sum(map(int, _READ.findall(line)))

    def job_started(self, app: str, line: bytes) -> None:
        """Its stages are known."""
        event = json.loads(line)
        self.found.jobs += 1
        self.jobs[f"{app} {int(event['Job ID'])}"] = [self._known(app, one) for one in event["Stage Infos"]]

    def job_ended(self, app: str, line: bytes) -> None:
        """Its stages without a task were not needed: what they make was there already."""
        self.found.jobs_done += 1
        for key in self.jobs.pop(f"{app} {int(json.loads(line)['Job ID'])}", ()):
            stage = self.found.stages[key]
            stage.total, stage.ended = (stage.total if stage.done + stage.failed else 0), True

    def stage_began(self, app: str, line: bytes) -> None:
        """Also a second time, after its output was lost."""
        self.found.stages[self._known(app, json.loads(line)["Stage Info"])].ended = False

    def stage_ended(self, app: str, line: bytes) -> None:
        """All its tasks have ended."""
        self.found.stages[self._known(app, json.loads(line)["Stage Info"])].ended = True

    def _known(self, app: str, info: Mapping[str, Any]) -> str:
        """The key of a stage, with what an event says of it."""
        key, name = f"{app} {int(info['Stage ID'])}", stage_name(info)
        stage = self.found.stages.setdefault(key, StageActivity(name))
        stage.name, stage.total = name, int(info["Number of Tasks"])
        return key

    def _stage(self, app: str, line: bytes) -> StageActivity:
        """The stage of a task; one whose beginning was not read has no name."""
        match = _STAGE.search(line)
        number = int(match[1]) if match else -1
        return self.found.stages.setdefault(f"{app} {number}", StageActivity(f"stage {number}"))


_EVENTS: Mapping[bytes, Callable[[SparkActivity, str, bytes], None]] = {
    b"TaskEnd": SparkActivity.task_ended,
    b"JobStart": SparkActivity.job_started,
    b"JobEnd": SparkActivity.job_ended,
    b"StageSubmitted": SparkActivity.stage_began,
    b"StageCompleted": SparkActivity.stage_ended,
}
LIVE = SparkActivity
"""Reads what a running application does."""
