"""weft runs data engines on HPC machines, shows where the time goes, and takes the shared file system out of the way."""

from importlib import import_module

__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    """`weft.run`, `weft.connect`, ...: the functions of `weft.api`."""
    if not name.startswith("_") and hasattr(api := import_module("weft.api"), name):
        return getattr(api, name)
    raise AttributeError(f"module 'weft' has no attribute {name!r}")
