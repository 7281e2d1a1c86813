"""A program for the head node: writes a graph as PowerGraph reads it, starts PowerGraph, and writes its ranks as weft reads them.

PowerGraph's ranks begin with 1 and are not divided by the number of vertices, it knows only vertices with edges, and it prints six digits.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

LOADED = re.compile(r"#vertices: (\d+)\s+#edges: ?(\d+)")
FINISHED = re.compile(r"Finished Running engine in ([-+.\de]+) seconds")
RANKS = re.compile(r"ranks_(\d+)_of_(\d+)")
PARTS = re.compile(r"part-\d+")


class TranslationError(Exception):
    """Why there is no result, in one sentence."""


def main(arguments: Sequence[str]) -> int:
    given = parsed(arguments)
    outcome = Path(given.outcome)
    work = Path(given.output) / "_powergraph"
    try:
        found = {"valid": True, **translated(given, work)}
    except (TranslationError, OSError) as problem:
        found = {"valid": False, "reason": str(problem)}
    finally:
        shutil.rmtree(work, ignore_errors=True)  # noqa: TID251 - runs where weft is not
    outcome.write_text(json.dumps(found), encoding="utf-8")
    return 0 if found["valid"] else 1


def parsed(arguments: Sequence[str]) -> argparse.Namespace:
    """Options of the engine, the name of the job, and the job's own options, those included that have no use here."""
    parser = argparse.ArgumentParser(allow_abbrev=False)
    for name in ("mpi", "hosts", "format", "input", "output", "outcome"):
        parser.add_argument(f"--{name}", required=True)
    for name in ("processes", "threads", "vertices", "rounds"):
        parser.add_argument(f"--{name}", type=int, required=True)
    parser.add_argument("--program", action="append", required=True, help="the first that exists")
    for name in ("mpi-option", "program-option"):
        parser.add_argument(f"--{name}", action="append", default=[])
    parser.add_argument("--damping", type=float, required=True)
    parser.add_argument("job", choices=["PageRank"])
    return parser.parse_known_args(arguments)[0]


def translated(given: argparse.Namespace, work: Path) -> dict[str, Any]:
    """The outcome of the job. Raises TranslationError."""
    begun = time.monotonic()
    work.mkdir(parents=True)
    known = bytearray(given.vertices)
    edges, read = write_graph(Path(given.input), work, given.format, known)
    converted = time.monotonic() - begun
    took, engine = run(given, work, known.count(1), edges)
    written = write_ranks(given, work, known)
    return {
        "method": "own",
        "seconds": took,
        "phases": {"convert": converted, "program": took, "map": time.monotonic() - begun - converted - took},
        "engine_seconds": engine,
        "bytes_in": read,
        "bytes_out": written,
    }


def write_graph(source: Path, work: Path, form: str, known: bytearray) -> tuple[int, int]:
    """Write weft's lines of edges as the program's, and mark the vertices that have edges.

    Returns the number of edges and the bytes that were read. The edges of a vertex follow each other in one file.
    """
    edges = read = 0
    paths = sorted(path for path in source.iterdir() if PARTS.fullmatch(path.name))
    if not paths:
        raise TranslationError(f"The input {source} has no part files.")
    for number, path in enumerate(paths):
        read += path.stat().st_size
        with (work / f"graph-{number:05}").open("w", encoding="utf-8") as out:
            for vertex, targets in neighbours(path):
                merged = sorted(set(targets))
                if vertex in merged:
                    raise TranslationError(
                        f"Vertex {vertex} has an edge to itself, which PowerGraph leaves out."
                    )
                for end in (vertex, *merged):
                    if not 0 <= end < len(known):
                        raise TranslationError(f"{path} has the vertex {end}, and there are {len(known)}.")
                    known[end] = 1
                edges += len(merged)
                out.write(LINES[form](vertex, merged))
    return edges, read


def neighbours(path: Path) -> Iterator[tuple[int, list[int]]]:
    """Each vertex of a file with the targets of its edges."""
    vertex, targets = -1, list[int]()
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            source, target = edge_of(line, path)
            if source != vertex:
                if targets:
                    yield vertex, targets
                vertex, targets = source, []
            targets.append(target)
    if targets:
        yield vertex, targets


