# SPDX-License-Identifier: BSD-3-Clause
"""What scripts/interop-rxe asks of the kernel's Soft-RoCE and of our own queue pair: messages of
all sizes both ways, and the frames of tests/interop/ud_variant.cc with what either is to say."""
import ipaddress
import random

from rxe_machine import HOST_IPV4, HOST_IPV6, HOST_MAC, IPV4, IPV6, MAC, Failed

QKEY = 0x11111111
HOST_QPN = 0x4242
FIRST_PSN = 0xfffffe  # so that every stream passes the wrap
MULTICAST_QPN = 0xffffff
PATIENCE_MS = 10000
GROUPS = {'IPv4': '239.255.1.1', 'IPv6': 'ff0e::1:2345:6789'}
KERNELS = {'IPv4': IPV4, 'IPv6': IPV6}
OURS = {'IPv4': HOST_IPV4, 'IPv6': HOST_IPV6}
SIZES = [*range(18), 31, 32, 33, 34, 62, 63, 64, 65, 127, 128, 129, 130, 255, 256, 257, 511, 512,
         513, 1023, 1024, 1025, 1026, 2047, 2048, 2049, 2050, 3333, *range(4091, 4097)]

ACCEPTED = 'accepted'
# (variant, does the kernel take it, what our queue pair says). Where the two differ doc/interop.md
# says why.
IPV4_ONLY = [('fragmentable', True, ACCEPTED)]
IPV6_ONLY = [('flow_label', True, ACCEPTED)]
UNICAST = [
    ('traffic_class', True, ACCEPTED), ('last_hop', True, ACCEPTED),
    ('source_port', True, ACCEPTED),
    ('fecn_becn', True, ACCEPTED), ('migration', True, ACCEPTED), ('ack_request', True, ACCEPTED),
    ('solicited', True, ACCEPTED), ('pkey_limited', True, ACCEPTED),
    ('pad_not_zero', True, ACCEPTED), ('bth_reserved', True, ACCEPTED),
    ('deth_reserved', True, ACCEPTED), ('udp_checksum', True, ACCEPTED),
    ('wrong_icrc', False, 'dropped bad_icrc'), ('no_icrc', False, 'dropped bad_icrc'),
    ('damaged_payload', False, 'dropped bad_icrc'), ('damaged_psn', False, 'dropped bad_icrc'),
    ('wrong_qkey', False, 'dropped qkey_mismatch'), ('wrong_pkey', False, 'dropped pkey_mismatch'),
    ('zero_pkey', False, 'dropped pkey_mismatch'), ('wrong_qpn', False, 'dropped unknown_qpn'),
    ('multicast_qpn', False, 'dropped multicast_qpn'), ('version', False, 'dropped bth_version'),
    ('reserved_opcode', False, 'dropped opcode_unknown'),
    ('rc_opcode', False, 'dropped opcode_not_ud'), ('uc_opcode', False, 'dropped opcode_not_ud'),
    ('wrong_udp_checksum', False, ACCEPTED),
]
VARIANTS = {'IPv4': IPV4_ONLY + UNICAST, 'IPv6': IPV6_ONLY + UNICAST}
MULTICAST = [('wrong_icrc', False, 'dropped bad_icrc'),
             ('wrong_qkey', False, 'dropped qkey_mismatch'),
             ('wrong_pkey', False, 'dropped pkey_mismatch'),
             ('udp_checksum', True, ACCEPTED)]


def digits(data):
    return data.hex() or '-'


def mapped(address):
    """As a GID."""
    return address if ':' in address else '::ffff:' + address


def multicast_mac(address):
    packed = ipaddress.ip_address(address).packed
    if len(packed) == 4:
        return '01:00:5e:%02x:%02x:%02x' % (packed[1] & 0x7f, packed[2], packed[3])
    return '33:33:%02x:%02x:%02x:%02x' % tuple(packed[12:])


def grh_addresses(grh, family):
    """Source and destination in the 40 bytes before a message; an IPv4 header has the last 20."""
    data = bytes.fromhex(grh)
    at, size = (32, 4) if family == 'IPv4' else (8, 16)
    return tuple(str(ipaddress.ip_address(data[i:i + size])) for i in (at, at + size))


