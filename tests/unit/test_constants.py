"""Every number of the model has a unit, a source and a date, and is used."""

import datetime
import re
from pathlib import Path

import pytest

from weft.analysis.predict import constants
from weft.analysis.predict.constants import TABLE as CONSTANTS

CODE = "".join(path.read_text() for path in Path(constants.__file__).parent.glob("*.py"))


@pytest.mark.parametrize("name", CONSTANTS)
def test_a_constant_has_a_value_with_its_unit_its_source_and_its_date(name: str) -> None:
    kinds = {key: type(value) for key, value in CONSTANTS[name].items()}
    assert kinds.pop("value") in {int, float}
    assert kinds == {"unit": str, "source": str, "date": datetime.date}
    assert all(CONSTANTS[name].values())


def test_every_constant_is_used_and_no_other() -> None:
    assert set(re.findall(r'VALUE\["(\w+)"\]', CODE)) == set(CONSTANTS)
