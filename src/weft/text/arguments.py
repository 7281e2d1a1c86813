"""Arguments of programs: an option that is given several times."""

from collections.abc import Iterable, Mapping


def repeat(option: str, values: Iterable[object]) -> list[str]:
    """The option before each value: --bind a --bind b."""
    return [argument for value in values for argument in (option, str(value))]


def assign(option: str, settings: Mapping[str, object]) -> list[str]:
    """The option before each key and its value: --conf a=1 --conf b=2."""
    return repeat(option, (f"{key}={value}" for key, value in settings.items()))
