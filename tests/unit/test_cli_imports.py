"""What a command imports: no more than it needs."""

import subprocess
import sys

import pytest

from tests.unit.report_fakes import make_record
from weft.host import settings

HEAVY = {"altair", "httpx2", "jinja2", "numpy", "polars", "scipy", "vl_convert"}
"""What takes longer to load than these verbs may take at all."""
WORKING = ("run", "submit")
CLUSTERS = ("up", "exec", "shell", "connect", "logs", "down")


@pytest.mark.parametrize(
    ("words", "without"),
    [
        (["--help"], {*HEAVY, "psutil", "pydantic", "rich"}),
        (["--version"], {*HEAVY, "psutil", "rich"}),
        (["runs"], {*HEAVY, "psutil"}),
        (["runs", "--json"], {*HEAVY, "psutil"}),
        (["ps"], {*HEAVY, "rich"}),
        (["clean"], {*HEAVY, "rich"}),
        *(([verb, "--help"], {*HEAVY, "psutil"}) for verb in (*WORKING, *CLUSTERS)),
    ],
    ids=lambda value: " ".join(sorted(value)),
)
def test_a_verb_loads_nothing_that_it_does_not_need(words: list[str], without: set[str]) -> None:
    make_record(settings.runs() / "2023-0-terasort")
    program = "import sys\nfrom weft.cli import app\ntry: app(sys.argv[1:])\nfinally: print(*sys.modules, file=sys.stderr)"
    argv = [sys.executable, "-P", "-c", program, *words]
    done = subprocess.run(argv, capture_output=True, text=True, check=True)
    assert without & set(done.stderr.split()) == set()


def test_other_verbs_load_what_the_quick_ones_do_not() -> None:
    """So that the test above would see it."""
    assert {"polars", "numpy", "psutil"} <= imported("weft.cli.printing")


@pytest.mark.parametrize("module", ["cli.outcomes", "cli.joined", "cli.submitted", "clusters.supervisor"])
def test_a_job_starts_before_what_reads_its_record_is_imported(module: str) -> None:
    assert imported(f"weft.{module}") & HEAVY == set()


def test_a_run_imports_the_adapters_that_it_needs_and_no_others() -> None:
    """Its own keys do not look for those of other adapters."""
    program = (
        "import sys\nfrom weft.cli import app\ntry: app(['run', 'terasort', '--size', '10MB', '--dry-run'])\n"
        "finally: print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-P", "-c", program], capture_output=True, text=True, check=True)
    found = {name for name in done.stderr.split() if name.startswith("weft.adapters.")}
    assert {"weft.adapters.engines.spark.engine", "weft.adapters.workloads.terasort"} <= found
    others = (
        "engines.flink",
        "engines.ray",
        "workloads.tpcds",
        "storage.pool",
        "services.kafka",
        "probes.dvs",
    )
    assert [name for name in found if name.endswith(others)] == []


def imported(module: str) -> set[str]:
    argv = [sys.executable, "-P", "-c", f"import sys, {module}; print(*sys.modules)"]
    return set(subprocess.run(argv, capture_output=True, text=True, check=True).stdout.split())
