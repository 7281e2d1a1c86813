"""Whatever is typed: one sentence and an exit code, never a traceback, a regular expression or a library's words."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.unit.report_fakes import make_record
from weft.cli import app, guard
from weft.cli import outcomes as doing
from weft.cli.verbs import VERBS
from weft.errors import MissingError
from weft.host import lease, signals
from weft.host import settings as directories
from weft.host.provision import jdk
from weft.host.work import open_work
from weft.record import record as records
from weft.run.run import verdict_of
from weft.spec.keys import describe
from weft.spec.model import FAMILIES, Spec

LIBRARY = re.compile(
    r"Traceback|pydantic|validation error|\bcodec\b|Errno|Input should|should match|\^\[|\\d\+|object has no attribute|weft itself failed"
)
"""What no user should have to read."""


@pytest.fixture(autouse=True)
def nothing_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    """No process, no run, no signal handlers in the process of the tests."""

    def none(*_: object, **__: object) -> list[Any]:
        return []

    monkeypatch.setattr(signals, "watch", none)
    monkeypatch.setattr(signals, "over", none)
    monkeypatch.setattr(doing, "do", none)
    monkeypatch.setattr("weft.cli.persistent.rootless.enter", none)
    monkeypatch.setattr("weft.cli.persistent.supervisor.launch", lambda *_: sys.exit(0))
    monkeypatch.setattr("weft.cli.calibrate.measure", lambda *_, **__: sys.exit(0))
    monkeypatch.setattr("weft.cli.bundle.bundles.pack", none)
    monkeypatch.setattr("weft.cli.survey.matrix.run", lambda *_, **__: sys.exit(0))


def answer(words: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """The exit code of a command line, and what it says on standard error."""
    code = 0
    try:
        guard.run_guarded(lambda: app(words, prog_name="weft"))
    except SystemExit as left:
        code = left.code if isinstance(left.code, int) else 1
    return code, capsys.readouterr().err


def check(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    code, text = answer(words, capsys)
    assert code in {0, 1, 2}, (words, text)
    for word in filter(LIBRARY.search, words):  # what was typed may be shown
        text = text.replace(word, "...")
    assert LIBRARY.search(text) is None, (words, text)
    assert text or code == 0, (words, "it failed without a word")


HOSTILE = st.one_of(
    st.sampled_from(
        [
            "", " ", ".", "..", "/", "//", "-", "--", "-x", "=", ":", ",", "+", "a=b", "a:b", "0", "-1", "1e999", "nan", "inf",
            "99999999999999999999", "10" * 200, "/etc/passwd", "/proc/self/mem", "/dev/null", "/nonexistent/x", "../../evil", "~",
            "$HOME", "${", "%s", "{0}", "[bold]", "a\nb", "a\tb", "a'b", 'a"b', "a b", "\x1b[31m", "é", "\U0001f4a9", "last", "spark",
            "hadoop,flink", "spark,spark", "local:2", "local:0", "local:x", "virtual:1,rate=x", "ssh:", "ssh:a[1-", "slurm:1",
            "pool:pool:pool", "pool+pool+pool", "mount:", "memory:1000T", "memory:-1", "delayed:nosuch", "hdfs+hdfs", "gluster:0",
            "terasort", "terasort:1B", "terasort,size", "terasort,size=1,size=2", "own-job", "persistent", "a" * 5000,
        ]
    ),
    st.text(max_size=30).filter(lambda text: "\0" not in text and _plain(text)),
)  # fmt: skip


def _plain(text: str) -> bool:
    """Whether a command line can hold it."""
    try:
        os.fsencode(text)
    except UnicodeEncodeError:
        return False
    return True


OPTIONS = {
    "run": ["--engine", "--nodes", "--size", "--scratch", "--input", "--output", "--set", "--repeat"],
    "plan": ["--engine", "--nodes", "--size", "--scratch", "--input", "--output", "--set", "--repeat"],
    "submit": ["--engine", "--nodes", "--scratch", "--set", "--to", "--class", "--py-files", "--jars", "--files", "--conf"],
    "up": ["--engine", "--nodes", "--scratch", "--output", "--set", "--name", "--for", "--idle"],
    "survey": ["--nodes", "--scratch", "--jobs", "--engine"],
    "report": ["--study"],
    "runs": ["--study"],
    "compare": ["--study"],
}  # fmt: skip
QUICK = sorted(set(VERBS) - {"doctor", "site"})
"""Those that examine the machine are tried with the others' tests."""


