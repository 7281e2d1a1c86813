"""Write or show the site profile.

It has job directives, directories, the network interface, modules, and default nodes and engine.
"""

import dataclasses
import json
import tomllib
from pathlib import Path
from typing import Annotated

import typer

from weft.cli.command import CliCommand, CliGroup
from weft.cli.flags import AsJson
from weft.errors import UsageError
from weft.host import settings
from weft.host.site.profile import Profile, load
from weft.host.site.survey import survey
from weft.host.site.writing import text

site = typer.Typer(
    cls=CliGroup,
    help=f"{__doc__}\nExample: weft site init",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@site.command(cls=CliCommand)
def init(
    force: Annotated[bool, typer.Option("--force", help="overwrite an existing profile")] = False,
    shared: Annotated[
        bool, typer.Option("--site", help="write that of all users of this shared installation")
    ] = False,
) -> None:
    """Write a site profile from what is detected: partitions, directories, interfaces, modules, burst buffer.

    Example: weft site init
    """
    path = _shared() if shared else settings.site()
    if path.exists() and not force and not _only_comments(path):
        raise UsageError(
            f"the site profile already exists: {path}", hint="look at it with `weft site show`, or --force"
        )
    found = survey()
    # the directory of the user who installs is not one of all users
    written = text(dataclasses.replace(found, scratch=None) if shared else found)
    Profile.model_validate(tomllib.loads(written))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(written, encoding="utf-8")
    except OSError as error:
        hint = f"`chmod u+w {path}` as its owner" if shared else "set WEFT_SITE to a file that you own"
        raise UsageError(f"cannot write {path}: {error.strerror}", hint=hint) from error
    print(written, end="")
    print(f"# written to {path}")


@site.command(cls=CliCommand)
def show(as_json: AsJson = False) -> None:
    """Show the site profile as weft reads it.

    Example: weft site show --json
    """
    profile, path = load(), settings.site()
    if as_json:
        print(profile.model_dump_json(indent=1))
        return
    if above := settings.shared_site():
        print(f"{above}, of all users")
    print(f"{path}{'' if path.exists() else ' (does not exist; `weft site init` creates it)'}")
    for key, value in json.loads(profile.model_dump_json()).items():
        rows = (
            {f"{key}.{inner}": one for inner, one in value.items()}
            if isinstance(value, dict)
            else {key: value}
        )
        for name, one in rows.items():
            print(f"  {name:<18} {'not set' if one in (None, []) else one}")


def _shared() -> Path:
    found = settings.shared_site()
    if found is None:
        raise UsageError(
            "this weft is no shared installation, so there is no profile of all users",
            hint="`weft bundle` and its `install` make one",
        )
    return found


def _only_comments(path: Path) -> bool:
    """As the profile that `install` writes."""
    return not any(
        line.strip() and not line.startswith("#") for line in path.read_text(encoding="utf-8").splitlines()
    )
