"""Ray's processes of one node, in the foreground: python -m weft_ray.node; as `ray start --block` without what listens for people.

There is no dashboard, no server for Ray's client, no autoscaler, and no process that reads logs: all of them write to the standard
error of this one. When one of them ends, or this one is asked to, it ends all.
"""

import argparse
import os
import signal
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Event
from typing import Any

from ray._private import services
from ray._private.node import Node
from ray._private.parameter import RayParams
from ray._private.resource_isolation_config import ResourceIsolationConfig
from ray._raylet import (
    DASHBOARD_AGENT_LISTEN_PORT_NAME,
    METRICS_AGENT_PORT_NAME,
    METRICS_EXPORT_PORT_NAME,
    RUNTIME_ENV_AGENT_PORT_NAME,
    persist_port,
)
from ray.exceptions import RpcError

from weft_ray import page
from weft_ray.tasklog import TaskWriter
from weft_ray.worker import FOLLOWED, SPILL

_PAUSE = 0.5
"""Seconds between two looks at the processes."""
_START = 120
"""Seconds that a raylet may take to register; weft's own limit for a start ends it earlier or later."""


class OwnNode(Node):  # type: ignore[misc]
    """A node without a dashboard, which may take its time to start: Ray gives a raylet and its agents less than a busy host needs."""

    def __init__(self, parameters: RayParams, mapped: str, **more: Any) -> None:
        self._mapped = mapped
        super().__init__(parameters, **more)

    def start_api_server(self, **_: Any) -> None:
        """Nothing listens."""

    def start_ray_processes(self) -> None:
        """Called by Ray, which waits 15 s for agents to write these files: the ports are known, and -1 says that there is none."""
        own = {RUNTIME_ENV_AGENT_PORT_NAME: self._ray_params.runtime_env_agent_port}
        for name in (METRICS_AGENT_PORT_NAME, METRICS_EXPORT_PORT_NAME, DASHBOARD_AGENT_LISTEN_PORT_NAME):
            own[name] = -1
        for name, port in own.items():
            persist_port(self._session_dir, self._node_id, name, port)
        # where agents look for its last output when it has ended; that is in the log of this process
        Path(self._logs_dir, "raylet.out").touch()
        Path(self._logs_dir, "raylet.err").touch()
        # the raylet names it to the workers that spill too, which do not use it (worker.py)
        self._fallback_directory = self._mapped
        super().start_ray_processes()
        services.get_node = patient(services.get_node, self.dead_processes)


def main(words: Sequence[str]) -> int:
    """The exit code: 0 after a signal that asks for the end."""
    options = _options(words)
    asked = Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: asked.set())
    head = options.web_port is not None
    node = OwnNode(_parameters(options), options.mapped, head=head, shutdown_at_exit=False)
    log = None
    try:
        Path().chmod(0o700)  # Ray opens its directories to everybody
        if head:
            page.serve(options.address, options.web_port, _secret(), lambda: known(node))
            log = TaskWriter(node, options.tasks) if options.tasks else None
        while not asked.is_set():
            if dead := node.dead_processes():
                ended = ", ".join(f"{kind} ended with {process.returncode}" for kind, process in dead)
                print(f"{options.name}: {ended}", file=sys.stderr, flush=True)
                return 1
            if log:
                with suppress(RpcError):  # the next one finds the same
                    log.poll()
            time.sleep(_PAUSE)
        if log:
            with suppress(RpcError):  # it may have ended already, with what it knew of the last tasks
                log.close()
        return 0
    finally:
        node.kill_all_processes(check_alive=False, allow_graceful=True, wait=True)


def patient(get_node: Callable[..., Any], dead: Callable[[], Any]) -> Callable[..., Any]:
    """Ray's question whether its own raylet has registered, which is asked for 30 s only."""

    def ask(*arguments: Any) -> Any:
        for _ in range(int(_START / _PAUSE)):
            try:
                return get_node(*arguments)
            except RuntimeError:
                if dead():
                    raise
                time.sleep(_PAUSE)
        return get_node(*arguments)

    return ask


def known(node: Node) -> dict[str, Any]:
    """Names of the nodes of the cluster that are alive, and how many programs are connected."""
    gcs = node.get_gcs_client()
    nodes = [str(each.node_name) for each in gcs.get_all_node_info(timeout=5).values() if each.state == 0]
    jobs = gcs.get_all_job_info(timeout=5).values()
    return {"workers": nodes, "clients": sum(not each.is_dead for each in jobs)}


def _secret() -> str:
    path = os.environ.get("RAY_AUTH_TOKEN_PATH")
    return Path(path).read_text(encoding="utf-8").strip() if path else ""


def _options(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("name", "address", "gcs", "temporary", "spill"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument(
        "--mapped",
        required=True,
        help="a directory for objects that are in use and for which the store has no room",
    )
    for name in ("cpus", "objects", "memory", "first-port", "last-port"):
        parser.add_argument(f"--{name}", required=True, type=int)
    parser.add_argument("--tasks", type=Path, help="a file for lines of tasks, which the head node writes")
    parser.add_argument("--web-port", type=int, help="on the head node, of its page")
    return parser.parse_args(words)


def _parameters(options: argparse.Namespace) -> RayParams:
    head, first = options.web_port is not None, options.first_port
    os.environ.update({SPILL: options.spill, FOLLOWED: "1" if options.tasks else ""})
    place = Path(options.temporary) / "ray"
    place.mkdir(mode=0o700)
    os.chdir(place)
    # the length of a socket's path is limited to 107 bytes, whatever that of the directory is
    sockets = f"/proc/{os.getpid()}/cwd"
    _, _, port = options.gcs.rpartition(":")
    return RayParams(
        node_name=options.name,
        node_ip_address=options.address,
        **(
            {"gcs_server_port": int(port), "session_name": "session"}
            if head
            else {"gcs_address": options.gcs}
        ),
        node_manager_port=first,
        object_manager_port=first + 1,
        runtime_env_agent_port=first + 2,
        metrics_agent_port=first + 3,
        dashboard_agent_listen_port=first + 4,
        metrics_export_port=first + 5,
        min_worker_port=first + 6,
        max_worker_port=options.last_port,
        num_cpus=options.cpus,
        num_gpus=0,
        memory=options.memory,
        object_store_memory=options.objects,
        plasma_directory="/dev/shm",  # noqa: S108 - shared memory, in files that have no name
        object_spilling_directory=options.spill,
        plasma_store_socket_name=f"{sockets}/objects",
        raylet_socket_name=f"{sockets}/raylet",
        temp_dir=str(place),
        include_log_monitor=False,
        log_to_stderr=True,
        env_vars={"RAY_LOG_TO_STDERR": "1"},
        no_monitor=True,
        worker_path=str(Path(__file__).with_name("worker.py")),
        include_dashboard=False,
        resource_isolation_config=ResourceIsolationConfig(),
        _system_config={"max_io_workers": 1} if head else None,
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
