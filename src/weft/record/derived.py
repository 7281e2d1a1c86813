"""What an engine or a service derives from its nodes: figures with units, which are text only where they are shown."""

from collections.abc import Mapping

from weft.record.head import Kept
from weft.text.units import show_size


class Derived(Kept):
    """Of one engine or service. Sizes are bytes."""

    slots: int | None = None
    """Tasks that run at one time, on all nodes."""
    executor_heap: int | None = None
    sizes: Mapping[str, int] = {}
    """By what it is the size of: driver heap."""
    counts: Mapping[str, int] = {}
    """By what is counted: executors."""
    notes: Mapping[str, str] = {}
    """What else was decided, as text."""

    def shown(self) -> dict[str, str]:
        """As text."""
        sizes = {"executor heap": self.executor_heap, **self.sizes}
        return {
            **{name: str(count) for name, count in self.counts.items()},
            **({"slots": str(self.slots)} if self.slots is not None else {}),
            **{name: show_size(size) for name, size in sizes.items() if size is not None},
            **self.notes,
        }


def shown(derived: Mapping[str, Derived]) -> dict[str, str]:
    """Of all engines and services, each with its name if they are several."""
    return {
        f"{who}: {name}" if len(derived) > 1 else name: text
        for who, one in derived.items()
        for name, text in one.shown().items()
    }
