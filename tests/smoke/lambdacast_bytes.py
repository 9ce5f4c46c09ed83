# SPDX-License-Identifier: BSD-3-Clause
"""Lambdacast's payloads taken apart as doc/protocol.md has them, for comparison with what Wireshark
makes of them by share/wireshark/lambdacast.lua: the offsets are written here once more, so that a
mistake in one place is not a mistake in both."""
import ipaddress
import struct

SIZES = {'B': 1, 'H': 2, 'I': 4, 'Q': 8}
MARKS_GROUP = 0xffffffff


class Fields:
    """The values of each field, in their order. Raises IndexError beyond the payload."""

    def __init__(self, payload):
        self.payload, self.values = payload, {}

    def put(self, name, value):
        self.values.setdefault(name, []).append(str(value))
        return value

    def number(self, name, at, form):
        if at + SIZES[form] > len(self.payload):
            raise IndexError(name)
        return self.put(name, struct.unpack_from('>' + form, self.payload, at)[0])

    def bits(self, at, *names):
        for bit, name in enumerate(names):
            self.put(name, self.payload[at] >> bit & 1)

    def bytes(self, name, at, count):
        if at + count > len(self.payload):
            raise IndexError(name)
        if count:
            self.put(name, self.payload[at:at + count].hex())

    def stream(self, at):
        gid = self.payload[at:at + 16]
        mapped = gid[:12] == bytes(10) + b'\xff\xff'
        address = '::ffff:' + str(ipaddress.IPv4Address(gid[12:])) if mapped else \
            str(ipaddress.IPv6Address(gid))
        self.put('stream.gid', address)
        self.number('stream.qpn', at + 16, 'I')
        self.number('stream.incarnation', at + 20, 'I')
        return at + 24


def group_message(f, at, numbered):
    if numbered:
        f.bytes('sim_number', at, 8)
        at += 8
    kind = f.number('group_message.type', at, 'B')
    f.number('group_message.option', at + 1, 'B')
    if kind == 1:
        f.put('group_message.name', f.payload[at + 8:].decode())
    if kind in (8, 9):
        f.number('group_message.handler', at + 8, 'I')
    if kind == 9:
        f.number('group_message.token_epoch', at + 16, 'Q')
        f.number('group_message.token_place', at + 24, 'Q')
        f.stream(at + 32)
    if kind in (8, 9):
        return
    if kind < 4:
        return
    f.number('group_message.epoch', at + 8, 'Q')
    f.number('group_message.index', at + 16, 'Q')
    f.number('group_message.ranks', at + 24, 'Q')
    behind = at + 32
    if kind in (6, 7):
        f.number('group_message.ranks', behind, 'Q')
        behind += 8
    if kind in (4, 6):
        f.number('group_message.total', behind, 'Q')
        f.number('group_message.offset', behind + 8, 'Q')
        f.bytes('data', behind + 16, len(f.payload) - behind - 16)


def envelope(f, at, numbered):
    """In front of a request or of its first fragment; what is behind it."""
    if numbered:
        f.bytes('sim_number', at, 8)
        at += 8
    for i, name in enumerate(('type', 'want', 'k', 'status')):
        f.number('request.' + name, at + i, 'B')
    f.number('request.handler', at + 4, 'I')
    f.stream(at + 8)
    for i, name in enumerate(('number', 'floor', 'session_epoch', 'session_place', 'stamp_epoch',
                              'stamp_place')):
        f.number('request.' + name, at + 32 + 8 * i, 'Q')
    f.number('request.most_answer_bytes', at + 80, 'I')
    f.number('request.patience_ms', at + 84, 'I')
    return at + 88


def marks(f, at):
    f.number('marks.epoch', at, 'Q')
    for item in range(at + 8, len(f.payload), 12):
        f.number('mark.rank', item, 'H')
        f.number('mark.through', item + 4, 'Q')


def records(f, at, of_requests, numbered):
    while at < len(f.payload):
        count = f.number('record_bytes', at, 'H')
        behind = envelope(f, at + 2, numbered) if of_requests else at + 2
        f.bytes('message', behind, at + 2 + count - behind)
        at += 2 + count


def transport(payload, numbered=False):
    """The fields of a payload to a data queue pair or group."""
    f = Fields(payload)
    f.put('version', payload[0] >> 4)
    header = 8 * f.put('header_units', payload[0] & 0x0f)
    kind = f.number('kind', 1, 'B')
    f.number('qos', 2, 'B')
    f.number('flags', 3, 'B')
    f.bits(3, 'repair')
    for name, at, form in (
            ('incarnation', 4, 'I'), ('frame_seq', 8, 'Q'), ('rel_seq', 16, 'Q'),
            ('timestamp_ns', 24, 'Q'), ('group', 32, 'I'), ('view', 36, 'I'),
            ('messages' if kind in (2, 0x12) else 'fragment_offset', 40, 'I'),
            ('message_bytes', 44, 'I')):
        f.number(name, at, form)
    base = 48
    if kind in (3, 0x13):
        f.number('message_id', 48, 'I')
        f.number('fragment_bytes', 52, 'H')
        base = 56
    f.bytes('extension', base, header - base)
    if kind in (2, 0x12):
        records(f, header, kind == 0x12, numbered)
    elif kind == 4:
        group_message(f, header, numbered)
    elif kind == 1 and f.values['group'] == [str(MARKS_GROUP)]:
        marks(f, header)
    else:
        front = 96 if numbered else 88
        first = kind == 0x13 and f.values['fragment_offset'] == ['0'] and \
            len(payload) - header >= front
        behind = envelope(f, header, numbered) if kind == 0x11 or first else header
        f.bytes('message', behind, len(payload) - behind)
    return f.values


