"""How a program answers a request: with a line of JSON, or with the reason why it cannot."""

import json
import sys
from collections.abc import Callable


def give(answer: "Callable[..., object]", request: "dict") -> None:  # type: ignore[type-arg]
    """Print what a function returns for a request; an error of the system ends the program with its reason."""
    try:
        print(json.dumps(answer(**request)))
    except OSError as error:
        sys.exit(reason(error))


def reason(error: OSError) -> str:
    """What failed, and why."""
    return f"{error.filename or 'this host'}: {error.strerror or error}"
