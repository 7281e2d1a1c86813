"""What a run has beside its engine: what users ask for, and what an engine or a storage needs."""

from typing import Any

import pytest

from weft.adapters.services.null import NullService
from weft.errors import UsageError
from weft.run import preview
from weft.run.topology import topology
from weft.spec.parse import parse

HADOOP = {"workload": "terasort", "engine": "hadoop"}


def kinds(table: dict[str, Any], **settings: str) -> list[str]:
    return [service.kind for service in topology(parse(table, settings)).services]


@pytest.mark.parametrize(
    "asked", ["null:2", ["null:2"], [{"kind": "null", "nodes": 2}], {"null": {"nodes": 2}}]
)
def test_a_service_is_asked_for_in_any_form(asked: Any) -> None:
    assert parse({"workload": "terasort", "services": asked}).services == (NullService(nodes=2),)


def test_what_an_engine_or_a_storage_needs_is_there_without_asking() -> None:
    assert kinds({"workload": "terasort"}) == []
    assert kinds({"workload": "terasort", "input": "hdfs", "output": "hdfs"}) == ["kerberos", "hdfs"]
    assert kinds({"workload": "terasort", "engine": "spark:master=yarn"}) == ["kerberos", "yarn"]
    assert kinds({**HADOOP, "input": "hdfs+gluster:1"}) == ["gluster", "kerberos", "hdfs", "yarn"]


def test_a_storage_of_a_role_that_the_workload_has_not_needs_nothing() -> None:
    assert kinds({"workload": "groupby", "input": "hdfs"}) == []


@pytest.mark.parametrize("key", ["kerberos.port", "services.kerberos.port"])
def test_what_is_needed_is_configured_by_its_own_keys(key: str) -> None:
    (realm, _) = topology(parse(HADOOP, {key: "7000"})).services
    assert realm.model_dump() == {"kind": "kerberos", "port": 7000}


@pytest.mark.parametrize(
    ("table", "settings", "message", "hint"),
    [
        ({}, {"kerberos.port": "7000"}, "services: nothing in this run needs kerberos", "omit it"),
        ({"kerberos": {"port": 7000}}, {}, "unknown key 'kerberos'", "did you mean 'services.kerberos'?"),
        ({"services": ["kafak"]}, {}, "unknown services 'kafak'", "did you mean 'kafka'?"),
        ({"services": ["null,nods=1"]}, {}, "unknown key 'services.null.nods'", "did you mean 'nodes'?"),
        ({"services": ["hdfs"]}, {}, "hdfs runs only if a storage", "--input"),
        ({"services": ["null:1", "null:2"]}, {}, "a run has only one null", "same null"),
        ({}, {"services.kafak.nodes": "1"}, "does not name its service", "did you mean 'kafka'?"),
        ({"probes": "prok"}, {}, "unknown probe 'prok'", ""),
    ],
)
def test_what_makes_no_sense_is_refused(
    table: dict[str, Any], settings: dict[str, str], message: str, hint: str
) -> None:
    with pytest.raises(UsageError) as caught:
        parse({"workload": "terasort", **table}, settings)
    assert message in caught.value.message
    assert hint in caught.value.hint


@pytest.mark.parametrize("one", [{"port": "7077"}, {"web_port": "8080"}])
def test_ports_of_services_and_of_the_engine_are_apart(one: dict[str, str]) -> None:
    form = ",".join(f"{key}={value}" for key, value in one.items())
    spec = parse({"workload": "terasort", "nodes": "virtual:2", "input": f"hdfs,{form}"})
    with pytest.raises(UsageError, match="both use port"):
        preview.preview(spec)
