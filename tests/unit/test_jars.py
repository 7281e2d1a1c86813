"""weft's own jars: what a module is compiled with, as its pom has it, and what its jar then has."""

import shutil
import struct
import subprocess
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.mirror import Registry, serving, sha256
from tests.needs import JAVA, needs
from weft.errors import MissingError, WeftError
from weft.host import settings
from weft.host.provision import distribution, jarfile, jars, javamodules, jdk
from weft.host.provision.mavenset import locked
from weft.host.provision.relocation import Relocation
from weft.host.provision.tree import building

TOP = "<project><properties><word>1</word></properties></project>"
DEPENDENCY = (
    "<dependency><groupId>{}</groupId><artifactId>{}</artifactId><version>{}</version>{}</dependency>"
)
LIBRARY = "g/h/lib/1/lib-1.jar"


def pom(*dependencies: str) -> str:
    return (
        '<project xmlns="http://maven.apache.org/POM/4.0.0"><properties><own>${spark.home}/jars</own></properties>'
        f"<dependencies>{''.join(dependencies)}</dependencies></project>"
    )


@pytest.fixture
def java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout with core, whose program uses a library that is packed, and a module that uses core."""
    java = tmp_path / "java"
    for module, package, text in (
        ("core", "io/weft/core", "public class Core { public String is() { return picocli.Words.text(); } }"),
        ("spark", "io/weft/spark", "class Job extends io.weft.core.Core {}"),
    ):
        (folder := java / module / "src" / "main" / "java" / package).mkdir(parents=True)
        name = text.split("class ")[1].split()[0]
        (folder / f"{name}.java").write_text(f"package {package.replace('/', '.')};\n{text}\n")
    (java / "pom.xml").write_text(TOP)
    (java / "core" / "pom.xml").write_text(pom(DEPENDENCY.format("g.h", "lib", "${word}", "")))
    (java / "spark" / "pom.xml").write_text(pom(DEPENDENCY.format("io.weft", "weft-core", "1", "")))
    (java / "spark" / "src" / "main" / "resources").mkdir()
    (java / "spark" / "src" / "main" / "resources" / "services").write_text("Job")
    (java / "maven.lock").write_text(f"{'0' * 64}  1 {LIBRARY}\n")
    monkeypatch.setattr(settings, "SOURCE", tmp_path)
    monkeypatch.setenv("WEFT_CACHE", str(tmp_path / "cache"))
    return java


def test_a_pom_says_what_a_module_is_compiled_with(java: Path) -> None:
    test, provided = "<scope>test</scope>", "<scope>provided</scope>"
    system = "<scope>system</scope><systemPath>${own}/spark-core-${word}.jar</systemPath>"
    (java / "spark" / "pom.xml").write_text(
        pom(
            DEPENDENCY.format("io.weft", "weft-core", "1", ""),
            DEPENDENCY.format("s", "spark-core", "1", system),
            DEPENDENCY.format("g.h", "lib", "1", provided),
            DEPENDENCY.format("g", "not-locked", "1", test),
        )
    )
    found = javamodules.read(java, "spark", locked(java / "maven.lock"))
    assert found.on_core
    assert [each.path for each in found.compiled_with] == [LIBRARY]
    assert found.packed == ()
    assert found.distributions == {"spark"}
    assert found.in_distributions({"spark": Path("/opt/spark")}) == [Path("/opt/spark/jars/spark-core-1.jar")]


def test_a_library_that_is_not_locked_is_named(java: Path) -> None:
    (java / "core" / "pom.xml").write_text(pom(DEPENDENCY.format("g.h", "lib", "2", "")))
    with pytest.raises(MissingError, match=r"maven\.lock does not have g/h/lib/2/lib-2\.jar, ") as raised:
        jars.build([], [], print)
    assert "tools/lock maven" in raised.value.hint


def test_every_library_of_wefts_own_modules_is_locked_and_direct() -> None:
    """Weft's own builds resolve nothing: a module whose libraries need others names those too."""
    java = settings.SOURCE / "java"
    names = [path.parent.name for path in java.glob("*/pom.xml")]
    read = {name: javamodules.read(java, name, locked(java / "maven.lock")) for name in names}
    assert {name for name, module in read.items() if module.packed} == {"core", "kerberos"}
    assert {name for name, module in read.items() if not module.on_core} == {"core", "kerberos"}
    assert {name: module.distributions for name, module in read.items() if module.distributions} == {
        "spark": {"spark"},
        "flink": {"flink"},
        "hive": {"hive", "hadoop"},
    }


