"""Runs one of weft's jobs on an engine's cluster: NAME --OPTION VALUE ... --outcome FILE."""

import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

from weft_tasks import pairs, records, words
from weft_tasks.job import TaskJob, WrongInputError

JOBS: Mapping[str, Callable[[TaskJob], None]] = {
    "GroupBy": pairs.group,
    "TeraSort": records.sort,
    "WordCount": words.count,
}


def main(
    arguments: Sequence[str],
    connect: Callable[[], AbstractContextManager[Any]],
    more: Mapping[str, Callable[[TaskJob], None]],
    lost: Callable[[Exception], str],
) -> int:
    """The exit code: 0 where the job did what was asked; its outcome says what that was, or why it failed.

    `more` are jobs that each engine has written for itself; `lost` says in its terms that workers were lost, or is empty.
    """
    name, *options = arguments
    jobs = {**JOBS, **more}
    if name not in jobs:
        print(f"weft has no program for {name} on this engine", file=sys.stderr)
        return 2
    job = TaskJob.parsed(options, connect)
    try:
        jobs[name](job)
    except WrongInputError as error:
        job.problem(str(error))
    except Exception as error:  # noqa: BLE001 - the outcome says what it was
        why = lost(error)
        if not why:
            traceback.print_exc()
            why = f"the work failed: {type(error).__name__}: {(str(error).splitlines() or [''])[0]}"
        job.problem(why)
    job.write()
    if job.problems:
        print("; ".join(job.problems), file=sys.stderr)
    return 1 if job.problems else 0
