#!/usr/bin/env python3
"""A stand-in for PowerGraph's program `pagerank`: reads the same options and files, and writes and prints the same.

It is not PowerGraph: one thread of Python computes all ranks in each process, and each process saves its share of them. The option
--fault makes it do something wrong: `lose` leaves out a vertex, `early` ends a round early, `file` saves one file less.
"""

import argparse
import os
import re
import sys
from pathlib import Path

FILES = 4
"""Files that each process saves: PowerGraph's default."""
FORMATS = ("adj", "tsv", "snap")


def main() -> int:
    parser = argparse.ArgumentParser(allow_abbrev=False)
    for name in ("graph", "format", "engine", "saveprefix"):
        parser.add_argument(f"--{name}", required=True)
    for name in ("iterations", "ncpus"):
        parser.add_argument(f"--{name}", type=int, required=True)
    parser.add_argument("--fault", choices=["lose", "early", "file"])
    given = parser.parse_args()
    fault = given.fault
    rank, size = place()
    edges = loaded(given.graph, given.format)
    vertices = sorted({vertex for edge in edges for vertex in edge})
    if rank == 0:
        print(f"--iterations set. Forcing Synchronous engine, and running for {given.iterations} iterations.")
        print(f"Loading graph in format: {given.format}")
        print(f"#vertices: {len(vertices)} #edges:{len(edges)}", flush=True)
    ranks = computed(vertices, edges, given.iterations - (fault == "early"))
    if rank == 0:
        print("Finished Running engine in 0.25 seconds.", flush=True)
    own = [vertex for vertex in vertices[fault == "lose" :] if vertex % size == rank]
    for i in range(FILES - (fault == "file")):
        path = Path(f"{given.saveprefix}_{1 + i + rank * FILES}_of_{size * FILES}")
        # a stream of C++ writes six digits
        path.write_text("".join(f"{vertex}\t{ranks[vertex]:.6g}\n" for vertex in own[i::FILES]))
    return 0


def place() -> tuple[int, int]:
    """This process's number and the number of processes, as MPICH and Open MPI pass them."""
    pairs = (("PMI_RANK", "PMI_SIZE"), ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"))
    known = [(os.environ[one], os.environ[other]) for one, other in pairs if one in os.environ]
    return (int(known[0][0]), int(known[0][1])) if known else (0, 1)


def loaded(prefix: str, form: str) -> list[tuple[int, int]]:
    """The edges of all files whose path begins like this; those from a vertex to itself are left out."""
    if form not in FORMATS:
        print(f'Unrecognized Format "{form}"!')
        return []
    found = []
    for path in sorted(Path(prefix).parent.glob(f"{Path(prefix).name}*")):
        for line in path.read_text().splitlines():
            if form == "adj" and not re.fullmatch(r"(\d+ )+", line):
                sys.exit(f"Adj format error on line: {line}")
            source, *targets = map(int, line.split())
            if form == "adj":
                assert targets[0] == len(targets) - 1
                targets = targets[1:]
            found += [(source, target) for target in targets if source != target]
    return found


def computed(vertices: list[int], edges: list[tuple[int, int]], rounds: int) -> dict[int, float]:
    ranks, degrees = dict.fromkeys(vertices, 1.0), dict.fromkeys(vertices, 0)
    for source, _ in edges:
        degrees[source] += 1
    for _ in range(rounds):
        came = dict.fromkeys(vertices, 0.0)
        for source, target in edges:
            came[target] += ranks[source] / degrees[source]
        ranks = {vertex: 0.85 * came[vertex] + 0.15 for vertex in vertices}
    return ranks


if __name__ == "__main__":
    sys.exit(main())
