"""What a spec needs from the cache before nodes are acquired: Java, distributions, jars, native programs."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from weft.adapters.probes import KINDS
from weft.adapters.workloads.terasort import TeraSort
from weft.errors import MissingError
from weft.host import settings
from weft.host.provision import classdata, distribution, jars, jdk, native, profiler
from weft.layout.jvm import SharedClasses
from weft.spec.model import Spec


@dataclass(frozen=True)
class Provisioned:
    """Paths of the provisioned files."""

    java: Path
    homes: Mapping[str, Path]
    jars: Mapping[str, Path]
    classes: Mapping[str, Path]
    native: Path
    libraries: Sequence[Path] = ()
    """Jars that the job needs besides those of its engine."""

    @property
    def visible(self) -> Sequence[Path]:
        """Directories that every node must see; a user of a shared installation may have no cache."""
        return [
            jdk.home(self.java),
            *([settings.cache()] if settings.cache().is_dir() else []),
            *settings.installation(),
            *self.homes.values(),
            *{jar.parent for jar in self.libraries},
        ]


def downloaded() -> list[str]:
    """The engines with a distribution that sort: together their runs start every process of which classes are archived."""
    return [name for name in distribution.DISTRIBUTIONS if name in TeraSort.engines]


def provision(spec: Spec, say: Callable[[str], None]) -> Provisioned:
    """Download and build what is missing."""
    for kind, engine in spec.engine.parts.items():
        if home := spec.home(kind):
            engine.recognize(home)
    needed = {kind: each.java_modules for kind, each in spec.engine.parts.items() if not spec.home(kind)}
    needed |= {service.kind: service.java_modules for service in spec.all_services()}
    for user, modules in needed.items():
        jdk.require_modules(jdk.installed(), modules, user)
    homes = _homes(spec, say)
    java = jdk.java(say)
    wanted = any(layer.native for layer in spec.layers()) or any(KINDS[name].native for name in spec.probes)
    engines = [name for part in spec.engine.parts.values() for name in part.native]
    packages = [*(native.PACKAGES if wanted else ()), *engines]
    programs = native.build(say, packages) if packages else _optional(spec, say)
    if "profile" in spec.probes:
        profiler.fetch(say)
    built = jars.build(list(homes), spec.modules(), say)
    classes = _classes(spec, java, homes, built, say)
    return Provisioned(java, homes, built, classes, programs, distribution.libraries(spec.libraries(), say))


def provision_job(
    spec: Spec, java: Path, homes: Mapping[str, Path], say: Callable[[str], None]
) -> Provisioned:
    """Only what a job needs on a cluster that runs already, with this Java and these distributions."""
    built = jars.build(spec.distributions(), spec.modules(), say)
    return Provisioned(java, homes, built, {}, Path("native"), distribution.libraries(spec.libraries(), say))


_SMALL = ["--size", "1MB", "--nodes", "local:1", "--scratch", "disk"]


def _optional(spec: Spec, say: Callable[[str], None]) -> Path:
    """The native programs for a probe that is only on by default: a run works without it."""
    if any(KINDS[name].native for name in spec.added_probes()):
        try:
            return native.build(say)
        except MissingError as error:
            say(f"{error.message}; file operations are not counted")
    return Path("native")


def _classes(
    spec: Spec, java: Path, homes: Mapping[str, Path], built: Mapping[str, Path], say: Callable[[str], None]
) -> dict[str, Path]:
    if not spec.class_archives:
        return {}
    if (lists := settings.class_lists()) is not None:
        return dict.fromkeys(homes, lists)
    found: dict[str, Path | None] = {}
    for name, processes in _processes(spec, homes, built).items():
        if listed := _list(name, spec, java, homes[name], processes, say):
            found[name] = classdata.dump(name, java, listed, processes.class_path, say)
    for kind, engine in spec.engine.parts.items():
        if kind not in homes or kind not in built:
            continue
        arguments = partial(engine.training, homes[kind], built[kind], classdata.empty())
        if arguments(Path()).arguments:
            found[kind] = classdata.build(kind, java, homes[kind], arguments, say)
    return {name: archive for name, archive in found.items() if archive}


def _list(
    name: str, spec: Spec, java: Path, home: Path, processes: SharedClasses, say: Callable[[str], None]
) -> Path | None:
    own = spec.home(name)
    environment = {f"{name.upper()}_HOME": str(own)} if own else {}
    job = classdata.Observed(["run", "terasort", *_SMALL, *processes.run], environment)
    return classdata.observe(name, java, home, job, say)


def archivable(spec: Spec, homes: Mapping[str, Path]) -> list[str]:
    """The distributions of which processes have class-data archives, by the homes that they have or will have."""
    jar = {name: Path(name) for name in [*homes, *spec.modules()]}
    trained = [
        kind
        for kind, engine in spec.engine.parts.items()
        if kind in homes and engine.training(homes[kind], jar[kind], classdata.empty(), Path()).arguments
    ]
    return [*_processes(spec, homes, jar), *trained]


def class_lists(specs: Sequence[Spec], say: Callable[[str], None]) -> dict[Path, Path]:
    """By the home of an engine: the list of the classes that its processes load. `tools/build` ships them."""
    found = {}
    for spec in specs:
        here = provision(spec, say)
        for name, processes in _processes(spec, here.homes, here.jars).items():
            if listed := _list(name, spec, here.java, here.homes[name], processes, say):
                found[here.homes[name]] = listed
    return found


def _processes(spec: Spec, homes: Mapping[str, Path], built: Mapping[str, Path]) -> dict[str, SharedClasses]:
    """By distribution: the class path of processes that share one, and a run in which they list what they load."""
    listed = [service.classes(homes, built) for service in spec.all_services()]
    listed += [engine.classes(homes) for engine in spec.engine.parts.values()]
    return {name: each for one in listed for name, each in one.items()}


def _homes(spec: Spec, say: Callable[[str], None]) -> dict[str, Path]:
    """A site's own installation, where the spec or a variable names one, else weft's, downloaded on first use."""
    own = {name: spec.home(name) for name in spec.distributions()}
    lacking = {name: distribution.DISTRIBUTIONS[name] for name, home in own.items() if home is None}
    # one download of all that is needed, before the first build
    building = jars.needs(list(own))
    downloaded = distribution.provided({**lacking, **building, **jdk.lacking()}, say)
    return {name: home.resolve() if home else downloaded[name] for name, home in own.items()}
