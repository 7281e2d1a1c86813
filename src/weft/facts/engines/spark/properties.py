"""Spark's properties, as its driver logged them: without passwords."""

import re
from collections.abc import Mapping
from itertools import islice

from weft.facts import loglines
from weft.text.entry import Entry, decode
from weft.text.redaction import redacted

_EVENT = "SparkListenerEnvironmentUpdate"
_FIRST = 10_000
"""Lines of a file of which one has the properties, if any: Spark logs them before its first job."""
_CHANGING = re.compile(
    r"\.(id|startTime|port|host|submitTime|dir|name|initial\.jar\.urls|initial\.file\.urls)$|^spark\.app\.|^spark\.repl\."
)
"""Settings that differ from run to run."""
_OPENED = re.compile(
    r"--add-\S+\s*|-XX:\+IgnoreUnrecognizedVMOptions\s*|-D(jdk\.reflect|java\.net|io\.netty)\.\S+\s*"
)
"""Java options that Spark adds to those of the user."""


def chosen(folder: Entry) -> Mapping[str, str]:
    """What a user may have chosen, so that a comparison shows how two jobs differ."""
    found = {key: value for key, value in _logged(folder).items() if not _CHANGING.search(key)}
    for key in [key for key in found if key.endswith("extraJavaOptions")]:
        found[key] = _OPENED.sub("", found[key]).strip()
    return {key: value for key, value in found.items() if value}


def _logged(folder: Entry) -> dict[str, str]:
    for path in folder.files():
        for text in islice(loglines.read(path), _FIRST):
            if _EVENT in text[:200]:
                try:
                    found = decode(text)["Spark Properties"].items()
                except loglines.DAMAGED:
                    return {}
                return dict(redacted({str(key): str(value) for key, value in sorted(found)}))
    return {}
