"""Class files whose references to another project's package have another name: picocli as io.weft.picocli.

Names of classes are text in a class file's constant pool (The Java Virtual Machine Specification, Java SE 17, section 4.4), and everything else refers
to them by their index. So only these texts change.
"""

import re
import struct

_BEGIN = 10
"""Bytes before the first constant: magic number, versions, number of constants."""
_TEXT = 1
_SIZES = {
    3: 5,
    4: 5,
    5: 9,
    6: 9,
    7: 3,
    8: 3,
    9: 5,
    10: 5,
    11: 5,
    12: 5,
    15: 4,
    16: 3,
    17: 5,
    18: 5,
    19: 3,
    20: 3,
}
"""Bytes of a constant by its tag, which is the first of them (table 4.4-A)."""
_TWO_ENTRIES = {5, 6}
"""Tags of long and double, which take two indexes (4.4.5)."""


class Relocation:
    """A package and everything below it, under another package."""

    def __init__(self, package: str, below: str) -> None:
        """`package` is one word; `below` has dots."""
        self._package, self._below = package, below
        word = re.escape(package).encode()
        # a name by itself, or in a descriptor or signature, where L is before it; and a name in the text of the source
        self._inside = re.compile(rb"(?<![\w/$])" + word + rb"/|(?<=L)" + word + rb"/")
        self._dotted = re.compile(rb"\A" + word + rb"\.")

    def path(self, path: str) -> str:
        """Where a file of a jar is then."""
        folder = f"{self._package}/"
        return f"{self._below.replace('.', '/')}/{path}" if path.startswith(folder) else path

    def class_file(self, content: bytes) -> bytes:
        """The class file with the other names."""
        (count,) = struct.unpack_from(">H", content, 8)
        out, at, index = bytearray(content[:_BEGIN]), _BEGIN, 1
        while index < count:
            tag = content[at]
            if tag == _TEXT:
                (length,) = struct.unpack_from(">H", content, at + 1)
                text = self._text(content[at + 3 : at + 3 + length])
                out += struct.pack(">BH", _TEXT, len(text)) + text
                at += 3 + length
            else:
                out += content[at : at + _SIZES[tag]]
                at += _SIZES[tag]
            index += 2 if tag in _TWO_ENTRIES else 1
        return bytes(out + content[at:])

    def _text(self, text: bytes) -> bytes:
        slashed = self._below.replace(".", "/").encode()
        text = self._inside.sub(lambda match: slashed + b"/" + match[0], text)
        return self._dotted.sub(lambda match: self._below.encode() + b"." + match[0], text)
