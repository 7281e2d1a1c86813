"""A storage that is backed by another one: `loopback:/dir`, `loopback+memory`, `pool+delayed:lustre`."""

from pathlib import Path
from typing import Any

from pydantic import Field, model_validator

from weft.adapters.storage.base import AnyStorage, Storage
from weft.facts.roles import Role


class StackedStorage(Storage):
    """Has `on`; `path` is an abbreviation for a disk there."""

    on: AnyStorage = Field(default="disk", validate_default=True, description="backing storage")

    def keeps(self, role: Role) -> Path | None:
        return self.on.keeps(role)

    @property
    def no_mmap(self) -> str:
        return self.on.no_mmap

    def require(self, role: Role) -> None:
        self.on.require(role)

    @model_validator(mode="before")
    @classmethod
    def _path_is_a_disk(cls, table: Any) -> Any:
        if not isinstance(table, dict) or "path" not in table:
            return table
        if "on" in table:
            raise ValueError("'path' and 'on' both select the backing storage; set only one")
        return {
            **{key: value for key, value in table.items() if key != "path"},
            "on": {"kind": "disk", "path": table["path"]},
        }
