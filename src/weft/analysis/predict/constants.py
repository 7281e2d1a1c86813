"""Numbers of the model with a source: `constants.toml` has the unit, the source and the date of each."""

import tomllib
from importlib import resources

TABLE = tomllib.loads(
    resources.files("weft.analysis.predict").joinpath("constants.toml").read_text(encoding="utf-8")
)
VALUE: dict[str, float] = {name: row["value"] for name, row in TABLE.items()}
"""By name."""
