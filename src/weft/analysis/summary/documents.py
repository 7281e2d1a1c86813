"""The text files of a record: configuration and logs."""

from contextlib import suppress
from typing import Any

from weft.analysis.summary.summary import Document, LogFile
from weft.errors import FailureEvidence
from weft.facts import loglines
from weft.record.migrations import role
from weft.record.record import Stored
from weft.text.entry import Entry

_MOST_TEXT = 200_000
"""Maximum bytes of one file in a page."""
_LINES = 25
"""Last lines of a log that are shown for a failed run."""
_READ = 16_384
"""Bytes of a log's end that are read for them."""
_BEFORE, _AFTER, _WIDEST = 6, 3, 400
"""Lines around the evidence that are shown, and characters of each."""
_PROGRAMS = ("driver.log", "client.log")
"""Logs of the program that was submitted."""
_NAMED = 5
"""Files that are not read, by name."""
_TAILS = 12
"""Number of logs whose ends are shown: most of a failure is in the newest."""


def documents(folder: Entry) -> tuple[Document, ...]:
    """The request, the resolved configuration, every generated file and every command."""
    plan = [path for path in (folder / "plan").files() if not path.name.startswith(".")]
    paths = [folder / "spec.toml", folder / "resolved.json", *plan, *(folder / "outcomes").files("*.json")]
    return tuple(Document(title=str(path), text=_text(path)) for path in paths if path.exists())


def _text(path: Entry) -> str:
    data = path.part(_MOST_TEXT + 1)
    text = data[:_MOST_TEXT].decode(errors="replace")
    return text if len(data) <= _MOST_TEXT else f"{text}\n... the rest is in the record"


def irregular(folder: Entry) -> list[str]:
    """A sentence on the links, pipes and devices of a record, if it has any."""
    found = [str(path) for path in folder.irregular()]
    if not found:
        return []
    more = f" and {len(found) - _NAMED} more" if len(found) > _NAMED else ""
    return [f"links, pipes and devices of a record are not read: {', '.join(found[:_NAMED])}{more}"]


def logs(folder: Entry, evidence: FailureEvidence | None, *, tails: bool) -> tuple[LogFile, ...]:
    """Every log with its size, and with `tails` the ends of the newest ones and of the one to begin with."""
    base = folder / "logs"
    texts = {
        path: path.about()
        for path in base.files()
        if path.suffix in {".log", ".err", ".out"} or path.name in {"stdout", "stderr"}
    }
    newest = sorted((p for p in texts if texts[p].st_size), key=lambda p: texts[p].st_mtime)[-_TAILS:]
    named = [path for path in texts if evidence and str(path) == evidence.file]
    own = [path for path in texts if path.name in _PROGRAMS and texts[path].st_size]
    first = next(iter([*named, *own[-1:], *newest[-1:]]), None)
    return tuple(
        LogFile(
            path=str(path),
            size=about.st_size,
            tail=_end(path) if tails and (path in newest or path is first) else (),
            first=path is first,
        )
        for path, about in texts.items()
    )


def around(folder: Entry, evidence: FailureEvidence) -> tuple[str, ...]:
    """The lines around that of the evidence, each with its number; none if it is not in a log of the record."""
    if not evidence.line:
        return ()
    wanted = range(max(1, evidence.line - _BEFORE), evidence.line + _AFTER + 1)
    found = []
    with suppress(OSError):
        for number, line in enumerate(loglines.read(folder / evidence.file), 1):
            if number in wanted:
                mark = ">" if number == evidence.line else " "
                found.append(f"{mark} {number:>6}  {line[:_WIDEST]}")
            elif number >= wanted.stop:
                break
    return tuple(found)


def _end(path: Entry) -> tuple[str, ...]:
    return tuple(path.part(_READ, end=True).decode(errors="replace").splitlines()[-_LINES:])


def readings(stored: Stored, probe: str) -> Any:
    """What a probe left: PROBE.json, otherwise the files PROBE/*.json by their names."""
    if found := stored.json(f"{probe}.json"):
        return found
    paths = [path for path in (stored.folder / probe).files("*.json") if path.parts[:-1] == (probe,)]
    return {role(path.stem, stored.schema): stored.json(str(path)) for path in paths}
