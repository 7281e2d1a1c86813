"""The modules of each Rust crate form layers: none imports, even indirectly, a module that imports it."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from weft.host import settings

NATIVE = settings.SOURCE / "native"
Module = tuple[str, ...]
Graph = Mapping[Module, set[Module]]

START = re.compile(r"(?<![\w:])\$?(?:(crate)|((?:super::)*super)|(self))::")
NAME = re.compile(r"\s*(\w+)\s*")
COMMENT = re.compile(r"//[^\n]*")
TESTS = re.compile(r"#\[cfg\(test\)\]\s*(?:#\[[^]]*\]\s*)?mod\b.*", re.DOTALL)


def roots() -> list[Path]:
    """The folders in which a crate begins: each has a lib.rs or a main.rs."""
    found = {
        path.parent
        for path in NATIVE.rglob("*.rs")
        if path.name in {"lib.rs", "main.rs"} and "target" not in path.parts
    }
    return sorted(found)


def modules(root: Path) -> dict[Module, str]:
    """The code of each module without its tests."""
    others = {other for other in roots() if root in other.parents}
    return {
        tuple(
            part
            for part in path.relative_to(root).with_suffix("").parts
            if part not in {"mod", "lib", "main"}
        ): (TESTS.sub("", COMMENT.sub("", path.read_text())))
        for path in root.rglob("*.rs")
        if not others & set(path.parents) and not path.stem.endswith("tests")
    }


def paths(text: str, at: int) -> Iterator[Module]:
    """The paths that begin at a place, those in braces one by one."""
    if name := NAME.match(text, at):
        below = list(paths(text, name.end() + 2)) if text.startswith("::", name.end()) else []
        yield from ((name[1], *path) for path in below or [()])
    elif text[at : at + 1] == "{":
        for item in listed(text, at + 1):
            yield from paths(item.strip(), 0)


def listed(text: str, at: int) -> list[str]:
    """What stands between commas up to the brace that closes."""
    items, depth = [""], 0
    for letter in text[at:]:
        if letter == "}" and depth == 0:
            break
        depth += {"{": 1, "}": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            items.append("")
        else:
            items[-1] += letter
    return items


def imports(module: Module, code: Mapping[Module, str]) -> Iterator[Module]:
    """The full paths that a module's code names; a module below it may go by its own name."""
    text = code[module]
    for start in START.finditer(text):
        of_crate, above, _ = start.groups()
        base = () if of_crate else module[: len(module) - above.count("super")] if above else module
        yield from (base + path for path in paths(text, start.end()))
    for below in code:
        if below[:-1] == module != below and re.search(rf"(?<![\w:]){below[-1]}::", text):
            yield below


def graph(root: Path, depth: int | None = None) -> Graph:
    """Who imports whom; with a depth, whole folders are taken together."""
    code = modules(root)
    edges: dict[Module, set[Module]] = {module[:depth]: set() for module in code}
    for module in code:
        for path in imports(module, code):
            target = max((known for known in code if path[: len(known)] == known), key=len)
            if target[:depth] != module[:depth]:
                edges[module[:depth]].add(target[:depth])
    return edges


def circles(edges: Graph) -> set[str]:
    """The modules that reach themselves."""

    def reached(start: Module) -> set[Module]:
        seen: set[Module] = set()
        ahead = [start]
        while ahead:
            new = edges[ahead.pop()] - seen
            seen |= new
            ahead += new
        return seen

    return {"::".join(module) for module in edges if module in reached(module)}


def label(root: Path) -> str:
    return str(root.relative_to(NATIVE))


@pytest.mark.parametrize("root", roots(), ids=label)
def test_no_module_of_a_crate_imports_what_imports_it(root: Path) -> None:
    assert circles(graph(root)) == set()


@pytest.mark.parametrize("root", roots(), ids=label)
def test_no_folder_of_a_crate_imports_what_imports_it(root: Path) -> None:
    assert circles(graph(root, depth=1)) == set()


def test_a_circle_is_found_however_it_is_written(tmp_path: Path) -> None:
    (tmp_path / "high").mkdir()
    for name, text in {
        "lib.rs": "mod low; mod high;",
        "low.rs": "fn f() { crate::high::open::g() }",
        "high/mod.rs": "mod open;\nuse open::g;",
        "high/open.rs": "use {super::shut, crate::{clock, low::{self, f}}};",
        "high/shut.rs": "// use super::open;\n#[cfg(test)]\nmod tests { use super::super::open; }",
        "clock.rs": "use self::low::x;",
    }.items():
        (tmp_path / name).write_text(text)
    assert circles(graph(tmp_path)) == {"low", "high::open"}
    assert circles(graph(tmp_path, depth=1)) == {"low", "high"}


def test_the_layers_of_the_preload_library_are_those_its_front_page_names() -> None:
    root = NATIVE / "scratch" / "src"
    named = re.findall(r"`(\w+)`", (root / "lib.rs").read_text().split("Layers,")[1].split("Everything")[0])
    edges = {module[0]: {name for (name,) in graph(root, 1)[module]} for module in graph(root, 1) if module}
    assert set(edges) == set(named)
    assert [
        f"{module} imports {above}"
        for module in edges
        for above in edges[module]
        if named.index(above) > named.index(module)
    ] == []
