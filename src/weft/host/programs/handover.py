"""Gives a program to an application that waits for one, copies what it logs until it ends, and ends with its exit code."""

import os
import socket
import sys
from typing import BinaryIO

_PAUSE = 0.05
"""Seconds between copies of the log."""
_GONE = 1
"""The exit code of an application that ended without one."""


def main(path: str, log: str, *words: str) -> int:
    """`path`: of its socket; `log`: its log, of which what comes from now on is copied; `words`: the message (Ready.java)."""
    with open(log, "rb") as text, socket.socket(socket.AF_UNIX) as application:
        text.seek(0, os.SEEK_END)
        try:
            # an address of a socket has 107 bytes at most (unix(7)), and a path may have more
            os.chdir(os.path.dirname(path))
            application.connect(os.path.basename(path))
        except OSError as error:
            sys.exit(f"the application that was ready is not there any more: {error.strerror}")
        application.sendall(_message(words))
        application.settimeout(_PAUSE)
        while True:
            try:
                answer = application.recv(1)
                break
            except TimeoutError:
                _copy(text)
            except OSError:  # it was killed
                answer = b""
                break
        _copy(text)
    if not answer:
        print("the application that was ready ended without an exit code", file=sys.stderr)
    return answer[0] if answer else _GONE


def _message(words: "tuple[str, ...]") -> bytes:
    parts = [os.fsencode(word) for word in words]
    return len(parts).to_bytes(4, "big") + b"".join(len(part).to_bytes(4, "big") + part for part in parts)


def _copy(text: BinaryIO) -> None:
    sys.stderr.buffer.write(text.read())
    sys.stderr.buffer.flush()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
