"""Python runs this when it starts, since PYTHONPATH has this folder: it has PySpark's workers watched, and leaves all other programs alone.

A module of the same name that it hides is run as well.
"""

import importlib
import importlib.util
import os
import sys
from importlib.machinery import PathFinder


def _hidden() -> None:
    here = os.path.dirname(os.path.abspath(__file__))
    others = [path for path in sys.path if os.path.abspath(path) != here]
    spec = PathFinder.find_spec("sitecustomize", others)
    if spec is not None and spec.loader is not None:
        module = importlib.util.module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)


def _watched() -> None:
    words = sys.orig_argv
    # a job of a persistent cluster has the same variable on every node
    lines = os.environ.get("WEFT_PYTHON_DIR", "").replace("@NODE@", os.environ.get("WEFT_NODE", ""))
    wanted = lines or None, os.environ.get("WEFT_PYTHON_STACKS")
    module = words[words.index("-m") + 1] if "-m" in words[:-1] else ""
    if any(wanted) and module in {"pyspark.daemon", "pyspark.worker"}:
        watching = importlib.import_module("weft_pyspark.watch")
        watching.watch(*wanted, forks=module == "pyspark.daemon")


_hidden()
try:
    _watched()
except Exception as error:  # noqa: BLE001 - whatever fails here, the job runs
    print(f"weft: what this Python worker does is not seen: {error!r}", file=sys.stderr)
