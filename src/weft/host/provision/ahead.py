"""Downloads an engine and builds weft's jars for it while weft's other packages are installed: python -m weft.host.provision.ahead ENGINE BEGAN.

BEGAN is when the set-up did, of Python's monotonic clock. It ends with its standard input, which who started it holds open.
"""

import os
import signal
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from weft.errors import Stopped, WeftError
from weft.host import signals
from weft.host.provision import distribution, jars


def main() -> int:
    """1 if that failed; weft tries again, and says why."""
    signals.watch()
    threading.Thread(target=_end, daemon=True).start()
    engine, began = sys.argv[1], float(sys.argv[2])
    say = partial(_say, began)
    engines = {engine: distribution.DISTRIBUTIONS[engine]} if engine in distribution.DISTRIBUTIONS else {}
    try:
        of_core = jars.needs(())
        others = {name: each for name, each in jars.needs(engines).items() if name not in of_core}
        with ThreadPoolExecutor(1) as pool:
            core = pool.submit(jars.build, (), (), say)  # it does not wait for the engine
            distribution.provided({**others, **engines}, say)
            core.result()
        if jars.needs(engines):
            jars.build(engines, (), say)
    except Stopped as stopped:
        return stopped.exit_code
    except (WeftError, OSError) as error:
        say(f"not yet: {error}")
        return 1
    return 0


def _end() -> None:
    os.read(0, 1)
    os.kill(os.getpid(), signal.SIGTERM)


def _say(began: float, text: str) -> None:
    print(f"{time.monotonic() - began:6.1f} s  {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
