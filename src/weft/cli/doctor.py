"""The verb that examines machines: doctor."""

import dataclasses
import json
import sys
from typing import Annotated

import typer

from weft import doctor as checks
from weft.cli.flags import AsJson
from weft.doctor import hosts


def doctor(
    nodes: Annotated[str | None, typer.Option(help="check these nodes instead: ssh:HOSTS, slurm:N")] = None,
    as_json: AsJson = False,
) -> None:
    """Check this machine, or several nodes.

    It prints what is missing or limited, the consequence, and the fix. The exit code is 0 if a run can work there.

    Example: weft doctor --nodes ssh:node[1-4]
    """
    findings = checks.examine() if nodes is None else hosts.examine(nodes)
    if as_json:
        print(json.dumps([dataclasses.asdict(finding) for finding in findings], indent=1))
    else:
        print("\n".join(checks.lines(findings)))
    sys.exit(0 if checks.fit(findings) else 1)
