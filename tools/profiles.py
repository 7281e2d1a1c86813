"""Writes latencyfs's profiles from published rates; the tests compare the files with what this would write."""

from weft.facts.io500 import percentiles
from weft.host import settings


def main() -> None:
    """All of them."""
    for name in percentiles.PERCENTILES:
        path = settings.profiles() / f"{name}.toml"
        path.write_text(percentiles.text(name), encoding="utf-8")
        print(path)


if __name__ == "__main__":
    main()
