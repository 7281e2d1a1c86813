import gc
import os
import signal
import sys


def _end(number: int, frame: object) -> None:  # noqa: ARG001 - the signature of a handler
    os.write(2, b"stopped\n")
    os._exit(128 + number)


# until weft is loaded, nothing exists that would have to be cleaned up
signal.signal(signal.SIGINT, _end)
signal.signal(signal.SIGTERM, _end)

# all that a command makes while it is loaded stays: Python looks for garbage from then on (verbs.load), and not after every 700 objects
gc.disable()
gc.set_threshold(50_000)

# where PYTHONDONTWRITEBYTECODE is set, as in many images, each command of a checkout would compile hundreds of modules again
sys.dont_write_bytecode = False

from weft.host import commandline  # noqa: E402

commandline.cover()

from weft.host.provision import environment  # noqa: E402

# a truncated library would kill the interpreter without a message
environment.require_whole(libraries=True)
try:
    from weft.cli import main
except Exception:
    environment.require_whole()
    raise

main()
