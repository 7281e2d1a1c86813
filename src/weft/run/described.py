"""What was decided for a run, as data: `weft plan` prints it, and the record keeps it in resolved.json."""

import json
from dataclasses import asdict
from typing import Any

from weft import __version__
from weft.host import settings
from weft.layout.plan import Command, Daemon, Layout, Plan
from weft.spec.model import Spec
from weft.text.redaction import redacted


def described(spec: Spec, layout: Layout, plan: Plan) -> dict[str, Any]:
    """The whole spec, nodes, places, versions, derived values."""
    return {
        "weft": __version__,
        "spec": json.loads(spec.model_dump_json()),
        "amount": dict(spec.workload.amount),
        "nodes": [
            {
                "name": node.name,
                "address": node.address,
                "cores": node.cores,
                "memory": node.memory,
                "link": node.link,
                **({"storage": asdict(node.storage)} if node.storage else {}),
            }
            for node in layout.nodes
        ],
        "services": {name: list(service.nodes) for name, service in layout.services.items()},
        "servers": [
            {
                "name": node.name,
                "address": node.address,
                "services": [name for name, service in layout.services.items() if node.name in service.nodes],
            }
            for node in layout.servers
        ],
        "limits": spec.nodes.limits(),
        "unsecured": spec.unsecured,
        "places": {
            role: {
                "storage": place.storage,
                "description": place.description,
                "paths": dict(place.paths),
                "emulated": place.emulated,
            }
            for role, place in layout.all_places.items()
        },
        "java": str(layout.java),
        "homes": {name: str(path) for name, path in layout.homes.items()},
        "derived": {who: one.model_dump(exclude_defaults=True) for who, one in plan.derived.items()},
    }


def started(what: Daemon | Command, layout: Layout) -> dict[str, Any]:
    """A process with its whole command line and its environment."""
    environment = redacted(dict(what.environment), settings.secret_keys())
    argv = [*layout.wrapper(what.node), *what.argv]
    return {"name": what.name, "node": what.node.name, "argv": argv, "environment": environment}
