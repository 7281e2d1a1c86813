"""Lists the wheels of a lock: checksum, size and name of each file, for every Python and machine that weft runs on.

usage: tools/python requirements-dev.lock -P tools/wheels.py NAME; src/weft/host/provision/NAME.wheels has the requirements,
and with source: in front the packages without wheels, whose own requirements are listed beside them
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from urllib.request import Request, urlopen

from weft.host.provision.wheelset import Wheel

PYTHONS = range(11, 15)
MACHINES = ("x86_64", "aarch64")
_INDEX = "https://pypi.org/simple"
_SOURCE = "source:"
_HERE = Path(__file__).resolve().parents[1] / "src" / "weft" / "host" / "provision"


def main(name: str) -> None:
    wanted = (_HERE / f"{name}.wheels").read_text().split()
    lines = [f"{one.sha256} {one.size:9d} {one.file}\n" for each in needed(wanted) for one in files(each)]
    (_HERE / f"{name}.lock").write_text("".join(lines))


def needed(wanted: list[str]) -> list[Wheel]:
    """What pip chooses for this Python, the oldest that weft runs on: later ones need no more."""
    sources = [each.removeprefix(_SOURCE).split("==") for each in wanted if each.startswith(_SOURCE)]
    wheels = [each for each in wanted if not each.startswith(_SOURCE)]
    with tempfile.TemporaryDirectory() as folder:
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--only-binary", ":all:", "--dest", folder]
        subprocess.run([*pip, *wheels], check=True)
        files = [path.name for path in Path(folder).iterdir()]
    files += [f"{name.replace('-', '_')}-{version}.tar.gz" for name, version in sources]
    return [Wheel("", 0, name) for name in sorted(files)]


def files(chosen: Wheel) -> Iterator[Wheel]:
    """The files of that version: one of each package for a Python on a machine."""
    accept = {"Accept": "application/vnd.pypi.simple.v1+json"}
    with urlopen(Request(f"{_INDEX}/{chosen.package}/", headers=accept), timeout=100) as response:  # noqa: S310
        listed = json.load(response)["files"]
    every = [
        Wheel(one["hashes"]["sha256"], one["size"], one["filename"])
        for one in listed
        if one["filename"].endswith((".whl", ".tar.gz"))
    ]
    of_version = [one for one in every if one.version == chosen.version and one.source == chosen.source]
    fitting = {
        next((one for one in of_version if one.fits(minor, machine)), None)
        for minor in PYTHONS
        for machine in MACHINES
    }
    yield from sorted((one for one in fitting if one is not None), key=lambda one: one.file)


if __name__ == "__main__":
    main(sys.argv[1])
