"""A home with the stand-in for PowerGraph's program, and a stand-in for mpiexec where no MPI is installed."""

import shutil
from pathlib import Path

from tests.fakes import fake_program

STANDIN = Path(__file__).with_name("powergraph_standin.py")
MPIEXEC = """[ "$1" = -n ] && [ "$3" = -hostfile ] && [ "$(wc -l < "$4")" = "$2" ] || { echo "bad arguments: $*"; exit 2; }
count=$2; shift 4; i=1; running=
while [ "$i" -lt "$count" ]; do PMI_RANK=$i PMI_SIZE=$count "$@" & running="$running $!"; i=$((i + 1)); done
PMI_RANK=0 PMI_SIZE=$count "$@" || exit 3
for one in $running; do wait "$one" || exit 4; done"""


def home(directory: Path) -> Path:
    """A directory as a build leaves it."""
    folder = directory / "release" / "toolkits" / "graph_analytics"
    folder.mkdir(parents=True)
    shutil.copy(STANDIN, folder / "pagerank")
    return directory


def mpiexec(directory: Path) -> Path:
    """A program that starts so many processes on this machine and gives each its number, as MPICH does."""
    return fake_program(directory, "mpiexec", MPIEXEC)
