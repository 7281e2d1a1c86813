"""Where engines are downloaded from: indexes, mirrors, proxies and credentials as pip and Maven are configured."""

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.mirror import Registry, python_page, serving, sha256
from weft.errors import MissingError
from weft.host import settings
from weft.host.provision import distribution
from weft.host.provision.download import index, mavensettings, pipsettings, registries, repository
from weft.host.provision.download.attempts import Refused
from weft.host.provision.download.session import session
from weft.host.provision.mavenset import Artifact, MavenSet
from weft.host.provision.pythonarchive import PythonArchive

CENTRAL = "https://central.invalid/maven"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user without any settings."""
    home = tmp_path / "home"
    (home / ".m2").mkdir(parents=True)
    for variable in list(settings.pip()):
        monkeypatch.delenv("PIP_" + variable.upper().replace("-", "_"))
    for variable in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / ".config"))
    monkeypatch.setenv("WEFT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(pipsettings.sys, "prefix", str(tmp_path / "env"))
    monkeypatch.setattr(mavensettings.shutil, "which", lambda _: None)
    monkeypatch.setattr(registries, "maven_repository", lambda: CENTRAL)
    return home


@pytest.fixture
def registry() -> Iterator[Registry]:
    with serving(Registry()) as running:
        yield running


def configure_pip(home: Path, text: str) -> None:
    (home / ".config" / "pip").mkdir(parents=True)
    (home / ".config" / "pip" / "pip.conf").write_text(text)


def test_variables_of_pip_have_precedence_over_its_files(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    configure_pip(
        home, "[global]\nindex-url = http://a/simple\nproxy = http://p:1\n[download]\ntimeout = 7\n"
    )
    monkeypatch.setenv("PIP_INDEX_URL", "http://b/simple/")
    monkeypatch.setenv("PIP_EXTRA_INDEX_URL", "http://c http://d")
    found = pipsettings.load()
    assert found.indexes() == ["http://b/simple", "http://c", "http://d"]
    assert (found.route("http://b").proxy, found.route("http://b").timeout) == ("http://p:1", 7.0)


def test_a_proxy_of_pip_without_a_scheme_is_one_of_http(home: Path) -> None:
    configure_pip(home, "[global]\nproxy = proxy.site:3128\n")
    assert pipsettings.load().route("https://a").proxy == "http://proxy.site:3128"


def test_a_setting_of_pips_files_without_a_value_is_not_set(home: Path) -> None:
    """An empty proxy would switch the environment's off."""
    configure_pip(home, "[global]\nproxy =\nindex-url = http://a/simple\n[install]\nindex-url =\n")
    found = pipsettings.load()
    assert found.route("https://a").proxy is None
    assert found.indexes() == ["http://a/simple"]


