"""The realm of a run: its keytab, which daemons use it, and that it starts before those that need it."""

import struct
from pathlib import Path

import pytest

from tests.fakes import WORK, fake_hadoop_layout
from weft.adapters.engines.hadoop import HadoopEngine
from weft.adapters.services.kerberos import Kerberos
from weft.adapters.services.realm import USER, keytab
from weft.layout.plan import SECRET
from weft.run import preview
from weft.spec.parse import parse

SECURED = fake_hadoop_layout()


def entries(text: bytes) -> dict[str, bytes]:
    """Keys by name, as MIT's keytab_file_format says."""
    assert text[:2] == b"\x05\x02"
    found, at = {}, 2
    while at < len(text):
        (size,) = struct.unpack_from(">i", text, at)
        entry, at = text[at + 4 : at + 4 + size], at + 4 + size
        (parts,) = struct.unpack_from(">H", entry)
        words, place = [], 2
        for _ in range(parts + 1):
            (length,) = struct.unpack_from(">H", entry, place)
            words.append(entry[place + 2 : place + 2 + length].decode())
            place += 2 + length
        assert struct.unpack_from(">I4xBH", entry, place) == (1, 1, 18)
        (length,) = struct.unpack_from(">H", entry, place + 11)
        found[f"{'/'.join(words[1:])}@{words[0]}"] = entry[place + 13 :]
        assert length == len(entry[place + 13 :]) == 32
    return found


def test_each_name_has_a_key_that_nobody_knows_without_the_secret() -> None:
    one, other = entries(keytab("a" * 64)), entries(keytab("b" * 64))
    assert list(one) == [USER, "HTTP/weft@WEFT", "krbtgt/WEFT@WEFT"]
    assert len({*one.values(), *other.values()}) == 6
    assert entries(keytab("a" * 64)) == one


def test_the_centre_answers_before_any_other_is_started() -> None:
    wanted = parse({"workload": "terasort", "engine": "hadoop", "input": "hdfs", "nodes": "virtual:2"})
    layout = preview.sketch(wanted)
    first, *others = preview.planned(wanted, layout).daemons
    assert (first.name, first.node.name, first.essential) == ("kdc", "node1", True)
    assert first.before is not None
    assert first.before.page.url == f"tcp://{layout.head.address}:6010"
    assert others
    assert not any(other.before for other in others)
    assert first.environment["WEFT_LEASE"] == "RUN"


def test_no_realm_where_nobody_asks_for_one() -> None:
    wanted = parse({"workload": "terasort", "engine": "spark", "nodes": "virtual:2"})
    layout = preview.sketch(wanted)
    assert not layout.services
    assert "kdc" not in [daemon.name for daemon in preview.planned(wanted, layout).daemons]
    assert "KRB5KEYTAB" not in layout.environment(layout.head)


def test_no_key_is_in_a_file_that_is_kept() -> None:
    plan = Kerberos().plan(SECURED)
    (path,) = plan.sealed
    assert path == WORK / "kerberos" / "keytab"
    assert path not in plan.files
    assert not any(SECRET in text for text in plan.files.values())


def test_containers_have_tokens_and_no_keytab() -> None:
    engine = HadoopEngine()
    yarn = engine._yarn(SECURED)
    assert {"KRB5KEYTAB", "KRB5PRINCIPAL"} <= set(SECURED.environment(SECURED.head))
    assert not {"KRB5KEYTAB", "KRB5PRINCIPAL"} & set(yarn.inherited)
    assert (
        f"-Djava.security.krb5.conf={WORK / 'kerberos' / 'krb5.conf'}"
        in yarn.environment(SECURED.head)["JDK_JAVA_OPTIONS"]
    )


@pytest.mark.parametrize("engine", ["spark", "flink", "hadoop"])
def test_every_reader_of_hdfs_proves_who_he_is(engine: str) -> None:
    wanted = parse({"workload": "terasort", "engine": engine, "input": "hdfs", "nodes": "virtual:2"})
    layout = preview.sketch(wanted)
    assert layout.file_system_properties["hadoop.security.authentication"] == "kerberos"
    assert layout.file_system_properties["dfs.namenode.kerberos.principal"] == USER
    # Hadoop's inputs list no files unless they can name somebody as the renewer of a token
    assert layout.file_system_properties["yarn.resourcemanager.principal"] == USER
    assert layout.uris == ["hdfs://10.87.0.1:8020/weft/input"]
    then = preview.planned(wanted, layout).then
    assert [command.name for command in then] == (["hdfs-token"] if engine == "spark" else [])
    assert [Path(path).name for command in then for path in command.makes] == (
        ["hdfs.token"] if engine == "spark" else []
    )


@pytest.mark.parametrize("engine", ["spark", "hadoop", "flink"])
@pytest.mark.parametrize("private", [True, False])
def test_an_encrypted_engine_talks_to_hdfs_in_private(engine: str, private: bool) -> None:
    key = "encrypt_data" if engine == "flink" else "encrypt"
    asked = {"kind": engine, key: private}
    wanted = parse({"workload": "terasort", "engine": asked, "input": "hdfs", "nodes": "virtual:2"})
    layout = preview.sketch(wanted)
    assert ("hadoop.rpc.protection" in layout.file_system_properties) == private
    files = preview.planned(wanted, layout).files
    sites = {path.name: text for path, text in files.items() if path.parent.name == "hdfs"}
    assert (
        f"<name>dfs.encrypt.data.transfer</name><value>{str(private).lower()}</value>"
        in sites["hdfs-site.xml"]
    )
    assert ("<name>hadoop.rpc.protection</name><value>privacy</value>" in sites["core-site.xml"]) == private
