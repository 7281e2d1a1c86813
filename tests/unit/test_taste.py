"""The taste that can be checked: sizes, names, one direction, complete documents. See CONTRIBUTING.md."""

import ast
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

import pytest

from tests import source
from weft.adapters import engines, nodes, probes, services, storage, workloads
from weft.host import settings
from weft.text.shorthand import INTERNAL

ROOT = settings.SOURCE
SOURCE = ROOT / "src" / "weft"
KINDS = {"*.py", "*.rs", "*.java", "*.sh", "*.md", "*.toml", "*.css", "*.j2"}
GENERATED = {"target", "runs", "__pycache__"}
FAMILIES = {
    "nodes": nodes,
    "storage": storage,
    "engines": engines,
    "workloads": workloads,
    "probes": probes,
    "services": services,
}
SHARED = {
    "base",
    "programs",
    "pythontasks",
    "ownpackages",
    "serving",
    "__init__",
    "access",
    "cgroups",
    "fabric",
    "hosts",
    "batchnodes",
    "jobnodes",
    "remote",
    "mounting",
    "readback",
    "containers",
    "stacked",
    "several",
    "standins",
    "standin",
    "sampler",
    "samplers",
    "processes",
    "peers",
    "pythonworkers",
    "waits",
    "terarecords",
    "zipftext",
    "jobtrace",
    "tablework",
    "streamwork",
    "nexmarksql",
    "hadoop",
    "realm",
    "yarncluster",
    "mapreducejobs",
    "mounted",
    "served",
}
"""Files of a family that are no adapters."""
PROGRAMS = "programs"
"""Folders of what runs in processes without weft: on other hosts, or of an engine."""
"""Programs that run on other hosts, where weft's own modules are not."""


def own(*patterns: str) -> list[Path]:
    folders = [folder for folder in ROOT.iterdir() if folder.is_dir() and not folder.name.startswith(".")]
    found = [path for folder in folders for pattern in patterns for path in folder.rglob(pattern)]
    return [path for path in found if not GENERATED & set(path.relative_to(ROOT).parts)]


ONE_ROOM = {"native/latencyfs/src/filesystem.rs"}
"""Longer for a reason: Rust wants the whole of FUSE's trait in one block, a few lines a method."""


def test_no_file_is_longer_than_400_lines() -> None:
    lines = {str(path.relative_to(ROOT)): len(path.read_text().splitlines()) for path in own(*KINDS)}
    assert {path: count for path, count in lines.items() if count > 400 and path not in ONE_ROOM} == {}


STEPPED = {
    "adapters/probes/processes.py": "the age of a process, whose beginning the kernel gives in this time",
    "record/record.py": "when another host wrote last",
    "report/pages/top.py": "how long ago a record was begun",
    "record/selection.py": "a moment so long ago, as records have theirs",
    "cli/persistent.py": "what is left, for people",
    "host/provision/classdata.py": "the age of a file",
    "host/schedulers/plain.py": "when a master began a job",
    "host/provision/download/attempts.py": "a server's date",
    "run/calibration/program.py": "a moment that hosts agree on",
    "host/programs/workers/weft_pyspark/watch.py": "when a process began, whose age the kernel gives",
}
"""Where the time of day is compared, with what."""


def test_durations_are_of_a_clock_that_nobody_sets() -> None:
    compared = re.compile(r"time\.time\(\) [-+<>]|[-<>]=? time\.time\(\)")
    found = {
        str(path.relative_to(SOURCE)) for path in SOURCE.rglob("*.py") if compared.search(path.read_text())
    }
    assert found == set(STEPPED)


def test_no_function_is_longer_than_60_lines() -> None:
    long = [
        f"{path.name}:{node.name} {node.end_lineno - node.lineno + 1}"
        for path in SOURCE.rglob("*.py")
        for node in source.nodes(path)
        if isinstance(node, ast.FunctionDef) and node.end_lineno and node.end_lineno - node.lineno >= 60
    ]
    assert long == []


def test_a_class_has_a_name_of_its_own() -> None:
    names = [
        node.name
        for path in SOURCE.rglob("*.py")
        for node in source.nodes(path)
        if isinstance(node, ast.ClassDef)
    ]
    assert {name: count for name, count in Counter(names).items() if count > 1} == {}


def test_no_file_is_named_after_nothing() -> None:
    assert [
        path for path in own("*.py") if path.stem in {"utils", "util", "helpers", "manager", "common", "misc"}
    ] == []


