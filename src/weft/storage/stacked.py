"""A storage that is backed by another one: `loopback:/dir`, `loopback+memory`, `pool+delayed:lustre`."""

from pathlib import Path
from typing import Any

from pydantic import Field, model_validator

from weft.layout.places import Role
from weft.storage.base import AnyStorage, Storage


class StackedStorage(Storage):
    """Has `on`; a `path` is short for a disk there."""

    on: AnyStorage = Field(default="disk", validate_default=True, description="storage that it is backed by")

    def keeps(self, role: Role) -> Path | None:
        return self.on.keeps(role)

    def require(self, role: Role) -> None:
        self.on.require(role)

    @model_validator(mode="before")
    @classmethod
    def _path_is_a_disk(cls, table: Any) -> Any:
        if not isinstance(table, dict) or "path" not in table:
            return table
        if "on" in table:
            raise ValueError("'path' and 'on' both say where it stands; give one")
        return {
            **{key: value for key, value in table.items() if key != "path"},
            "on": {"kind": "disk", "path": table["path"]},
        }
