"""Maven, which builds weft's own jars, takes nothing whose checksum is not that of the repository."""

import hashlib
import shutil
import subprocess
from pathlib import Path

from tests.mirror import Registry, serving
from tests.needs import JAVA, needs
from weft.host import settings

POM = (
    '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>{}'
    "<groupId>g</groupId><artifactId>{}</artifactId><version>1</version><packaging>pom</packaging></project>"
)
PARENT = (
    "<parent><groupId>g</groupId><artifactId>parent</artifactId><version>1</version><relativePath/></parent>"
)


@needs(*JAVA)
def test_a_file_that_was_changed_on_its_way_is_refused(tmp_path: Path) -> None:
    parent = POM.format("", "parent").encode()
    path, checksum = "/g/parent/1/parent-1.pom", hashlib.sha1(parent + b"<!-- -->").hexdigest()
    with serving(Registry({path: parent, f"{path}.sha1": checksum.encode()})) as registry:
        (tmp_path / "settings.xml").write_text(
            f"<settings><localRepository>{tmp_path}/local</localRepository><mirrors><mirror><id>m</id>"
            f"<url>{registry.url}</url><mirrorOf>*</mirrorOf></mirror></mirrors></settings>"
        )
        shutil.copytree(settings.SOURCE / "java" / ".mvn", tmp_path / ".mvn")
        (tmp_path / "pom.xml").write_text(POM.format(PARENT, "child"))
        argv = ["mvn", "--batch-mode", f"--settings={tmp_path}/settings.xml", "--file", tmp_path / "pom.xml"]
        done = subprocess.run([*argv, "validate"], check=False, capture_output=True, text=True)
    assert done.returncode != 0, done.stdout
    assert "Checksum validation failed" in done.stdout
