"""What a spec needs from the cache before anything is acquired: Java, distributions, jars, native programs."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from weft.errors import UsageError
from weft.host import settings
from weft.host.provision import classdata, distribution, jars, jdk, native
from weft.probes import KINDS
from weft.spec.model import Spec


@dataclass(frozen=True)
class Provisioned:
    """Paths of what is there."""

    java: Path
    homes: Mapping[str, Path]
    jars: Mapping[str, Path]
    classes: Mapping[str, Path]
    native: Path

    @property
    def visible(self) -> Sequence[Path]:
        """Directories that every node has to see."""
        return [self.java.parent.parent, settings.cache(), settings.SOURCE, *self.homes.values()]


def provision(spec: Spec, say: Callable[[str], None]) -> Provisioned:
    """Fetch and build what is missing. Raises UsageError when the workload is not offered on the engine."""
    for kind in spec.engine.parts:
        if kind not in spec.workload.engines:
            offered = ", ".join(spec.workload.engines)
            raise UsageError(f"{spec.workload.kind} is not offered on {kind}", hint=f"it is on {offered}")
    java = jdk.java()
    homes = {name: _home(name, spec, say) for name in spec.distributions()}
    wanted = any(layer.native for layer in spec.layers()) or any(KINDS[name].native for name in spec.probes)
    programs = native.build(say) if wanted else Path("native")
    built = jars.build(homes, spec.modules(), say)
    return Provisioned(java, homes, built, _classes(spec, java, homes, built, say), programs)


def _classes(
    spec: Spec, java: Path, homes: Mapping[str, Path], built: Mapping[str, Path], say: Callable[[str], None]
) -> dict[str, Path]:
    listed = [service.listed(homes, built) for service in spec.all_services()]
    listed += [engine.listed(homes) for engine in spec.engine.parts.values()]
    found = {
        name: classdata.dump(name, java, classdata.LISTS / f"{name}.classes", class_path, say)
        for name, class_path in {name: path for one in listed for name, path in one.items()}.items()
    }
    for kind, engine in spec.engine.parts.items():
        if kind not in homes:
            continue
        arguments = partial(engine.training, homes[kind], built[kind], classdata.empty())
        if arguments(Path()):
            found[kind] = classdata.build(kind, java, homes[kind], arguments, say)
    return {name: archive for name, archive in found.items() if archive}


def _home(name: str, spec: Spec, say: Callable[[str], None]) -> Path:
    own = spec.home(name)
    if own is None:
        return distribution.home(name, say)
    if name in spec.engine.parts:
        spec.engine.parts[name].recognize(own)
    return own.resolve()
