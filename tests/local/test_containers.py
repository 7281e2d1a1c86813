"""Scratch in an image file that a container's program mounts: run with a stand-in for Apptainer, named so."""

import json
import os
from pathlib import Path

from tests.local import apptainer
from tests.local.conftest import Weft, in_phase
from tests.needs import ROOT, needs

SCRATCH = "loopback,by=apptainer,size=300M"
HOST = ("bin", "sbin", "lib", "lib64")
"""Of the host's root: links or directories with the programs that every image has."""


def site(folder: Path) -> dict[str, str]:
    """Variables of a machine that has the program, and a site profile that names an image: bare, with the host's programs."""
    image = folder / "image"
    image.mkdir()
    links = [name for name in HOST if Path("/", name).is_symlink()]
    for name in links:
        (image / name).symlink_to(Path("/", name).readlink())
    bound = ["/usr", "/etc", *(f"/{name}" for name in HOST if name not in links and Path("/", name).is_dir())]
    profile = folder / "site.toml"
    profile.write_text(f'[container]\nimage = "{image}"\nbind = {json.dumps(bound)}\n')
    programs = apptainer.install(folder / "programs")
    return {"WEFT_SITE": str(profile), "PATH": f"{programs}:{os.environ['PATH']}"}


@needs(ROOT, "mkfs.ext4", "unshare", "nsenter", "/dev/loop-control")
def test_shuffle_files_are_inside_of_the_image(weft: Weft, tmp_path: Path) -> None:
    """Executors run in a container each node; its file system is ext3 in one file, and the host does not see it."""
    own = site(tmp_path)
    process = weft.start("run", "terasort", "--size", "50MB", "--scratch", SCRATCH, "--json", **own)

    def shuffled() -> dict[str, str]:
        found = {}
        for executor in weft.processes("CoarseGrainedExecutorBackend"):
            inside = Path(f"/proc/{executor.pid}/root")
            mounts = Path(f"/proc/{executor.pid}/mounts").read_text().splitlines()
            for point, kind in (line.split()[1:3] for line in mounts if line.startswith("/dev/loop")):
                if list((inside / point.lstrip("/")).rglob("shuffle_*.data")):
                    found[executor.environ()["WEFT_NODE"]] = kind
        return found if len(found) == 2 else {}

    seen = weft.wait_for(process, lambda: in_phase(weft, "run") and shuffled())
    out, err = process.communicate(timeout=300)
    assert seen == {"node1": "ext3", "node2": "ext3"}
    assert json.loads(out)["verdict"] == "VALID", err
    place = json.loads((weft.record() / "resolved.json").read_text())["places"]["scratch"]
    assert "inside apptainer" in place["description"]
    assert not any(Path(path).exists() for path in place["paths"].values())
    assert list((tmp_path / "programs" / "instances").iterdir()) == []


def test_without_the_program_the_run_says_so(weft: Weft, tmp_path: Path) -> None:
    profile = tmp_path / "site.toml"
    profile.write_text('[container]\nimage = "base.sif"\n')
    done = weft("run", "terasort", "--scratch", SCRATCH, WEFT_SITE=str(profile))
    assert done.returncode == 2
    assert "node1, node2: apptainer is not on PATH" in done.stderr
