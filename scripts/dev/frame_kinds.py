# SPDX-License-Identifier: BSD-3-Clause
"""Every kind of frame that the code can put on a wire, and which of them a frame is. The kinds are
read from the enumerations of the code: whoever adds one there has to have it captured as well.
Offsets are those of doc/protocol.md, written here once more."""
import os
import re

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# Enumerations by the prefix of their kinds: (header, name). Values from 0x40 on never stand in a
# frame (transport.h, Kind).
ENUMERATIONS = {
    'transport': ('lib/wire/control/transport.h', 'Kind'),
    'qos': ('include/lambdacast/qos.h', 'Qos'),
    'group message': ('lib/wire/control/group_message.h', 'GroupMessageType'),
    'request type': ('lib/wire/control/request.h', 'RequestType'),
    'request want': ('lib/wire/control/request.h', 'RequestWant'),
    'answer status': ('lib/wire/control/request.h', 'AnswerStatus'),
    'control': ('lib/wire/control/control.h', 'ControlKind'),
    'verdict': ('lib/wire/control/control.h', 'Verdict'),
    'member': ('lib/wire/control/view_control.h', 'MemberState'),
    'ballot': ('lib/wire/control/view_control.h', 'BallotPhase'),
    'vote': ('lib/wire/control/view_control.h', 'VoteStage'),
    'igmp': ('lib/wire/net/membership.h', 'OldMembershipMessage'),
    'igmpv3': ('lib/wire/net/membership.h', 'RecordType'),
    'mldv2': ('lib/wire/net/membership.h', 'RecordType'),
}
NEVER_SENT_FROM = 0x40

# Plain datagrams of verbs programs, and what the enumerations do not tell.
OTHERS = [f'datagram {how} {to} {family}' for how in ('plain', 'immediate')
          for to in ('unicast', 'multicast') for family in ('IPv4', 'IPv6')]
OTHERS += ['datagram solicited', 'repair', 'marks', 'heartbeat end', 'heartbeat report',
           'status joining']
OTHERS += [f'{what} {family}{tag}' for what in ('data', 'control') for family in ('IPv4', 'IPv6')
           for tag in ('', ' VLAN')]
OTHERS += [f'pad {pad}' for pad in range(4)] + ['no payload', 'payload 4096']
OTHERS += ['arp probe', 'arp announcement', 'arp request', 'arp reply', 'arp VLAN',
           'neighbor probe', 'neighbor solicitation', 'neighbor advertisement unsolicited',
           'neighbor advertisement solicited', 'mldv1 report', 'mldv1 done']

# What only rare faults bring, or callers that none of the captured programs is: these may come from
# the simulator alone.
RARE = {
    'ballot kReport': 'a first view whose coordinator fails between its acceptance and its end',
    'verdict kEvictedLag': 'a receiver that hears, and holds its sender back all the same',
    'control kSkip': 'a departing node whose last packets some survivors lack',
    'request want kAcknowledgement': 'a caller that wants no answer but the delivery',
    'answer status kDeclined': 'an application that does not answer what it is asked',
    'heartbeat report': 'a sender that has much unstable, for statuses come late or not at all',
}
# example_ask_outside.sh runs them, and nobody captures that.
RARE |= {f'request type {kind}': 'a caller outside the view' for kind in (
    'kOpen', 'kStatus', 'kPlaced', 'kFind', 'kEntry', 'kForward')}
RARE |= {f'answer status {status}': 'a caller outside the view' for status in (
    'kNoAnswerKept', 'kOpened', 'kAsked', 'kRefused', 'kExpired', 'kBusy')}

# Values that need not be captured.
EXEMPT = {
    'control kDouble': 'needs two endpoints with one address: unit tests have it',
    'verdict kRefused': 'needs endpoints with two path MTUs: lambdacast_path_mtu.sh runs them, and '
                        'unit tests have its bytes',
    'member kExcluded': 'needs a process that is out of its view while the others take it for a '
                        'member still: unit tests and the simulator have it',
    'request want kNothing': 'needs a caller that is told of nothing: unit tests have it',
    'group message kRefuse': 'needs a member that is asked for a state while it gives its own up '
                             'for lack of memory: not in 1000 seeds of the simulator',
    'group message kWidePiece': 'is sent in views of more than 64 members only',
    'group message kWideRefuse': 'is sent in views of more than 64 members only',
}

