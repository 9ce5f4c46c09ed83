# SPDX-License-Identifier: BSD-3-Clause
"""The shipped lambdacast and the kernel's Soft-RoCE in one group: a message of the console arrives
at a queue pair of the kernel's, transport header and all, and what that one sends with a header of
its own the console shows."""
import os
import struct

from rxe_exchange import KERNELS, OURS, KernelQueuePair, mapped
from rxe_machine import TAP, Failed, Talker

# Defaults of the configuration (doc/guide/configuration.md).
GROUPS = {'IPv4': '239.255.77.1', 'IPv6': 'ff15::4d:1'}
MULTICAST_QPN = 0xffffff
GROUP = 7
# doc/protocol.md: version and length, kind, QoS, flags, incarnation, frame_seq, rel_seq, timestamp,
# group, view, fragment offset, message bytes.
HEADER = struct.Struct('>BBBBIQQQIIII')
ONE_MESSAGE, SEVERAL_MESSAGES, UNRELIABLE = 1, 2, 0
VERSION_AND_LENGTH = 1 << 4 | HEADER.size // 8
TEXTS = ['one', 'four', 'seven', 'eleven', 'the quick brown fox jumps over the lazy dog ' * 20]
SHOWN_S = 20
CONFIGURATION = f"""
[[endpoint]]
name = "node"
address = "%s"
port = "net_af_packet0,iface={TAP}"
path_mtu = 1024
[[lcore]]
id = 0
idle = "sleep"
"""


def wait_for(appliance, text):
    """Reads what it says until `text` is there."""
    while text not in appliance.line(SHOWN_S):
        pass


def say(appliance, command):
    appliance.process.stdin.write((command + '\n').encode())
    appliance.process.stdin.flush()


def to_kernel(appliance, receiver, text):
    say(appliance, f'send {GROUP} {text}')
    got = receiver.take()
    if got is None:
        return f'{len(text)} bytes did not arrive'
    data = bytes.fromhex(got[0])
    head, body = HEADER.unpack_from(data), data[HEADER.size:]
    if (head[0], head[8], head[11]) != (VERSION_AND_LENGTH, GROUP, len(body)):
        return f'not the transport header of doc/protocol.md: {data[:HEADER.size].hex()}'
    if head[1] == SEVERAL_MESSAGES:  # here of one, behind its length
        body = body[2:]
    return None if body == text.encode() else f'the text is another: {body}'


def from_kernel(appliance, sender, family, number, text):
    head = HEADER.pack(VERSION_AND_LENGTH, ONE_MESSAGE, UNRELIABLE, 0, 1, number, 0, 0, GROUP, 0, 0,
                       len(text))
    sender.send(GROUPS[family], MULTICAST_QPN, '-', head + text.encode())
    try:
        wait_for(appliance, f'group {GROUP} from {KERNELS[family]}: {text}')
    except Failed:
        return f'{len(text)} bytes are not shown'
    return None


def exchange(machine, program, folder, family):
    """What is wrong, or None. One queue pair of the kernel's listens and another sends; the former
    hears the latter, too."""
    configuration = os.path.join(folder, f'{family}.toml')
    with open(configuration, 'w', encoding='utf-8') as stream:
        stream.write(CONFIGURATION % OURS[family])
    receiver, sender = (KernelQueuePair(machine, family) for _ in range(2))
    machine.want('attach', receiver.index, mapped(GROUPS[family]))
    appliance = Talker('lambdacast', [program, '--config', configuration, '--interactive'],
                       os.path.join(folder, f'lambdacast-{family}'))
    try:
        say(appliance, f'listen {GROUP}')
        for number, text in enumerate(TEXTS):
            text = text.strip()
            if wrong := to_kernel(appliance, receiver, text):
                return 'to the kernel: ' + wrong
            if wrong := from_kernel(appliance, sender, family, number, text):
                return 'from the kernel: ' + wrong
            receiver.take()  # the kernel's own
        say(appliance, 'quit')
        wait_for(appliance, 'verdict: every packet accounted for')
    finally:
        appliance.close()
    return None


def checks(machine, program, folder):
    for family in OURS:
        yield f'{family} the shipped lambdacast, {len(TEXTS)} messages each way', \
            exchange(machine, program, folder, family)