def test_few_hooks_have_arguments_that_their_implementations_leave() -> None:
    """More of them say that a base class has grown a hook for one adapter."""
    assert sum(path.read_text().count("noqa: ARG002") for path in SOURCE.rglob("*.py")) <= 40


def test_nothing_is_left_for_later() -> None:
    word = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")
    assert [
        str(path)
        for path in own("*.py", "*.rs", "*.java")
        if path != Path(__file__) and word.search(path.read_text())
    ] == []


def test_every_module_says_what_it_holds() -> None:
    modules = (path for path in SOURCE.rglob("*.py") if path.name != "__main__.py")
    assert [str(path) for path in modules if not ast.get_docstring(source.tree(path))] == []


@pytest.mark.parametrize("family", FAMILIES)
def test_the_folder_listing_is_the_support_matrix(family: str) -> None:
    modules = {kind.__module__.split(".")[3] for kind in FAMILIES[family].KINDS.values()}
    files = {path.stem for path in (SOURCE / "adapters" / family).iterdir() if path.name != "__pycache__"}
    assert files - (SHARED - modules) == modules


@pytest.mark.parametrize("family", FAMILIES)
def test_an_adapter_is_declared_by_its_own_kind(family: str) -> None:
    kinds = FAMILIES[family].KINDS
    own = {
        name: getattr(kind, "name", "") or get_args(kind.model_fields["kind"].annotation)
        for name, kind in kinds.items()
    }
    assert [name for name, words in own.items() if name not in words] == []
    assert {word for words in own.values() for word in ([words] if isinstance(words, str) else words)} == set(
        own
    )


@pytest.mark.parametrize("family", ["nodes", "storage", "engines", "probes", "services"])
def test_each_family_ships_a_null_adapter_of_at_most_30_lines(family: str) -> None:
    assert len((SOURCE / "adapters" / family / "null.py").read_text().splitlines()) <= 35


def variables() -> set[str]:
    """What settings.py reads from the environment."""
    return set(re.findall(r'"([A-Z]+_[A-Z_]+)"', (SOURCE / "host" / "settings.py").read_text()))


def test_settings_holds_every_variable_that_weft_reads() -> None:
    reading = re.compile(r"os\.environ(?:\.get\(|\[)|os\.getenv\(")
    others = [
        str(path.relative_to(SOURCE))
        for path in SOURCE.rglob("*.py")
        if PROGRAMS not in path.parts and reading.search(path.read_text())
    ]
    assert others == ["host/settings.py"]


def test_every_variable_is_in_the_guide() -> None:
    guide = (ROOT / "docs" / "guide" / "first-run.md").read_text()
    assert variables() >= {"WEFT_CACHE", "WEFT_RUNS", "WEFT_STATE", "WEFT_WORK"}
    assert [name for name in sorted(variables()) if f"`{name}`" not in guide] == []


@pytest.mark.parametrize(
    ("families", "document"),
    [(("nodes", "storage", "engines"), "README.md"), (("workloads",), "docs/guide/workloads.md")],
)
def test_every_adapter_is_in_a_document(families: Sequence[str], document: str) -> None:
    text = (ROOT / document).read_text()
    kinds = {kind for name in families for kind in FAMILIES[name].KINDS}
    assert [kind for kind in sorted(kinds - INTERNAL) if f"`{kind}`" not in text] == []


def test_the_readme_counts_the_workloads() -> None:
    named, others = re.findall(
        r"^\| workloads \| (.+) and \[(\d+) others\]", (ROOT / "README.md").read_text(), re.MULTILINE
    )[0]
    assert len(set(workloads.KINDS) - INTERNAL) == len(named.split(", ")) + int(others)


def test_the_map_and_the_folder_listing_agree() -> None:
    text = (ROOT / "docs" / "map.md").read_text()
    rows = re.findall(r"^\| `([\w.]+)/?` \|", text, flags=re.MULTILINE)
    hidden = {"__init__.py", "__main__.py", "__pycache__"}
    assert sorted(rows) == sorted(path.name for path in SOURCE.iterdir() if path.name not in hidden)


@pytest.mark.parametrize("path", sorted(own("*.md") + list(ROOT.glob("*.md"))), ids=lambda path: path.name)
def test_links_of_documents_lead_somewhere(path: Path) -> None:
    links = re.findall(r"\]\(([^)#]+)[^)]*\)", path.read_text())
    local = [link for link in links if not link.startswith("http")]
    assert [link for link in local if not (path.parent / link).exists()] == []
