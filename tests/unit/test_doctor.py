"""Each check of `weft doctor`, with the fault made."""

import errno
import os
import resource
import socket
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.fakes import fake_program
from weft import doctor
from weft.adapters.nodes import cgroups
from weft.doctor import capacity, host, kernel, owndirectories, programs
from weft.doctor.finding import Finding, limits, missing, ok
from weft.host import lease, machine, settings
from weft.host.programs import examine, inventory
from weft.record import record

REAL_PATH = os.environ["PATH"]


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only directory with programs, /usr/sbin included."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setattr("weft.host.shell.shutil.which", _which(tmp_path / "bin"))
    return tmp_path / "bin"


def _which(directory: Path) -> Callable[..., str | None]:
    def which(name: str, **_: object) -> str | None:
        found = directory / name
        return str(found) if found.exists() else None

    return which


@pytest.fixture
def not_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)


@pytest.fixture
def as_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 0)


def bad(finding: Finding, status: str, *words: str) -> None:
    """The fault is reported, with its consequence and a fix."""
    assert finding.status == status, finding
    assert finding.costs
    assert finding.fix
    text = f"{finding.found} {finding.costs} {finding.fix}"
    assert [word for word in words if word not in text] == [], text


def here(name: str) -> Finding:
    """The check of this machine that each host of a set has too."""
    (check,) = (one for one in host.CHECKS if one.name == name)
    return check.judge([host.here()])


