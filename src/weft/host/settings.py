"""Every environment variable that weft reads, and the directories that they name."""

import getpass
import json
import os
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from weft.errors import UsageError
from weft.text import redaction

PACKAGE = Path(__file__).resolve().parents[1]
"""The directory of weft's Python modules."""
SOURCE = PACKAGE.parents[1]
"""The checkout: java/ and native/ are built from here. An installed weft has none: see `shipped`."""


def shipped() -> Path | None:
    """What an installed weft has in place of a checkout: jars, native programs, lists of classes, studies, machines."""
    path = PACKAGE / "shipped"
    return path if path.is_dir() else None


def studies() -> Path:
    """The studies that come with weft."""
    return (shipped() or SOURCE) / "studies"


def machines() -> Path:
    """The machine files that come with weft."""
    return (shipped() or SOURCE) / "machines"


def profiles() -> Path:
    """latencyfs's profiles."""
    found = shipped()
    return found / "profiles" if found else SOURCE / "native" / "latencyfs" / "profiles"


def installation() -> list[Path]:
    """Directories that every node must see, to start weft's own Python there."""
    if shipped() is None:
        return [SOURCE]
    if shared_by_all := prefix():
        return [shared_by_all]
    environment = [Path(sys.prefix)] if sys.prefix != sys.base_prefix else []
    return [PACKAGE.parent, *environment]


def prefix() -> Path | None:
    """The shared installation that this weft belongs to: read-only, and used by many users."""
    path = PACKAGE.parents[2]
    return path if (path / "share" / "weft" / "prefix.json").is_file() else None


def shared_site() -> Path | None:
    """The site profile of all users of the shared installation."""
    found = prefix()
    return found / "etc" / "weft" / "site.toml" if found else None


def about() -> dict[str, str]:
    """What an installed weft was built from; empty in a checkout."""
    path = PACKAGE / "shipped" / "about.json"
    found: dict[str, str] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return found


def _spelled(variable: str, default: Path) -> Path:
    # Path.expanduser raises RuntimeError for an unknown user
    found = os.path.expanduser(os.environ.get(variable) or default)  # noqa: PTH111
    if found == "~" or found.startswith("~/"):
        raise UsageError("there is no home directory", hint=f"set HOME, or {variable}")
    return Path(found).absolute()


def followed(path: Path) -> Path:
    """Where a path leads; one that leads to itself stays as it is, where Path.resolve raises RuntimeError."""
    return Path(os.path.realpath(path))


def user() -> str:
    """This user's name; his number where he has none."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container may run as a user ID without a name
        return str(os.getuid())


_DEFAULTS: Mapping[str, Callable[[], Path]] = {
    "WEFT_CACHE": lambda: Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache") / "weft",
    "WEFT_RUNS": lambda: Path("runs"),
    "WEFT_STATE": lambda: Path(os.environ.get("XDG_STATE_HOME") or "~/.local/state") / "weft",
    "WEFT_WORK": lambda: Path("/var/tmp") / f"weft-{user()}",  # noqa: S108 - made 0700, owner checked
}


def directory_of(variable: str) -> Path:
    """One of weft's four directories, absolute, with the symbolic links that the functions below follow.

    Another one may not be known, such as ./runs in a directory that was removed.
    """
    return _spelled(variable, _DEFAULTS[variable]())


def spelled() -> dict[str, Path]:
    """All four by their variables."""
    return {variable: directory_of(variable) for variable in _DEFAULTS}


def cache() -> Path:
    """WEFT_CACHE: engines, built jars and native libraries, keyed by a hash of their inputs. Default ~/.cache/weft."""
    return followed(directory_of("WEFT_CACHE"))


def runs() -> Path:
    """WEFT_RUNS: directory of the records. Default ./runs."""
    return followed(directory_of("WEFT_RUNS"))


def state() -> Path:
    """WEFT_STATE: leases of running commands. Default ~/.local/state/weft."""
    return followed(directory_of("WEFT_STATE"))


def work() -> Path:
    """WEFT_WORK: files of running commands, removed when they end. Default /var/tmp/weft-USER."""
    return followed(directory_of("WEFT_WORK"))


def trusted() -> set[str]:
    """WEFT_TRUST: users and groups, separated by commas, that may change weft's directories. Default: none."""
    return {name.strip() for name in (os.environ.get("WEFT_TRUST") or "").split(",")} - {""}


def shared() -> Path | None:
    """WEFT_SHARED: directory for input and output if a run names none. Default: the work directory."""
    return followed(_spelled("WEFT_SHARED", Path())) if os.environ.get("WEFT_SHARED") else None


def share(path: Path) -> None:
    """Set the directory for input and output if a run names none and WEFT_SHARED is not set."""
    os.environ.setdefault("WEFT_SHARED", str(path))


def expanded(path: Path) -> Path:
    """A path with variables such as $DW_JOB_STRIPED expanded from this process's environment; unknown ones remain."""
    return Path(os.path.expandvars(path))


def site() -> Path:
    """WEFT_SITE: the site profile. Default ~/.config/weft/site.toml."""
    base = Path(os.environ.get("XDG_CONFIG_HOME") or "~/.config")
    return followed(_spelled("WEFT_SITE", base / "weft" / "site.toml"))


def own_directories() -> list[Path]:
    """Directories for a user's large files, best first: those that a site names in SCRATCH and WORK, then HOME."""
    named = [os.environ.get(name) for name in ("SCRATCH", "WORK", "HOME")]
    return [path for name in named if name and (path := Path(name)).is_dir() and os.access(path, os.W_OK)]