def heartbeat(f, entries):
    f.bits(2, 'heartbeat.end', 'heartbeat.report')
    for i, name in enumerate(('oldest', 'last', 'next_frame_seq', 'lost_by_all')):
        f.number('heartbeat.' + name, 24 + 8 * i, 'Q')
    for at in range(56, 56 + 40 * entries, 40):
        f.stream(at)
        f.number('verdict.open_at', at + 24, 'Q')
        f.number('verdict.kind', at + 32, 'B')


def statuses(f, at, entries):
    for _ in range(entries):
        f.stream(at)
        for name, offset, form in (
                ('contiguous', 24, 'Q'), ('echo_ns', 32, 'Q'), ('held_back_ns', 40, 'I'),
                ('room', 44, 'I'), ('first_losses', 48, 'Q'), ('flags', 56, 'B'),
                ('runs', 57, 'B'), ('heard_of', 64, 'Q')):
            f.number('status.' + name, at + offset, form)
        f.bits(at + 56, 'status.joining')
        behind = at + 72 + 12 * f.payload[at + 57]
        for run in range(at + 72, behind, 12):
            f.number('loss.first', run, 'Q')
            f.number('loss.count', run + 8, 'I')
        at = behind


def nack(f, entries):
    f.stream(24)
    at = f.number('nack.first', 48, 'Q')
    for run in range(56, 56 + 4 * entries, 4):
        at += f.number('nack.skip', run, 'H')
        missing = f.number('nack.missing', run + 2, 'H')
        # Runs beyond 64 bits are left out, and so is what is behind them.
        if missing and at + missing < 2**64:
            f.put('nack.from', at)
            f.put('nack.through', at + missing - 1)
        at += missing
    statuses(f, 56 + 4 * entries, int(f.values['statuses'][0]))


def member(f, entries, wide):
    f.bits(2, *('member.' + name for name in ('leaving', 'ready', 'starved', 'holds', 'wide')))
    for name, at, form in (('epoch', 24, 'Q'), ('round', 32, 'Q'), ('coordinator', 40, 'I')):
        f.number('view.' + name, at, form)
    for name, at, form in (('state', 44, 'B'), ('names', 45, 'B'), ('members', 46, 'H'),
                           ('suspects', 48, 'Q')):
        f.number('member.' + name, at, form)
    at = 56
    if wide:
        f.number('member.suspects', 56, 'Q')
        f.number('member.first', 64, 'H')
        at = 72
    for i in range(entries):
        f.number('member.ack', at + 8 * i, 'Q')
    for i in range(f.payload[45]):
        f.stream(at + 8 * entries + 24 * i)


def ballot_name(f):
    f.number('ballot.epoch', 24, 'Q')
    f.number('ballot.round', 32, 'Q')
    f.stream(40)


def ballot(f, entries):
    ballot_name(f)
    for name, at, form in (
            ('previous_round', 64, 'Q'), ('previous_coordinator', 72, 'I'), ('phase', 76, 'B'),
            ('total', 78, 'H'), ('first', 80, 'H'), ('made_round', 88, 'Q'), ('made_by', 96, 'I')):
        f.number('ballot.' + name, at, form)
    for at in range(104, 104 + 40 * entries, 40):
        f.stream(at)
        f.number('entry.cut', at + 24, 'Q')
        f.number('entry.flags', at + 32, 'B')
        f.bits(at + 32, 'entry.old', 'entry.new', 'entry.leaves')
        f.number('entry.holder', at + 34, 'H')


def vote(f, entries, wide):
    ballot_name(f)
    f.number('vote.stage', 64, 'B')
    f.number('vote.has_accepted', 65, 'B')
    if wide:
        f.number('vote.first', 66, 'H')
        f.number('vote.total', 68, 'H')
    f.number('vote.accepted_round', 72, 'Q')
    f.stream(80)
    for i in range(entries):
        f.number('vote.position', 104 + 8 * i, 'Q')


def control(payload):
    """The fields of a payload to a control group."""
    f = Fields(payload)
    wide = f.put('version', payload[0] >> 4) == 2
    kind = f.number('control.kind', 1, 'B')
    f.number('control.flags', 2, 'B')
    for name, at, form in (('incarnation', 4, 'I'), ('data_qpn', 8, 'I'), ('entries', 12, 'H'),
                           ('statuses', 14, 'H'), ('timestamp_ns', 16, 'Q')):
        f.number(name, at, form)
    entries = int(f.values['entries'][0])
    if kind == 1:
        heartbeat(f, entries)
    elif kind == 2:
        statuses(f, 24, entries)
    elif kind == 3:
        nack(f, entries)
    elif kind == 4:
        member(f, entries, wide)
    elif kind == 5:
        ballot(f, entries)
    elif kind == 6:
        vote(f, entries, wide)
    elif kind == 7:
        f.stream(24)
        f.number('skip.first', 48, 'Q')
        f.number('skip.count', 56, 'Q')
    elif kind == 8:
        f.number('double.other', 24, 'I')
    return f.values
