"""Kafka as a service: the settings of brokers, whom they admit, where their log may be, and when they are ready."""

import subprocess
from pathlib import Path

import pytest

from tests.fakes import GIB, fake_layout, fake_nodes
from weft.adapters.engines.null import NullEngine
from weft.adapters.services.kafka import Kafka
from weft.errors import UsageError
from weft.host.work import WorkDirectory
from weft.layout.plan import Layout, Plan
from weft.run.topology import Topology, topology
from weft.spec.parse import parse


def laid(kafka: Kafka, *, secured: bool = True) -> Layout:
    raw = fake_layout(fake_nodes(2 + kafka.nodes, memory=8 * GIB))
    made_of = Topology({}, [kafka])
    members = made_of.members(raw.nodes, 2)
    layout = Layout(
        **{
            **vars(raw),
            "nodes": made_of.computing(members),
            "servers": members.servers,
            "secured": secured,
            "homes": {"kafka": Path("/cache/kafka")},
        }
    )
    places = made_of.sketch(members, WorkDirectory("RUN", raw.directory))
    return made_of.laid(layout, members, places.backings)


def settings(plan: Plan, name: str) -> dict[str, str]:
    (text,) = [text for path, text in plan.files.items() if path.name == name]
    return dict(line.split("=", 1) for line in text.splitlines())


def test_the_first_broker_is_the_controller_and_the_others_know_it() -> None:
    plan = Kafka(nodes=2).plan(laid(Kafka(nodes=2)))
    first, second = (settings(plan, f"server-{name}.properties") for name in ("node3", "node4"))
    assert (first["process.roles"], second["process.roles"]) == ("broker,controller", "broker")
    assert first["listeners"] == "CLIENTS://10.0.0.3:9092,CONTROLLER://10.0.0.3:9093"
    assert second["listeners"] == "CLIENTS://10.0.0.4:9092"
    assert first["controller.quorum.voters"] == second["controller.quorum.voters"] == "1@10.0.0.3:9093"
    assert first["offsets.topic.replication.factor"] == "2"
    assert [(one.name, one.essential) for one in plan.daemons] == [
        ("kafka-node3", True),
        ("kafka-node4", False),
    ]


def test_without_nodes_of_its_own_each_compute_node_has_a_broker() -> None:
    plan = Kafka().plan(laid(Kafka()))
    assert [daemon.node.name for daemon in plan.daemons] == ["node1", "node2"]


def test_only_the_holder_of_the_run_s_certificate_is_admitted() -> None:
    kafka = Kafka(nodes=1)
    plan = kafka.plan(laid(kafka))
    found = settings(plan, "server-node3.properties")
    assert found["listener.security.protocol.map"] == "CLIENTS:SSL,CONTROLLER:SSL"
    assert found["ssl.client.auth"] == "required"
    assert found["ssl.truststore.location"] == found["ssl.keystore.location"]
    assert (found["super.users"], found["allow.everyone.if.no.acl.found"]) == ("User:CN=weft", "false")
    assert found["authorizer.class.name"].endswith("StandardAuthorizer")
    assert [command.name for command in plan.first][:2] == ["kafka-keystore", "kafka-keystore-text"]


def test_without_security_there_is_no_certificate() -> None:
    kafka = Kafka(nodes=1)
    plan = kafka.plan(laid(kafka, secured=False))
    assert settings(plan, "client.properties")["security.protocol"] == "PLAINTEXT"
    assert "authorizer.class.name" not in settings(plan, "server-node3.properties")
    assert [command.name for command in plan.first] == ["format-kafka-node3"]


def test_the_secret_is_in_no_command_and_no_variable() -> None:
    kafka = Kafka(nodes=1, topics={"events": 2})
    plan = kafka.plan(laid(kafka))
    words = [
        word
        for one in (*plan.daemons, *plan.first, *plan.then)
        for word in (*one.argv, *one.environment.values())
    ]
    assert not [word for word in words if "SECRET" in word]


