"""Runs the stages of ./test in order and stops at the first that fails; `./test --help` lists them."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path

import ledger
import maven
import rustneeds

from weft.api.flags import Flags
from weft.api.request import study_of
from weft.errors import WeftError
from weft.host import settings
from weft.host.provision import distribution, native
from weft.run import provisioning

ROOT = settings.SOURCE
BIN = Path(sys.executable).parent
LEFT_OUT: list[str] = []
"""What this machine cannot run, and why."""


def lint() -> None:
    step("ruff", [BIN / "ruff", "check"])
    step("ruff format", [BIN / "ruff", "format", "--check"])
    step("mypy", [BIN / "mypy"])
    step("mypy tools", [BIN / "mypy", *(f"tools/{name}.py" for name in TOOLS)])
    step("mypy bench", [BIN / "mypy", *(f"bench/{name}.py" for name in BENCHES)])
    step("lint-imports", [BIN / "lint-imports", "--no-cache"])


def unit() -> None:
    pytest("unit tests", [*TWO_AT_ONCE, "tests/unit"])


def java() -> None:
    """Maven works on a copy in the cache, so that the checkout stays as it is."""
    copy = scratch("test-java")
    try:
        command = maven.command(copy, java_homes(ROOT / "java"), say)
    except WeftError as error:
        leave_out("java", error.message, error.hint)
        return
    for old in copy.glob("*/src"):
        shutil.rmtree(old)
    shutil.copytree(ROOT / "java", copy, ignore=shutil.ignore_patterns("target"), dirs_exist_ok=True)
    step("java tests", [*command, "--quiet", "--threads", "2", "test"])


def java_homes(source: Path) -> dict[str, Path]:
    """By module: where its distribution is. It is downloaded only if a pom reads files of it: for others, the name is enough."""
    read = "".join(pom.read_text() for pom in source.rglob("pom.xml"))
    modules = [name for name in distribution.DISTRIBUTIONS if (source / name / "pom.xml").exists()]
    downloaded = distribution.homes([name for name in modules if f"${{{name}.home}}" in read], say)
    return {name: downloaded.get(name) or distribution.expected(name) for name in modules}


def rust() -> None:
    try:
        native.cargo()
    except WeftError as error:
        leave_out("rust", error.message, error.hint)
        return
    for name, reason in rust_too_old():
        leave_out(f"rust: {name}", reason.message, reason.hint)
    target = native_objects()
    where = ["--manifest-path", str(NATIVE)]
    if has_cargo("fmt", "rustfmt"):
        step("cargo fmt", ["cargo", "fmt", "--all", *where, "--check"], target)
    if has_cargo("clippy", "rust-clippy"):
        clippy = [
            "cargo",
            "clippy",
            "--quiet",
            *where,
            *rust_packages(),
            "--all-targets",
            "--",
            "-D",
            "warnings",
        ]
        step("clippy", clippy, target)
    for why, hint in rustneeds.lacking():
        leave_out("rust: some tests", why, hint)
    step("rust tests", rust_tests(), {**target, **rustneeds.required()})
    require_seen(list(LONG_RUST))


def java_and_rust() -> None:
    """Both at once, and what live tests begin with: Rust's tests wait more than they compute."""
    with ThreadPoolExecutor() as pool:
        for stage in [pool.submit(java), pool.submit(rust), pool.submit(provision)]:
            stage.result()


def provision() -> None:
    """Jars, native programs and archives of classes, for which all live tests would wait otherwise."""
    for engine in provisioning.downloaded():
        ((_, spec),) = study_of("terasort", Flags(engine=engine, set=("probes=engine,fileops",))).cells()
        try:
            provisioning.provision(spec, say)
        except WeftError as error:  # tests that need it say what is missing
            say(f"{engine}: {error.message}")


@contextmanager
def rust_compiled_meanwhile() -> Iterator[None]:
    """Rust is compiled while other stages leave a core idle; stages that need it wait for it, and report errors."""
    if shutil.which("cargo") is None:
        yield
        return
    quiet = subprocess.DEVNULL
    env = {**os.environ, **native_objects()}
    with ExitStack() as compilers:
        for argv in ([*rust_tests(), "--no-run"], native.command("cargo", NATIVE.parent)):
            compiler = subprocess.Popen(
                ["nice", *argv], cwd=ROOT, env=env, stdin=quiet, stdout=quiet, stderr=quiet
            )
            compilers.callback(compiler.wait)
            compilers.callback(compiler.terminate)
        yield


def rust_tests() -> list[str]:
    return ["cargo", "test", "--quiet", "--manifest-path", str(NATIVE), *rust_packages()]


def rust_packages() -> list[str]:
    """The workspace without what this machine's Rust is too old for."""
    return ["--workspace", *(word for name, _ in rust_too_old() for word in ("--exclude", name))]


