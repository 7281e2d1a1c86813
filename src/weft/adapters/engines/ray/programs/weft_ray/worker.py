"""A worker process of Ray that says of each task what it did, and spills where weft wants it. A raylet runs this file as Ray's own
program for workers, which it becomes.

What it says goes to the control service with Ray's own events of the task, as one more of them (EVENT); of a process that spills, as
values of the control service. `weft_ray.tasklog` writes both.
"""

import json
import os
import runpy
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import local
from time import thread_time, time, time_ns
from typing import Any

EVENT = "weft"
"""The name of the event, whose extra data has the keys of `_Did`."""
MOVES = b"weft-moves"
"""The namespace of the values: what processes that spill did, a value for each call."""
SPILL, FOLLOWED = "WEFT_RAY_SPILL", "WEFT_RAY_FOLLOWED"
"""Variables of its environment: the directory for what is spilled, and whether tasks are followed."""
PROCESS = "RayWorker"
"""The name of a worker's first thread, which runs its tasks (facts/engines/ray/rules.toml)."""


class _Did:
    """What a task's thread does for the task besides its function, in seconds; and the objects that are its arguments."""

    def __init__(self) -> None:
        self.began = thread_time()
        self.seconds = {"made": 0.0, "written": 0.0}
        """Objects of bytes, and bytes of objects."""
        self.codec_cpu = 0.0
        self.inputs: dict[str, int] = {}
        """Bytes of objects that came from an object store."""

    def row(self) -> dict[str, Any]:
        """As it is sent."""
        own = {"cpu": thread_time() - self.began, "codec_cpu": self.codec_cpu, "inputs": self.inputs}
        return {**own, **self.seconds}


class _Thread(local):
    did: _Did | None = None


_thread = _Thread()


def _follow_tasks() -> None:
    """Ray calls these of its functions around each task, and looks them up by name each time."""
    from ray import _raylet as raylet  # noqa: PLC0415 - in a process that is a worker
    from ray._private import serialization  # noqa: PLC0415
    from ray._private import worker as own  # noqa: PLC0415
    from weft_tasks.threads import name_thread  # noqa: PLC0415

    around, title = own._changeproctitle, raylet.setproctitle  # noqa: SLF001 - there is no other hook

    def titled(text: str) -> None:
        title(text)  # which renames the thread as well
        name_thread(PROCESS)

    @contextmanager
    def followed(*arguments: Any) -> Iterator[None]:
        _thread.did, before = _Did(), _thread.did
        try:
            with around(*arguments):
                yield
        finally:
            with own.global_worker.core_worker.profile_event(EVENT.encode(), extra_data=_thread.did.row()):
                pass
            _thread.did = before

    def given(objects: Any, references: Any, *_: Any) -> None:
        for reference, (data, *_) in zip(references, objects, strict=True):
            if _thread.did and not reference.is_nil():  # a small one comes with the task
                _thread.did.inputs[reference.hex()] = len(data or b"")

    raylet.setproctitle = titled
    own._changeproctitle = followed  # noqa: SLF001
    context = serialization.SerializationContext
    context.serialize = _timed(context.serialize, "written")
    context.deserialize_objects = _timed(context.deserialize_objects, "made", given)


def _timed(
    function: Callable[..., Any], kind: str, then: Callable[..., None] = lambda *_: None
) -> Callable[..., Any]:
    """The same, whose time is the task's; `then(arguments)`."""

    def timed(self: Any, *arguments: Any) -> Any:
        began, cpu = time(), thread_time()
        result = function(self, *arguments)
        if did := _thread.did:
            did.seconds[kind] += time() - began
            did.codec_cpu += thread_time() - cpu
            then(*arguments)
        return result

    return timed


def _follow_moves() -> None:
    """What a process does that spills objects and restores them."""
    from ray._private import external_storage as storage  # noqa: PLC0415
    from ray._private import worker as own  # noqa: PLC0415

    def followed(kind: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def moved(references: Any, *arguments: Any) -> Any:
            began, result = time(), function(references, *arguments)
            worker = own.global_worker
            row = {"kind": kind, "node": worker.current_node_id.hex(), "begin": began, "end": time()}
            row["objects"] = [each.hex() for each in references]
            key = f"{row['node']}-{os.getpid()}-{time_ns()}".encode()
            worker.gcs_client.internal_kv_put(key, json.dumps(row).encode(), True, MOVES)
            return result

        return moved

    storage.spill_objects = followed("spill", storage.spill_objects)
    storage.restore_spilled_objects = followed("restore", storage.restore_spilled_objects)


def _spill_to(directory: str) -> None:
    """A raylet names the directory of objects that are in use and have no room, since Ray has one for both."""
    from ray._private import external_storage as storage  # noqa: PLC0415

    setup = storage.setup_external_storage

    def elsewhere(config: dict[str, Any], *arguments: Any) -> Any:
        if config.get("type") == "filesystem":
            config["params"]["directory_path"] = directory
        return setup(config, *arguments)

    storage.setup_external_storage = elsewhere


def main() -> None:
    """Become Ray's program, with what was asked for of this one."""
    sys.path.pop(0)  # the directory of this file, whose modules are not the user's
    import ray  # noqa: PLC0415

    moves = any("SPILL" in word or "RESTORE" in word for word in sys.argv)
    if moves:
        _spill_to(os.environ[SPILL])
    if os.environ[FOLLOWED]:
        _follow_moves() if moves else _follow_tasks()
    program = Path(ray.__file__).parent / "_private" / "workers" / "default_worker.py"
    runpy.run_path(str(program), run_name="__main__")


if __name__ == "__main__":
    main()
