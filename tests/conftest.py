"""What all tests share: directories of their own, and marks by folder."""

import os
import signal
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest
from xdist.scheduler import LoadScopeScheduling

from tests import listed
from tests.needs import JAVA, needs
from weft.host import signals
from weft.text.verbosity import CHOSEN

# no test fails because a machine is slow, and the same tree gives the same answer
hypothesis.settings.register_profile("weft", deadline=None, derandomize=True)
hypothesis.settings.register_profile("long", deadline=None, max_examples=5000)
hypothesis.settings.load_profile("long" if os.environ.get("WEFT_TEST_LONG") else "weft")

LENGTHY = {
    "test_readme.py",
    "test_documentation.py",
    "test_streams.py",
    "test_study.py",
    "test_matrix.py",
    "test_slurm.py",
}
"""Few tests that take a minute and more each: begun first, or the other workers would be idle at the end."""


def pytest_configure(config: pytest.Config) -> None:
    # the process that distributes the tests gets every report, so its workers list nothing
    if listed.active() and not hasattr(config, "workerinput"):
        config.pluginmanager.register(listed.Listing())


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if listed.active():
        listed.leave_out_passed(config, items)
    for item in items:
        folder = item.path.parent.name
        if folder == "local":
            item.add_marker(pytest.mark.local)
        if folder in {"local", "hosts"}:
            item.add_marker(needs(*JAVA))
    sizes = Counter(item.path for item in items)
    items.sort(key=lambda item: (item.path.name not in LENGTHY, -sizes[item.path], item.path))


def pytest_deselected(items: list[pytest.Item]) -> None:
    """To ./test which long tests it leaves out, by each process that collects."""
    if written := os.environ.get("WEFT_TEST_LEFT_OUT"):
        with Path(written).open("a") as file:
            file.writelines(f"{item.nodeid}\n" for item in items if item.get_closest_marker("long"))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """What ./test has to say beside the tests that are skipped here, and to ./test which tests failed."""
    for line in filter(None, os.environ.get("WEFT_TEST_SHOWN", "").split("\n")):
        terminalreporter.write_line(line)
    if written := os.environ.get("WEFT_TEST_FAILED"):
        failed = [one.nodeid for key in ("failed", "error") for one in terminalreporter.stats.get(key, [])]
        Path(written).write_text("".join(f"{name}\n" for name in dict.fromkeys(failed)))


class Together(LoadScopeScheduling):  # type: ignore[misc] # xdist has no types
    """Gives a worker all tests that share something: a module's cluster, the one Slurm, the contract's run."""

    def _split_scope(self, nodeid: str) -> str:
        path = Path(nodeid.partition("::")[0])
        if path.parent.name == "unit" and os.environ.get("WEFT_TEST_LONG"):
            return nodeid  # minutes each, and nothing is shared
        return str(path.parent if path.parent.name in {"hosts", "contract"} else path)


def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> Together:
    return Together(config, log)


@pytest.fixture(autouse=True)
def own_directories(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No test sees records, leases or scratch of anybody else."""
    for variable in ("WEFT_RUNS", "WEFT_STATE", "WEFT_WORK"):
        monkeypatch.setenv(variable, str(tmp_path / variable.removeprefix("WEFT_").lower()))
    monkeypatch.setenv("WEFT_SITE", str(tmp_path / "site.toml"))
    for variable in ("SPARK_HOME", "WEFT_SHARED"):
        monkeypatch.setenv(variable, "")  # so that what the test itself sets is undone too
        monkeypatch.delenv(variable)
    return tmp_path


@pytest.fixture(autouse=True)
def own_handlers() -> Iterator[None]:
    """A command that a test calls leaves its signals ignored, as it must; what later tests start would inherit that."""
    before = {number: signal.getsignal(number) for number in signals.EXIT_CODES}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture(autouse=True)
def own_words() -> Iterator[None]:
    """A command that a test calls with -q or -v is quiet or verbose to its end; those of later tests are not."""
    yield
    CHOSEN.quiet = CHOSEN.verbose = False