def edge_of(line: str, path: Path) -> tuple[int, int]:
    source, _, target = line.partition("\t")
    try:
        return int(source), int(target)
    except ValueError as error:
        raise TranslationError(f"{path} has a line that is no edge: {line.strip()}") from error


def _edges(vertex: int, targets: Sequence[int]) -> str:
    return "".join(f"{vertex}\t{target}\n" for target in targets)


def _adjacency(vertex: int, targets: Sequence[int]) -> str:
    # PowerGraph's parser takes a number at the very end of a line for an error
    return " ".join(map(str, (vertex, len(targets), *targets))) + " \n"


LINES: dict[str, Callable[[int, Sequence[int]], str]] = {"tsv": _edges, "snap": _edges, "adj": _adjacency}
"""By format: the lines of a vertex."""


def run(given: argparse.Namespace, work: Path, vertices: int, edges: int) -> tuple[float, float]:
    """Start the program; returns the seconds until it ended, and those that it reports of its engine."""
    program = next((path for path in given.program if Path(path).is_file()), given.program[0])
    argv = [
        *(given.mpi, "-n", str(given.processes), "-hostfile", given.hosts, *given.mpi_option),
        *(program, "--graph", str(work / "graph-"), "--format", given.format),
        *("--iterations", str(given.rounds), "--engine", "synchronous", "--ncpus", str(given.threads)),
        *("--saveprefix", str(work / "ranks"), *given.program_option),
    ]
    print(*argv, flush=True)
    begun, lines = time.monotonic(), []
    try:
        process = subprocess.Popen(
            argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
        )
    except OSError as error:
        raise TranslationError(
            f"{given.mpi} could not be started on {os.uname().nodename}: {error.strerror}."
        ) from error
    with process:
        assert process.stdout is not None
        for line in process.stdout:
            sys.stdout.write(line)
            sys.stdout.flush()
            lines.append(line)
    took, text = time.monotonic() - begun, "".join(lines)
    if process.returncode:
        last = next((line.strip() for line in reversed(lines) if line.strip()), "it printed nothing")
        raise TranslationError(f"{given.mpi} ended with exit code {process.returncode}: {last}")
    loaded, finished = LOADED.search(text), FINISHED.search(text)
    if "Unrecognized Format" in text:
        raise TranslationError(f"This PowerGraph does not read the graph format {given.format}.")
    if loaded is None or finished is None:
        raise TranslationError(
            "The program ended without reporting the size of its graph and the time of its engine."
        )
    if (int(loaded[1]), int(loaded[2])) != (vertices, edges):
        raise TranslationError(
            f"The program loaded {loaded[1]} vertices and {loaded[2]} edges, not {vertices} and {edges}."
        )
    return took, float(finished[1])


def write_ranks(given: argparse.Namespace, work: Path, known: bytearray) -> int:
    """Write the program's ranks divided by the number of vertices, and those of vertices without edges; returns the bytes."""
    saved = {
        int(match[1]): (path, int(match[2]))
        for path in work.iterdir()
        if (match := RANKS.fullmatch(path.name))
    }
    count = len(saved)
    if not saved or sorted(saved) != list(range(1, count + 1)) or {of for _, of in saved.values()} != {count}:
        raise TranslationError(
            f"The program saved {count} files of ranks, and not each of the number in their names."
        )
    target, written = Path(given.output), 0
    for number in sorted(saved):
        written += write_part(target, number - 1, ranks_of(saved[number][0], given.vertices))
    alone = (1 - given.damping) / given.vertices
    return written + write_part(target, count, ((at, alone) for at, has in enumerate(known) if not has))


def ranks_of(path: Path, vertices: int) -> Iterator[tuple[int, float]]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            try:
                vertex, rank = line.split()
                yield int(vertex), float(rank) / vertices
            except ValueError as error:
                raise TranslationError(
                    f"The program saved a line that is no vertex and rank: {line.strip()}"
                ) from error


def write_part(target: Path, number: int, ranks: Iterator[tuple[int, float]]) -> int:
    path = target / f"part-{number:05}"
    with path.open("w", encoding="utf-8") as out:
        out.writelines(f"{vertex}\t{rank!r}\n" for vertex, rank in ranks)
    return path.stat().st_size


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