def rust_too_old() -> list[tuple[str, WeftError]]:
    """Packages for which this machine's Rust is too old, and why."""
    found = []
    for name in native.ENGINES:
        try:
            native.cargo([name])
        except WeftError as error:
            found.append((name, error))
    return found


def native_objects() -> dict[str, str]:
    """Where provision.native has them."""
    return {"CARGO_TARGET_DIR": str(native.objects_of(NATIVE.parent))}


def contract() -> None:
    step("contract tests", [*PYTEST, "tests/contract"])


def local() -> None:
    step("local tests", [*PYTEST, "tests/local"])


def hosts() -> None:
    step("tests of other hosts", [*PYTEST, "tests/hosts"])


def live() -> None:
    """What measures by itself; then all others at once and last, so that pytest's closing line is the last line of ./test."""
    leave_out("long tests", "they take up to an hour", "./test long")
    pytest("known answers, one at a time", [MEASURED])
    folders = ["tests/hosts", "tests/contract", "tests/local"]
    pytest("contract, local and hosts tests", [*THREE_AT_ONCE, *folders], last=True)


def long() -> None:
    """What is random tried many more times, and what takes long: all of it, whatever fails, but for what passed with these files."""
    codes = [long_rust(name, words) for name, words in LONG_RUST.items()]
    argv = [*PYTEST, "-m", "long or hypothesis", "--timeout", "7200"]
    listed = {**MANY, "WEFT_TEST_LEDGER": str(ledger.LEDGER)}
    together = [*argv, *THREE_AT_ONCE, "tests", "--ignore", MEASURED]
    codes.append(run("long tests", together, listed))
    codes.append(run("long tests that measure, one at a time", [*argv, MEASURED], listed))
    run("the page of the long tests", [ROOT / "tools" / "evidence"])
    # nothing is left where all have passed before
    if failed := [code for code in codes if code not in {0, NOTHING_TO_RUN}]:
        say(f"FAILED: long tests; what passed is in {ledger.LEDGER.relative_to(ROOT)} and is not run again")
        sys.exit(max(failed))


def long_rust(name: str, words: Sequence[str]) -> int:
    """Tests in Rust that only `./test long` runs."""
    try:
        native.cargo()
    except WeftError as error:
        leave_out(name, error.message, error.hint)
        ledger.append(name, ledger.SKIPPED, 0, error.message)
        return 0
    if name in ledger.passed_here():
        say(f"{name}: passed with these files before")
        return 0
    began = time.monotonic()
    env = {**native_objects(), **rustneeds.required(), **MANY}
    code = run(name, [*rust_tests(), "--release", *words], env)
    ledger.append(name, ledger.FAILED if code else ledger.PASSED, time.monotonic() - began)
    return code


TOOLS = (
    "bootstrap",
    "stages",
    "building",
    "checkers",
    "documenting",
    "evidencing",
    "otherexplainers",
    "releasing",
    "rooms",
)
"""Programs, checked with what they import."""
BENCHES = (
    "advised",
    "calls",
    "explained",
    "explainers",
    "firstrun",
    "firsttask",
    "holdouts",
    "limit",
    "links",
    "nexmark",
    "nexmarkrecovery",
    "poolpredicted",
    "published",
    "queries",
    "startwide",
    "tuner",
    "unseen",
    "wide",
)
"""Benchmarks that are programs and keep rows of evidence."""
NATIVE = ROOT / "native" / "Cargo.toml"
MANY = {"WEFT_TEST_LONG": "1"}
MEASURED = "tests/truth"
"""Whose runs have slopes and orders of measured times: others would be in them."""
LONG_RUST = {
    "native (more rounds)": (),
    "native/latencyfs/tests/timing.rs": ("--test", "timing", "--", "--ignored", "--test-threads", "1"),
}
"""By name in the list of long tests: cargo's arguments. The second measures what emulated calls take, on a quiet machine."""
NOTHING_TO_RUN = 5
"""pytest's exit code if no test was chosen."""
PYTEST = [sys.executable, "-P", "-m", "pytest", "-ra"]
TWO_AT_ONCE = ["--numprocesses", "2"]
"""For what keeps a core busy all the time."""
THREE_AT_ONCE = ["--numprocesses", "3", "--no-loadscope-reorder"]
"""Engines wait a third of their time, for each other and for what they ask; more at once would want a larger machine."""
FLAKY = ROOT / "evidence" / "flaky.jsonl"
"""Tests that failed together with others and passed alone, each with its commit."""
ONCE = "failed together with others and passed alone, for the first time"
FEW = 6
"""If more than these fail, they do so for a common reason, which their own messages tell."""
STAGES: Mapping[str, Callable[[], None]] = {
    stage.__name__: stage for stage in (lint, unit, java, rust, live, contract, local, hosts, long)
}


