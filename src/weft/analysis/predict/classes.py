"""The class of a job, from its measured parts and not from its name: what its slots spent most time on."""

from collections.abc import Mapping
from typing import Literal

from weft.analysis.predict.jobprofile import JobProfile

Class = Literal["processor-bound", "data-intensive", "metadata-intensive", "start-bound"]


def shares(work: JobProfile) -> Mapping[Class, float]:
    """The share of the run phase's slot time that each class is named after; the rest is waiting and empty slots."""
    whole = work.slots * work.wall
    tasks = {"processor-bound": 0.0, "data-intensive": 0.0, "metadata-intensive": 0.0}
    for stage in work.stages:
        tasks["processor-bound"] += stage.count * (stage.cpu + stage.gc)
        tasks["data-intensive"] += stage.count * stage.network
        for call in stage.calls:
            tasks["data-intensive" if call.data else "metadata-intensive"] += stage.count * call.seconds
    driver = work.after + sum(stage.lag for stage in work.stages)
    scheduling = sum(stage.count * stage.scheduling for stage in work.stages)
    return {
        "processor-bound": tasks["processor-bound"] / whole,
        "data-intensive": tasks["data-intensive"] / whole,
        "metadata-intensive": tasks["metadata-intensive"] / whole,
        "start-bound": min(1.0, (driver * work.slots + scheduling) / whole),
    }


def of(work: JobProfile) -> Class:
    """The class with the largest share."""
    found = shares(work)
    return max(found, key=lambda name: found[name])
