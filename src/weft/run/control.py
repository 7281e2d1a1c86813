"""Known work before each run of a study: a slow machine takes longer for it as well, a slow program does not."""

import json
import os
import tempfile

from weft.host import shell
from weft.host.provision import native
from weft.host.provision.tree import Say


def measured(say: Say) -> dict[str, float]:
    """Seconds of a fixed computation (`cpu`) and of fixed file calls (`files`) by all cores here; the load average before.

    Raises MissingError without gauge, and nothing to build it.
    """
    program = native.build(say) / "gauge"
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory(prefix="weft-control.") as folder:
        found = json.loads(shell.run([str(program), "control", "--directory", folder]).out)
    return {"cpu": round(found["cpu"], 3), "files": round(found["files"], 3), "load": round(load, 2)}
