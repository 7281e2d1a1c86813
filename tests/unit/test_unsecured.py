"""A run with security=none: which settings, daemons and files it has not, what it says, and where it is refused."""

import re
from pathlib import Path
from typing import Any

import pytest

from tests.unit.report_fakes import make_record
from weft.analysis.summary.gather import summarize
from weft.errors import UsageError
from weft.layout.plan import SECRET, Layout, Plan
from weft.record import record
from weft.report.pages import page
from weft.report.pages.text import outcome_lines
from weft.run import preview
from weft.run.topology import topology
from weft.spec.parse import parse

ENGINES = ("spark", "flink", "hadoop", "spark:master=yarn", "flink:master=yarn")
STORAGES = ("disk", "hdfs")


def laid(engine: str, storage: str, security: str) -> tuple[Layout, Plan]:
    table = {"workload": "terasort", "engine": engine, "input": storage, "output": storage}
    spec = parse({**table, "nodes": "virtual:2,memory=6G,cores=2", "security": security})
    layout = preview.sketch(spec)
    return layout, preview.planned(spec, layout)


SILENT = ("spark.kerberos.access", "security.jgss/sun.security.krb5")
"""Names of settings that are there in any case."""


def text(plan: Plan) -> str:
    """Everything that a plan contains."""
    commands = [*plan.daemons, *plan.first, *plan.then]
    words = [word for one in commands for word in (*one.argv, *one.environment.values())]
    whole = "\n".join([*plan.files.values(), *map(str, plan.files), *map(str, plan.sealed), *words])
    return re.sub("|".join(SILENT), "", whole)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("storage", STORAGES)
def test_nothing_in_it_knows_a_secret(engine: str, storage: str) -> None:
    layout, plan = laid(engine, storage, "none")
    assert "kerberos" not in layout.services
    everything = text(plan)
    for word in (SECRET, "kerberos", "keytab", "KRB5", "security.ssl", "keystore", "PageFilter", "JWSFilter"):
        assert word not in everything, word
    pages = [asked.page for asked in (*plan.ready, *plan.applications)] + [asked.base for asked in plan.last]
    pages += [daemon.after.page for daemon in plan.daemons if daemon.after]
    pages += [daemon.before.page for daemon in plan.daemons if daemon.before]
    assert pages
    assert not [each.url for each in pages if each.signed or each.certificate]
    assert not [each.url for each in pages if each.url.startswith("https")]
    assert not plan.sealed
    assert not [command.name for command in (*plan.first, *plan.then)]
    assert [service.secret for service in layout.services.values()] == [None] * len(layout.services)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("storage", STORAGES)
def test_by_default_every_run_has_one(engine: str, storage: str) -> None:
    _, plan = laid(engine, storage, "full")
    assert SECRET in text(plan) or plan.sealed


@pytest.mark.parametrize(
    ("engine", "lines"),
    [
        ("spark", ["spark.authenticate false"]),
        ("spark:master=yarn", ["spark.authenticate false"]),
        ("hadoop", [
            "<name>hadoop.security.authorization</name><value>false</value>",
            "<name>yarn.acl.enable</name><value>false</value>",
            "<name>mapreduce.cluster.acls.enabled</name><value>false</value>",
        ]),
        ("flink", ['web.access-control-allow-origin: "http://10.87.0.1:8081"']),
    ],
)  # fmt: skip
def test_what_its_files_say_instead(engine: str, lines: list[str]) -> None:
    _, plan = laid(engine, "disk", "none")
    assert [line for line in lines if line not in text(plan)] == []


@pytest.mark.parametrize("engine", ["spark", "flink", "hadoop"])
def test_a_client_of_it_needs_no_keys(engine: str) -> None:
    spec = parse({"workload": "terasort", "engine": engine, "input": "hdfs", "security": "none"})
    client = spec.engine.client(preview.sketch(spec))
    assert not [name for name in client.environment if name.startswith("KRB5")]
    assert "krb5" not in client.environment["JDK_JAVA_OPTIONS"]
    assert not client.address.startswith("https")


def test_no_service_of_it_is_there_only_to_authenticate() -> None:
    table = {"workload": "terasort", "engine": "hadoop", "input": "hdfs", "security": "none"}
    assert [service.kind for service in topology(parse(table)).services] == ["hdfs", "yarn"]
    with pytest.raises(UsageError, match="nothing in this run needs kerberos"):
        parse({**table, "services": {"kerberos": {"port": 7000}}})


@pytest.mark.parametrize(
    "table",
    [
        {"engine": "spark:encrypt=true"},
        {"engine": "hadoop:encrypt=true"},
        {"engine": "flink:encrypt_data=true"},
        {"nodes": "ssh:a,b"},
        {"nodes": "slurm:2"},
        {"security": "some"},
    ],
)
def test_where_it_makes_no_sense_or_opens_a_door_it_is_refused(table: dict[str, Any]) -> None:
    with pytest.raises(UsageError) as caught:
        parse({"workload": "terasort", "security": "none", **table})
    assert "security" in caught.value.message + caught.value.hint
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    "nodes", ["ssh:hosts=a,b,trusted=true", "slurm:2,trusted=true", "local:2", "virtual:2"]
)
def test_elsewhere_it_says_who_can_use_the_cluster(nodes: str) -> None:
    spec = parse({"workload": "terasort", "security": "none", "nodes": nodes})
    assert spec.unsecured.startswith("security=none: every ")
    assert spec.unsecured.endswith(" can use this cluster, and run programs with your rights")
    assert not parse({"workload": "terasort", "nodes": nodes}).unsecured


def test_plan_says_it() -> None:
    open_one = preview.preview(parse({"workload": "terasort", "security": "none", "nodes": "local:2"}))
    closed = preview.preview(parse({"workload": "terasort", "nodes": "local:2"}))
    assert "  warning: security=none: every user of this machine can use" in preview.text(open_one)
    assert "warning" not in preview.text(closed)


def test_record_and_report_say_it(tmp_path: Path) -> None:
    who = "security=none: every user of this machine can use this cluster"
    stored = make_record(tmp_path / "run", head={"unsecured": who})
    assert who in page.text(summarize(stored))
    assert f"  {who}" in outcome_lines(record.read(stored.directory))