class TestPrograms:
    @pytest.mark.parametrize("version", ["", "11.0.2"])
    def test_without_a_java_that_is_new_enough_one_is_downloaded(
        self, path: Path, monkeypatch: pytest.MonkeyPatch, version: str
    ) -> None:
        path.mkdir()
        monkeypatch.setenv("WEFT_CACHE", str(path / "cache"))
        monkeypatch.setenv("PATH", f"{path}:{REAL_PATH}" if version else str(path))
        if version:
            fake_program(path, "java", f"echo 'openjdk version \"{version}\"' >&2")
        found = programs.java()
        assert (found.status, "the first run downloads Java 21" in found.found) == ("ok", True)

    def test_java_home_without_java(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("JAVA_HOME", str(path / "jdk"))
        bad(programs.java(), "missing", "JAVA_HOME")

    def test_an_old_java_home(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        fake_program(path / "jdk" / "bin", "java", "echo 'openjdk version \"11.0.2\" 2019-01-15' >&2")
        monkeypatch.setenv("JAVA_HOME", str(path / "jdk"))
        bad(programs.java(), "missing", "Java 11", "17")

    def test_a_runtime_that_lacks_a_module_limits_the_engine_that_needs_it(
        self, path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        home = path / "jre"
        fake_program(home / "bin", "java", "echo 'openjdk version \"17.0.9\"' >&2")
        (home / "release").write_text('JAVA_VERSION="17.0.9"\nMODULES="java.base java.sql"\n')
        monkeypatch.setenv("JAVA_HOME", str(home))
        bad(
            programs.java(), "limits", "lacks the module jdk.incubator.vector, which spark needs", "JAVA_HOME"
        )
        (home / "release").write_text('MODULES="java.base jdk.incubator.vector jdk.security.jgss"\n')
        assert programs.java().status == "ok"

    @pytest.mark.parametrize(
        ("check", "program", "package", "status"),
        [
            (programs.setpriv, "setpriv", "util-linux", "missing"),
            (programs.cargo, "cargo", "cargo", "limits"),
            (programs.fuse2fs, "fuse2fs", "fuse2fs", "limits"),
            (programs.xfs, "mkfs.xfs", "xfsprogs", "limits"),
        ],
    )
    def test_a_missing_program_names_its_package(
        self, path: Path, check: Callable[[], Finding], program: str, package: str, status: str
    ) -> None:
        bad(check(), status, f"`{program}`", f"apt-get install {package}")
        fake_program(path, program, "echo 1.99.0")
        assert check().status == "ok"

    @pytest.mark.usefixtures("path")
    def test_where_there_is_no_apt_a_package_is_named_as_debians(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.setattr("weft.host.shell._APT", tmp_path / "apt-get")
        bad(programs.xfs(), "limits", "`mkfs.xfs`", "install the package that Debian calls xfsprogs")
        bad(
            programs.cargo(), "limits", "install the package that Debian calls cargo (on Debian 12 cargo-web)"
        )

    def test_a_cargo_that_does_not_run_has_a_fix(self, path: Path) -> None:
        fake_program(path, "cargo", "echo 'error: rustup could not choose a version of cargo' >&2; exit 1")
        bad(programs.cargo(), "limits", "rustup could not choose a version", "rustup default stable")


class TestCapacity:
    @pytest.mark.parametrize(
        ("free", "fix"), [(1, "stop other programs"), (machine.LEAST + 1, "--nodes local:1")]
    )
    def test_little_memory(self, monkeypatch: pytest.MonkeyPatch, free: int, fix: str) -> None:
        memory = SimpleNamespace(available=machine.RESERVE + free)
        monkeypatch.setattr("psutil.virtual_memory", lambda: memory)
        bad(capacity.memory(), "missing", fix)

    def test_memory_for_nodes_and_not_for_the_driver_too(self, monkeypatch: pytest.MonkeyPatch) -> None:
        memory = SimpleNamespace(available=machine.RESERVE + 2 * machine.LEAST)
        monkeypatch.setattr("psutil.virtual_memory", lambda: memory)
        bad(capacity.memory(), "missing", "executor heap")

    @pytest.mark.parametrize(
        ("line", "folder", "files", "cached"),
        [
            ("0::/box\n", "box", {"memory.max": "1000", "memory.current": "400"}, ""),
            (
                "0::/box\n",
                "box",
                {"memory.max": "1000", "memory.current": "650"},
                "anon 400\ninactive_file 200\nactive_file 50",
            ),
            (
                "3:cpu:/\n7:memory:/box\n",
                "memory/box",
                {"memory.limit_in_bytes": "1000", "memory.usage_in_bytes": "650"},
                "inactive_file 7\ntotal_inactive_file 200\ntotal_active_file 50",
            ),
        ],
    )
    def test_the_bound_of_a_container_counts_and_files_in_memory_do_not(
        self, tmp_path: Path, line: str, folder: str, files: dict[str, str], cached: str
    ) -> None:
        (tmp_path / "self").mkdir()
        (tmp_path / "self/cgroup").write_text(line)
        (tmp_path / folder).mkdir(parents=True)
        for name, value in {**files, "memory.stat": cached}.items():
            (tmp_path / folder / name).write_text(f"{value}\n")
        assert inventory.bounds(str(tmp_path), str(tmp_path)) == [(1000, 400)]

    def test_a_group_without_bound_gives_all(self, tmp_path: Path) -> None:
        (tmp_path / "self").mkdir()
        (tmp_path / "self/cgroup").write_text("0::/\n")
        (tmp_path / "memory.max").write_text("max\n")
        (tmp_path / "memory.current").write_text("5\n")
        assert inventory.bounds(str(tmp_path), str(tmp_path)) == []

    def test_one_core(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("os.sched_getaffinity", lambda _: {0})
        bad(capacity.cores(), "limits", "1")

    @pytest.mark.usefixtures("not_root")
    def test_no_shared_memory(self, tmp_path: Path) -> None:
        bad(capacity.shared_memory(tmp_path / "none"), "limits", "--scratch memory", "remount")

    @pytest.mark.usefixtures("not_root")
    def test_full_shared_memory(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.setattr("shutil.disk_usage", lambda _: (64 * 10**9, 64 * 10**9 - 5, 5))
        bad(capacity.shared_memory(tmp_path), "limits", "5 B of 64 GB free", "--scratch memory", "remove")

    @pytest.mark.parametrize(
        ("check", "kind", "bound"),
        [
            ("ulimit -n", resource.RLIMIT_NOFILE, (256, 1024)),
            ("ulimit -u", resource.RLIMIT_NPROC, (100, 100_000)),
            ("ulimit -u", resource.RLIMIT_NPROC, (100, 100)),
        ],
    )
    def test_low_bounds(
        self, monkeypatch: pytest.MonkeyPatch, check: str, kind: int, bound: tuple[int, int]
    ) -> None:
        monkeypatch.setattr("resource.getrlimit", lambda asked: bound if asked == kind else (0, 0))
        bad(here(check), "limits", str(bound[0]))

    @pytest.mark.parametrize("check", ["ulimit -n", "ulimit -u"])
    def test_no_bound_is_well(self, monkeypatch: pytest.MonkeyPatch, check: str) -> None:
        monkeypatch.setattr("resource.getrlimit", lambda _: (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        assert here(check).status == "ok"


class TestPlaces:
    CHECKS = pytest.mark.parametrize(
        "check", [owndirectories.cache, owndirectories.work, owndirectories.runs, owndirectories.state]
    )

    @CHECKS
    def test_a_directory_below_a_file_cannot_be_made(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, check: Callable[[], Finding]
    ) -> None:
        (tmp_path / "file").touch()
        name = f"WEFT_{check.__name__.upper()}"
        monkeypatch.setenv(name, str(tmp_path / "file" / "below"))
        bad(check(), "missing", name, "is not writable")

    @CHECKS
    def test_too_little_room(self, monkeypatch: pytest.MonkeyPatch, check: Callable[[], Finding]) -> None:
        monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=1000))
        status = "limits" if check is owndirectories.work else "missing"
        bad(check(), status, "1 kB free", f"WEFT_{check.__name__.upper()}")

    def test_looking_makes_nothing(self) -> None:
        for check in (owndirectories.cache, owndirectories.work, owndirectories.runs, owndirectories.state):
            check()
        assert not settings.work().exists()
        assert not settings.runs().exists()

    def test_a_work_directory_of_another_user(self, monkeypatch: pytest.MonkeyPatch) -> None:
        settings.work().mkdir()
        monkeypatch.setattr("os.getuid", lambda: 4711)
        bad(owndirectories.work(), "missing", "another user")

    def test_a_cache_that_forbids_programs(self, monkeypatch: pytest.MonkeyPatch) -> None:
        assert here("programs").status == "ok"
        monkeypatch.setattr("os.statvfs", lambda _: SimpleNamespace(f_flag=os.ST_NOEXEC))
        bad(here("programs"), "missing", "noexec", "WEFT_CACHE")

    def test_a_work_directory_that_forbids_programs(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """As /var/tmp of a hardened machine: JVMs load libraries from there."""
        settings.work().mkdir()
        flags = {str(settings.work()): os.ST_NOEXEC}
        monkeypatch.setattr("os.statvfs", lambda path: SimpleNamespace(f_flag=flags.get(str(path), 0)))
        bad(here("programs"), "missing", f"{settings.work()} is mounted noexec", "WEFT_WORK")

    def test_leftovers_of_a_killed_command(self) -> None:
        assert owndirectories.leftovers().status == "ok"
        with lease.hold("alive", "a test") as held:
            assert owndirectories.leftovers().status == "ok"
            copy = held.path.with_name("dead.jsonl")
            copy.write_text(held.path.read_text())
            bad(owndirectories.leftovers(), "limits", "dead", "weft clean")

    def test_a_cluster_without_security_is_running(self) -> None:
        who = "security=none: every user of this machine can use this cluster"
        for name, words in (("closed", ""), ("open", who)):
            record.create(settings.runs(), name, "", {"nodes": "local:2", "unsecured": words})
        with lease.hold("closed", "a test"):
            assert owndirectories.unsecured().status == "ok"
            with lease.hold("open", "a test"):
                bad(owndirectories.unsecured(), "limits", "open (local:2)", who, "security=none")
        assert owndirectories.unsecured().status == "ok"


class TestKernel:
    def test_namespaces_are_refused(self, path: Path) -> None:
        fake_program(path, "unshare", "echo 'unshare: Operation not permitted' >&2; exit 1")
        for name in ("ip", "tc"):
            fake_program(path, name)
        bad(kernel.user_namespaces(), "limits", "not permitted", "sysctl", "virtual nodes")
        bad(kernel.virtual_nodes(), "limits", "not permitted", "--nodes virtual")
        bad(kernel.shaping(), "limits", "rate")

    def test_tools_are_missing(self, path: Path) -> None:
        fake_program(path, "unshare")
        bad(kernel.virtual_nodes(), "limits", "apt-get install iproute2")
        bad(kernel.shaping(), "limits", "apt-get install iproute2")

    def test_groups_cannot_be_written(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(cgroups, "ROOT", tmp_path)
        bad(kernel.control_groups(), "limits", "version 1", "not enforced")

    @pytest.mark.usefixtures("not_root")
    def test_perf(self, tmp_path: Path) -> None:
        setting = tmp_path / "paranoid"
        bad(kernel.perf(setting), "limits", "does not support perf events")
        setting.write_text("3\n")
        bad(kernel.perf(setting), "limits", "is 3", "sysctl")
        setting.write_text("2\n")
        assert kernel.perf(setting).status == "ok"


class TestMounts:
    @pytest.mark.usefixtures("not_root")
    def test_loop_mounts_take_root(self) -> None:
        bad(here("loop mounts"), "limits", "not run as root", "fuse2fs")

    @pytest.mark.usefixtures("as_root")
    def test_no_devices(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(examine, "opened", lambda device: f"{device}: Permission denied")
        bad(here("loop mounts"), "limits", "modprobe loop", "/dev/loop-control: Permission denied")
        bad(here("fuse"), "limits", "modprobe fuse", "chmod", "/dev/fuse: Permission denied")

    @pytest.mark.usefixtures("not_root", "path")
    def test_no_fusermount(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(examine, "opened", lambda _: "")
        bad(here("fuse"), "limits", "fusermount3 is missing", "apt-get install fuse3")


class TestHost:
    def resolve(self, monkeypatch: pytest.MonkeyPatch, *addresses: str) -> None:
        found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 0)) for address in addresses]
        monkeypatch.setattr("socket.gethostname", lambda: "box")
        monkeypatch.setattr("socket.getaddrinfo", lambda *_, **__: found)

    def test_a_name_that_does_not_resolve(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def fail(*_: object, **__: object) -> None:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

        monkeypatch.setattr("socket.gethostname", lambda: "box")
        monkeypatch.setattr("socket.getaddrinfo", fail)
        bad(here("host name"), "limits", "box does not resolve", "/etc/hosts")

    def test_an_address_that_nobody_here_has(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.resolve(monkeypatch, "192.0.2.77")
        bad(here("host name"), "limits", "192.0.2.77", "not an address")

    def test_an_address_of_this_machine(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.resolve(monkeypatch, "127.0.0.1")
        assert here("host name").status == "ok"

    def test_a_slow_lookup(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.resolve(monkeypatch, "127.0.0.1")
        ticks = iter([0.0, 5.0])
        monkeypatch.setattr(examine, "time", SimpleNamespace(monotonic=lambda: next(ticks), time=lambda: 0.0))
        bad(here("host name"), "limits", "took 5.0 s")

    def test_another_error_of_binding_is_not_taken_for_a_foreign_address(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self.resolve(monkeypatch, "127.0.0.1")

        class Denied(socket.socket):
            def bind(self, _: object) -> None:
                raise OSError(errno.EACCES, "denied")

        monkeypatch.setattr("socket.socket", Denied)
        assert here("host name").status == "ok"

    def test_a_clock_behind_weft_itself(self) -> None:
        bad(host.clock(1_000_000_000), "limits", "2001", "timedatectl")


def test_one_line_for_what_is_well_and_a_fix_for_what_is_not() -> None:
    findings = [
        ok("java", "17"),
        limits("perf", "3", costs="profiles", fix="sysctl"),
        missing("maven", "none", costs="jars", fix="apt"),
    ]
    text = doctor.lines(findings)
    assert text[0].split() == ["ok", "java", "17"]
    assert sum("fix:" in line for line in text) == 2
    assert len(text) == 7


@pytest.mark.parametrize(
    ("status", "fit"),
    [("ok", True), ("limits", True), ("missing", False)],
)
def test_only_what_is_missing_makes_a_machine_unfit(status: str, fit: bool) -> None:
    assert doctor.fit([ok("a", ""), Finding("b", status, "")]) is fit  # type: ignore[arg-type]


def test_every_check_answers_here() -> None:
    findings = doctor.examine()
    assert len({finding.name for finding in findings}) == len(doctor.CHECKS) + len(host.CHECKS)
    assert all(finding.found for finding in findings)
    assert all((finding.status == "ok") or (finding.costs and finding.fix) for finding in findings)
