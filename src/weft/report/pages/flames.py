"""Flame graphs of a run: one page a node, self-contained, from the stacks that the probe `profile` left in the record."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from weft.analysis.explain import stacks
from weft.analysis.explain.stacks import SECONDS, JvmStacks
from weft.record.record import page_path
from weft.report.draw.html import flame_page
from weft.report.pages.page import save
from weft.text.entry import Entry

_LEAST = 0.0005
"""Share of a node's samples below which a frame is not drawn."""
_DEEPEST = 300
"""Frames of a stack that are drawn: no page shows more, and JSON of more has too many levels."""
Node = dict[str, Any]


def write(directory: Path) -> list[Path]:
    """A page for each node with stacks, in the record's folder of them; none without stacks."""
    processes = stacks.read(Entry(directory) / "profile")
    nodes = dict.fromkeys(process.node for process in processes)
    return [_of_node(directory, node, [each for each in processes if each.node == node]) for node in nodes]


def _of_node(directory: Path, node: str, processes: Sequence[JvmStacks]) -> Path:
    title = f"{directory.name}: CPU time on {node}"
    return save(flame_page(title, json.dumps(tree(processes))), page_path(directory, f"profile/{node}.html"))


def tree(processes: Sequence[JvmStacks]) -> Node:
    """Nested frames: name, seconds, and what they called; below the whole, each process and each kind of thread."""
    root: Node = {"n": "all", "s": 0, "c": {}}
    for process in processes:
        name = f"{process.program or 'JVM'} {process.pid}"
        for stack in process.stacks:
            frames = stack.frames
            if len(frames) > _DEEPEST:
                frames = (*frames[:_DEEPEST], f"... {len(frames) - _DEEPEST} more")
            _add(root, (name, f"{process.kind(stack)} threads", *frames), stack.samples)
    return _plain(root, root["s"] * _LEAST)


def _add(root: Node, frames: Sequence[str], samples: int) -> None:
    here = root
    here["s"] += samples
    for frame in frames:
        here = here["c"].setdefault(frame, {"n": frame, "s": 0, "c": {}})
        here["s"] += samples


def _plain(node: Mapping[str, Any], least: float) -> Node:
    inner = sorted(
        (each for each in node["c"].values() if each["s"] >= least), key=lambda each: str(each["n"])
    )
    return {"n": node["n"], "s": round(node["s"] * SECONDS, 3), "c": [_plain(each, least) for each in inner]}
