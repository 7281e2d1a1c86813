"""A step of the wheel's build: names its platform, and refuses a wheel without jars and native programs."""

import json
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class WheelHook(BuildHookInterface):  # type: ignore[type-arg,misc] # hatchling is only in the environment of builds
    """Found by hatchling, by pyproject.toml."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 - hatchling's signature
        about = Path(self.root) / "src" / "weft" / "shipped" / "about.json"
        if not about.exists():
            raise RuntimeError(
                "weft's jars and native programs are not built: tools/build makes a complete wheel, and ./weft needs none"
            )
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{json.loads(about.read_text())['platform']}"
