"""Numbers of the model with a source: `constants.toml` has the unit, the source and the date of each."""

import tomllib
from pathlib import Path

FILE = Path(__file__).with_suffix(".toml")
VALUE: dict[str, float] = {name: row["value"] for name, row in tomllib.loads(FILE.read_text()).items()}
"""By name."""
