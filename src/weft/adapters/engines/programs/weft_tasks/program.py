"""Runs one of weft's jobs on an engine's cluster: NAME --OPTION VALUE ... --outcome FILE."""

import sys
import traceback
from collections.abc import Callable, Mapping
from importlib import import_module

from weft_tasks import pairs, records, words
from weft_tasks.job import TaskCluster, TaskJob, WrongInputError

Run = Callable[[TaskJob], None]
JOBS: Mapping[str, Run] = {
    "GroupBy": pairs.group,
    "TeraSort": records.sort,
    "WordCount": words.count,
}


def main(package: str, name: str, *options: str) -> int:
    """The exit code: 0 where the job did what was asked; its outcome says what that was, or why it failed.

    The package of an engine has `cluster.CLUSTER`, and `queries.run`, which it has written for itself.
    """
    run = import_module(f"{package}.queries").run if name == "Sql" else JOBS.get(name)
    if run is None:
        print(f"weft has no program for {name} on this engine", file=sys.stderr)
        return 2
    cluster: type[TaskCluster] = import_module(f"{package}.cluster").CLUSTER
    job = TaskJob.parsed(options, cluster)
    try:
        run(job)
    except WrongInputError as error:
        job.problem(str(error))
    except Exception as error:  # noqa: BLE001 - the outcome says what it was
        why = cluster.lost(error)
        if not why:
            traceback.print_exc()
            why = f"the work failed: {type(error).__name__}: {(str(error).splitlines() or [''])[0]}"
        job.problem(why)
    job.write()
    if job.problems:
        print("; ".join(job.problems), file=sys.stderr)
    return 1 if job.problems else 0
