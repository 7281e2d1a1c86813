"""weft's own question to Kafka's brokers, in their protocol: which brokers does the cluster have."""

import secrets
import socket
import ssl
import struct
from pathlib import Path
from urllib.parse import urlsplit

from weft.host.web import mutual

_DESCRIBE_CLUSTER = 60
"""The request's number; version 0 is answered by Kafka 2.8 and newer (KIP-700)."""
_SECONDS = 5.0
_LONGEST = 1 << 20
"""Bytes of an answer."""


def registered(url: str, certificate: Path | None) -> list[str]:
    """HOST:PORT of each broker that takes part in the cluster. `url` is kafka://HOST:PORT of one of them.

    Raises OSError if nobody answers, and ValueError for another answer.
    """
    where, number = urlsplit(url), secrets.randbits(31)
    with socket.create_connection((where.hostname, where.port), timeout=_SECONDS) as plain:
        connection = plain if certificate is None else _encrypted(plain, certificate, str(where.hostname))
        with connection:
            connection.sendall(_request(number))
            (length,) = struct.unpack(">i", _receive(connection, 4))
            if not 0 < length < _LONGEST:
                raise ValueError(f"{url} announces an answer of {length} bytes")
            return _brokers(_receive(connection, length), number)


def _encrypted(plain: socket.socket, certificate: Path, host: str) -> ssl.SSLSocket:
    return mutual(certificate).wrap_socket(plain, server_hostname=host)


def _request(number: int) -> bytes:
    """A DescribeCluster request: header of version 2 with the client's name, and that no rights are asked for."""
    name = b"weft"
    header = struct.pack(">hhih", _DESCRIBE_CLUSTER, 0, number, len(name)) + name + b"\0"
    body = header + b"\0\0"
    return struct.pack(">i", len(body)) + body


def _receive(connection: socket.socket, size: int) -> bytes:
    found = b""
    while len(found) < size:
        part = connection.recv(size - len(found))
        if not part:
            raise ConnectionError("the broker closed the connection")
        found += part
    return found


def _brokers(answer: bytes, number: int) -> list[str]:
    """The addresses in an answer. Raises ValueError if it is not the one to this request, or an error."""
    try:
        text = _Answer(answer)
        if text.take(">i") != number:
            raise ValueError("the answer is to another request")
        text.tags()
        text.take(">i")  # the time by which the request was delayed
        if error := text.take(">h"):
            raise ValueError(f"the broker answers with error {error}")
        text.string()
        text.string()
        text.take(">i")
        found = []
        for _ in range(text.varint() - 1):
            text.take(">i")
            host, port = text.string(), text.take(">i")
            text.string()
            text.tags()
            found.append(f"{host}:{port}")
    except (struct.error, IndexError, UnicodeDecodeError) as error:
        raise ValueError(f"not an answer of Kafka: {error}") from error
    return found


class _Answer:
    """The fields of an answer, one after another, in the types of Kafka's protocol guide."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._at = 0

    def take(self, form: str) -> int:
        (value,) = struct.unpack_from(form, self._content, self._at)
        self._at += struct.calcsize(form)
        return int(value)

    def varint(self) -> int:
        """An UNSIGNED_VARINT."""
        value = shift = 0
        while True:
            byte = self._content[self._at]
            self._at += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7

    def string(self) -> str:
        """A COMPACT_NULLABLE_STRING; its length is stored plus one, and 0 is null."""
        length = max(0, self.varint() - 1)
        if self._at + length > len(self._content):
            raise IndexError("the answer is too short")
        text = self._content[self._at : self._at + length].decode()
        self._at += length
        return text

    def tags(self) -> None:
        """Fields that this version does not know."""
        for _ in range(self.varint()):
            self.varint()
            self._at += self.varint()
