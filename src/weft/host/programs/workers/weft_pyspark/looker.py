"""What a Python worker of Spark is doing, by the stack of its main thread: the job's code, the exchange with the JVM, imports.

It runs in the Python of the job, which has no weft.
"""

import os
import re
import sys
from types import FrameType

IMPORTS, INIT, EXCHANGE, USER = "imports", "init", "exchange", "user"
"""Loading modules; reading what to do; (de)serialising rows; the job's functions with the libraries that they call."""

_LOADS = "<frozen importlib._bootstrap>"
_STREAMS = frozenset({"dump_stream", "load_stream"})
"""PySpark's functions around all work on rows; what it does outside of them is reading what to do."""
_OF_EXCHANGE = re.compile(
    r"(daemon|worker|worker_\w+|serializers|accumulators|taskcontext|(core/)?broadcast)\.py$"
    r"|(messages|cloudpickle|sql/streaming)/|sql/(conversion|types)\.py$|sql/pandas/(serializers|types|utils)\.py$"
)
"""Files of PySpark, below its own folder, that take rows from the JVM and give them back."""
_WRAPPER = "util.py"
"""Wraps each function of the job: whatever it calls is the job's."""
_CARRIERS = re.compile(r"/(site|dist)-packages/(numpy|pandas|pyarrow|dateutil|pytz|py4j)/")
"""Libraries that the exchange calls as well: they count for their caller."""


_HERE = os.path.dirname(os.path.abspath(__file__)) + "/"


class Looker:
    """Knows the folders of this Python, and remembers what each file is."""

    def __init__(self) -> None:
        self.standard = os.path.dirname(os.__file__) + "/"
        self.known: "dict[str, str]" = {}

    def activity(self, frame: "FrameType | None") -> str:
        """The activity of a stack, from its leaf: the first frame that says it, and loading of modules around it."""
        found, called, rows = "", False, False
        while frame is not None:
            code = frame.f_code
            name = code.co_filename
            kind = self.known.get(name) or self._learn(name)
            if kind == IMPORTS:
                return IMPORTS
            rows = rows or (kind == EXCHANGE and code.co_name in _STREAMS)
            if not found:
                if kind == _WRAPPER:
                    found = USER if called else EXCHANGE
                elif kind != "library":
                    found = kind
                called = True
            frame = frame.f_back
        return found if rows or found == USER else INIT

    def _learn(self, name: str) -> str:
        self.known[name] = kind = self._kind(name)
        return kind

    def _kind(self, name: str) -> str:
        if name == _LOADS:
            return IMPORTS
        package = getattr(sys.modules.get("pyspark"), "__file__", None) or "/pyspark/__init__.py"
        if name.startswith(package[: -len("__init__.py")]):
            within = name[len(package) - len("__init__.py") :]
            if within == _WRAPPER:
                return _WRAPPER
            return EXCHANGE if _OF_EXCHANGE.match(within) else USER
        if _CARRIERS.search(name):
            return "library"
        own = name.startswith(("<frozen ", self.standard, _HERE)) and "-packages/" not in name
        return "library" if own else USER


def names(frame: "FrameType | None") -> "tuple[str, ...]":
    """The stack as names, root first: file without its folder, and function."""
    found = []
    while frame is not None:
        code = frame.f_code
        found.append(f"{os.path.basename(code.co_filename)}:{code.co_name}".replace(";", ","))
        frame = frame.f_back
    return tuple(reversed(found))
