"""PowerGraph's adapter with stand-ins for its program and for mpiexec: files, arguments, ranks, and where it is refused."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.fakes import RECORD, fake_layout, fake_nodes
from tests.powergraph import home, mpiexec
from weft.adapters.engines.powergraph import translation
from weft.adapters.engines.powergraph.engine import PowerGraphEngine
from weft.errors import MissingError, UsageError
from weft.layout.job import Job
from weft.spec.parse import parse

VERTICES = 12
EDGES = [(0, 1), (0, 2), (0, 1), (1, 2), (2, 0), (3, 2), (5, 0), (5, 3), (9, 5)]
"""One is there twice; 4, 6 and others have none, 1 edge leads to a vertex without out-edges."""
RIGHT = {"dangling": "leak", "edges": "merge", "self_edges": "drop", "bound": 1e-5}
JOB = Job("job", "PageRank", ["--input", "x"], RECORD / "outcomes" / "run.json")


def reference(rounds: int) -> list[float]:
    edges = sorted(set(EDGES))
    ranks = [1 / VERTICES] * VERTICES
    for _ in range(rounds):
        came = [0.0] * VERTICES
        for source, target in edges:
            came[target] += ranks[source] / sum(one == source for one, _ in edges)
        ranks = [0.15 / VERTICES + 0.85 * each for each in came]
    return ranks


@pytest.fixture
def graph(tmp_path: Path) -> Path:
    (tmp_path / "in").mkdir()
    for part, edges in enumerate((EDGES[:5], EDGES[5:])):
        lines = "".join(f"{source}\t{target}\n" for source, target in edges)
        (tmp_path / "in" / f"part-0000{part}").write_text(lines)
    (tmp_path / "hosts").write_text("localhost\n" * 2)
    home(tmp_path / "home")
    mpiexec(tmp_path)
    return tmp_path


def translated(graph: Path, form: str = "tsv", mpi: str = "", program: str = "", fault: str = "") -> Any:
    own = graph / "home/release/toolkits/graph_analytics/pagerank"
    arguments = {
        "program": program or own,
        "mpi": mpi or graph / "mpiexec",
        "hosts": graph / "hosts",
        "processes": 2,
        "threads": 1,
        "format": form,
    }
    job = {"vertices": VERTICES, "rounds": 4, "damping": 0.85, "dangling": "leak", "edges": "merge"}
    job |= {"input": graph / "in", "method": "own", "output": graph / "out", "partitions": 4, "executors": 2}
    words = [word for key, value in arguments.items() for word in (f"--{key}", str(value))]
    words += [f"--program-option=--fault={fault}"] if fault else []
    words += ["PageRank", *(word for key, value in job.items() for word in (f"--{key}", str(value)))]
    code = translation.main([*words, "--outcome", str(graph / "outcome")])
    outcome = json.loads((graph / "outcome").read_text())
    assert (code == 0) == outcome["valid"]
    assert not (graph / "out" / "_powergraph").exists()
    return outcome


@pytest.mark.parametrize("form", ["tsv", "snap", "adj"])
def test_ranks_are_those_of_wefts_definition(graph: Path, form: str) -> None:
    outcome = translated(graph, form)
    assert outcome["valid"], outcome
    assert outcome["engine_seconds"] == 0.25
    parts = sorted((graph / "out").iterdir())
    assert [path.name for path in parts] == [f"part-{number:05}" for number in range(9)]
    lines = [line.split("\t") for path in parts for line in path.read_text().splitlines()]
    found = {int(vertex): float(rank) for vertex, rank in lines}
    assert len(lines) == len(found) == VERTICES
    assert sum(abs(found[at] - rank) for at, rank in enumerate(reference(4))) < 1e-5
    assert outcome["bytes_out"] == sum(path.stat().st_size for path in parts)


def test_a_lost_vertex_is_missing_in_the_result_and_a_lost_file_is_named(graph: Path) -> None:
    assert translated(graph, fault="lose")["valid"]
    lines = [line for path in (graph / "out").iterdir() for line in path.read_text().splitlines()]
    assert len(lines) == VERTICES - 1
    assert "saved 6 files of ranks" in translated(graph, fault="file")["reason"]


def test_what_goes_wrong_is_one_sentence(graph: Path, tmp_path: Path) -> None:
    assert "could not be started" in translated(graph, mpi="/nowhere/mpiexec")["reason"]
    assert "ended with exit code" in translated(graph, program="/nowhere/pagerank")["reason"]
    silent = tmp_path / "silent"
    silent.write_text("#!/bin/sh\n")
    silent.chmod(0o755)
    assert "ended without reporting" in translated(graph, program=str(silent))["reason"]
    silent.write_text('#!/bin/sh\necho "#vertices: 3 #edges:4"\necho Finished Running engine in 1 seconds.\n')
    assert "loaded 3 vertices and 4 edges, not 6 and 8" in translated(graph, program=str(silent))["reason"]
    silent.write_text("#!/bin/sh\necho 'Unrecognized Format \"tsv\"!'\n")
    assert "does not read the graph format tsv" in translated(graph, program=str(silent))["reason"]
    (graph / "in" / "part-00001").write_text("4\t4\n")
    assert "Vertex 4 has an edge to itself" in translated(graph)["reason"]
    (graph / "in" / "part-00001").write_text("4 1\n")
    assert "has a line that is no edge: 4 1" in translated(graph)["reason"]
    (graph / "in" / "part-00001").write_text("4\t12\n")
    assert "has the vertex 12, and there are 12" in translated(graph)["reason"]


def test_the_hosts_file_has_a_line_for_each_process() -> None:
    layout = fake_layout(fake_nodes(3, cores=4))
    engine = PowerGraphEngine(home=Path("/opt/powergraph"), graph_format="adj", mpi_options="-launcher,ssh")
    plan, command = engine.plan(layout), engine.submit(JOB, layout)
    assert plan.daemons == ()
    hosts = next(text for path, text in plan.files.items() if path.name == "powergraph.hosts")
    assert hosts == "localhost\n" * 3
    given = translation.parsed(
        [
            *command.argv[5:-2],
            *words("output", "outcome", "vertices", "rounds", "damping"),
            *command.argv[-2:],
        ]
    )
    assert (given.processes, given.threads, given.format) == (3, 4, "adj")
    assert given.mpi_option == ["-launcher", "ssh"]
    assert given.job == "PageRank"


def words(*names: str) -> list[str]:
    return [word for name in names for word in (f"--{name}", "1")]


def refused(match: str, engine: dict[str, Any] | None = None, **keys: Any) -> str:
    """The hint of a refusal."""
    spec: dict[str, Any] = {"nodes": "local:2", "security": "none"}
    spec |= {key: keys.pop(key) for key in ("nodes", "security") if key in keys}
    with pytest.raises(UsageError, match=match) as caught:
        parse({
            "workload": {"kind": "pagerank", **RIGHT, **keys},
            "engine": {"kind": "powergraph", "home": "/opt/powergraph", **(engine or {})},
            **spec,
        })  # fmt: skip
    return caught.value.hint


def test_what_its_program_has_built_in_is_required() -> None:
    hint = refused("has dangling=leak built in, not spread", dangling="spread", edges="keep")
    assert hint == "add --set workload.dangling=leak --set workload.edges=merge"
    refused("damping=0.85 built in, not 0.5", damping=0.5)
    refused("self_edges=drop built in", self_edges="keep")
    refused("until ranks change little", rounds=0)
    assert "bound=1e-05" in refused("six digits", bound=1e-9)
    refused("graph_format: it must be 'tsv', 'snap' or 'adj', not 'csv'", {"graph_format": "csv"})


def test_it_is_refused_unless_security_is_none() -> None:
    assert "security=none" in refused("listens on all addresses", security="full")
    refused("run programs with your rights", nodes="slurm:2")


def test_a_missing_home_a_missing_program_and_a_missing_mpi_are_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="that you have built") as caught:
        PowerGraphEngine().plan(fake_layout())
    assert "engine.home" in caught.value.hint
    with pytest.raises(UsageError, match="has no program for PageRank"):
        PowerGraphEngine().recognize(tmp_path)
    built = home(tmp_path / "built")
    with pytest.raises(MissingError, match="no-mpiexec") as missing:
        PowerGraphEngine(mpi="no-mpiexec").recognize(built)
    assert "engine.mpi" in missing.value.hint
    PowerGraphEngine(mpi=str(mpiexec(tmp_path))).recognize(built)
    (built / "release/toolkits/graph_analytics/pagerank").chmod(0o644)
    if os.geteuid():
        with pytest.raises(UsageError, match="cannot be executed"):
            PowerGraphEngine(mpi=str(tmp_path / "mpiexec")).recognize(built)


def test_nodes_that_mpiexec_cannot_reach_are_refused() -> None:
    nodes = [*fake_nodes(1), *fake_nodes(2)[1:]]
    inside = [type(node)(**{**vars(node), "prefix": ("nsenter",)}) for node in nodes]
    with pytest.raises(UsageError, match="mpiexec starts processes on other hosts"):
        PowerGraphEngine(home=Path("/opt/powergraph")).plan(fake_layout(inside))
