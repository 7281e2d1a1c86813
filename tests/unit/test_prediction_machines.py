"""Machine files: what they say, and how they say what is wrong with them."""

import math
from pathlib import Path

import pytest

from weft.analysis.predict import calibrated
from weft.analysis.predict.emulated import of_profile
from weft.analysis.predict.machine import Machine, service
from weft.analysis.predict.machinefile import parse
from weft.analysis.predict.storagemodel import StorageModel
from weft.analysis.read.calibration import Calibration
from weft.api import machines as capacity
from weft.errors import UsageError
from weft.facts.storages import label, layers, split_list
from weft.host import settings

GOOD = """
name = "here"

[node]
cores = { value = 32, source = "vendor" }
link = { value = 8e9, source = "vendor" }

[driver]
spark = { value = 1500, source = "a paper" }

[storage.lustre]
shared = true
mounts = ["/lustre"]
latency = { value = 5e-4, source = "a paper" }
rate = { value = 20000, source = "a paper" }

[storage.lustre.work]
stat = { value = 0.05, source = "a paper" }

[storage.lustre.calls]
read = { value = 2e-4, source = "a paper" }
"""


def test_a_file_becomes_a_machine() -> None:
    found = parse(GOOD, "here.toml")
    assert (found.cores, found.link, found.launches) == (32, 8e9, {"spark": 1500})
    lustre = found.storages["lustre"]
    assert lustre.shared
    assert lustre.work("open") == pytest.approx(1 / 20000)
    assert lustre.work("stat") == pytest.approx(0.05 / 20000)
    assert (lustre.data_delay("read"), lustre.data_delay("write")) == (2e-4, 0.0)
    assert lustre.bandwidth == math.inf
    assert found.sources["storage.lustre.rate"] == "a paper"


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("value = 32", "value = 0", r"here.toml, line 5: node.cores is 0; sensible are 1 to 4096"),
        ("value = 5e-4", "value = 500", r"line 14: storage.lustre.latency is 500; sensible"),
        ("value = 8e9", "value = nan", r"line 6: node.link is nan, not a number"),
        ("value = 8e9", "value = true", r"node.link is True, not a number"),
        ("latency = { value = 5e-4, source", "latency = { value = 5e-4, from", r"storage.lustre.latency must be"),
        ('cores = { value = 32, source = "vendor" }', "", r"node.cores is missing"),
        ("shared = true", "", r"storage.lustre.shared is missing"),
        ("link =", "links =", r"line 6: node.links is unknown"),
        ("[driver]", "[drivers]", r"drivers is unknown"),
        ('name = "here"', "", r"name is missing"),
        ("value = 1500", "value = ", r"here.toml: .*line 9"),
        ('source = "a paper" }\nrate', 'source = "" }\nrate', r"storage.lustre.latency has no source"),
        ('mounts = ["/lustre"]', "mounts = 3", r"storage.lustre.mounts must be a list"),
        ("value = 0.05", "value = -1", r"storage.lustre.work.stat is -1"),
        ("value = 2e-4", "value = 20", r"storage.lustre.calls.read is 20; sensible are 0 to 10"),
    ],
)  # fmt: skip
def test_a_wrong_file_names_key_and_line(old: str, new: str, words: str) -> None:
    assert old in GOOD
    with pytest.raises(UsageError, match=words):
        parse(GOOD.replace(old, new), "here.toml")


@pytest.mark.parametrize("path", sorted((settings.machines()).glob("*.toml")), ids=lambda path: path.stem)
def test_machines_that_come_with_weft_are_complete(path: Path) -> None:
    found = parse(path.read_text(), str(path))
    assert found.name == path.stem
    assert all(len(source) > 10 for source in found.sources.values())


def test_a_profile_is_what_latencyfs_delays_by() -> None:
    profiles = settings.SOURCE / "native" / "latencyfs" / "profiles"
    text, defaults = ((profiles / f"{name}.toml").read_text() for name in ("lustre-2014", "defaults"))
    found = of_profile(text, defaults, {"metadata.rate": "100"})
    assert found.name == "delayed:lustre-2014"
    assert found.latency == pytest.approx(500e-6)
    assert found.work("mkdir") == pytest.approx(1 / 100)
    assert found.delay("truncate") == pytest.approx(2 * 500e-6)
    assert found.data_delay("write") > found.data_delay("seek") == 0, "pages go through FUSE, seeks do not"
    uncached = of_profile(text, defaults, {"client.page_cache": "false", "data.round_trip_us": "900"})
    assert uncached.data_delay("write") == pytest.approx(found.data_delay("write") + 900e-6)


