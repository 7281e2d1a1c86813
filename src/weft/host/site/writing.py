"""A site profile as text: findings are values where weft needs one, and comments where the choice is the user's."""

import json
import time
from collections.abc import Mapping, Sequence

from weft.host.site.profile import Container, Directives, Profile
from weft.host.site.survey import Interface, Survey
from weft.text.units import show_size

_SURVEYED = "# written by `weft survey`; a later survey replaces it"


def text(survey: Survey) -> str:
    """The whole file."""
    return "\n".join([
        f"# How weft uses this machine. Written by `weft site init` on {survey.host},",
        f"# {time.strftime('%Y-%m-%d')}; edit it as you like. weft requests only what is set.",
        "",
        *_paths(survey),
        "",
        *_fabric(survey.interfaces),
        "",
        *_modules(survey),
        "",
        *_nodes(survey),
        *_slurm(survey),
        "",
        *_container(survey.containers),
        "",
    ])  # fmt: skip


def with_scratch(text: str, table: Mapping[str, str | int]) -> str:
    """A profile's text with this table `[scratch]` in place of the one that it has; everything else is as it was."""
    kept: list[str] = []
    inside = False
    for line in text.splitlines():
        if line.strip().startswith("["):
            inside = line.split("#")[0].strip() == "[scratch]"
        if not inside and line != _SURVEYED:
            kept.append(line)
    rows = [f"{key} = {json.dumps(value)}" for key, value in table.items()]
    return "\n".join([*kept, *([""] if kept and kept[-1] else []), _SURVEYED, "[scratch]", *rows, ""])


def _described(model: type[Profile | Directives | Container], key: str, line: str) -> list[str]:
    return [f"# {model.model_fields[key].description}", line]


def _value(key: str, value: str | None, example: str) -> str:
    return f"# {key} = {json.dumps(example)}" if value is None else f"{key} = {json.dumps(value)}"


def _paths(survey: Survey) -> list[str]:
    seen = [f"# shared: {one.path} ({one.kind})" for one in survey.file_systems]
    scratch = str(survey.scratch) if survey.scratch else None
    return [
        *(seen or ["# no file system was found that other machines mount too"]),
        *_described(Profile, "shared", _value("shared", scratch, "/scratch/me")),
        *_described(Profile, "local", _value("local", None, str(survey.local or "/local/me"))),
    ]


def _fabric(interfaces: Sequence[Interface]) -> list[str]:
    seen = [
        f"# {one.name}: {one.address}{f', {one.speed} Mbit/s' if one.speed else ''}"
        f"{', InfiniBand' if one.infiniband else ''}"
        for one in interfaces
    ]
    rest = _described(Profile, "fabric", 'fabric = "auto"')
    return [*seen, "# (of this host; nodes may have others)", *rest]


def _modules(survey: Survey) -> list[str]:
    seen = [f"# with a Java: {', '.join(survey.modules)}"] if survey.modules else []
    return [*seen, *_described(Profile, "modules", "modules = []")]


def _container(programs: Sequence[str]) -> list[str]:
    offered = ", ".join(f"loopback:DIR,by={name}" for name in programs)
    known = f"scratch that they can mount inside a container: {offered}"
    return [
        f"# {known if programs else 'shifter, apptainer and podman-hpc are not on PATH here'}",
        "[container]",
        *_described(Container, "image", _value("image", None, "/apps/base.sif")),
        *_described(Container, "options", "options = []"),
        *_described(Container, "bind", "bind = []"),
    ]


def _nodes(survey: Survey) -> list[str]:
    """Where commands run that name no nodes: without it on this machine, which may be a login node."""
    return [*_described(Profile, "nodes", _value("nodes", None, "slurm:4")), ""] if survey.partitions else []


def _slurm(survey: Survey) -> list[str]:
    if not survey.partitions:
        return ["# Slurm is not installed on this host", "[slurm]"]
    rows = [
        f"# {one.name}{' (default)' if one.default else ''}: {one.nodes} nodes of {one.cores} cores and "
        f"{show_size(one.memory)}, at most {one.time}{'' if one.up else ', DOWN'}"
        for one in survey.partitions
    ]
    default = next((one.name for one in survey.partitions if one.default), None)
    lines = ["[slurm]", *rows, _value("partition", default, survey.partitions[0].name)]
    examples = {"account": "my-project", "qos": "normal", "time": "1:00:00", "constraint": "haswell"}
    for key, example in examples.items():
        lines += _described(Directives, key, _value(key, None, example))
    buffer = [f"# this Slurm manages a burst buffer: {survey.burst_buffer}"] if survey.burst_buffer else []
    lines += _described(Directives, "exclusive", "exclusive = true")
    return [*lines, *buffer, *_described(Directives, "extra", "extra = []")]
