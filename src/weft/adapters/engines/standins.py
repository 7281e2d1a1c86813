"""Light stand-ins for an engine's daemons, to start more nodes than memory allows for real ones."""

from pathlib import Path

from weft.layout.node import Node
from weft.layout.plan import Daemon, Layout, Page, Plan, Ready
from weft.record.derived import Derived

_PROGRAM = Path(__file__).with_name("standin.py")


def standins(layout: Layout, seconds: float, port: int) -> Plan:
    """A master on the head node, and on every node a worker that waits before it registers."""
    program, head = layout.directory / _PROGRAM.name, layout.head

    def daemon(name: str, node: Node, *arguments: str, essential: bool = False) -> Daemon:
        argv = ["python3", "-I", "-S", str(program), *arguments, head.address, str(port)]
        ports = (port,) if essential else ()
        environment = layout.environment(node)
        return Daemon(name, node, argv, environment, ports, essential=essential, table=layout.table)

    workers = {layout.named(f"worker-{node.name}"): node for node in layout.nodes}
    return Plan(
        files={program: _PROGRAM.read_text(encoding="utf-8")},
        daemons=[
            daemon(layout.named("master"), head, "master", essential=True),
            *(daemon(name, node, name, str(seconds)) for name, node in workers.items()),
        ],
        ready=[
            Ready(
                Page(head, f"http://{head.address}:{port}/"),
                lambda known: [name for name in workers if name not in known],
                of=layout.table,
            )
        ],
        derived={
            "stand-ins": Derived(
                counts={f"workers that do nothing, each ready after {seconds:g} s": len(workers)}
            )
        },
    )