def pytest(name: str, words: Sequence[str], *, last: bool = False) -> None:
    """A few that fail are run again, each alone. Passing only alone is excused once: a test that is in FLAKY already fails ./test."""
    began = time.monotonic()
    argv = [*PYTEST, *words]
    with tempfile.TemporaryDirectory() as folder:
        failed = Path(folder) / "failed"
        left_out = Path(folder) / "long"
        files = {"WEFT_TEST_FAILED": str(failed), "WEFT_TEST_LEFT_OUT": str(left_out)}
        code = run(name, argv, {"WEFT_TEST_SHOWN": "\n".join(notices() if last else []), **files})
        tests, longer = (
            [*path.read_text().split("\n")][:-1] if path.exists() else [] for path in (failed, left_out)
        )
    verdicts = {test: alone(test) for test in tests} if code == 1 and len(tests) <= FEW else {}
    if verdicts and set(verdicts.values()) == {ONCE}:
        excuse(list(verdicts))
        code = 0
    finish(name, argv, code, [f"{test} {verdict}" for test, verdict in verdicts.items()])
    require_seen(sorted(set(longer)))
    if not last:
        say(f"{name}: ok, {time.monotonic() - began:.1f} s")


def require_seen(tests: Sequence[str]) -> None:
    """Fail for long tests that nobody has run for many commits."""
    if late := ledger.late(tests):
        finish("long tests: run ./test long, and commit its list", ["./test", "long"], 1, late)
    if soon := ledger.late(tests, ledger.LIMIT - ledger.SOON):
        say(
            f"long tests: {len(soon)} must be run (./test long) within {ledger.SOON} commits, or ./test fails"
        )


def alone(test: str) -> str:
    """What a test that failed does when it is the only one."""
    if run(f"{test}, which failed, alone", [*PYTEST, test]) != 0:
        return "fails alone too"
    listed = FLAKY.read_text().splitlines() if FLAKY.exists() else []
    before = [seen for seen in map(json.loads, listed) if seen["test"] == test]
    return (
        f"fails only together with others, as at {before[0]['commit']}: a defect of the test"
        if before
        else ONCE
    )


def excuse(tests: Sequence[str]) -> None:
    """List what passed only alone; a list that is committed makes the second time a failure everywhere."""
    head = ["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"]
    commit = subprocess.run(head, capture_output=True, text=True, check=False).stdout.strip()
    FLAKY.parent.mkdir(exist_ok=True)
    with FLAKY.open("a") as lines:
        for test in tests:
            lines.write(
                json.dumps({"test": test, "commit": commit, "date": time.strftime("%Y-%m-%d")}) + "\n"
            )
            say(f"FLAKY: {test} {ONCE}; commit {FLAKY.relative_to(ROOT)}, and fix it")


def step(name: str, argv: Sequence[str | Path], env: Mapping[str, str] | None = None) -> None:
    """Run one command; the whole of ./test ends with its exit code when it fails."""
    began = time.monotonic()
    finish(name, argv, run(name, argv, env))
    say(f"{name}: ok, {time.monotonic() - began:.1f} s")


def run(name: str, argv: Sequence[str | Path], env: Mapping[str, str] | None = None) -> int:
    say(name)
    return subprocess.run(list(argv), cwd=ROOT, env={**os.environ, **(env or {})}, check=False).returncode


def finish(name: str, argv: Sequence[str | Path], code: int, verdicts: Sequence[str] = ()) -> None:
    if code != 0:
        say(f"FAILED: {name} (exit code {code}); again with: {' '.join(map(str, argv))}")
        for line in verdicts:
            say(f"FAILED: {line}")
        sys.exit(code if code > 0 else 1)


def scratch(name: str) -> Path:
    """A directory in the cache for what a build leaves."""
    path = settings.cache() / name
    path.mkdir(parents=True, exist_ok=True)
    return path


def has_cargo(command: str, package: str) -> bool:
    argv = ["cargo", command, "--version"]
    found = subprocess.run(argv, capture_output=True, check=False).returncode == 0
    if not found:
        leave_out(f"cargo {command}", "it is not on this machine", f"apt-get install {package}")
    return found


def leave_out(what: str, why: str, hint: str) -> None:
    LEFT_OUT.append(f"{what}: {why} ({hint})")


def notices() -> list[str]:
    return [f"NOT RUN {what}" for what in LEFT_OUT]


def say(text: str) -> None:
    print(f"== {text}", file=sys.stderr, flush=True)


def main() -> None:
    asked = [word for word in sys.argv[1:] if word != "--no-install"]  # of tools/install
    if unknown := [word for word in asked if word not in STAGES]:
        print(
            f"error: there is no stage {unknown[0]!r}\n\nhint: stages are {', '.join(STAGES)}; ./test --help describes them",
            file=sys.stderr,
        )
        sys.exit(2)
    if not asked:
        with rust_compiled_meanwhile():
            for stage in (lint, unit, java_and_rust, live):
                stage()
        return
    for word in asked:
        STAGES[word]()
    for line in notices():
        say(line)


if __name__ == "__main__":
    main()
