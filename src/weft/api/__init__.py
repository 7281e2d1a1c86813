"""What weft does, as functions: the command line and a notebook call the same.

Each is imported when it is used: data frames take longer to import than the command line may take.
"""

from importlib import import_module

FUNCTIONS = {
    "run": "runs",
    "submit": "runs",
    "up": "runs",
    "explain": "results",
    "compare": "results",
    "predict": "predictions",
    "advise": "advice",
    "connect": "notebook",
    "records": "notebook",
    "samples": "notebook",
}
"""By function: its module."""


def __getattr__(name: str) -> object:
    if name in FUNCTIONS:
        return getattr(import_module(f"weft.api.{FUNCTIONS[name]}"), name)
    raise AttributeError(f"module 'weft.api' has no attribute {name!r}")
