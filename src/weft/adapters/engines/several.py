"""Several engines on the same nodes: each has its own plan, and a share of each node's memory.

Cores are not divided: an idle engine uses none. Each keeps its own master.
"""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, NoReturn

from pydantic import Field, model_validator

from weft.adapters.engines.base import KINDS, Engine, OneEngine
from weft.adapters.services.base import Service
from weft.errors import UsageError
from weft.layout.client import Client, joined
from weft.layout.job import Job
from weft.layout.plan import Layout, Plan, require_apart, together
from weft.record.derived import Derived

_JAVA = "JDK_JAVA_OPTIONS"


class SeveralEngine(Engine):
    """Engines by kind, in the order of their start."""

    kind: Literal["several"] = "several"
    engines: dict[str, OneEngine] = Field(min_length=2, description="each engine's own table")
    shares: dict[str, Annotated[int, Field(ge=1)]] = Field(
        default_factory=dict, description="parts of each node's memory for an engine; default: 1 each"
    )

    @model_validator(mode="after")
    def _own_masters(self) -> "SeveralEngine":
        for kind, engine in self.engines.items():
            if getattr(engine, "master", "standalone") != "standalone":
                raise ValueError(f"together with other engines {kind} uses its own master; omit master=yarn")
        return self

    @property
    def label(self) -> str:
        return "+".join(engine.label for engine in self.engines.values())

    @property
    def parts(self) -> "Mapping[str, Engine]":
        return self.engines

    def services(self) -> Sequence[Service]:
        return [service for engine in self.engines.values() for service in engine.services()]

    @property
    def memory_shares(self) -> Mapping[str, int]:
        return {kind: self.shares.get(kind, 1) for kind in self.engines}

    def plan(self, layout: Layout) -> Plan:
        plans = [self._planned(kind, layout) for kind in self.engines]
        require_apart([daemon for plan in plans for daemon in plan.daemons])
        shares = {
            f"memory of each node for {kind}": min(node.memory for node in layout.of_engine(kind).nodes)
            for kind in self.engines
        }
        return together([Plan({}, (), derived={self.kind: Derived(sizes=shares)}), *plans])

    def _planned(self, kind: str, layout: Layout) -> Plan:
        try:
            return self.engines[kind].plan(layout.of_engine(kind))
        except UsageError as error:
            hint = error.hint.replace("engine.", f"engine.{kind}.")
            raise UsageError(
                f"in its share of the nodes: {error.message}",
                hint=f"{hint}; or give it a larger share with --set engine.{kind}.share=2",
            ) from error

    def submit(self, job: Job, layout: Layout) -> NoReturn:  # noqa: ARG002
        raise UsageError(f"a job runs on one engine, not on {self.label}", hint="select one with --engine")

    def client(self, layout: Layout) -> Client:
        """One environment with the commands of all engines."""
        parts = {kind: engine.client(layout.of_engine(kind)) for kind, engine in self.engines.items()}
        clients = list(parts.values())
        # programs ignore a class-data archive that they do not match
        options = dict.fromkeys(
            word for client in clients for word in client.environment.get(_JAVA, "").split()
        )
        both = joined(clients)
        environment = {**both.environment, **({_JAVA: " ".join(options)} if options else {})}
        return dataclasses.replace(both, environment=environment, parts=parts)


def composed(tables: Sequence[Any]) -> Any:
    """The table of several engines from a list of theirs, each with its `share`. Raises ValueError for duplicates."""
    engines: dict[str, Any] = {}
    shares = {}
    for table in tables:
        if not isinstance(table, dict) or "kind" not in table:
            raise ValueError("each engine of a list needs a kind")
        kind = table["kind"]
        if kind in engines:
            raise ValueError(f"{kind!r} is listed twice; a cluster has at most one of each kind")
        engines[kind] = {key: value for key, value in table.items() if key != "share"}
        if "share" in table:
            shares[kind] = table["share"]
    if len(tables) == 1:
        return tables[0]
    apart = {
        kind: {**(KINDS[kind].ports_with_others if kind in KINDS else {}), **table}
        for kind, table in engines.items()
    }
    return {"kind": "several", "engines": apart, "shares": shares}
