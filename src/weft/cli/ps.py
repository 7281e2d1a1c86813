"""Verbs about what commands hold on this machine: ps, clean."""

import dataclasses
import json
import sys

from weft.cli.flags import AsJson, DryRun
from weft.host import leftovers


def ps(as_json: AsJson = False) -> None:
    """List what is running, and what killed commands left.

    On this machine, of this user.

    Example: weft ps
    """
    found = leftovers.holdings()
    if as_json:
        print(json.dumps([dataclasses.asdict(one) for one in found], indent=1))
    else:
        print("\n".join(leftovers.lines(found)) or "nothing is running, and nothing was left behind")


def clean(dry_run: DryRun = False, as_json: AsJson = False) -> None:
    """Remove what killed commands left behind.

    Those are processes, mounts, control groups and directories. Those of live commands are not changed.

    Example: weft clean --dry-run
    """
    swept = leftovers.sweep(dry_run=dry_run)
    if as_json:
        print(json.dumps([dataclasses.asdict(one) for one in swept], indent=1))
    else:
        for one in swept:
            what = "would remove" if dry_run else "removed"
            print(f"{one.name}: {what} {', '.join(one.removed) or 'its lease'}")
            for problem in one.left:
                print(f"{one.name}: could not remove {problem}", file=sys.stderr)
        if not swept:
            print("nothing was left behind")
    sys.exit(1 if any(one.left for one in swept) else 0)
