"""Whether the environment of weft's own Python packages is as it was made; a damaged one is named and made again."""

import os
import sys
from pathlib import Path

from weft.host import settings
from weft.host.provision import contents


def require_whole(*, libraries: bool = False) -> None:
    """Replace this process by a new start of weft, which makes a damaged environment again.

    `libraries`: compare only the sizes of shared libraries, which takes milliseconds.
    """
    prefix = settings.PACKAGE.parent if settings.prefix() else Path(sys.prefix)
    why = (
        contents.damage(prefix, checksums=False, only=lambda name: ".so" in name)
        if libraries
        else contents.damage(prefix)
    )
    if not why:
        return
    again = settings.SOURCE / "weft"
    if settings.shipped() or settings.prefix() or not again.is_file():
        print(f"error: {why}\n\nhint: install weft again", file=sys.stderr)
        sys.exit(2)
    print(f"{why}: weft's environment is damaged, and made again", file=sys.stderr, flush=True)
    (prefix / ".complete").unlink(missing_ok=True)
    os.execv(again, [str(again), *sys.argv[1:]])  # noqa: S606 - arguments, which no shell parses
