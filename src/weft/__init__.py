"""weft runs data engines on HPC machines, shows where the time goes, and takes the shared file system out of the way."""

from importlib import import_module

__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    """Of a notebook, imported when they are used: data frames take longer than the command line."""
    if name in {"connect", "records", "samples"}:
        return getattr(import_module("weft.notebook"), name)
    raise AttributeError(f"module 'weft' has no attribute {name!r}")
