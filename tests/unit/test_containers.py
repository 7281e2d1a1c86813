"""Image files that a container's program mounts: the words that each program gets, and who enters what."""

from pathlib import Path

import pytest
from pydantic import TypeAdapter

from tests.unit.test_doctor import bad
from weft.adapters.storage import AnyStorage
from weft.adapters.storage.containers import PROGRAMS, Volume, outermost, wrapper
from weft.doctor import programs
from weft.errors import UsageError
from weft.host import lease, settings
from weft.host.programs import cleanup
from weft.run import preview
from weft.spec.model import Spec
from weft.spec.parse import parse

VOLUME = Volume("weft-run-node1", "/lustre/me/node1/image", 1 << 30, 4096, "base", ["-x"], [Path("/home/me")])


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "site.toml"
    path.write_text('[container]\nimage = "base.sif"\n')
    monkeypatch.setenv("WEFT_SITE", str(path))
    return path


def spec(**roles: str) -> Spec:
    return parse({"workload": "terasort:1GB", **roles})


def test_apptainer_has_an_instance_a_node_with_the_image_bound_into_it() -> None:
    program = PROGRAMS["apptainer"]
    bound = ["--bind", "/home/me", "--bind", f"{VOLUME.image}:/weft-run-node1:image-src=/"]
    assert program.start(VOLUME) == [
        ["apptainer", "instance", "start", *bound, "-x", "base", "weft-run-node1"]
    ]
    assert wrapper(program, VOLUME)[:3] == ("apptainer", "exec", "instance://weft-run-node1")
    assert program.stop(VOLUME) == ["apptainer", "instance", "stop", "weft-run-node1"]


def test_shifter_makes_a_volume_for_each_command_and_needs_no_running_container() -> None:
    program = PROGRAMS["shifter"]
    volume = "--volume=/lustre/me/node1/image:/tmp:perNodeCache=size=1073741824b,bs=4096b,fs=xfs,method=loop"
    assert wrapper(program, VOLUME)[:4] == ("shifter", "--image=base", volume, "-x")
    assert (program.start(VOLUME), program.stop(VOLUME)) == ([], [])


def test_podman_hpc_mounts_the_image_inside_with_fuse2fs() -> None:
    program = PROGRAMS["podman-hpc"]
    run, made, mounted = program.start(VOLUME)
    assert run[-5:] == ["--volume=/lustre/me/node1:/lustre/me/node1", "-x", "base", "sleep", "infinity"]
    assert {"--name=weft-run-node1", "--network=host", "--device=/dev/fuse"} < set(run)
    assert made == ["podman-hpc", "exec", "weft-run-node1", "mkdir", "/weft-run-node1"]
    assert mounted[3:] == ["fuse2fs", "-o", "fakeroot", VOLUME.image, "/weft-run-node1"]
    assert wrapper(program, VOLUME)[:4] == ("podman-hpc", "exec", "--env=*", "weft-run-node1")


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_command_inside_finds_its_directory_made(name: str) -> None:
    program = PROGRAMS[name]
    *_, made = wrapper(program, VOLUME)
    assert made == f"{program.point(VOLUME)}/files"


def test_the_mount_point_is_hidden_by_nothing_that_is_seen(site: Path) -> None:
    assert site.exists()
    layout = preview.sketch(spec(scratch="loopback:/lustre/me,by=apptainer"))
    assert {Path(path).parent.parent for path in layout.places["scratch"].paths.values()} == {Path("/")}


def test_directories_inside_of_others_are_bound_once() -> None:
    paths = ["/home/me/runs/a", "/home/me", "/scratch", "/home/me", "/home/me2"]
    assert outermost([Path(path) for path in paths]) == [
        Path("/home/me"),
        Path("/home/me2"),
        Path("/scratch"),
    ]


def test_every_daemon_and_command_of_a_node_enters_its_container(site: Path) -> None:
    assert site.exists()
    plan = preview.preview(spec(scratch="loopback,by=apptainer", nodes="local:2"))
    for one in [*plan["daemons"], *plan["commands"]]:
        assert one["argv"][:2] == ["apptainer", "exec"]
        assert one["argv"][2].endswith(one["node"])


def test_other_places_are_entered_by_nothing() -> None:
    plan = preview.preview(spec(scratch="loopback"))
    assert plan["daemons"][0]["argv"][0] == "java"


def test_a_container_is_for_scratch_alone(site: Path) -> None:
    assert site.exists()
    with pytest.raises(UsageError, match="output: only one node"):
        preview.sketch(spec(output="loopback,by=apptainer"))


def test_an_image_has_to_be_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEFT_SITE", str(tmp_path / "none.toml"))
    with pytest.raises(UsageError, match="names no root image") as caught:
        preview.sketch(spec(scratch="loopback,by=podman-hpc"))
    assert str(settings.site()) in caught.value.hint
    preview.sketch(spec(scratch="loopback,by=shifter"))  # the job's own directive can name it


def test_the_programs_choose_the_file_system() -> None:
    storage = TypeAdapter[AnyStorage](AnyStorage)
    with pytest.raises(ValueError, match="omit fs"):
        storage.validate_python("loopback,by=apptainer,fs=xfs")
    read = storage.validate_python("loopback,by=apptainer")
    assert storage.validate_json(storage.dump_json(read)) == read


@pytest.mark.parametrize("elsewhere", [False, True])
def test_what_a_killed_command_left_running_is_ended(tmp_path: Path, *, elsewhere: bool) -> None:
    command = f"touch '{tmp_path}/ended by its arguments'"
    if elsewhere:
        cleanup.undone("container", command)
    else:
        with lease.hold("one", "a test") as held:
            held.note("container", path=command)
    assert (tmp_path / "ended by its arguments").exists()


def test_the_doctor_knows_what_the_site_has(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    bad(programs.containers(), "limits", "podman-hpc is on PATH", "module load")
    (tmp_path / "apptainer").write_text("#!/bin/sh\n")
    (tmp_path / "apptainer").chmod(0o755)
    assert programs.containers().status == "ok"
    site.unlink()
    bad(programs.containers(), "limits", "apptainer", str(site))
