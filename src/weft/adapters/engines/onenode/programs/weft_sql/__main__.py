"""Runs SQL queries: python -m weft_sql ENGINE Sql --OPTION VALUE ... --outcome FILE."""

import sys
import traceback

from weft_sql.job import QueryJob, UnusableError


def main(arguments: list[str]) -> int:
    """The exit code: 0 where the job did what was asked; its outcome says what that was, or why it failed."""
    engine, name, *options = arguments
    if name != "Sql":
        print(f"weft has no program for {name} on {engine}", file=sys.stderr)
        return 2
    job = QueryJob.parsed(options)
    try:
        if engine == "sail":
            from weft_sql.sail import SailSession as Session  # noqa: PLC0415 - only its packages are there
        else:
            from weft_sql.duck import DuckSession as Session  # noqa: PLC0415
        job.run(Session)
    except UnusableError as error:
        job.problem(str(error))
    except Exception as error:  # noqa: BLE001 - the outcome says what it was
        traceback.print_exc()
        job.problem(f"the work failed: {type(error).__name__}: {(str(error).splitlines() or [''])[0]}")
    job.write()
    if job.problems:
        print("; ".join(job.problems), file=sys.stderr)
    return 1 if job.problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
