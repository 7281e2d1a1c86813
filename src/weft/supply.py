"""What a spec needs from the cache before anything is acquired: Java, distributions, jars, native programs."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from weft import settings
from weft.errors import UsageError
from weft.probes import KINDS
from weft.provision import classdata, distribution, jars, jdk, native
from weft.spec import Spec
from weft.storage.base import layers


@dataclass(frozen=True)
class Supplies:
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


def supply(spec: Spec, say: Callable[[str], None]) -> Supplies:
    """Fetch and build what is missing. Raises UsageError when the workload is not offered on the engine."""
    if spec.engine.kind not in spec.workload.engines:
        offered = ", ".join(spec.workload.engines)
        raise UsageError(
            f"{spec.workload.kind} is not offered on {spec.engine.kind}", hint=f"it is on {offered}"
        )
    java = jdk.java()
    homes = {name: _home(name, spec, say) for name in spec.distributions()}
    used = [layer for storage in spec.storage().values() for layer in layers(storage)]
    wanted = any(layer.native for layer in used) or any(KINDS[name].native for name in spec.probes)
    programs = native.build(say) if wanted else Path("native")
    built = jars.build(homes, say)
    return Supplies(java, homes, built, _classes(spec, java, homes, built, say), programs)


def _classes(
    spec: Spec, java: Path, homes: Mapping[str, Path], built: Mapping[str, Path], say: Callable[[str], None]
) -> dict[str, Path]:
    kind = spec.engine.kind
    if kind not in homes:
        return {}

    def training(scratch: Path) -> Sequence[str]:
        return spec.engine.training(homes[kind], built[kind], classdata.empty(), scratch)

    if not training(Path()):
        return {}
    found = classdata.build(kind, java, homes[kind], training, say)
    return {kind: found} if found else {}


def _home(name: str, spec: Spec, say: Callable[[str], None]) -> Path:
    own = spec.home(name)
    if own is None:
        return distribution.home(name, say)
    if name == spec.engine.kind:
        spec.engine.recognize(own)
    return own.resolve()