def test_certificates_are_those_of_pip_then_those_of_its_variables(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # the machine may have a pip.conf
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    assert pipsettings.load().route("https://a").trusted is None
    monkeypatch.setenv("CURL_CA_BUNDLE", "/etc/site/curl.pem")
    assert pipsettings.load().route("https://a").trusted == Path("/etc/site/curl.pem")
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", "/etc/site/ca.pem")
    assert pipsettings.load().route("https://a").trusted == Path("/etc/site/ca.pem")
    monkeypatch.delenv("PIP_CONFIG_FILE")
    configure_pip(home, "[global]\ncert = /etc/own.pem\n")
    assert pipsettings.load().route("https://a").trusted == Path("/etc/own.pem")


def test_no_index_and_trusted_hosts_of_pip_hold(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    configure_pip(home, "[global]\ntrusted_host = a b:81\n")
    found = pipsettings.load()
    assert [found.route(f"https://{host}/x").verify for host in ("a", "a:1", "b", "b:81", "c")] == [
        False,
        False,
        True,
        False,
        True,
    ]
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    assert pipsettings.load().indexes() == []


@pytest.mark.parametrize("form", ["html", "json", "find-links"])
def test_a_file_is_found_in_an_index(
    registry: Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    page = python_page("engine-1.0.tar.gz", "../../files/engine-1.0.tar.gz#sha256=00")
    monkeypatch.setenv("PIP_INDEX_URL", f"{registry.url}/simple")
    if form == "json":
        page = json.dumps({"files": [{"url": "../../files/engine-1.0.tar.gz"}, {"url": "other"}]}).encode()
        registry.types["/simple/engine/"] = "application/vnd.pypi.simple.v1+json"
    if form == "find-links":
        (tmp_path / "engine-1.0.tar.gz").touch()
        monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
        monkeypatch.setenv("PIP_NO_INDEX", "1")
    registry.files["/simple/engine/"] = page
    with session() as to:
        (found,) = index.sources("engine", "engine-1.0.tar.gz", to)
    base = registry.url + "/files" if form != "find-links" else tmp_path.as_uri()
    assert found.url == f"{base}/engine-1.0.tar.gz"


def test_an_index_without_the_file_is_named(registry: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    registry.files["/simple/engine/"] = python_page("engine-0.9.tar.gz", "engine-0.9.tar.gz")
    monkeypatch.setenv("PIP_INDEX_URL", f"{registry.url.replace('//', '//me:secret@')}/simple")
    with session() as to, pytest.raises(Refused, match=f"has engine-1.0.tar.gz: {registry.url}/simple"):
        index.sources("engine", "engine-1.0.tar.gz", to)


def configure_maven(home: Path, text: str) -> None:
    (home / ".m2" / "settings.xml").write_text(
        f'<settings xmlns="http://maven.apache.org/SETTINGS/1.2.0">{text}</settings>'
    )


def test_without_settings_the_central_repository_is_asked() -> None:
    (found,) = mavensettings.load().repositories()
    assert (found.url, found.route.proxy, found.route.user) == (CENTRAL, None, None)


@pytest.mark.parametrize(
    ("pattern", "taken"),
    [("*", True), ("central", True), ("external:*", True), ("*,!central", False), ("other", False)],
)
def test_a_mirror_is_used_where_it_covers_the_repository(home: Path, pattern: str, taken: bool) -> None:
    configure_maven(
        home,
        f"""<mirrors><mirror><id>site</id><url>http://mirror/</url><mirrorOf>{pattern}</mirrorOf></mirror></mirrors>
        <servers><server><id>site</id><username>me</username><password>${{env.SITE_KEY}}</password></server></servers>""",
    )
    (found,) = mavensettings.load().repositories()
    assert found.url == ("http://mirror" if taken else CENTRAL)
    assert (found.route.user is not None) == taken


def test_credentials_come_from_variables(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SITE_KEY", "k")
    configure_maven(
        home,
        """<servers><server><id>central</id><username>me</username><password>${env.SITE_KEY}</password></server>
        </servers>""",
    )
    (found,) = mavensettings.load().repositories()
    assert found.route.user == ("me", "k")


@pytest.mark.parametrize("password", ["a$HOME", "${HOME}", "$$x", "pa$1"])
def test_a_password_with_a_dollar_stays_as_it_is(home: Path, password: str) -> None:
    configure_maven(
        home,
        f"""<servers><server><id>central</id><username>me</username><password>{password}</password></server>
        </servers>""",
    )
    (found,) = mavensettings.load().repositories()
    assert found.route.user == ("me", password)


def test_an_encrypted_password_is_refused_with_a_way_on(home: Path) -> None:
    configure_maven(
        home,
        """<servers><server><id>central</id><username>me</username><password>{COQLCE6DU6GtcS5P=}</password></server>
        </servers>""",
    )
    with pytest.raises(MissingError, match="encrypted"):
        mavensettings.load().repositories()


@pytest.mark.parametrize(
    ("active", "excluded", "proxy"),
    [
        ("true", "", "http://me:a%2Fb@p:3128"),
        ("true", "*.local|central.*", ""),
        ("false", "", None),
    ],
)
def test_the_active_proxy_is_used_except_for_excluded_hosts(
    home: Path, active: str, excluded: str, proxy: str | None
) -> None:
    configure_maven(
        home,
        f"""<proxies><proxy><active>{active}</active><protocol>http</protocol><username>me</username>
        <password>a/b</password><host>p</host><port>3128</port><nonProxyHosts>{excluded}</nonProxyHosts></proxy>
        </proxies>""",
    )
    (found,) = mavensettings.load().repositories()
    assert found.route.proxy == proxy


def test_repositories_of_active_profiles_are_asked_first(home: Path) -> None:
    configure_maven(
        home,
        """<profiles><profile><id>site</id><repositories><repository><id>nexus</id><url>http://nexus/all</url>
        </repository></repositories></profile></profiles><activeProfiles><activeProfile>site</activeProfile>
        </activeProfiles>""",
    )
    assert [found.url for found in mavensettings.load().repositories()] == ["http://nexus/all", CENTRAL]


def test_the_local_repository_comes_first_and_is_enough_when_offline(home: Path) -> None:
    configure_maven(home, "<offline>true</offline>")
    with session() as to:
        with pytest.raises(Refused, match="offline"):
            repository.sources("a/b/1/b-1.jar", to)
        here = home / ".m2" / "repository" / "a" / "b" / "1" / "b-1.jar"
        here.parent.mkdir(parents=True)
        here.touch()
        assert [source.url for source in repository.sources("a/b/1/b-1.jar", to)] == [here.as_uri()]


def test_settings_that_are_not_xml_are_named(home: Path) -> None:
    (home / ".m2" / "settings.xml").write_text("<settings>")
    with pytest.raises(MissingError, match=r"settings\.xml are not readable"):
        mavensettings.load()


def test_settings_of_maven_may_have_another_encoding(home: Path) -> None:
    text = '<?xml version="1.0" encoding="ISO-8859-1"?><settings><!-- für alle --><offline>true</offline></settings>'
    (home / ".m2" / "settings.xml").write_bytes(text.encode("latin-1"))
    assert mavensettings.load().offline()
    (home / ".m2" / "settings.xml").write_bytes(text.replace("ISO-8859-1", "UTF-8").encode("latin-1"))
    with pytest.raises(MissingError, match=r"settings\.xml are not readable"):
        mavensettings.load()


def engines(registry: Registry) -> dict[str, PythonArchive | MavenSet]:
    """Two distributions of one file and of three."""
    import io
    import zipfile

    wheel = io.BytesIO()
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("engine/bin/start", "start")
    content, jars = wheel.getvalue(), {f"g/{name}/1/{name}-1.jar": name.encode() for name in "abc"}
    registry.files = {
        "/simple/engine/": python_page("engine-1.whl", "/files/engine-1.whl"),
        "/files/engine-1.whl": content,
        **{f"/maven/{path}": jar for path, jar in jars.items()},
    }
    one = PythonArchive(
        "one", "1", "engine", "engine-1.whl", len(content), sha256(content), {"engine/": ""}, 1
    )
    several = MavenSet("several", "1", 1)
    several.__dict__["artifacts"] = [Artifact(sha256(jar), len(jar), path) for path, jar in jars.items()]
    return {"one": one, "several": several}


@pytest.fixture
def mirrored(registry: Registry, home: Path, monkeypatch: pytest.MonkeyPatch) -> Registry:
    """In a checkout, whose downloads start no process: neither pip nor Maven builds or runs what is not locked."""
    monkeypatch.setattr(subprocess, "Popen", None)
    monkeypatch.setenv("PIP_INDEX_URL", f"{registry.url}/simple")
    mirror = f"<mirror><id>m</id><url>{registry.url}/maven</url><mirrorOf>*</mirrorOf></mirror>"
    configure_maven(home, f"<mirrors>{mirror}</mirrors>")
    monkeypatch.setattr(distribution, "DISTRIBUTIONS", engines(registry))
    return registry


def test_engines_are_downloaded_together_and_then_nothing_else_remains(mirrored: Registry) -> None:
    found = distribution.homes(["several", "one"], lambda _: None)
    assert (found["one"] / "bin" / "start").read_text() == "start"
    assert sorted(path.name for path in (found["several"] / "lib").iterdir()) == [
        "a-1.jar",
        "b-1.jar",
        "c-1.jar",
    ]
    assert list((settings.cache() / "downloads").iterdir()) == []
    mirrored.asked.clear()
    assert distribution.homes(["several", "one"], lambda _: None) == found
    assert mirrored.asked == []


def test_no_half_installed_engine_is_ever_used(mirrored: Registry) -> None:
    right = mirrored.files["/maven/g/b/1/b-1.jar"]
    mirrored.files["/maven/g/b/1/b-1.jar"] = b"x"
    with pytest.raises(MissingError, match=r"b-1\.jar could not be downloaded: .*is locked"):
        distribution.homes(["one", "several"], lambda _: None)
    assert [path.name for path in settings.cache().iterdir() if path.name[0] != "."] == ["downloads"]
    mirrored.files["/maven/g/b/1/b-1.jar"] = right
    assert set(distribution.homes(["one", "several"], lambda _: None)) == {"one", "several"}
