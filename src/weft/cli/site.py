"""Verbs about the site profile: write it, show it."""

import json
import tomllib
from typing import Annotated

import typer

from weft.errors import UsageError
from weft.host import settings
from weft.host.site.profile import Profile, load
from weft.host.site.survey import survey
from weft.host.site.writing import text

site = typer.Typer(
    help="The site profile: job directives, directories, network interface, modules.\n\n"
    "Example: weft site init",
    no_args_is_help=True,
    rich_markup_mode=None,
)


def register(app: typer.Typer) -> None:
    """Add the verbs."""
    app.add_typer(site, name="site")


@site.command()
def init(
    force: Annotated[bool, typer.Option("--force", help="overwrite an existing profile")] = False,
) -> None:
    """Write a site profile from what is detected: partitions, directories, interfaces, modules, burst buffer.

    Example: weft site init
    """
    path = settings.site()
    if path.exists() and not force:
        raise UsageError(
            f"the site profile already exists: {path}", hint="look at it with `weft site show`, or --force"
        )
    written = text(survey())
    Profile.model_validate(tomllib.loads(written))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(written)
    except OSError as error:
        raise UsageError(
            f"cannot write {path}: {error.strerror}", hint="set WEFT_SITE to a file that you own"
        ) from error
    print(written, end="")
    print(f"# written to {path}")


@site.command()
def show(as_json: Annotated[bool, typer.Option("--json", help="print it as JSON")] = False) -> None:
    """Show the site profile as weft reads it.

    Example: weft site show --json
    """
    profile, path = load(), settings.site()
    if as_json:
        print(profile.model_dump_json(indent=1))
        return
    print(f"{path}{'' if path.exists() else ' (does not exist; `weft site init` creates it)'}")
    for key, value in json.loads(profile.model_dump_json()).items():
        rows = (
            {f"{key}.{inner}": one for inner, one in value.items()}
            if isinstance(value, dict)
            else {key: value}
        )
        for name, one in rows.items():
            print(f"  {name:<18} {'not set' if one in (None, []) else one}")
