"""An emulated parallel file system: latencyfs, which delays every operation according to a profile.

It takes the place of Lustre, DataWarp and others where none is mounted; every report marks it as emulated.
"""

import hashlib
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar, Literal

from pydantic import Field, field_validator

from weft.adapters.storage.base import Storage, base_directory, require_this_machine
from weft.adapters.storage.mounting import mount_point
from weft.errors import StorageError, UsageError
from weft.facts.io500 import figures, submissions
from weft.facts.io500 import profile as profiles
from weft.facts.io500.kinds import KINDS
from weft.facts.io500.submissions import PREFIX
from weft.facts.roles import SHARED_ROLES, Role
from weft.host import settings, shell, signals
from weft.host.programs import marks
from weft.host.shell import Process
from weft.host.work import Work, WorkDirectory
from weft.layout.node import Node
from weft.layout.places import ExpectedMount, Place
from weft.text.arguments import assign, repeat
from weft.text.shorthand import MisreadError

_OTHERS = {"datawarp": "DataWarp", "burstbuffer": "burst buffer", "orangefs": "OrangeFS", "ssd": "SSD"}
"""Names of what IO500 does not list."""
_READY_SECONDS = 20.0
"""Maximum wait for the mounts; a mount takes milliseconds."""
_MOST = 64
"""Mounts of one latencyfs (native/latencyfs/src/cli.rs)."""
_USAGE = 2
"""latencyfs's exit code for invalid arguments."""


class DelayedStorage(Storage):
    """A FUSE file system in front of a directory; one metadata server and one bandwidth for all nodes."""

    kind: Literal["delayed"] = "delayed"
    positional: ClassVar[str] = "profile"
    native: ClassVar[bool] = True

    profile: str = Field(
        default="lustre",
        description="lustre, lustre-slow, lustre-fast, lustre-2014, gpfs, beegfs, daos, gekkofs, datawarp, burstbuffer, orangefs, ssd, zero, io500:NAME of a submission to IO500, or a TOML file",
    )
    path: Path | None = Field(
        default=None, description="directory that stores the files; default: the work directory"
    )
    values: dict[str, str] = Field(
        default_factory=dict, description="profile values to change, such as metadata.rate"
    )
    faults: tuple[str, ...] = Field(default=(), description="faults to inject, such as eio:open:0.001")
    seed: int = Field(default=1, ge=0, lt=1 << 63, description="seed of the faults")

    @field_validator("profile")
    @classmethod
    def _exists(cls, profile: str) -> str:
        try:
            if profile.startswith(PREFIX):
                _published(profile)
        except UsageError as error:
            raise MisreadError(error.message, hint=error.hint) from error
        return profile

    @property
    def parallel(self) -> str:
        return self.word

    def keeps(self, role: Role) -> Path | None:  # noqa: ARG002 - the same for all
        return self.path or settings.work()

    @property
    def figures(self) -> str:
        """Of its profile: a calibration does not fit what was emulated with other figures."""
        if self.profile.startswith(PREFIX):
            text = _published(self.profile)
        else:
            path = (
                Path(self.profile)
                if self.profile.endswith(".toml")
                else settings.profiles() / f"{self.profile}.toml"
            )
            text = path.read_text(encoding="utf-8") if path.is_file() else ""
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    @property
    def _imitated(self) -> str:
        """What it takes the place of, for people."""
        if self.profile.startswith(PREFIX):
            return submissions.of(self.profile.removeprefix(PREFIX)).kind.words
        name = self.profile.partition("-")[0]
        return KINDS[name].words if name in KINDS else _OTHERS.get(name, name)

    @property
    def no_mmap(self) -> str:
        emulated = self.profile == "datawarp" or self.values.get("client.shared_mmap") == "false"
        return "the file system that is emulated does not support that" if emulated else ""

    def sketch(self, role: Role, nodes: Sequence[Node], work: WorkDirectory) -> Place:
        shared = role in SHARED_ROLES
        root = mount_point(work, None, f"delayed-{role}")
        # every mount shows the same files, so node-local files are in a directory with the node's name
        points = {node.name: str(root / "all" if shared else root / node.name / node.name) for node in nodes}
        if not shared and len(points) > _MOST:
            raise UsageError(
                f"{role}: the emulated file system is mounted once for each node, at most {_MOST} times, and there are {len(points)} nodes",
                hint=f"use at most {_MOST} nodes, or another storage",
            )
        counters = str(work.directory / f"latencyfs-{role}")
        return Place(
            "delayed",
            f"latencyfs with the profile {self.profile} over {base_directory(self.path, role, work)}",
            points,
            shared=shared,
            emulated=f"latencyfs with the profile {self.profile}; no real {self._imitated} was used",
            observed={"lustre": counters},
            expected={
                name: (ExpectedMount(path if shared else str(Path(path).parent), "fuse*"),)
                for name, path in points.items()
            },
        )

    @contextmanager
    def place(self, role: Role, nodes: Sequence[Node], work: Work) -> Iterator[Place]:
        require_this_machine("the emulated file system", role, nodes)
        place = self.sketch(role, nodes, work)
        source = base_directory(self.path, role, work)
        if self.path is None:
            work.make("scratch", role)
        else:
            work.claim(source)
        daemon = self._mount(place, source, work)
        try:
            _wait(daemon, role)
            yield place
        finally:
            daemon.stop()

    def _named(self, place: Place) -> str:
        """The profile as latencyfs takes it: one of its own, or a file, which is written if it is a submission's."""
        if not self.profile.startswith(PREFIX):
            return self.profile
        path = Path(place.observed["lustre"]).with_suffix(".toml")
        path.write_text(_published(self.profile), encoding="utf-8")
        return str(path)

    def _mount(self, place: Place, source: Path, work: Work) -> Process:
        arguments = ["--source", str(source), "--profile", self._named(place)]
        arguments += ["--stats-dir", place.observed["lustre"], "--seed", str(self.seed)]
        for path in map(Path, dict.fromkeys(place.paths.values())):
            if not place.shared:
                (source / path.name).mkdir(mode=0o700)
            point = path if place.shared else path.parent
            point.mkdir(parents=True, mode=0o700)
            work.lease.note("mount", path=str(point))
            arguments += ["--mountpoint", f"{path.name}={point}"]
        arguments += [*assign("--set", self.values), *repeat("--fault", self.faults)]
        argv, log = (
            [str(work.native / "latencyfs"), *arguments],
            Path(place.observed["lustre"]).with_suffix(".log"),
        )
        return shell.spawn("latencyfs", argv, log=log, env={marks.LEASE: work.name})


def _published(name: str) -> str:
    """The profile of a submission to IO500. Raises UsageError if there is none, or its rates do not suffice."""
    found = figures.of_submission(submissions.of(name.removeprefix(PREFIX)))
    return profiles.text(name, found.about, profiles.values(found))


def _wait(daemon: Process, role: Role) -> None:
    end = time.monotonic() + _READY_SECONDS
    while "ready" not in shell.tail(daemon.log):
        if daemon.code() is not None or time.monotonic() > end:
            refused = daemon.code() == _USAGE
            needs = "it needs /dev/fuse and fusermount3 (apt-get install fuse3)"
            raise StorageError(
                f"{role}: latencyfs {'rejected its arguments' if refused else 'did not mount'}",
                tail=shell.tail(daemon.log),
                hint="check the keys profile, values and faults" if refused else needs,
            )
        signals.sleep(0.01)