def test_the_work_begins_when_each_broker_listens_and_all_of_them_take_part() -> None:
    plan = Kafka(nodes=2).plan(laid(Kafka(nodes=2)))
    assert {one.of: one.page.url for one in plan.ready} == {
        "kafka-node3": "tcp://10.0.0.3:9092",
        "kafka-node4": "tcp://10.0.0.4:9092",
    }
    (asks,) = plan.then
    assert asks.argv[asks.argv.index("--brokers") + 1] == "2"
    assert "--topic" not in asks.argv


def test_topics_are_created_before_the_work_begins() -> None:
    spec = parse(
        {"workload": "terasort", "services": ["kafka:1"]},
        {"kafka.topics.a.b": "4", "kafka.conf.num.io.threads": "2"},
    )
    (kafka,) = topology(spec).services
    assert isinstance(kafka, Kafka)
    assert kafka.topics == {"a.b": 4}
    (create,) = kafka.plan(laid(kafka)).then
    assert "a.b=4" in create.argv
    assert settings(kafka.plan(laid(kafka)), "server-node3.properties")["num.io.threads"] == "2"


def test_more_copies_than_brokers_are_refused() -> None:
    with pytest.raises(UsageError, match="3 copies of a partition need as many brokers, there are 1"):
        Kafka(nodes=1, replication=3).plan(laid(Kafka(nodes=1)))


@pytest.mark.parametrize("on", ["hdfs", "pool", "delayed:datawarp", "loopback+delayed:datawarp"])
def test_its_log_is_not_on_a_storage_whose_files_cannot_be_mapped(on: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse({"workload": "terasort", "services": [f"kafka:1+{on}"]}, {})
    assert "maps the index files of its log for writing" in caught.value.message


@pytest.mark.parametrize("on", ["memory:64M", "delayed:lustre", "loopback"])
def test_its_log_is_on_any_other_storage_in_the_role_log(on: str) -> None:
    spec = parse({"workload": "terasort", "services": [f"kafka:1+{on}"]}, {})
    (kafka,) = topology(spec).services
    assert isinstance(kafka, Kafka)
    layout = laid(kafka)
    assert "log" in layout.all_places["kafka"].paths["node3"]
    assert settings(kafka.plan(layout), "server-node3.properties")["log.dirs"].endswith("/data")


def test_a_user_has_kafka_s_programs_and_those_of_the_engine() -> None:
    kafka = Kafka(nodes=1)
    layout = laid(kafka)
    own = kafka.client(layout)
    client = NullEngine().client(layout).with_services({"kafka": own})
    assert any(path.name == "kafka-topics.sh" for path in client.programs)
    assert client.services["kafka"].address == "10.0.0.3:9092"
    assert client.search["PATH"] == ["/weft/work/RUN/kafka/bin"]


@pytest.mark.parametrize(
    ("given", "added"),
    [
        (
            "--list",
            ["--bootstrap-server 10.0.0.3:9092", "--command-config /weft/work/RUN/kafka/client.properties"],
        ),
        ("--bootstrap-server=other:1 --list", ["--command-config /weft/work/RUN/kafka/client.properties"]),
        ("--bootstrap-server other:1 --command-config mine", []),
    ],
)
def test_the_programs_use_the_run_s_brokers_unless_others_are_given(given: str, added: list[str]) -> None:
    programs = Kafka(nodes=1).client(laid(Kafka(nodes=1))).programs
    (text,) = [text for path, text in programs.items() if path.name == "kafka-topics.sh"]
    script = text.replace("/jdk/bin/java", "echo")
    done = subprocess.run(
        ["sh", "-c", script, "sh", *given.split()], capture_output=True, text=True, check=True
    )
    after = done.stdout.strip().partition("org.apache.kafka.tools.TopicCommand ")[2]
    assert after == " ".join([*added, given])