ROCE_PORT = 4791


def enumeration(header, name):
    """{value: name} of an enum class in a header."""
    with open(os.path.join(ROOT, header), encoding='utf-8') as stream:
        text = re.sub(r'//[^\n]*', '', stream.read())
    body = re.search(r'enum class %s : \w+ \{(.*?)\}' % name, text, re.S).group(1)
    values, following = {}, 0
    for entry in filter(None, (part.strip() for part in body.split(','))):
        word, _, given = (part.strip() for part in entry.partition('='))
        following = int(given, 0) if given else following
        values[following] = word
        following += 1
    return {value: word for value, word in values.items() if value < NEVER_SENT_FROM}


TABLES = {prefix: enumeration(*where) for prefix, where in ENUMERATIONS.items()}
# IGMP leaves are sent in version 2 only; MLD has no version 3.
ALL = [kind for prefix, table in TABLES.items()
       for kind in (f'{prefix} {word}' for word in table.values()) if kind not in EXEMPT]
ALL += OTHERS


def number(data, at, count):
    return int.from_bytes(data[at:at + count], 'big')


class Frame:
    """A frame taken apart as far as its kind needs it."""

    def __init__(self, data):
        self.vlan = data[12:14] == b'\x81\x00'
        self.l3 = 18 if self.vlan else 14
        self.ether_type = number(data, self.l3 - 2, 2)
        self.family = {0x0800: 'IPv4', 0x86dd: 'IPv6'}.get(self.ether_type)
        self.data = data
        self.tag = ' VLAN' if self.vlan else ''
        if self.family == 'IPv4':
            self.l4 = self.l3 + 4 * (data[self.l3] & 0x0f)
            self.protocol = data[self.l3 + 9]
            self.destination = data[self.l3 + 16:self.l3 + 20]
        elif self.family == 'IPv6':
            self.l4, self.protocol = self.l3 + 40, data[self.l3 + 6]
            self.destination = data[self.l3 + 24:self.l3 + 40]
            if self.protocol == 0:  # hop by hop: the router alert of MLD
                self.protocol, self.l4 = data[self.l4], self.l4 + 8

    @property
    def is_roce(self):
        return (self.family is not None and self.protocol == 17 and
                number(self.data, self.l4 + 2, 2) == ROCE_PORT)

    def payload(self):
        """Of a RoCE frame: (its bytes without pad, pad, whether it has an immediate)."""
        bth = self.l4 + 8
        pad = self.data[bth + 1] >> 4 & 3
        immediate = self.data[bth] == 0x65
        begin = bth + 20 + (4 if immediate else 0)
        return self.data[begin:len(self.data) - 4 - pad], pad, immediate


# The endpoints' default groups, and the simulator's. It puts a number in front of each message
# (lib/sim/multicast/message.h), those of the group layer included.
SIMULATED = [bytes([239, 0, 0x4c, 0x43]), bytes.fromhex('ff0e' + '00' * 10 + '00004c43')]
SIMULATED_NUMBER_BYTES = 8
DATA_GROUPS = [bytes([239, 255, 77, 1]), bytes.fromhex('ff15' + '00' * 10 + '004d0001'),
               *SIMULATED]
CONTROL_GROUPS = [group[:-1] + bytes([group[-1] + 1]) for group in DATA_GROUPS]


def content_of(frame, message):
    """The content of a message, behind the number that the simulator puts in front of it."""
    return message[SIMULATED_NUMBER_BYTES if frame.destination in SIMULATED else 0:]


def data_kinds(frame, message):
    group = number(message, 32, 4)
    kinds = [f'data {frame.family}{frame.tag}', 'transport ' + TABLES['transport'][message[1]],
             'qos ' + TABLES['qos'][message[2]]]
    if message[3] & 1:
        kinds.append('repair')
    if group == 0xffffffff:
        kinds.append('marks')
    transport = TABLES['transport'][message[1]]
    payload = message[8 * (message[0] & 0x0f):]
    if transport == 'kGroup':
        kinds.append('group message ' + TABLES['group message'][content_of(frame, payload)[0]])
    if transport == 'kRequest':
        kinds += request_kinds(content_of(frame, payload))
    if transport == 'kRequestMessages':
        for envelope in messages_of(payload, number(message, 40, 4)):
            kinds += request_kinds(content_of(frame, envelope))
    return kinds


