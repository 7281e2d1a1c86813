"""Runs one of weft's jobs on the cluster of DASK_CONFIG: python -m weft_dask NAME --OPTION VALUE ... --outcome FILE."""

import sys
import traceback
from collections.abc import Callable, Mapping

from distributed.scheduler import KilledWorker

from weft_dask import pairs, queries, records, words
from weft_dask.job import DaskJob, WrongInputError

JOBS: Mapping[str, Callable[[DaskJob], None]] = {
    "GroupBy": pairs.group,
    "Sql": queries.run,
    "TeraSort": records.sort,
    "WordCount": words.count,
}


def main(arguments: list[str]) -> int:
    """The exit code: 0 where the job did what was asked; its outcome says what that was, or why it failed."""
    name, *options = arguments
    if name not in JOBS:
        print(f"weft has no program for {name} on dask", file=sys.stderr)
        return 2
    job = DaskJob.parsed(options)
    try:
        JOBS[name](job)
    except WrongInputError as error:
        job.problem(str(error))
    except KilledWorker as error:
        job.problem(str(error).partition(". The last")[0])
    except Exception as error:  # noqa: BLE001 - the outcome says what it was
        traceback.print_exc()
        first = (str(error).splitlines() or [""])[0]
        job.problem(f"the work failed: {type(error).__name__}: {first}")
    job.write()
    if job.problems:
        print("; ".join(job.problems), file=sys.stderr)
    return 1 if job.problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
