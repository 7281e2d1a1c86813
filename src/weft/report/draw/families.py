"""What a colour means, in each chart and table of pages and in the terminal: `page.css` has the colours of pages by these names."""

from collections.abc import Mapping, Sequence

TERMINAL: Mapping[str, str] = {
    "cpu": "blue",
    "queue": "cyan",
    "metadata": "yellow",
    "data": "dark_orange",
    "network": "green",
    "gc": "magenta",
    "python": "bright_yellow",
    "failed": "red",
    "wait": "white",
    "idle": "bright_black",
    "unknown": "grey35",
    "phase": "bright_black",
    "stage": "white",
    "run": "bright_white",
}
"""Colours of a terminal. CPU; run-queue wait; two kinds of storage calls; network; GC and memory; Python workers; failures; other
waits; no task; what has no name; and what is none of these: phases, stages, the run phase."""


def lighter(families: Sequence[str]) -> list[bool]:
    """Of each: whether it is a further one of its family."""
    return [family in families[:index] for index, family in enumerate(families)]


def shades(count: int) -> list[int]:
    """Tenths of the opacity of several of one colour, in their order."""
    span = 6 if count > 2 else 4.5
    return [round(10 - span * index / max(1, count - 1)) for index in range(count)]


def classes(families: Sequence[str]) -> list[str]:
    """The classes of `page.css` that colour them: those of one family have shades of its colour."""
    left = {family: shades(families.count(family)) for family in families}
    return [f"f-{family} o{left[family].pop(0)}" for family in families]


def styles(families: Sequence[str]) -> list[str]:
    """The same of a terminal."""
    return [
        f"{'dim ' if second else ''}{TERMINAL[family]}"
        for family, second in zip(families, lighter(families), strict=True)
    ]
