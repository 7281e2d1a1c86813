"""A job of SQL queries: its options, one query after another, and its outcome."""

import json
import threading
import time
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

DONE = "_SUCCESS"
"""The file beside a result that is complete."""
_FLAGS = {"keep-going", "standard"}
"""Options without a value."""
_REPEATED = {"table", "query", "set"}
"""Options of the form KEY=VALUE that may be there several times."""


class UnusableError(Exception):
    """The input or the output is not as it must be, in one sentence."""


class SqlSession(Protocol):
    """An engine that runs queries."""

    def table(self, name: str, path: str) -> None:
        """Make a file, a directory or a pattern of Parquet files known as a table."""

    def query(self, text: str, to: Path) -> None:
        """Run a query; its rows are in Parquet files of the directory, whose names are in their order."""

    def interrupt(self) -> None:
        """End the running query, from another thread."""

    def counted(self) -> Mapping[str, int]:
        """What the engine counted of the last query."""

    def close(self) -> None:
        """Release the engine."""


class OpensSession(Protocol):
    """How a session begins."""

    def __call__(self, options: Mapping[str, str], settings: Mapping[str, str], /) -> SqlSession:
        """A session with the engine's own settings."""


@dataclass
class QueryJob:
    """A job from its options to its outcome."""

    options: dict[str, str]
    pairs: dict[str, dict[str, str]] = field(default_factory=dict)
    found: dict[str, Any] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    phases: dict[str, float] = field(default_factory=dict)
    measured: float = 0.0
    """Seconds of what is measured."""

    @classmethod
    def parsed(cls, words: Sequence[str]) -> "QueryJob":
        """From `--KEY VALUE` and `--FLAG`."""
        job, left = cls({}), iter(words)
        for word in left:
            key = word.removeprefix("--")
            if key in _REPEATED:
                name, _, value = next(left).partition("=")
                job.pairs.setdefault(key, {})[name] = value
            elif key == "settings":  # those that only their user may read
                job.pairs.setdefault("set", {}).update(
                    json.loads(Path(next(left)).read_text(encoding="utf-8"))
                )
            else:
                job.options[key] = "true" if key in _FLAGS else next(left)
        return job

    def problem(self, why: str) -> None:
        """Say that the result is wrong, and why."""
        self.problems.append(why)

    @contextmanager
    def phase(self, name: str, *, measured: bool = False) -> Iterator[None]:
        """Time a part of the work."""
        began = time.perf_counter()
        try:
            yield
        finally:
            seconds = time.perf_counter() - began
            self.phases[name] = self.phases.get(name, 0.0) + seconds
            self.measured += seconds if measured else 0.0

    def run(self, opens: OpensSession) -> None:
        """Each query of the order, on the tables. Raises UnusableError."""
        output = Path(self.options["output"])
        if output.is_dir() and any(output.iterdir()):
            raise UnusableError(f"The output directory {output} is not empty.")
        order = self.options["order"].split(",")
        texts = {
            name: text(Path(file).read_text(encoding="utf-8")) for name, file in self.pairs["query"].items()
        }
        with self.phase("start"):
            session = opens(self.options, self.pairs.get("set", {}))
        try:
            with self.phase("tables"):
                try:
                    for name, path in self.pairs.get("table", {}).items():
                        session.table(name, path)
                except Exception as error:
                    traceback.print_exc()
                    raise UnusableError(first_line(error)) from error
            self._queries(session, order, texts, output)
        finally:
            session.close()

    def _queries(
        self, session: SqlSession, order: Sequence[str], texts: Mapping[str, str], output: Path
    ) -> None:
        done: list[dict[str, Any]] = []
        seen = dict[str, int]()
        self.found["queries"] = done
        for name in order:
            seen[name] = seen.get(name, 0) + 1
            label, before = f"{name}-{seen[name]}", self.measured
            failure = self._once(session, texts[name], output / label)
            row = {"query": name, "repeat": seen[name], "label": label, "seconds": self.measured - before}
            done.append({**row, "failure": failure, **({} if failure else session.counted())})
            if failure and "keep-going" not in self.options:
                raise UnusableError(failure)

    def _once(self, session: SqlSession, query: str, to: Path) -> str:
        """Why a query failed; empty if it did not."""
        limit, late = float(self.options.get("limit-seconds", 0)), threading.Event()
        timer = threading.Timer(limit, _end, (session, late))
        timer.daemon = True
        try:
            with self.phase("queries", measured=True):
                if limit:
                    timer.start()
                to.mkdir(parents=True)
                session.query(query, to)
                (to / DONE).touch()
        except Exception as error:  # noqa: BLE001 - one query may fail, and the next is run
            if late.is_set():
                return f"it did not end within {limit:g} s"
            traceback.print_exc()
            return first_line(error)
        finally:
            timer.cancel()
            if timer.ident is not None:
                timer.join()  # one that fires just now must not end the next query
        return ""

    def write(self) -> None:
        """Write the outcome; the file appears whole or not at all."""
        path = Path(self.options["outcome"])
        why = {"reason": "; ".join(self.problems)} if self.problems else {}
        times = {"seconds": self.measured, "phases": self.phases}
        part = path.with_name(f"{path.name}.part")
        part.write_text(
            json.dumps({"valid": not self.problems, **why, **self.found, **times}) + "\n", encoding="utf-8"
        )
        part.replace(path)


def _end(session: SqlSession, late: threading.Event) -> None:
    late.set()
    session.interrupt()


def table_files(path: str) -> list[str]:
    """The files of a directory, in the order of its rows, or of a pattern; a URI, and a pattern with braces, as it is.

    Raises UnusableError if there is none.
    """
    if "://" in path or "{" in path:
        return [path]
    each = [Path(path)] if Path(path).is_dir() else list(Path("/").glob(path.lstrip("/")))
    inside = [file for one in each for file in (one.rglob("*") if one.is_dir() else [one])]
    found = sorted(str(file) for file in inside if file.is_file() and file.name[0] not in "._")
    if not found:
        raise UnusableError(f"{path} has no part of a table")
    return found


def text(file: str) -> str:
    """A statement without the semicolon that ends it in a file."""
    return file.strip().removesuffix(";")


def first_line(error: Exception) -> str:
    """The engine's own reason, in one line."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__
