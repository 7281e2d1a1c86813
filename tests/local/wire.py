"""A program: counts a text in TCP traffic, as an eavesdropper would see it. Needs root.

wire.py HEX PORT...: prints "there", listens to packets from and to the ports until SIGTERM, and prints how many bytes
they carried and how often the text was in them.
"""

import signal
import socket
import struct
import sys

_ALL = socket.htons(3)
"""ETH_P_ALL (linux/if_ether.h)."""
_ETHERNET = 14
_TCP = 6


def main(words: list[str]) -> None:
    text, ports = bytes.fromhex(words[0]), set(map(int, words[1:]))
    carried = found = 0
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(print(carried, found)))
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, _ALL) as wire:
        wire.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16 << 20)
        print("there", flush=True)
        while True:
            packet = wire.recv(1 << 17)
            if packet[12:14] != b"\x08\x00" or packet[_ETHERNET + 9] != _TCP:
                continue
            begin = _ETHERNET + (packet[_ETHERNET] & 15) * 4
            if ports.intersection(struct.unpack(">HH", packet[begin : begin + 4])):
                carried += len(packet)
                found += packet.count(text)


if __name__ == "__main__":
    main(sys.argv[1:])