class KernelQueuePair:
    def __init__(self, machine, family):
        self.machine, self.family = machine, family
        _, self.index, self.qpn = machine.want('qp', mapped(KERNELS[family]), QKEY, FIRST_PSN)

    def attach(self, group):
        self.machine.want('attach', self.index, mapped(group))

    def send(self, address, qpn, immediate, data):
        self.machine.want('send', self.index, mapped(address), qpn, QKEY, 0, immediate,
                          digits(data))

    def take(self, milliseconds=PATIENCE_MS):
        """[bytes, GRH, source queue pair, immediate], or None."""
        answer = self.machine.want('take', self.index, milliseconds)
        return answer[1:] if answer[0] == 'received' else None


class Exchange:
    """Both sides made ready. Each check returns (what was checked, what is wrong or None)."""

    def __init__(self, machine, ours, sizes):
        self.machine, self.ours, self.sizes = machine, ours, sizes
        self.random = random.Random(6)
        for family in OURS:
            machine.want('run', '/bin/ip', 'neigh', 'replace', OURS[family], 'lladdr', HOST_MAC,
                         'dev', 'eth0')
        self.unicast = {family: KernelQueuePair(machine, family) for family in OURS}
        self.multicast = {family: KernelQueuePair(machine, family) for family in OURS}
        for family, group in GROUPS.items():
            self.multicast[family].attach(group)
            ours.want('attach', group)
        self.psn = FIRST_PSN                             # of our next frame
        self.kernel_psn = dict.fromkeys(OURS, FIRST_PSN)  # of the kernel's

    def next_psn(self):
        self.psn, psn = (self.psn + 1) & 0xffffff, self.psn
        return psn

    def ours_sends(self, family, cast, immediate, data, variant='good', psn=None, qpn=None):
        group = cast == 'multicast'
        address = GROUPS[family] if group else KERNELS[family]
        if qpn is None:
            qpn = MULTICAST_QPN if group else self.unicast[family].qpn
        self.ours.want('send', variant, multicast_mac(address) if group else MAC, address, qpn,
                       QKEY, self.next_psn() if psn is None else psn, immediate, digits(data))

    def to_kernel(self, family, cast, immediate):
        """Messages of all sizes to the kernel."""
        receiver = (self.multicast if cast == 'multicast' else self.unicast)[family]
        address = GROUPS[family] if cast == 'multicast' else KERNELS[family]
        for size in self.sizes:
            data = self.random.randbytes(size)
            value = self.random.getrandbits(32) if immediate else '-'
            self.ours_sends(family, cast, value, data)
            got = receiver.take()
            if got is None:
                return f'{size} bytes did not arrive'
            wanted = [digits(data), str(HOST_QPN), str(value)]
            if [got[0], got[2], got[3]] != wanted:
                return f'{size} bytes arrived otherwise than they were sent'
            if grh_addresses(got[1], family) != (OURS[family], address):
                return f'{size} bytes: the GRH has other addresses: {got[1]}'
        return None

    def from_kernel(self, family, cast, immediate):
        """Messages of all sizes from the kernel. Multicast also comes back to itself."""
        group = cast == 'multicast'
        sender = self.unicast[family]
        address = GROUPS[family] if group else OURS[family]
        for size in self.sizes:
            data = self.random.randbytes(size)
            value = self.random.getrandbits(32) if immediate else '-'
            sender.send(address, MULTICAST_QPN if group else HOST_QPN, value, data)
            answer = self.ours.want('take', PATIENCE_MS)
            psn = self.kernel_psn[family]
            self.kernel_psn[family] = (psn + 1) & 0xffffff
            wanted = ['received', digits(data), KERNELS[family], sender.qpn, str(value), str(psn),
                      address]
            if answer != wanted:
                return f'{size} bytes: {answer[0]}, otherwise than sent: {self.drops()}'
            if group and self.multicast[family].take()[0] != digits(data):
                return f'{size} bytes: not what the kernel sent itself'
        return None

    def drops(self):
        return ' '.join(self.ours.want('drops'))

    def kernel_takes(self, family, cast, variant, psn=None, times=1, qpn=None):
        """How often the kernel takes that frame: a good one, sent behind it, tells."""
        receiver = (self.multicast if cast == 'multicast' else self.unicast)[family]
        data, last = self.random.randbytes(61), self.random.randbytes(8)
        for _ in range(times):
            self.ours_sends(family, cast, '-', data, variant, psn, qpn)
        self.ours_sends(family, cast, '-', last)
        taken = 0
        while (got := receiver.take()) and got[0] != digits(last):
            if got[0] != digits(data):
                raise Failed(f'the kernel has received what was never sent: {got}')
            taken += 1
        if got is None:
            raise Failed(f'{variant}: the good frame behind it did not arrive')
        return taken

    def ours_says(self, family, cast, variant, qpn=None):
        address = GROUPS[family] if cast == 'multicast' else OURS[family]
        if qpn is None:
            qpn = MULTICAST_QPN if cast == 'multicast' else HOST_QPN
        data = self.random.randbytes(61)
        return ' '.join(self.ours.want('judge', variant, address, qpn, QKEY, self.next_psn(), '-',
                                       digits(data)))

    def variant(self, family, cast, name, kernel_takes, ours_says):
        taken = self.kernel_takes(family, cast, name)
        said = self.ours_says(family, cast, name)
        if taken != int(kernel_takes):
            return f'the kernel takes it {taken} times'
        return None if said == ours_says else f'ours says: {said}'

    def sequence(self, family):
        """PSNs that wrap, jump and repeat are all the same to datagrams."""
        for psn in (0xfffffe, 0xffffff, 0, 1, 0x800000, 5):
            if self.kernel_takes(family, 'unicast', 'good', psn) != 1:
                return f'the kernel does not take PSN {psn:#x}'
        return None

    def twice(self, family):
        taken = self.kernel_takes(family, 'unicast', 'good', 77, times=2)
        return None if taken == 2 else f'the kernel takes it {taken} times'

    def group_with_own_qpn(self, family):
        """A group's address, but the number of the queue pair attached to it."""
        taken = self.kernel_takes(family, 'multicast', 'good',
                                  qpn=self.multicast[family].qpn)
        said = self.ours_says(family, 'multicast', 'good', HOST_QPN)
        if (taken, said) != (1, 'dropped multicast_qpn'):
            return f'the kernel takes it {taken} times, ours says: {said}'
        return None

    def over_mtu(self, family):
        """4100 bytes cost the kernel's queue pair its life: a new one, then."""
        victim = KernelQueuePair(self.machine, family)
        data = self.random.randbytes(4096)
        self.ours_sends(family, 'unicast', '-', data, 'over_mtu', qpn=victim.qpn)
        taken = self.machine.ask('take', victim.index, PATIENCE_MS)
        if not taken.startswith('failed'):
            return f'the kernel says: {taken[:40]}'
        said = ' '.join(self.ours.want('judge', 'over_mtu', OURS[family], HOST_QPN, QKEY,
                                       self.next_psn(), '-', digits(data)))
        return None if said == 'dropped payload_too_long' else f'ours says: {said}'


