"""A stand-in for Lustre's lfs: it writes what it is asked to a file beside itself, and makes the directories that it should.

It checks its arguments as the manual pages lfs-setstripe(1), lfs-mkdir(1) and lfs-mdts(1) describe them. It is not Lustre: what a
layout does to files is not tested with it.
"""

import json
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
SERVERS = "MDTS:\n0: scratch-MDT0000_UUID ACTIVE\n1: scratch-MDT0001_UUID ACTIVE\n2: scratch-MDT0002_UUID INACTIVE\n"


def main(words: list[str]) -> int:
    """One command."""
    with (HERE / "asked").open("a", encoding="utf-8") as asked:
        asked.write(json.dumps(words) + "\n")
    if (HERE / "refuse").exists() and words[0] == (HERE / "refuse").read_text():
        print("error: lfs: Operation not permitted", file=sys.stderr)
        return 1
    verb, *options, path = words
    if verb == "mdts":
        print(SERVERS, end="")
        return 0
    flags = dict(zip(options[::2], options[1::2], strict=True))
    if verb == "mkdir" and set(flags) == {"-i", "-c", "-m"}:
        Path(path).mkdir(mode=int(flags["-m"], 8))
        return 0
    ends = [value for flag, value in zip(options[::2], options[1::2], strict=True) if flag == "-E"]
    whole = not ends or ends[-1] == "-1"
    return 0 if verb == "setstripe" and Path(path).is_dir() and not any(Path(path).iterdir()) and whole else 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
