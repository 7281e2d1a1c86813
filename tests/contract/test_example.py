"""The worked examples of CONTRIBUTING.md do what they say."""

import dataclasses
import getpass
import re
import urllib.request
from pathlib import Path

import pytest

from tests.contract.conftest import live, traces
from tests.fakes import fake_layout
from weft.adapters import probes, services
from weft.adapters.probes.base import Probe
from weft.adapters.services.base import Service
from weft.adapters.storage.base import Storage
from weft.layout.plan import Layout
from weft.record import sampletable
from weft.run import cluster, preview
from weft.run.topology import topology
from weft.spec.parse import parse
from weft.text.entry import Entry

TEXT = (Path(__file__).parents[2] / "CONTRIBUTING.md").read_text()


def example(name: str) -> type:
    """A class that an example defines."""
    for code in re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL):
        if f"class {name}(" in code:
            room: dict[str, object] = {"__name__": "example"}
            exec(code, room)
            found = room[name]
            assert isinstance(found, type)
            return found
    raise KeyError(name)


@pytest.mark.parametrize("role", ["input", "scratch"])
def test_the_example_is_a_storage(role: str, tmp_path: Path) -> None:
    adapter = example("NvmeStorage")
    assert issubclass(adapter, Storage)
    (tmp_path / "base" / getpass.getuser()).mkdir(parents=True)  # the site gives it
    storage = adapter(root=tmp_path / "base")
    with live("local:2") as (work, nodes):
        sketched = storage.sketch(role, nodes, work)
        with storage.place(role, nodes, work) as place:
            assert place == sketched
            assert all(Path(path).is_dir() for path in place.paths.values())
    for path in tmp_path.glob("base/*"):
        path.rmdir()  # the user's own directory stays


def test_the_example_is_a_service(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    adapter = example("Http")
    assert issubclass(adapter, Service)
    monkeypatch.setitem(services.KINDS, "http", adapter)
    asked = {"workload": "file-open", "engine": "null", "nodes": "local:1", "services": ["http:1"]}
    spec = parse(asked, {"http.port": "18765"})
    plan = preview.preview(spec)
    assert [(daemon["name"], daemon["node"]) for daemon in plan["daemons"]] == [("http", "node2")]
    assert [(server["name"], server["services"]) for server in plan["servers"]] == [("node2", ["http"])]
    made_of = topology(spec)
    with live("local:1", None, made_of) as (work, members), made_of.place(members, work) as places:
        bare = Layout(
            run=work.name,
            nodes=made_of.computing(members),
            servers=members.servers,
            places=places.roles,
            directory=work.directory,
            record=tmp_path / "record",
            java=Path("java"),
            homes={},
            jars={},
        )
        layout = made_of.laid(bare, members, places.backings)
        with cluster.start(made_of.plan(spec, layout), layout, deadline=30, note=lambda *_, **__: None):
            address = layout.environment(layout.head)["HTTP_SERVER"]
            with urllib.request.urlopen(address) as answer:
                assert answer.status == 200
    assert traces(tmp_path) == []


def test_the_example_is_a_probe(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    adapter = example("LoadProbe")
    assert issubclass(adapter, Probe)
    monkeypatch.setitem(probes.KINDS, "load", adapter)
    assert parse({"workload": "terasort", "probes": "proc,load"}).probes == ("proc", "load")
    layout = dataclasses.replace(fake_layout(), record=tmp_path)
    probe = adapter()
    assert probe.missing(layout) is None
    with probe.watch(layout) as read:
        read()
    sampletable.finish(tmp_path)
    assert "load" in set(sampletable.load(Entry(tmp_path))["counter"])
