"""A file with a line of JSON for each event: weft reads it as the log of an engine's tasks (facts/taskstream.py)."""

import json
from pathlib import Path
from time import time
from typing import Any


class EventFile:
    """Written by one process, while others may read it."""

    def __init__(self, path: Path) -> None:
        self.file = path.open("a", encoding="utf-8", buffering=1 << 20)

    def line(self, event: str, **values: Any) -> None:
        """Add one; `t`, seconds since the epoch, is now where it is not given."""
        row = {"event": event, "t": time(), **values}
        self.file.write(json.dumps(row, separators=(",", ":")) + "\n")

    def flush(self) -> None:
        """Others see what was added."""
        self.file.flush()

    def close(self) -> None:
        """The rest is written."""
        self.file.close()