def both(kernel_takes, ours_says):
    return f'the kernel {"takes" if kernel_takes else "drops"} it, ours: {ours_says}'


def variants(exchange):
    for family in OURS:
        for cast, table in (('unicast', VARIANTS[family]), ('multicast', MULTICAST)):
            for name, kernel_takes, ours_says in table:
                wrong = exchange.variant(family, cast, name, kernel_takes, ours_says)
                yield f'{family} {cast} {name}: {both(kernel_takes, ours_says)}', wrong
        yield f'{family} PSNs wrap, jump and go back', exchange.sequence(family)
        yield f'{family} sent twice: the kernel takes it twice', exchange.twice(family)
        yield f'{family} group, own QPN: {both(True, "dropped multicast_qpn")}', \
            exchange.group_with_own_qpn(family)
        yield f'{family} over_mtu: the kernel fails its queue pair, ours: dropped ' \
            'payload_too_long', exchange.over_mtu(family)


def messages(exchange):
    for family in OURS:
        for cast in ('unicast', 'multicast'):
            for immediate in (False, True):
                kind = f'{family} {cast}, {len(exchange.sizes)} messages of 0 to 4096 bytes' \
                    + (', immediate' if immediate else '')
                yield 'to the kernel, ' + kind, exchange.to_kernel(family, cast, immediate)
                yield 'from the kernel, ' + kind, exchange.from_kernel(family, cast, immediate)


def checks(exchange):
    """(name, what is wrong or None) of everything, in order."""
    yield from messages(exchange)
    yield from variants(exchange)