def local_directories() -> list[Path]:
    """Node-local directories, best first: those that a site names in LOCAL_SCRATCH and TMPDIR, then /tmp."""
    named = [os.environ.get(name) for name in ("LOCAL_SCRATCH", "TMPDIR")]
    return [Path(name) for name in (*named, "/tmp") if name and Path(name).is_dir()]  # noqa: S108 - the machine's


def module_directories() -> list[Path]:
    """MODULEPATH: search path of environment modules."""
    return [Path(name) for name in os.environ.get("MODULEPATH", "").split(":") if name]


def colourless() -> bool:
    """Whether the user wants output without colours, on a terminal as well."""
    return bool(os.environ.get("NO_COLOR"))


CLASS_LISTS = "WEFT_CLASS_LISTS"
"""Set by weft alone, for a run whose JVMs write down which classes they load: the directory of their lists."""


def class_lists() -> Path | None:
    """Where the JVMs of this run write down which classes they load, in place of using an archive of them."""
    return followed(_spelled(CLASS_LISTS, Path())) if os.environ.get(CLASS_LISTS) else None


def config() -> Path:
    """XDG_CONFIG_HOME: a user's settings of all programs. Default ~/.config."""
    return followed(_spelled("XDG_CONFIG_HOME", Path("~/.config")))


def pip() -> dict[str, str]:
    """pip's variables, such as PIP_INDEX_URL, by the option that they set: index-url."""
    found = {name.removeprefix("PIP_"): value for name, value in os.environ.items() if name[:4] == "PIP_"}
    return {name.lower().replace("_", "-"): value for name, value in found.items() if value}


def authorities() -> Path | None:
    """REQUESTS_CA_BUNDLE, else CURL_CA_BUNDLE: certificate authorities of HTTPS, which pip reads where its settings name none."""
    value = os.environ.get("REQUESTS_CA_BUNDLE") or os.environ.get("CURL_CA_BUNDLE")
    return Path(value) if value else None


def slurm() -> dict[str, str]:
    """Slurm's variables about the job of this process, without those that a user emptied; none outside of jobs."""
    return {name: value for name, value in os.environ.items() if name.startswith("SLURM_") and value}


def variables_of(program: str) -> list[str]:
    """Names of the variables with which its user sets options of a program, such as SQUEUE_FORMAT for squeue."""
    return [name for name in os.environ if name.startswith(f"{program.upper()}_")]


def chosen_cluster() -> str:
    """SALLOC_CLUSTERS, else SLURM_CLUSTERS: where the user has jobs of Slurm run; empty for the cluster of this machine."""
    return os.environ.get("SALLOC_CLUSTERS") or os.environ.get("SLURM_CLUSTERS") or ""


_OF_JOBS = re.compile(r"(PBS|LSB|FLUX|OAR|SGE)_.*|JOB_ID|PE_HOSTFILE")


def job_variables() -> dict[str, str]:
    """Variables of other batch systems about the job of this process; empty outside of jobs."""
    return {name: value for name, value in os.environ.items() if _OF_JOBS.fullmatch(name)}


def home(distribution: str) -> Path | None:
    """SPARK_HOME, FLINK_HOME, HADOOP_HOME: a site's own installation, used instead of the cached distribution."""
    value = os.environ.get(f"{distribution.upper()}_HOME")
    return Path(value) if value else None


def java_home() -> Path | None:
    """JAVA_HOME: the JDK to use; otherwise `java` on PATH."""
    value = os.environ.get("JAVA_HOME")
    return Path(value) if value else None


def directories() -> dict[str, str]:
    """The directories above by their variables, for a process that starts elsewhere or as another user."""
    return {name: str(followed(path)) for name, path in spelled().items()}


_OF_USER = ("WEFT_SECRET_KEYS", "WEFT_TRUST")


def chosen() -> dict[str, str]:
    """What the user has set besides these directories, for a process that starts elsewhere."""
    found = {name: value for name in _OF_USER if (value := os.environ.get(name))}
    return {**found, **({"WEFT_SHARED": str(directory)} if (directory := shared()) else {})}


def search_path(variable: str) -> str:
    """A search path of the user, such as PATH; empty if it is not set."""
    return os.environ.get(variable) or ""


def secret_keys() -> re.Pattern[str]:
    """WEFT_SECRET_KEYS: which keys are of secrets, as spark.redaction.regex, which is the default."""
    text = os.environ.get("WEFT_SECRET_KEYS")
    try:
        return re.compile(text) if text else redaction.KEYS
    except re.error as error:
        raise UsageError(f"WEFT_SECRET_KEYS is no regular expression: {error}") from error


_MOST_SECRET = 1 << 16
"""Characters of a secret in a file."""


def named_secret(reference: str) -> str:
    """The secret that file:PATH or env:NAME names. Raises UsageError if there is none."""
    kind, _, name = reference.partition(":")
    found = os.environ.get(name) if kind == "env" else _text(Path(os.path.expanduser(name)))  # noqa: PTH111 - as above
    if found is None:
        raise UsageError(
            f"the secret {reference} cannot be read",
            hint=f"name a text file of at most {_MOST_SECRET:,} characters, or a variable that is set",
        )
    return found


def _text(path: Path) -> str | None:
    """The text of a file; None of a pipe or a device, which may have no end, and of a file that is none of a secret."""
    try:
        if not path.is_file():
            return None
        with path.open(encoding="utf-8") as file:
            text = file.read(_MOST_SECRET + 1)
    except (OSError, ValueError):
        return None
    return text.rstrip("\n") if len(text) <= _MOST_SECRET else None


def login_shell() -> str:
    """SHELL: the program that `weft shell` starts."""
    return os.environ.get("SHELL") or "/bin/sh"
