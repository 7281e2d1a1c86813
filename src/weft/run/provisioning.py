"""What a spec needs from the cache before anything is acquired: Java, distributions, jars, native programs."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from weft.errors import UsageError
from weft.host import settings
from weft.host.provision import classdata, distribution, jars, jdk, native
from weft.probes import KINDS
from weft.services.hadoop import classes as hadoop_classes
from weft.spec.model import Spec
from weft.storage.base import layers


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
    used = [layer for storage in spec.storage().values() for layer in layers(storage)]
    wanted = any(layer.native for layer in used) or any(KINDS[name].native for name in spec.probes)
    programs = native.build(say) if wanted else Path("native")
    built = jars.build(homes, say)
    return Provisioned(java, homes, built, _classes(spec, java, homes, built, say), programs)


_LISTED: Mapping[str, Callable[[Path, Path], Sequence[str]]] = {
    "hadoop": hadoop_classes,
    "flink": lambda home, _: [f"{home}/lib/*"],
}
"""How the class paths of processes begin whose classes are listed, by distribution, its home and weft's jar for it."""


def _classes(
    spec: Spec, java: Path, homes: Mapping[str, Path], built: Mapping[str, Path], say: Callable[[str], None]
) -> dict[str, Path]:
    found = {
        name: classdata.dump(
            name, java, classdata.LISTS / f"{name}.classes", class_path(homes[name], built[name]), say
        )
        for name, class_path in _LISTED.items()
        if name in homes
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