@pytest.mark.parametrize("verb", QUICK)
@settings(max_examples=25, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_any_words_give_an_answer(verb: str, data: st.DataObject, capsys: pytest.CaptureFixture[str]) -> None:
    words = data.draw(st.lists(HOSTILE, max_size=2))
    if verb in OPTIONS and data.draw(st.booleans()):
        words = [*words, data.draw(st.sampled_from(OPTIONS[verb])), data.draw(HOSTILE)]
    if verb in {"run", "plan"} and data.draw(st.booleans()):
        words = ["terasort", *words]
    check([verb, *words], capsys)


KEYS = sorted(
    {f"{family}.{key.name}" for family in FAMILIES for kind in FAMILIES[family].values() for key in describe(kind)}
    | {*Spec.model_fields, "size", "spark.x", "matrix", "kind"}
)  # fmt: skip


@settings(max_examples=150, suppress_health_check=list(HealthCheck))
@given(key=st.sampled_from(KEYS), value=HOSTILE)
@example(key="engine.driver_memory", value="1K")
@example(key="nodes.rate", value="fast")
def test_any_value_of_any_key_gives_an_answer(
    key: str, value: str, capsys: pytest.CaptureFixture[str]
) -> None:
    check(["plan", "terasort", "--set", f"{key}={value}"], capsys)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | HOSTILE,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["kind", "size", "on", "x"]), inner, max_size=3),
    max_leaves=4,
)  # fmt: skip


