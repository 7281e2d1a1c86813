"""A bundle: weft, its Python packages and engines in one archive, installed elsewhere without any network."""

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from weft import __version__
from weft.errors import UsageError
from weft.host import settings, shell
from weft.host.provision import contents, distribution, jdk
from weft.host.provision.tree import Say

_TEMPLATES = Path(__file__).parent / "bundled"
_PYTHON = f"{sys.version_info[0]}.{sys.version_info[1]}"
_NOT_NEEDED = ("pip", "setuptools", "wheel", "_distutils_hack", "distutils")
"""What an environment has besides weft and its packages."""
_SHELLS = {
    "bash": "share/bash-completion/completions/weft",
    "zsh": "share/zsh/site-functions/_weft",
    "fish": "share/fish/vendor_completions.d/weft.fish",
}
_COMPRESSORS = {".zst": "zstd --threads=0", ".gz": "gzip --no-name", ".xz": "xz --threads=0", ".tar": ""}


@dataclass(frozen=True)
class Contents:
    """What a bundle is made of besides weft itself."""

    engines: Sequence[str]
    java: Path | None
    """A Java runtime to include; the one that weft downloads for machines without one, if there is none."""
    manuals: Mapping[str, str]
    """Man pages by file name."""


def pack(what: Contents, out: Path, say: Say) -> None:
    """Write the archive. Raises UsageError if this weft is a checkout, or if the archive's name has no known ending."""
    packages = _packages()
    compressor = _compressor(out)
    homes = distribution.homes(what.engines, say)
    if what.java is None:
        homes[distribution.JAVA.name] = jdk.own(say)
    out = out.resolve()
    with tempfile.TemporaryDirectory(dir=settings.cache(), prefix=".bundle-") as scratch:
        root = Path(scratch) / f"weft-{__version__}"
        say("collecting weft, its packages and engines")
        _fill(root / "files", packages, homes, what)
        _template("install", root / "install", program=True)
        manifest = _manifest(root)
        say(f"compressing to {out}")
        _compress(Path(scratch), root.name, out, compressor)
    say(f"install compares the SHA-256 of the manifest: {manifest}")


def _packages() -> Path:
    """The directory of weft's packages, in an environment of its own."""
    if settings.shipped() is None:
        raise UsageError(
            "a bundle is made by an installed weft, and this is a checkout",
            hint="tools/build makes the wheel; pip install it into an environment of its own (python3 -m venv)",
        )
    if sys.prefix == sys.base_prefix and settings.prefix() is None:
        raise UsageError(
            f"weft is installed among all other packages of {sys.executable}",
            hint="install it into an environment of its own: python3 -m venv DIR && DIR/bin/pip install weft",
        )
    return settings.PACKAGE.parent


def _compressor(out: Path) -> str:
    if out.suffix not in _COMPRESSORS:
        raise UsageError(
            f"{out.name}: unknown kind of archive", hint="weft-bundle.tar.zst, .tar.gz, .tar.xz or .tar"
        )
    program = _COMPRESSORS[out.suffix]
    if program:
        shell.tool(program.split()[0], {".zst": "zstd", ".gz": "gzip", ".xz": "xz-utils"}[out.suffix])
    return program


def _fill(files: Path, packages: Path, homes: Mapping[str, Path], what: Contents) -> None:
    library = files / "lib" / f"python{_PYTHON}"
    shutil.copytree(
        packages, library, ignore=lambda folder, names: _left_out(names, top=Path(folder) == packages)
    )
    # hashes in place of times, which copying changes
    shell.run(
        [sys.executable, "-m", "compileall", "-q", "--invalidation-mode", "unchecked-hash", str(library)],
        timeout=600,
        check=False,
    )
    contents.record(library, copied=True)
    (files / "engines" / "empty").mkdir(parents=True)
    for home in homes.values():
        shutil.copytree(home, files / "engines" / home.name, symlinks=True, copy_function=_linked)
    if what.java:
        shutil.copytree(what.java, files / "java", symlinks=True)
    _template("weft", files / "bin" / "weft", program=True)
    _template("module.lua", files / "share" / "modulefiles" / "weft" / f"{__version__}.lua")
    _template("module.tcl", files / "share" / "modulefiles" / "weft" / __version__)
    _template("site.toml", files / "etc" / "weft" / "site.toml")
    for name, text in what.manuals.items():
        _write(files / "share" / "man" / "man1" / name, text)
    for name, path in _SHELLS.items():
        _write(files / path, _completion(name))
    for licences in sorted((packages / "weft" / "shipped").glob("*.txt")):
        _write(files / "share" / "doc" / "weft" / licences.name, licences.read_text(encoding="utf-8"))
    about = {**settings.about(), "python": _PYTHON, "engines": [home.name for home in homes.values()]}
    _write(files / "share" / "weft" / "prefix.json", json.dumps(about, indent=1) + "\n")


def _manifest(root: Path) -> str:
    """Write which files and links a bundle has, and their checksums, as sha256sum does; the checksum of those."""
    paths = [path for path in sorted(root.rglob("*")) if path.is_symlink() or path.is_file()]
    links = {path: path.readlink() for path in paths if path.is_symlink()}
    names = {path: path.relative_to(root) for path in paths}
    _write(
        root / "LISTING",
        "".join(
            f"{'l' if path in links else 'f'} {name} {links.get(path, '')}\n" for path, name in names.items()
        ),
    )
    files = [root / "LISTING", *(path for path in paths if path not in links)]
    sums = zip(files, contents.checksums(files), strict=True)
    _write(root / "SHA256SUMS", "".join(f"{found}  {path.relative_to(root)}\n" for path, found in sums))
    return contents.checksums([root / "SHA256SUMS"])[0]


def _left_out(names: Sequence[str], *, top: bool) -> list[str]:
    """Of a directory of packages; below it, modules of weft may have such names too."""
    others = {name for name in names if top and name.partition("-")[0] in _NOT_NEEDED}
    return [name for name in names if name == "__pycache__" or name in others]


def _linked(source: str, target: str) -> None:
    """A hard link, where both are on one file system."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def _completion(shell_name: str) -> str:
    argv = [sys.executable, "-P", "-m", "weft"]
    return shell.run(argv, env={"_WEFT_COMPLETE": f"source_{shell_name}"}).out


def _template(name: str, path: Path, *, program: bool = False) -> None:
    text = (
        (_TEMPLATES / name)
        .read_text(encoding="utf-8")
        .replace("@PYTHON@", _PYTHON)
        .replace("@VERSION@", __version__)
    )
    _write(path, text)
    path.chmod(0o755 if program else 0o644)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _compress(directory: Path, name: str, out: Path, compressor: str) -> None:
    """With names in order and no owners, so that equal contents make equal archives as far as the files' times allow."""
    how = ["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mtime=@1767225600"]
    program = [f"--use-compress-program={compressor}"] if compressor else []
    # nobody else can put a link in its place, also where everybody may write
    with tempfile.TemporaryDirectory(dir=out.parent, prefix=".weft-bundle-") as own:
        partial = Path(own) / out.name
        shell.run(["tar", *how, *program, "-cf", str(partial), "-C", str(directory), name], timeout=3600)
        partial.rename(out)


def included(key: str) -> bool:
    """Whether the shared installation has a distribution."""
    prefix = settings.prefix()
    return prefix is not None and (prefix / "engines" / key).is_dir()
