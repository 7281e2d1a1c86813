"""Names of threads, by which a probe finds those of tasks (rules.toml of an engine's facts)."""

import threading
from pathlib import Path


def name_thread(name: str) -> None:
    """Name the calling thread for the kernel, which Python does from 3.14 on; 15 characters at most."""
    Path(f"/proc/self/task/{threading.get_native_id()}/comm").write_text(name, encoding="utf-8")
