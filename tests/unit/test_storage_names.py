"""Storages have one grammar and one name: as users write them, as records keep them, as predictions read them."""

import pytest

from weft.adapters.storage import KINDS
from weft.adapters.storage.base import label
from weft.analysis.predict.machine import Machine, service
from weft.analysis.predict.storagemodel import StorageModel
from weft.errors import UsageError
from weft.facts import storages
from weft.facts.storages import Kind

FORMS = ["disk", "memory:2G", "loopback:/l,size=2G", "mount:/l/me", "delayed", "delayed:ssd", "delayed:ssd,seed=2",
         "pool", "pool+delayed:lustre", "pool:/a", "pool+mount:/l/a+b", "hdfs", "hdfs:2+memory:64M", "gluster:2", "gluster", "moosefs"]  # fmt: skip


def named(text: str) -> str:
    return storages.label(layer.word for layer in storages.layers(text))


@pytest.mark.parametrize("text", FORMS)
def test_a_storage_has_the_same_name_everywhere(text: str) -> None:
    written = label(KINDS.read(text))
    assert named(text) == named(written) == written


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_what_names_a_storage_is_its_value_and_its_default(kind: str) -> None:
    known = storages.KINDS.get(kind, Kind())
    if known.named_by:
        assert KINDS[kind].positional == known.named_by
        assert known.default == str(KINDS[kind].model_fields[known.named_by].default or "")


def test_a_plus_in_a_path_is_no_storage() -> None:
    machine = Machine("m", storages={"lustre": StorageModel("lustre")}, mounts={"/l": "lustre"})
    assert service("pool+mount:/l/a+b", machine).name == "pool+mount"
    assert service("pool+lustre", machine).name == "pool+lustre"
    with pytest.raises(UsageError, match="has no key"):
        service("mount:/l,b", machine)


@pytest.mark.parametrize("name", ["lustre", "gpfs", "beegfs", "nfs"])
def test_a_directory_on_a_file_system_is_named_by_it_too(name: str) -> None:
    assert KINDS.read(f"{name}:/x") == KINDS.read("mount:/x")
    assert KINDS.read(f"pool+{name}:/x") == KINDS.read("pool+mount:/x")
    assert name not in KINDS.listed
