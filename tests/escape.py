"""A program that sheds everything by which its process could be found: parent, session, standard streams, environment."""

import os
import sys
from pathlib import Path


def main(path: str, directory: str = "/") -> None:
    """Write the PID of a process that sleeps for ten minutes in a directory to a file, and end before it."""
    if os.fork():
        os.wait()
        return
    os.setsid()
    if pid := os.fork():
        with Path(path).open("w") as file:
            file.write(str(pid))
        os._exit(0)
    os.chdir(directory)
    for stream in range(3):
        os.dup2(os.open(os.devnull, os.O_RDWR), stream)
    os.execve("/bin/sleep", ["sleep", "600"], {})


if __name__ == "__main__":
    main(*sys.argv[1:])
