"""What a first start lacks, known before anything is downloaded. Standard library only: no environment is there yet."""

import os
import platform
import re
import shutil
import subprocess
from collections.abc import Sequence

import asked

OLDEST = 17
"""As weft.host.provision.jdk has it."""
DOWNLOADED = ("x86_64", "aarch64")
"""Machines for which weft downloads a Java."""
_WITHOUT_JAVA = ("dask", "duckdb", "limit", "null", "powergraph", "ray", "timely")
_HINT = "apt-get install openjdk-17-jdk-headless, or dnf install java-17-openjdk-devel, or set JAVA_HOME"


def message(arguments: Sequence[str]) -> str:
    """Why this command of weft cannot work in a checkout here; empty if it may."""
    found = _java() if _starts_java(arguments) else ""
    return f"error: {found}\n\nhint: {_HINT}" if found else ""


def _starts_java(arguments: Sequence[str]) -> bool:
    """Whether the arguments, of Python and then of weft, name a command that starts Java processes."""
    own = asked.words(arguments)
    return bool(own) and asked.engine(own) not in _WITHOUT_JAVA


def _java() -> str:
    """What is wrong with JAVA_HOME, or with PATH on a machine for which there is no Java to download."""
    home = os.environ.get("JAVA_HOME")
    if not home and platform.machine() in DOWNLOADED:
        return ""
    java = shutil.which("java", path=f"{home}/bin" if home else None)
    if java is None:
        return f"found no java {f'in JAVA_HOME ({home})' if home else 'on PATH'}"
    major = _major(java)
    return f"{java} is Java {major}, and {OLDEST} is needed" if 0 < major < OLDEST else ""


def _major(java: str) -> int:
    """The version that a `java` prints; 0 where it prints none, which weft reports later."""
    try:
        done = subprocess.run([java, "-version"], capture_output=True, text=True, check=False, timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return 0
    match = re.search(r'version "(?:1\.)?(\d+)', done.stderr)
    return int(match[1]) if match else 0
