import os
import signal


def _end(number: int, frame: object) -> None:  # noqa: ARG001 - the signature of a handler
    os.write(2, b"stopped\n")
    os._exit(128 + number)


# until weft is loaded, nothing exists that would have to be cleaned up
signal.signal(signal.SIGINT, _end)
signal.signal(signal.SIGTERM, _end)

from weft.cli import main  # noqa: E402

main()
