#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Speaks the control protocol by hand. Usage: lambdacastctl_raw.py SOCKET VERSION COMMAND...

Greets with that version and asks; prints answers, events and errors. `stall` as the last word asks
for `show config` again and again and reads nothing, until it is cut off."""
import socket
import struct
import sys

HELLO, REQUEST, ANSWER, EVENT, ERROR = range(1, 6)


def frame(kind, payload):
    return struct.pack('<IB', len(payload), kind) + payload


def request(line):
    return frame(REQUEST, struct.pack('<BH', 0, len(line)) + line.encode())


def frames(stream):
    while len(head := stream.read(5)) == 5:
        length, kind = struct.unpack('<IB', head)
        yield kind, stream.read(length)


def stall(connection):
    """Fills the process's side: the kernel stops us, and the end is its doing."""
    try:
        while True:
            connection.sendall(request('show config'))
    except OSError as error:
        print('cut off:', type(error).__name__)


def main():
    path, version, *words = sys.argv[1:]
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.settimeout(60)
    connection.connect(path)
    versions = struct.pack('<HH', int(version), int(version))
    connection.sendall(frame(HELLO, b'LCTL' + versions + b'raw 99'))
    if words == ['stall']:
        return stall(connection)
    if words == ['garbage']:
        connection.sendall(b'\xff' * 64)
    elif words:
        connection.sendall(request(' '.join(words)))
    for kind, payload in frames(connection.makefile('rb')):
        text = payload[1:] if kind == ANSWER else payload
        if kind != HELLO:
            print({ANSWER: 'answer', EVENT: 'event', ERROR: 'error'}[kind] + ':',
                  text.decode(errors='replace').rstrip())
        if kind in (ANSWER, ERROR):
            break
    return None


if __name__ == '__main__':
    main()
