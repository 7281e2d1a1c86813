"""Class-data archives: made once, and never in the way."""

import json
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from weft.errors import WeftError
from weft.host import settings, shell
from weft.host.javaprogram import IN_PLACE, JavaProgram
from weft.host.provision import classdata, classlist, distribution, jars, jdk
from weft.layout.jvm import archived
from weft.run.provisioning import provision
from weft.spec.parse import parse


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEFT_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def provided(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is downloaded or built."""
    monkeypatch.setattr(jars, "needs", lambda homes: {})
    monkeypatch.setattr(jars, "build", lambda homes, modules, say: {})
    monkeypatch.setattr(
        distribution, "provided", lambda wanted, say: {name: Path("/", name) for name in wanted}
    )


def version(scratch: Path) -> JavaProgram:
    return JavaProgram(["-cp", "nothing", "-version"])


def test_an_archive_is_made_once(tmp_path: Path) -> None:
    messages: list[str] = []
    first = classdata.build("thing", jdk.java(), tmp_path, version, messages.append)
    assert first is not None
    assert first.stat().st_size > 0
    assert classdata.build("thing", jdk.java(), tmp_path, version, messages.append) == first
    assert len(messages) == 1
    assert {path.name for path in first.parent.iterdir()} == {".contents", ".compared", first.name}


def test_the_empty_directory_stays_empty(tmp_path: Path) -> None:
    """The JVM refuses to make an archive, and to use one, whose class path has a directory with anything in it."""

    def behind_it(scratch: Path) -> JavaProgram:
        return JavaProgram(["-cp", f"{classdata.empty()}:nothing", "-version"])

    messages: list[str] = []
    for name in ("one", "other"):
        made = classdata.build(name, jdk.java(), tmp_path, behind_it, messages.append)
        assert made is not None, messages
        assert made.stat().st_size > 0
        assert list(classdata.empty().iterdir()) == []


def test_listed_classes_are_archived_without_a_program(tmp_path: Path) -> None:
    messages: list[str] = []
    listed = tmp_path / "classes"
    lambdas = [
        "@lambda-form-invoker [LF_RESOLVE] DirectMethodHandle$Holder invokeStatic L_L",
        "@lambda-proxy no/such Thing",
    ]
    listed.write_text("\n".join(["java/lang/Object", "java/lang/String", "no/such/Thing", *lambdas]))
    first = classdata.dump("thing", jdk.java(), listed, ["nothing"], messages.append)
    assert first is not None, messages
    assert {path.name for path in first.parent.iterdir()} == {".contents", ".compared", first.name}
    assert classdata.dump("thing", jdk.java(), listed, ["nothing"], messages.append) == first
    assert len(messages) == 1


def test_a_list_holds_what_all_jvms_loaded_and_an_archive_can_hold(tmp_path: Path) -> None:
    (tmp_path / "1.lst").write_text(
        "# a comment\n"
        "java/lang/Object id: 0\n"
        "org/thing/Two id: 7\n"
        "org/thing/Lambda$$Lambda$1 id: 8\n"
        "io/weft/Own id: 9\n"
        "org/thing/Loaded id: 10 super: 0 source: plugin.jar\n"
        "@lambda-proxy org/thing/Two run ()Ljava/lang/Runnable;\n"
        "@lambda-proxy io/weft/Own run ()V\n"
    )
    (tmp_path / "2.lst").write_text("org/thing/Two\norg/thing/One\n")
    assert classlist.merge(tmp_path) == [
        "java/lang/Object",
        "org/thing/One",
        "org/thing/Two",
        "@lambda-proxy org/thing/Two run ()Ljava/lang/Runnable;",
    ]


def test_classes_are_listed_in_one_small_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[Sequence[str]] = []

    def write(argv: Sequence[str], _: Path, env: Mapping[str, str]) -> None:
        ran.append(argv)
        assert env["THING_HOME"] == "/thing"
        Path(env[settings.CLASS_LISTS], "1.lst").write_text("org/thing/One\n")

    java = jdk.java()
    monkeypatch.setattr(classdata, "_finish", write)
    messages: list[str] = []
    job = classdata.Observed(["run", "small"], {"THING_HOME": "/thing"})
    (home := tmp_path / "thing").mkdir()
    (linked := tmp_path / "linked").symlink_to(home)
    listed = [classdata.observe("thing", java, each, job, messages.append) for each in (home, home, linked)]
    assert listed[0] is not None
    assert len(set(listed)) == 1
    assert listed[0].read_text() == "org/thing/One\n"
    assert [argv[-2:] for argv in ran] == [["run", "small"]]
    assert len(messages) == 1
    assert {path.name for path in listed[0].parent.iterdir()} == {".contents", ".compared", "classes"}


def test_what_a_small_run_listed_before_it_failed_is_used_for_a_day(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    java, messages = jdk.java(), list[str]()

    def fail(_: Sequence[str], __: Path, env: Mapping[str, str]) -> None:
        Path(env[settings.CLASS_LISTS], f"{len(messages)}.lst").write_text(
            f"org/thing/Attempt{len(messages)}\n"
        )
        raise WeftError("the job failed", tail=["too slow"])

    monkeypatch.setattr(classdata, "_finish", fail)
    for expected in ("org/thing/Attempt1\n", "org/thing/Attempt1\n"):
        listed = classdata.observe("thing", java, tmp_path, classdata.Observed(["run"], {}), messages.append)
        assert listed is not None
        assert listed.read_text() == expected
    assert len(messages) == 2
    failed = listed.parent / "failed"
    assert failed.read_text() == "the job failed\ntoo slow\n"
    os.utime(failed, (0, 0))
    listed = classdata.observe("thing", java, tmp_path, classdata.Observed(["run"], {}), messages.append)
    assert listed is not None
    assert listed.read_text() == "org/thing/Attempt3\n"


def test_a_small_run_that_fails_is_reported_and_not_repeated(tmp_path: Path) -> None:
    messages: list[str] = []
    job = classdata.Observed(["no-such-verb"], {})
    for _ in range(2):
        assert classdata.observe("thing", jdk.java(), tmp_path, job, messages.append) is None
    assert len(messages) == 2
    assert "start more slowly" in messages[1]
    assert re.search(r"a day: it ended with exit code 2: .*no-such-verb", messages[1]), messages[1]


@pytest.mark.parametrize(
    ("classes", "arguments"),
    [
        (None, []),
        ("/cache/classes.jsa", [*IN_PLACE, "-XX:SharedArchiveFile=/cache/classes.jsa"]),
        ("/cache/lists", ["-XX:DumpLoadedClassList=/cache/lists/%p.lst"]),
    ],
)
def test_a_jvm_uses_an_archive_or_lists_what_it_loads(classes: str | None, arguments: list[str]) -> None:
    assert archived(Path(classes) if classes else None)[:3] == arguments


def test_an_archive_is_mapped_where_its_addresses_say(tmp_path: Path) -> None:
    """Otherwise each start rewrites them all, and the pages are no longer shared."""
    made = classdata.build("thing", jdk.java(), tmp_path, version, print)
    log = tmp_path / "log"
    more = [f"-Xlog:cds=info:file={log}", "-cp", "nothing", "-version"]
    shell.run([str(jdk.java()), *archived(made)[:3], *more], timeout=60)
    text = log.read_text()
    assert "Mapped dynamic region" in text, text
    assert "alternative address" not in text, text


def test_a_java_that_refuses_what_its_processes_start_with_makes_no_archive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(classdata, "IN_PLACE", ("-XX:NoSuchFlag=0",))
    messages: list[str] = []
    assert classdata.build("thing", jdk.java(), tmp_path, version, messages.append) is None
    assert "start more slowly" in messages[1]


def test_a_run_that_lists_classes_uses_no_archive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, provided: None
) -> None:
    monkeypatch.setenv(settings.CLASS_LISTS, str(tmp_path))
    spec = parse({"workload": "terasort:1MB", "engine": "hadoop", "nodes": "local:1"})
    assert provision(spec, print).classes == {"hadoop": tmp_path}


def test_a_run_without_class_archives_makes_none(provided: None) -> None:
    table = {"workload": "terasort:1MB", "engine": "hadoop", "nodes": "local:1", "class_archives": False}
    assert provision(parse(table), print).classes == {}


def test_training_that_fails_costs_speed_alone(tmp_path: Path) -> None:
    messages: list[str] = []
    found = classdata.build(
        "thing",
        jdk.java(),
        tmp_path,
        lambda scratch: JavaProgram(["no.such.Program", str(scratch)]),
        messages.append,
    )
    assert found is None
    assert "start more slowly" in json.dumps(messages)
    # the reason, and not the words of a long command
    assert messages[-1].endswith("exit code 1: Could not find or load main class no.such.Program")