@settings(max_examples=100, suppress_health_check=list(HealthCheck))
@given(
    table=st.dictionaries(
        st.sampled_from([*Spec.model_fields, "matrix", "exclude", "repeat", "x"]), VALUES, max_size=3
    )
)
def test_any_table_gives_an_answer(
    table: dict[str, Any],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tomllib.loads", lambda _: {"workload": "terasort", **table})
    Path("some.toml").touch()
    check(["plan", "some.toml"], capsys)


@pytest.mark.parametrize(
    "content",
    [b"", bytes(range(256)), "workload = 'terasort'".encode("utf-16"), b"workload = 5", b"[workload", b"\0" * 9,
     b"workload = 'terasort'\n[[exclude]]\nx = 1", b"workload = 'terasort'\nsize = 1", b"[[workload]]\nkind='terasort'"],
)  # fmt: skip
def test_any_file_gives_an_answer(content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "some.toml").write_bytes(content)
    code, text = answer(["plan", str(tmp_path / "some.toml")], capsys)
    assert (code, LIBRARY.search(text)) == (2, None), text


@pytest.mark.parametrize("kind", ["a file", "a directory in a file", "missing", "full"])
@pytest.mark.parametrize(
    "variable", ["WEFT_RUNS", "WEFT_STATE", "WEFT_WORK", "WEFT_CACHE", "JAVA_HOME", "HOME"]
)
@pytest.mark.parametrize(
    "words", [["runs"], ["ps"], ["gc"], ["plan", "terasort"], ["down"], ["up", "--engine", "null"], ["show"],
              ["logs"], ["connect"], ["report", "one"], ["compare", "one", "two"], ["keys"]],
    ids=" ".join,
)  # fmt: skip
def test_any_directory_gives_an_answer(
    words: list[str], variable: str, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    (tmp_path / "file").touch()
    make_record(directories.runs() / "2023-one")
    where = {
        "a file": "file",
        "a directory in a file": "file/below",
        "missing": "no/such",
        "full": "/dev/full",
    }
    monkeypatch.setenv(variable, str(tmp_path / where[kind]))
    check(words, capsys)


@pytest.mark.parametrize(
    "kind",
    [
        "file",
        "file/below",
        "no/such",
        "/dev/full",
        "/proc/weft",
        "foreign",
        "loop",
        "~nobody-here",
        "a" * 300,
    ],
)
@pytest.mark.parametrize("variable", ["WEFT_RUNS", "WEFT_STATE", "WEFT_WORK"])
def test_what_every_run_creates_fails_with_a_sentence(
    variable: str,
    kind: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def opens() -> None:
        record = records.create(directories.runs(), "one", "", {})
        with verdict_of(record), lease.hold("one", "a test") as held, open_work("one", held):
            pass

    (tmp_path / "file").touch()
    (tmp_path / "foreign").mkdir()
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    if os.geteuid() == 0:
        os.chown(tmp_path / "foreign", 65534, 65534)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(variable, kind if kind[0] == "~" else str(tmp_path / kind))
    code = 0
    try:
        guard.run_guarded(opens)
    except SystemExit as left:
        code = left.code if isinstance(left.code, int) else 1
    text = capsys.readouterr().err
    assert LIBRARY.search(text) is None, text
    assert (code == 0) == (kind in {"no/such", "foreign", "~nobody-here"} and "belongs to" not in text), text
    assert code == 0 or f"set {variable} to a directory" in text, text
    assert code == 0 or text.startswith("error: "), text
    assert list((tmp_path / "leases").glob("*")) == []


@pytest.mark.parametrize("kind", ["", "file", "none", "broken", "not executable", "mute", "a b"])
def test_any_java_home_gives_an_answer(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    programs = {
        "broken": "#!/bin/sh\nexit 1\n",
        "not executable": "",
        "mute": "#!/bin/sh\n",
        "a b": "#!/none\n",
    }
    (tmp_path / "file").touch()
    if kind in programs:
        java = tmp_path / kind / "bin" / "java"
        java.parent.mkdir(parents=True)
        java.write_text(programs[kind])
        java.chmod(0o600 if kind == "not executable" else 0o700)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / kind) if kind else "")
    if not kind:
        jdk.java()
        return
    with pytest.raises(MissingError) as caught:
        jdk.java()
    assert LIBRARY.search(str(caught.value)) is None
    assert "JAVA_HOME" in caught.value.hint


@pytest.mark.parametrize("content", ["[1,2]", "null", "", "{", '{"schema": 1}', '{"schema": "x"}', "\x00", '"a"', '{"schema": 1, "created": [], "verdict": 5, "phases": [1], "cell": 3}'])  # fmt: skip
@pytest.mark.parametrize("words", [["runs"], ["show", "bad"], ["report", "bad"], ["compare", "bad", "good"], ["show", "good"]], ids=" ".join)  # fmt: skip
def test_any_record_gives_an_answer(
    content: str, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    make_record(directories.runs() / "2023-good")
    (directories.runs() / "2023-bad").mkdir()
    (directories.runs() / "2023-bad" / "record.json").write_text(content)
    check(words, capsys)
    if words[-1] == "good" and words[0] == "show":
        assert answer(words, capsys)[0] == 0


def test_what_weft_does_not_foresee_is_a_sentence_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    with pytest.raises(SystemExit):
        guard.run_guarded(lambda: {}["x"])
    text = capsys.readouterr().err
    (kept,) = tmp_path.glob("weft-traceback-*.txt")
    assert text.startswith("error: weft itself failed: KeyError: 'x'")
    assert str(kept) in text
    assert "Traceback" in kept.read_text()


def test_a_message_is_one_line_in_a_pipe() -> None:
    """Nothing is wrapped where nobody looks."""
    long = "a" * 300
    argv = [sys.executable, "-P", "-m", "weft", "show", f"{long} {long}"]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert f"{long} {long}" in done.stderr.splitlines()[0]
