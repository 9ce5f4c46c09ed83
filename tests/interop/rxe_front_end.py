# SPDX-License-Identifier: BSD-3-Clause
"""A verbs program of ours against the kernel's Soft-RoCE: the very program that runs in the machine
(tests/interop/rxe-vm/kernel_peer.cc) on the host's side as well, with liblambdacast-verbs.so
preloaded and LAMBDACAST_CONFIG naming a port on the tap."""
import os
import subprocess

from rxe_exchange import GROUPS, KERNELS, MULTICAST_QPN, OURS, QKEY, KernelQueuePair, mapped
from rxe_machine import TAP, Failed, Talker

LIBRARY = os.path.join('drivers', 'verbs', 'preload', 'liblambdacast-verbs.so')
BRIDGE = os.path.join('drivers', 'verbs', 'bridge', 'liblambdacast-verbs-bridge.so')
PATH_MTU = 1024  # what af_packet says it takes
SIZES = [*range(6), 63, 64, 65, 66, 511, 1001, 1021, 1022, 1023, 1024]
PATIENCE_MS = 10000
CONFIGURATION = f"""
[[endpoint]]
name = "verbs"
address = "%s"
port = "net_af_packet0,iface={TAP}"
path_mtu = {PATH_MTU}
"""


class OurQueuePair(KernelQueuePair):
    """The program speaks alike on both sides."""

    def __init__(self, program, family):
        self.machine, self.family = program, family
        _, self.index, self.qpn = program.want('qp', mapped(OURS[family]), QKEY, 0)


def make_room_for_groups():
    """The program joins groups of its kernel too, on eth0: here that is nobody's."""
    for command in (['ip', 'link', 'add', 'eth0', 'type', 'veth', 'peer', 'name', 'noone'],
                    ['sysctl', '-qw', 'net.ipv6.conf.eth0.disable_ipv6=0'],
                    ['ip', 'link', 'set', 'noone', 'up'], ['ip', 'link', 'set', 'eth0', 'up'],
                    ['ip', 'route', 'add', 'default', 'dev', 'eth0']):
        made = subprocess.run(command, capture_output=True, text=True, check=False)
        if made.returncode:
            raise Failed(f'{" ".join(command)}: {made.stderr.strip()}')


def compare(receiver, sender, immediate, data):
    """What is wrong with the next message there, or None."""
    got = receiver.take(PATIENCE_MS)
    if got is None:
        return 'did not arrive'
    wanted = [data.hex() or '-', sender.qpn, immediate]
    return None if [got[0], *got[2:]] == wanted else f'arrived as another: {got[2:]}'


def round_of(ours, kernels, listeners, family, size, immediate):
    """Both ways, unicast and to the group that both listen to. Who sends to a group that he listens
    to hears himself."""
    data = os.urandom(size)
    for sender, receiver, address in ((ours, kernels, KERNELS[family]),
                                      (kernels, ours, OURS[family])):
        sender.send(address, receiver.qpn, immediate, data)
        if wrong := compare(receiver, sender, immediate, data):
            return f'{size} bytes to {address} {wrong}'
    for sender in (ours, kernels):
        sender.send(GROUPS[family], MULTICAST_QPN, immediate, data)
        for listener in listeners:
            if wrong := compare(listener, sender, immediate, data):
                return f'{size} bytes to {GROUPS[family]} {wrong}'
    return None


def exchange(machine, tree, kernel_peer, folder, family):
    configuration = os.path.join(folder, f'verbs-{family}.toml')
    with open(configuration, 'w', encoding='utf-8') as stream:
        stream.write(CONFIGURATION % OURS[family])
    program = Talker('our verbs program',
                     ['env', f'LD_PRELOAD={os.path.join(tree, LIBRARY)}',
                      f'LAMBDACAST_CONFIG={configuration}', kernel_peer, '-'],
                     os.path.join(folder, f'verbs-{family}'))
    try:
        if program.line(30) != 'ready':
            return 'it does not start'
        ours, our_listener = (OurQueuePair(program, family) for _ in range(2))
        kernels, listener = (KernelQueuePair(machine, family) for _ in range(2))
        for each in (our_listener, listener):
            each.attach(GROUPS[family])
        for size in SIZES:
            for immediate in ('-', str(size + 7)):
                if wrong := round_of(ours, kernels, (our_listener, listener), family, size,
                                     immediate):
                    return wrong
    finally:
        program.close()
    return None


def checks(machine, tree, kernel_peer, folder):
    if not os.path.exists(os.path.join(tree, BRIDGE)):
        return
    make_room_for_groups()
    for family in OURS:
        yield (f'{family} a verbs program on our library, {12 * len(SIZES)} messages',
               exchange(machine, tree, kernel_peer, folder, family))
