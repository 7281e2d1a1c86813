"""What a run would find out too late is refused before anything starts, with exit code 2: by `plan`, `run` and `up` alike."""

from pathlib import Path

import pytest

from weft.errors import UsageError
from weft.run import preview
from weft.spec.parse import parse


def refused(**table: object) -> UsageError:
    with pytest.raises(UsageError) as caught:
        preview.preview(parse({"workload": "terasort", "nodes": "local:2", **table}))
    assert caught.value.exit_code == 2
    return caught.value


@pytest.mark.parametrize(
    "form", ["mount:DIR", "disk:DIR", "pool:DIR", "loopback:DIR,size=1G", "pool+mount:DIR"]
)
@pytest.mark.parametrize("role", ["input", "scratch"])
def test_a_directory_that_is_not_there(form: str, role: str, tmp_path: Path) -> None:
    missing = tmp_path / "no such"
    error = refused(**{role: form.replace("DIR", str(missing))})
    assert f"the directory {missing} does not exist" in error.message
    assert "'" in error.hint, "it is quoted for a shell"
    missing.mkdir()
    preview.preview(parse({"workload": "terasort", role: form.replace("DIR", str(missing))}))


def test_a_variable_that_is_not_set() -> None:
    error = refused(scratch="mount:$NO_SUCH_VARIABLE/files")
    assert "its variable is not set" in error.hint


def test_what_other_hosts_see_is_not_known_here(tmp_path: Path) -> None:
    preview.preview(
        parse({"workload": "terasort", "nodes": "ssh:one,two", "scratch": f"mount:{tmp_path}/none"})
    )


@pytest.mark.parametrize("form", ["pool:delayed:lustre", "loopback:memory", "pool:delayed,profile=lustre"])
def test_a_storage_below_another_that_is_written_as_a_directory(form: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse({"workload": "terasort", "scratch": form})
    assert f"did you mean {form.replace(':', '+', 1)}" in caught.value.hint


def test_a_directory_that_is_called_as_a_storage_is_written_with_its_path() -> None:
    spec = parse({"workload": "terasort", "scratch": "pool:./memory"})
    assert spec.scratch.on.path == Path("memory")  # type: ignore[union-attr]