MACHINE = Machine(
    "here", storages={"lustre": StorageModel("lustre", latency=5e-4, bandwidth=1e9)}, mounts={"/l": "lustre"}
)


@pytest.mark.parametrize(
    ("text", "name", "latency", "bandwidth"),
    [
        ("mount:/l/me", "mount", 5e-4, 1e9),
        ("mount", "mount", 5e-4, 1e9),
        ("lustre", "lustre", 5e-4, 1e9),
        ("memory:2G", "memory", 10e-6, math.inf),
        ("pool+mount:/l/me", "pool+mount", 10e-6, 1e9),
        ("loopback:/l/me,size=2G", "loopback", 20e-6, 1e9),
        ("pool", "pool", 10e-6, math.inf),
    ],
)
def test_short_forms_are_services(text: str, name: str, latency: float, bandwidth: float) -> None:
    found = service(text, MACHINE)
    assert (found.name, found.latency, found.bandwidth) == (name, latency, bandwidth)


def test_an_unknown_storage_is_an_error() -> None:
    with pytest.raises(UsageError, match=r"machine here has no storage 'mount:/other'"):
        service("mount:/other", MACHINE)


def test_lists_keep_settings_with_their_storage() -> None:
    assert split_list("memory,loopback:/l,size=2G,pool+mount:/l/me") == [
        "memory",
        "loopback:/l,size=2G",
        "pool+mount:/l/me",
    ]


def test_labels_are_those_of_records() -> None:
    assert [label(layer.word for layer in layers(text)) for text in ("pool+delayed:lustre", "loopback:/l,size=2G", "pool+disk", "delayed:ssd")] == [
        "pool+delayed:lustre", "loopback", "pool", "delayed:ssd",
    ]  # fmt: skip


def test_a_calibration_is_a_machine() -> None:
    operations = [
        {"operation": name, "callers": callers, "per_second": rate, "latency": latency}
        for name, callers, rate, latency in [
            ("open", 1, 1000, 1e-3), ("open", 16, 8000, 2e-3), ("stat", 1, 2000, 5e-4), ("stat", 16, 16000, 1e-3),
            ("read", 1, 500, 2e-3),
        ]
    ]  # fmt: skip
    shared = {
        "storage": "delayed:lustre",
        "scope": "shared",
        "source": "weft calibrate",
        "operations": operations,
    }
    own = {"storage": "memory", "scope": "host", "source": "weft calibrate"}
    found = calibrated.machine(
        Calibration.model_validate(
            {"machine": "vm", "asked": "virtual:2", "nodes": [], "storages": [shared, own]}
        )
    )
    lustre = found.storages["delayed:lustre"]
    assert lustre.work("open") == pytest.approx(1 / 8000)
    assert lustre.work("stat") == pytest.approx(1 / 16000)
    assert lustre.work("close") == 0
    assert lustre.delay("open") == pytest.approx(1e-3)
    assert lustre.delay("mkdir") == pytest.approx(1e-3)
    assert lustre.data_delay("read") == pytest.approx(2e-3)
    assert lustre.data_delay("seek") == 0
    assert found.storages["memory"].shared  # two virtual nodes have one host
    assert found.storages["memory"].rate == math.inf


def test_a_file_that_is_no_calibration_names_the_key(tmp_path: Path) -> None:
    path = tmp_path / "machine.json"
    path.write_text('{"machine": "vm", "nodes": [{"name": 3}]}')
    with pytest.raises(UsageError, match=r"is not a calibration: nodes.0.name"):
        capacity.of_file(str(path))


def test_an_unknown_machine_names_those_that_there_are() -> None:
    with pytest.raises(UsageError) as caught:
        capacity.of_file("corri")
    assert "'cori'" in caught.value.hint
