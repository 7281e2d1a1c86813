"""Runs one of weft's jobs on an engine's cluster: python -m weft_tasks weft_ENGINE NAME --OPTION VALUE ... --outcome FILE."""

import sys

from weft_tasks.program import main

if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
