"""What tools/release does: checks, builds, describes, and compares two builds."""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from xml.etree import ElementTree

import components
import sbom
from building import git, say

from weft import __version__
from weft.cli.guard import run_guarded
from weft.errors import UsageError, WeftError
from weft.host import settings
from weft.host.provision import distribution

ROOT = settings.SOURCE
SUMS = "SHA256SUMS"
KEPT = ("env*", "classlist-*", "maven-*", *(f"{name}-*" for name in distribution.DISTRIBUTIONS), "empty")
"""Of a cache, what a second build shares with the first: what was downloaded, and the lists of classes, which come from runs."""


def main() -> None:
    options = {word for word in sys.argv[1:] if word.startswith("--")}
    if unknown := options - {"--rehearsal", "--twice"}:
        raise UsageError(
            f"unknown option {min(unknown)}",
            hint="tools/release [--rehearsal] [--twice] [DIRECTORY [MACHINE...]]",
        )
    rest = [word for word in sys.argv[1:] if word not in options]
    out = Path(rest[0] if rest else settings.cache() / "release").resolve()
    for wrong in check(ROOT, rehearsal="--rehearsal" in options):
        raise WeftError(wrong, hint="tools/release --rehearsal builds all the same")
    out.mkdir(parents=True, exist_ok=True)
    if any(out.iterdir()):
        raise UsageError(f"{out} is not empty", hint="name a new directory")
    build(out, rest[1:], settings.cache())
    if "--twice" in options:
        again(out, rest[1:])
    print(f"{out / SUMS}")


def check(root: Path, *, rehearsal: bool) -> Iterator[str]:
    """What must be right before anything is built."""
    version = tomllib.loads((root / "pyproject.toml").read_text())["project"]["version"]
    if version != __version__:
        yield f"pyproject.toml has version {version}, and weft/__init__.py {__version__}"
    java = ElementTree.parse(root / "java" / "pom.xml").getroot().findtext("{*}version")  # noqa: S314 - weft's own
    if java != version:
        yield f"java/pom.xml has version {java}, and pyproject.toml {version}"
    cited = re.search(r"(?m)^version: (.+)$", (root / "CITATION.cff").read_text())
    if cited is None or cited[1] != version:
        yield f"CITATION.cff has version {cited and cited[1]}, and pyproject.toml {version}"
    if rehearsal:
        return
    changes = (root / "CHANGELOG.md").read_text()
    dated = re.search(rf"(?m)^## \[?{re.escape(version)}\]? - \d{{4}}-\d\d-\d\d$", changes)
    if dated is None:
        yield f"CHANGELOG.md has no section `## {version} - YEAR-MONTH-DAY`"
    elif changes[: dated.start()].count("\n- "):
        yield f"CHANGELOG.md has changes above the section of {version}"
    if git("status", "--porcelain"):
        yield "the checkout has changes that are not committed"


def build(out: Path, machines: Sequence[str], cache: Path) -> None:
    """Everything of a release, into an empty directory."""
    stamp = git("log", "-1", "--format=%ct") or "1767225600"
    own = {"WEFT_CACHE": str(cache), "SOURCE_DATE_EPOCH": stamp}
    _run([ROOT / "tools" / "build", out, *machines], own)
    with tempfile.TemporaryDirectory() as scratch:
        site = Path(scratch) / f"weft-{__version__}-docs"
        _run([ROOT / "tools" / "docs", site], own)
        pack(site, out / f"{site.name}.tar", int(stamp))
    homes = distribution.homes(list(distribution.DISTRIBUTIONS), say)
    linked = [*components.rust(), *components.java(say)]
    found = [*components.python(), *linked, *components.engines(homes)]
    at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(int(stamp)))
    (out / f"weft-{__version__}.cdx.json").write_text(sbom.cyclonedx(found, at))
    (out / f"weft-{__version__}-notices.txt").write_text(sbom.notices(linked))
    unknown = sum(each.licence == components.UNKNOWN for each in found)
    say(f"{len(found)} components, {unknown} of which name no licence")
    (out / SUMS).write_text("".join(f"{total}  {name}\n" for name, total in sums(out).items()))


def pack(folder: Path, archive: Path, stamp: int) -> None:
    """The same files give the same archive."""

    def same(member: tarfile.TarInfo) -> tarfile.TarInfo:
        member.uid = member.gid = 0
        member.uname = member.gname = ""
        member.mtime, member.mode = stamp, 0o755 if member.isdir() else 0o644
        return member

    with tarfile.open(archive, "w", format=tarfile.PAX_FORMAT) as tar:
        for path in [folder, *sorted(folder.rglob("*"))]:
            tar.add(path, str(path.relative_to(folder.parent)), recursive=False, filter=same)


def sums(folder: Path) -> dict[str, str]:
    """SHA-256 by name."""
    files = sorted(path for path in folder.iterdir() if path.name != SUMS)
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def again(out: Path, machines: Sequence[str]) -> None:
    """Raises WeftError if a second build, which compiles everything again, differs from the first."""
    with tempfile.TemporaryDirectory(dir=settings.cache(), prefix=".second-") as scratch:
        cache, second = Path(scratch) / "cache", Path(scratch) / "release"
        for folder in (cache, second):
            folder.mkdir()
        share(settings.cache(), cache)
        build(second, machines, cache)
        before, after = sums(out), sums(second)
        if differing := sorted(
            name for name in before.keys() | after.keys() if before.get(name) != after.get(name)
        ):
            kept = out.with_name(f"{out.name}-second")
            shutil.copytree(second, kept)
            raise WeftError(
                f"a second build differs: {', '.join(differing)}", hint=f"compare {out} with {kept}"
            )
    say("a second build gave the same files")


def share(cache: Path, second: Path) -> None:
    """Links in a second cache to what it shares with the first."""
    # flink-* has what flink-sql-* has too
    for path in {path for pattern in KEPT for path in cache.glob(pattern)}:
        (second / path.name).symlink_to(path)


def _run(argv: Sequence[str | Path], environment: dict[str, str]) -> None:
    done = subprocess.run([str(word) for word in argv], env={**os.environ, **environment}, check=False)
    if done.returncode:
        raise WeftError(f"{Path(argv[0]).name} failed, see above")


if __name__ == "__main__":
    run_guarded(main)