@pytest.fixture
def registry(java: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Registry]:
    """A repository with the library, which the lock has then."""
    (source := tmp_path / "lib" / "picocli").mkdir(parents=True)
    (source / "Words.java").write_text(
        'package picocli; public class Words { public static String text() { return "words"; } }'
    )
    classes = tmp_path / "lib" / "classes"
    argv = [str(jdk.java().parent / "javac"), "-d", str(classes), str(source / "Words.java")]
    subprocess.run(argv, check=True)
    library = tmp_path / "lib-1.jar"
    jarfile.write(library, dict(jarfile.below(classes)))
    content = library.read_bytes()
    (java / "maven.lock").write_text(f"{sha256(content)}  {len(content)} {LIBRARY}\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    with serving(Registry({f"/{LIBRARY}": content})) as running:
        (tmp_path / ".m2").mkdir()
        mirror = f"<mirror><id>m</id><url>{running.url}</url><mirrorOf>*</mirrorOf></mirror>"
        (tmp_path / ".m2" / "settings.xml").write_text(
            f"<settings><localRepository>{tmp_path}/local</localRepository><mirrors>{mirror}</mirrors></settings>"
        )
        yield running


@needs(*JAVA)
def test_a_jar_has_core_and_its_libraries_under_a_name_of_their_own(
    registry: Registry, java: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = jars.build(["spark"], [], print)
    with zipfile.ZipFile(found["spark"]) as jar:
        assert jar.namelist() == [
            "META-INF/MANIFEST.MF",
            "io/weft/core/Core.class",
            "io/weft/picocli/Words.class",
            "io/weft/spark/Job.class",
            "services",
        ]
    (main := tmp_path / "Main.java").write_text(
        "public class Main { public static void main(String[] args) { System.out.println(new io.weft.core.Core().is()); } }"
    )
    argv = [str(jdk.java()), "-cp", str(found["spark"]), str(main)]
    done = subprocess.run(argv, capture_output=True, text=True, check=True)
    assert done.stdout == "words\n"
    whole = {name: path.read_bytes() for name, path in found.items()}
    shutil.rmtree(tmp_path / "cache")
    assert {name: path.read_bytes() for name, path in jars.build(["spark"], [], print).items()} == whole


@needs(*JAVA)
def test_what_does_not_compile_is_shown(registry: Registry, java: Path) -> None:
    (java / "core" / "src" / "main" / "java" / "Odd.java").write_text("class Odd { int x = unknown; }\n")
    with pytest.raises(MissingError, match="building weft's jar for core failed") as raised:
        jars.build([], [], print)
    assert any("cannot find symbol" in line for line in raised.value.tail)


def test_a_compiler_that_is_killed_is_not_a_failure_without_words(
    registry: Registry, java: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(argv: list[str], **_: object) -> None:
        raise WeftError(f"`{' '.join(argv)}` failed with exit code -9")

    monkeypatch.setattr(jars.shell, "run", killed)
    with pytest.raises(
        MissingError, match=r"jar for core failed: the compiler failed with exit code -9\n"
    ) as raised:
        jars._compile(
            javamodules.read(java, "core", locked(java / "maven.lock")), ["javac"], [], java / "classes"
        )
    assert "dmesg" in raised.value.hint


def test_libraries_come_with_the_engine_unless_there_are_jars(
    java: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jdk, "will_compile", lambda: True)
    system = "<scope>system</scope><systemPath>${spark.home}/a.jar</systemPath>"
    (java / "spark" / "pom.xml").write_text(pom(DEPENDENCY.format("s", "a", "1", system)))
    spark = distribution.DISTRIBUTIONS["spark"]
    assert set(jars.needs(["spark"])) == {"core-libraries", "spark"}, (
        "jars are compiled against it, whatever a site has"
    )
    modules = jars._modules(["spark"])
    for module in modules.values():
        with building(jars._key(module), 1) as target:
            assert target is not None
    assert jars.needs(["spark"]) == {}
    monkeypatch.setitem(distribution.DISTRIBUTIONS, "spark", replace(spark, version="5.0.0"))
    assert set(jars.needs(["spark"])) == {"spark"}, "of another version there is none"


def class_file(*texts: str) -> bytes:
    """A constant pool with a long, which takes two indexes, and texts, and what comes behind it."""
    pool = struct.pack(">BQ", 5, 7) + b"".join(
        struct.pack(">BH", 1, len(text)) + text.encode() for text in texts
    )
    return struct.pack(">IHHH", 0xCAFEBABE, 0, 61, 3 + len(texts)) + pool + b"code"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("picocli/CommandLine", "io/weft/picocli/CommandLine"),
        ("[Lpicocli/CommandLine$Option;", "[Lio/weft/picocli/CommandLine$Option;"),
        ("(Lpicocli/A;ILpicocli/B;)V", "(Lio/weft/picocli/A;ILio/weft/picocli/B;)V"),
        ("<T:Lpicocli/A;>", "<T:Lio/weft/picocli/A;>"),
        ("picocli.AutoComplete", "io.weft.picocli.AutoComplete"),
        ("org/picocli/A", "org/picocli/A"),
        ("see picocli.info", "see picocli.info"),
        ("picocli", "picocli"),
    ],
)
def test_names_of_classes_change_and_other_texts_do_not(before: str, after: str) -> None:
    move = Relocation("picocli", "io.weft")
    assert move.class_file(class_file("a", before)) == class_file("a", after)
    assert move.path("picocli/A.class") == "io/weft/picocli/A.class"
    assert move.path("org/picocli/A.class") == "org/picocli/A.class"