def messages_of(payload, count):
    """Messages that share a packet: each behind its length."""
    at = 0
    for _ in range(count):
        length = number(payload, at, 2)
        yield payload[at + 2:at + 2 + length]
        at += 2 + length


def request_kinds(envelope):
    kind = TABLES['request type'][envelope[0]]
    said = ['request want ' + TABLES['request want'][envelope[1]]] if kind == 'kRequest' else \
        ['answer status ' + TABLES['answer status'][envelope[3]]]
    return ['request type ' + kind] + said


def control_kinds(frame, message):
    kind, flags, entries = TABLES['control'][message[1]], message[2], number(message, 12, 2)
    kinds = [f'control {frame.family}{frame.tag}', 'control ' + kind]
    if kind == 'kHeartbeat':
        kinds += [f'heartbeat {what}' for bit, what in ((1, 'end'), (2, 'report')) if flags & bit]
        kinds += ['verdict ' + TABLES['verdict'][message[56 + 40 * i + 32]] for i in range(entries)]
    elif kind == 'kStatus':
        at = 24
        for _ in range(entries):
            kinds += ['status joining'] if message[at + 56] & 1 else []
            at += 72 + 12 * message[at + 57]  # the runs of losses are behind an entry
    elif kind == 'kMember':
        kinds.append('member ' + TABLES['member'][message[44]])
    elif kind == 'kBallot':
        kinds.append('ballot ' + TABLES['ballot'][message[76]])
    elif kind == 'kVote':
        kinds.append('vote ' + TABLES['vote'][message[64]])
    return kinds


def roce_kinds(frame):
    message, pad, immediate = frame.payload()
    kinds = [f'pad {pad}']
    if len(message) in (0, 4096):
        kinds.append('payload 4096' if message else 'no payload')
    if frame.destination in DATA_GROUPS:
        return kinds + data_kinds(frame, message)
    if frame.destination in CONTROL_GROUPS:
        return kinds + control_kinds(frame, message)
    to = 'multicast' if frame.data[0] & 1 else 'unicast'
    how = 'immediate' if immediate else 'plain'
    if frame.data[frame.l4 + 9] & 0x80:
        kinds.append('datagram solicited')
    return kinds + [f'datagram {how} {to} {frame.family}']


def arp_kinds(frame):
    arp = frame.l3
    sender, target = (frame.data[arp + at:arp + at + 4] for at in (14, 24))
    kinds = ['arp VLAN'] if frame.vlan else []
    if number(frame.data, arp + 6, 2) == 2:
        return kinds + ['arp reply']
    if sender == bytes(4):
        return kinds + ['arp probe']
    return kinds + ['arp announcement' if sender == target else 'arp request']


def igmp_kinds(frame):
    message = frame.data[frame.l4:]
    if message[0] == 0x22:
        return ['igmpv3 ' + TABLES['igmpv3'][message[8 + 8 * i]]
                for i in range(number(message, 6, 2))]
    return {0x12: ['igmp kReportV1'], 0x16: ['igmp kReportV2'], 0x17: ['igmp kLeave']}[message[0]]


def icmpv6_kinds(frame):
    message = frame.data[frame.l4:]
    if message[0] == 143:
        return ['mldv2 ' + TABLES['mldv2'][message[8 + 20 * i]]
                for i in range(number(message, 6, 2))]
    if message[0] == 135:
        unspecified = frame.data[frame.l3 + 8:frame.l3 + 24] == bytes(16)
        return ['neighbor probe' if unspecified else 'neighbor solicitation']
    if message[0] == 136:
        how = 'solicited' if message[4] & 0x40 else 'unsolicited'
        return [f'neighbor advertisement {how}']
    return {131: ['mldv1 report'], 132: ['mldv1 done']}[message[0]]


def kinds_of(data):
    """The kinds that a frame of ours is. Raises for one that is of none: KeyError, IndexError."""
    frame = Frame(data)
    if frame.ether_type == 0x0806:
        return arp_kinds(frame)
    if frame.is_roce:
        return roce_kinds(frame)
    if frame.family == 'IPv4' and frame.protocol == 2:
        return igmp_kinds(frame)
    if frame.family == 'IPv6' and frame.protocol == 58:
        return icmpv6_kinds(frame)
    raise KeyError(f'EtherType {frame.ether_type:#x}')
