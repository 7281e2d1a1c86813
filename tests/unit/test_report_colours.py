"""Colours of pages: text that can be read on its ground, parts that a colour-blind reader can tell apart, the same on paper."""

import math
import re
from collections.abc import Mapping
from importlib import resources
from itertools import combinations

import pytest

from weft.report.draw.families import TERMINAL, classes, shades, styles
from weft.report.sections.timeline import PANELS

CSS = resources.files("weft.report.draw").joinpath("page.css").read_text(encoding="utf-8")
TEXT = 4.5
"""Contrast of text and its ground that WCAG 2.2 asks for at level AA (1.4.3)."""
GRAPHIC = 3.0
"""The same of parts of a graphic (1.4.11); not of what is nothing: no task, no name, a phase."""
APART = 6.0
"""Distance of two colours in OKLab, times 100; about 2 is just noticeable (Ottosson, 2020)."""
NOTHING = {"idle", "unknown", "phase"}
READ = {
    "paper": ("ink", "quiet", "good", "bad", "warn", "run"),
    "soft": ("ink", "quiet"),
    "good-soft": ("good",),
    "bad-soft": ("bad",),
    "warn-soft": ("warn",),
    "run": ("on",),
}
"""Texts by the ground that they are on."""
Colour = tuple[float, float, float]
SIGHT: Mapping[str, tuple[Colour, Colour, Colour]] = {
    "all colours": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.01182, 0.04294, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.3039)),
}  # fmt: skip
"""What a colour is to an eye: matrices of Machado, Oliveira and Fernandes (2009), at their full strength."""


def palettes() -> list[dict[str, str]]:
    """Of light, dark and paper, in this order: names with colours."""
    found = [
        dict(re.findall(r"--([\w-]+): (#[0-9a-f]{3,6})", each))
        for each in re.findall(r":root \{[^}]*\}", CSS)
    ]
    return [each for each in found if each]


def linear(colour: str) -> Colour:
    """Red, green and blue in proportion to light, from 0 to 1."""
    digits = colour.lstrip("#")
    whole = "".join(2 * each for each in digits) if len(digits) == 3 else digits
    parts = [int(whole[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    red, green, blue = (v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in parts)
    return red, green, blue


def contrast(one: str, other: str) -> float:
    """By WCAG: from 1 to 21."""
    weights = (0.2126, 0.7152, 0.0722)
    light = sorted(
        sum(weight * part for weight, part in zip(weights, linear(each), strict=True))
        for each in (one, other)
    )
    return (light[1] + 0.05) / (light[0] + 0.05)


def times(matrix: tuple[Colour, Colour, Colour], vector: Colour) -> Colour:
    """Their product."""
    first, second, third = (sum(a * b for a, b in zip(row, vector, strict=True)) for row in matrix)
    return first, second, third


def oklab(light: Colour) -> Colour:
    """Coordinates in which distances are about those that people see."""
    cones = times(
        ((0.4122214708, 0.5363325363, 0.0514459929), (0.2119034982, 0.6806995451, 0.1073969566), (0.0883024619, 0.2817188376, 0.6299787005)),
        light,
    )  # fmt: skip
    first, second, third = (max(each, 0.0) ** (1 / 3) for each in cones)
    return times(
        ((0.2104542553, 0.793617785, -0.0040720468), (1.9779984951, -2.428592205, 0.4505937099), (0.0259040371, 0.7827717662, -0.808675766)),
        (first, second, third),
    )  # fmt: skip


@pytest.mark.parametrize("palette", palettes(), ids=["light", "dark", "paper"])
def test_text_can_be_read(palette: dict[str, str]) -> None:
    low = {
        f"{text} on {ground}": round(contrast(palette[text], palette[ground]), 2)
        for ground, texts in READ.items()
        for text in texts
        if contrast(palette[text], palette[ground]) < TEXT
    }
    assert low == {}


@pytest.mark.parametrize("palette", palettes()[:2], ids=["light", "dark"])
def test_parts_contrast_with_the_page(palette: dict[str, str]) -> None:
    low = {name: contrast(palette[name], palette["paper"]) for name in TERMINAL if name not in NOTHING}
    assert {name: value for name, value in low.items() if value < GRAPHIC} == {}


@pytest.mark.parametrize("palette", palettes()[:2], ids=["light", "dark"])
@pytest.mark.parametrize("sight", SIGHT)
def test_parts_have_distinct_colours(palette: dict[str, str], sight: str) -> None:
    seen = {
        name: oklab(times(SIGHT[sight], linear(palette[name])))
        for name in TERMINAL
        if name not in {"phase", "stage", "run"}
    }
    near = {
        (one, other): round(100 * math.dist(seen[one], seen[other]), 1)
        for one, other in combinations(seen, 2)
        if 100 * math.dist(seen[one], seen[other]) < APART
    }
    assert near == {}


def test_paper_has_the_light_colours() -> None:
    light, _, paper = palettes()
    assert {name: paper[name] for name in TERMINAL} == {name: light[name] for name in TERMINAL}


def test_each_family_has_a_colour_everywhere() -> None:
    used = {family for panel in PANELS for family in panel.families}
    assert used <= set(TERMINAL)
    assert all(f".f-{name} {{ background: var(--{name}); }}" in CSS for name in TERMINAL)
    assert all(len(panel.families) == len(panel.lines) for panel in PANELS)


def test_further_ones_of_a_family_have_other_shades() -> None:
    assert classes(["cpu", "idle", "idle"]) == ["f-cpu o10", "f-idle o10", "f-idle o6"]
    assert styles(["cpu", "cpu"]) == ["blue", "dim blue"]
    assert shades(1) == [10]
    assert len(set(shades(6))) == 6
