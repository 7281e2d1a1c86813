"""How programs in Python get weft's module at their start, which watches the workers of PySpark and leaves all others alone."""

from weft.host import settings
from weft.layout.node import Node

MODULES = settings.PACKAGE / "host" / "programs" / "workers"
"""The folder with the module, `sitecustomize`, that Python runs at its start."""
LINES, STACKS = "WEFT_PYTHON_DIR", "WEFT_PYTHON_STACKS"
"""Variables: where workers write what they did for each task, and where their stacks."""


def variables(node: Node, name: str, value: str) -> dict[str, str]:
    """The variables for one of these."""
    # another host adds its own paths
    own = "" if node.host else settings.search_path("PYTHONPATH")
    return {"PYTHONPATH": ":".join(filter(None, [str(MODULES), own])), name: value}


def missing() -> str | None:
    """Why Python would not find it, or None."""
    return "weft's directory has a colon in its name, which separates paths" if ":" in str(MODULES) else None
