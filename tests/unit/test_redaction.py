"""Secrets of users are recognised by their keys, in tables, words and texts."""

import re
from pathlib import Path

import pytest

from weft.record.covering import covered
from weft.text.redaction import has_placeholder, hidden, notations, placeholder, redacted, revealed

KEY = "spark.hadoop.fs.s3a.secret.key"


@pytest.mark.parametrize(
    "value",
    [
        {KEY: "hunter22"},
        {"engine": {"conf": {KEY: "hunter22"}}},
        {"AWS_SESSION_TOKEN": "hunter22"},
        {"fs.s3a.access.key": "hunter22"},
        {"JAVA_TOOL_OPTIONS": "-Xmx1g -Djavax.net.ssl.keyStorePassword=hunter22 -Da=b"},
        ["--conf", f"{KEY}=hunter22"],
        ["job.py", "--db-password", "hunter22", "in"],
        ["--db-password=hunter22"],
        [{"url": "jdbc:postgresql://db/me?user=me&password=hunter22&ssl=on"}],
        "export MY_TOKEN=hunter22",
    ],
)
def test_a_secret_is_replaced_wherever_its_key_is(value: object) -> None:
    values: dict[str, str] = {}
    assert "hunter22" not in repr(hidden(value, values))
    assert list(values.values()) == ["hunter22"]
    assert all(mark in repr(hidden(value, {})) for mark in values)


@pytest.mark.parametrize(
    "value",
    [
        {"spark.sql.shuffle.partitions": "8", "dfs.block.access.token.enable": "true"},
        ["--files", "words.txt", "-Dkey=value"],
        {"password": None, "tokens": 3, "secret": ""},
    ],
)
def test_everything_else_stays_as_it_is(value: object) -> None:
    assert redacted(value) == value


def test_a_placeholder_names_its_key_and_is_not_hidden_again() -> None:
    once = redacted({KEY: "hunter22"})
    assert once == {KEY: placeholder(KEY)} == redacted(once)
    assert has_placeholder(repr(once)) == [KEY]


def test_two_secrets_of_one_key_have_two_placeholders() -> None:
    values: dict[str, str] = {}
    hidden(["--password", "one-of-them", "--password", "the-other"], values)
    assert sorted(values.values()) == ["one-of-them", "the-other"]


def test_the_pattern_is_the_users() -> None:
    assert redacted({"my.pin": "1234"}, re.compile("pin")) == {"my.pin": placeholder("my.pin")}


def test_a_secret_that_a_file_has_is_read_only_where_asked_for() -> None:
    table = {KEY: "file:/home/me/key", "b": "file:/data"}
    values: dict[str, str] = {}
    assert redacted(table) == table
    assert hidden(table, values, read=lambda name: f"what {name} has")["b"] == "file:/data"
    assert list(values.values()) == ["what file:/home/me/key has"]


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("core-site.xml", 'a&lt;b"\\'),
        ("config.yaml", 'a<b\\"\\\\'),
        ("spark.conf", 'a<b"\\\\'),
        ("env", 'a<b"\\'),
    ],
)
def test_a_secret_is_written_as_its_file_requires(name: str, written: str) -> None:
    values: dict[str, str] = {}
    text = hidden(f"{KEY}=", values) + hidden({KEY: 'a<b"\\'}, values)[KEY]
    assert revealed(text, values, Path(name)) == f"{KEY}={written}"


def test_what_a_program_printed_is_covered_in_each_notation(tmp_path: Path) -> None:
    values: dict[str, str] = {}
    hidden({KEY: 'hunter&"22'}, values)
    log = tmp_path / "logs" / "driver.log"
    log.parent.mkdir()
    log.write_text('hunter&"22 hunter&amp;"22 hunter&\\"22\nother\n')
    with covered(tmp_path, values):
        pass
    assert log.read_text() == " ".join([placeholder(KEY)] * 3) + "\nother\n"


def test_of_a_secret_that_begins_another_nothing_is_left_of_the_longer_one() -> None:
    text = b"hunter22-prod hunter22 c:\\\\key"
    for written, mark in notations(
        {"@a@": "hunter22", "@b@": "hunter22-prod", "@c@": "c:\\key-long"}
    ).items():
        text = text.replace(written, mark)
    assert text.startswith(b"@b@ @a@")
    assert b"c:\\\\key-long" in notations({"@c@": "c:\\key-long"})
