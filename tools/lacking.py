"""What a first start lacks, known before anything is downloaded. Standard library only: no environment is there yet."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

OLDEST = 17
"""As weft.host.provision.jdk has it."""
_STARTING = ("run", "submit", "up", "calibrate", "survey")
"""Commands that start an engine, which weft's own jars are built for."""
_WITHOUT_JAVA = ("limit", "null", "powergraph", "timely")
_HINT = (
    "apt-get install openjdk-17-jdk-headless maven, or dnf install java-17-openjdk-devel maven, or set JAVA_HOME;"
    " weft's wheel needs a Java 17 runtime only: docs/guide/install.md"
)


def message(arguments: Sequence[str], cache: Path) -> str:
    """Why this command of weft cannot work in a checkout here; empty if it may."""
    if not _starts_java(arguments):
        return ""
    found = "; ".join(_missing(built=any(cache.glob("jars-core-*"))))
    return f"error: {found}\n\nhint: {_HINT}" if found else ""


def _starts_java(arguments: Sequence[str]) -> bool:
    """Whether the arguments, of Python and then of weft, name a command that starts Java processes."""
    words = list(arguments)[list(arguments).index("weft") + 1 :] if "weft" in arguments else []
    own = words[: words.index("--")] if "--" in words else words
    if not own or own[0] not in _STARTING or {"--help", "-h", "--dry-run", "--show", "--import"} & set(own):
        return False
    engine = re.search(r"--engine[ =](\w+)", " ".join(own))
    return engine is None or engine[1] not in _WITHOUT_JAVA


def _missing(*, built: bool) -> Iterator[str]:
    """What is not there: a Java, its compiler and Maven, unless weft's jars have been built before."""
    home = os.environ.get("JAVA_HOME")
    java = shutil.which("java", path=f"{home}/bin" if home else None)
    if java is None:
        yield f"found no java {f'in JAVA_HOME ({home})' if home else 'on PATH'}"
    elif (major := _major(java)) and major < OLDEST:
        yield f"{java} is Java {major}, and {OLDEST} is needed"
    if built:
        return
    if java is not None and not Path(java).resolve().with_name("javac").exists():
        yield f"{java} is a Java runtime without a compiler (javac)"
    if shutil.which("mvn") is None:
        yield "found no mvn (Maven) on PATH"


def _major(java: str) -> int:
    """The version that a `java` prints; 0 where it prints none, which weft reports later."""
    try:
        done = subprocess.run([java, "-version"], capture_output=True, text=True, check=False, timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return 0
    match = re.search(r'version "(?:1\.)?(\d+)', done.stderr)
    return int(match[1]) if match else 0
