"""uv, which installs packages in a tenth of pip's time, from where pip is configured to get them. Standard library only."""

import hashlib
import os
import shutil
import ssl
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from typing import IO
from urllib.parse import urlsplit
from urllib.request import HTTPSHandler, ProxyHandler, Request, build_opener

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from weft.errors import WeftError
from weft.host.provision.download import index, pipsettings
from weft.host.provision.download.pipsettings import PipSettings
from weft.host.provision.download.route import context, shown
from weft.host.provision.wheelset import Wheel, WheelSet

UV = WheelSet(name="uv", version="0.13.9", unpacked=60_000_000)
Say = Callable[[str], None]
_BEAT = 5.0
"""Seconds between lines while it is downloaded."""
_PIECE = 1 << 18
_NOT_THERE = (OSError, HTTPException, ValueError, KeyError)
"""What asking an index raises; ValueError: a page that is none, a URL that urllib cannot read."""


class UnavailableError(Exception):
    """There is no uv here: its text says why."""


def program(folder: Path, say: Say) -> Path:
    """uv in a new folder, with what it downloads later. Raises UnavailableError; no attempt is repeated, since pip can do its work."""
    archive, found = folder / "wheel", folder / "uv"
    try:
        (wheel,) = UV.wheels
        folder.mkdir()
        _download(wheel, archive, pipsettings.load(), say)
        with (
            zipfile.ZipFile(archive) as wheels,
            wheels.open(f"uv-{UV.version}.data/scripts/uv") as source,
            found.open("wb") as file,
        ):
            shutil.copyfileobj(source, file, _PIECE)
        archive.unlink()
        found.chmod(0o755)
        # such as on a machine without the loader of glibc, or where nothing may be started in the cache
        subprocess.run([found, "--version"], stdout=subprocess.DEVNULL, check=True)
    except (*_NOT_THERE, WeftError, zipfile.BadZipFile, subprocess.SubprocessError) as error:
        raise UnavailableError(str(error) or type(error).__name__) from error
    return found


def command(uv: Path, python: str) -> list[str]:
    """How uv installs into the environment of a Python what the file named next has; a source archive would be built with packages that nobody locked."""
    own = ["--no-config", "--no-progress", "--cache-dir", str(uv.parent / "cache")]
    return [
        str(uv),
        "pip",
        "install",
        *own,
        "--python",
        python,
        "--no-build",
        "--require-hashes",
        "--requirement",
    ]


def variables() -> dict[str, str]:
    """uv's environment: pip's settings by the names that uv has for them, in place of a user's for uv."""
    pip = pipsettings.load()
    route = pip.route("")
    main, *more = pip.indexes() or [""]
    linked = [each for each in pip.several("find-links") if urlsplit(each).scheme in {"http", "https"}]
    folders = [str(each) for each in index.folders(pip) if each.is_dir()]
    ours = {
        "UV_DEFAULT_INDEX": main,
        "UV_INDEX": " ".join(more),
        "UV_NO_INDEX": "" if main else "1",
        "UV_INDEX_STRATEGY": "unsafe-best-match",  # as pip: whichever index has the file of this hash
        "UV_FIND_LINKS": ",".join(linked + folders),
        "UV_INSECURE_HOST": " ".join(pip.several("trusted-host")),
        "UV_HTTP_TIMEOUT": f"{route.timeout:.0f}",
        "UV_HTTP_RETRIES": str(route.retries),
        "UV_SYSTEM_CERTS": "1",
        "SSL_CERT_FILE": str(route.trusted or ""),
        "SSL_CLIENT_CERT": str(route.certificate or ""),
        "HTTPS_PROXY": route.proxy or "",
        "HTTP_PROXY": route.proxy or "",
    }
    theirs = {name: value for name, value in os.environ.items() if not name.startswith("UV_")}
    return theirs | {name: value for name, value in ours.items() if value}


def _download(wheel: Wheel, target: Path, pip: PipSettings, say: Say) -> None:
    for folder in index.folders(pip):
        if (folder / wheel.file).is_file():
            shutil.copy(folder / wheel.file, target)
            break
    else:
        _from_an_index(wheel, target, pip, say)
    found = hashlib.sha256(target.read_bytes()).hexdigest()
    if found != wheel.sha256:
        raise UnavailableError(f"{wheel.file} has the checksum {found}")


def _from_an_index(wheel: Wheel, target: Path, pip: PipSettings, say: Say) -> None:
    """From the first that gives it away, of those that pip would ask."""
    reasons = []
    for each in pip.indexes():
        page = f"{each}/{wheel.package}/"
        try:
            for address in _addresses(page, wheel, pip):
                with _opened(address, pip) as source, target.open("wb") as file:
                    _copy(source, file, wheel, say)
                return
        except UnavailableError as error:
            reasons.append(str(error))
        except _NOT_THERE as error:
            reasons.append(f"{shown(page)}: {error}")
    raise UnavailableError("; ".join(reasons) or f"no index of pip's settings has {wheel.file}")


def _addresses(page: str, wheel: Wheel, pip: PipSettings) -> Iterator[str]:
    with _opened(page, pip) as opened:
        kind = opened.headers.get("Content-Type", "")
        yield from index.listed(opened.read().decode(), kind, opened.url, wheel.file)


def _opened(address: str, pip: PipSettings) -> HTTPResponse:
    route, parts = pip.route(address), urlsplit(address)
    # urllib knows no credentials in a URL, and would send a header of ours wherever it is redirected
    if "@" in parts.netloc:
        raise UnavailableError(f"{shown(address)} needs a password")
    if parts.scheme not in {"http", "https"}:
        raise UnavailableError(f"{shown(address)} is no address of HTTP")
    if not route.verify and parts.scheme == "https":
        raise UnavailableError(f"pip's settings trust {shown(address)} without its certificate")
    found = context(replace(route, verify=True))  # HTTP of a trusted host may redirect to HTTPS
    https = HTTPSHandler(context=found if isinstance(found, ssl.SSLContext) else None)
    proxies = [] if route.proxy is None else [ProxyHandler({"http": route.proxy, "https": route.proxy})]
    request = Request(address, headers={"Accept": index.ACCEPT})  # noqa: S310 - compared above
    opened: HTTPResponse = build_opener(https, *proxies).open(request, timeout=route.timeout)
    return opened


def _copy(source: HTTPResponse, file: IO[bytes], wheel: Wheel, say: Say) -> None:
    spoken = time.monotonic()
    while piece := source.read(_PIECE):
        file.write(piece)
        if time.monotonic() > spoken + _BEAT:
            spoken = time.monotonic()
            say(f"  uv: {file.tell() / 1e6:.0f} of {wheel.size / 1e6:.0f} MB")
