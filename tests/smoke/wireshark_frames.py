# SPDX-License-Identifier: BSD-3-Clause
"""Frames for wireshark_dissector.py that no run brings: of wide views, broken, cut, damaged."""
import os
import struct
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, 'scripts', 'dev'))
import frame_kinds

DATA, CONTROL = bytes([239, 255, 77, 1]), bytes([239, 255, 77, 2])
FUZZED = 3000


def frame_of(payload, destination=DATA, opcode=0x64, queue_pair=b'\xff\xff\xff'):
    """A datagram to an IPv4 address around a payload."""
    pad = -len(payload) % 4
    bth = bytes([opcode, pad << 4, 0xff, 0xff, 0]) + queue_pair + bytes(4)
    body = bth + struct.pack('>II', 0x11111111, 17) + payload + bytes(pad) + bytes(4)
    udp = struct.pack('>HHHH', 0xc000, 4791, 8 + len(body), 0) + body
    ip = struct.pack('>BBHHHBBH', 0x45, 0, 20 + len(udp), 0, 0x4000, 64, 17, 0)
    return b'\1\0\x5e\x7f\x4d\1' + b'\2\x4f\x0a\x4d\0\1\x08\0' + ip + bytes(
        [10, 77, 0, 1]) + destination + udp


def header(kind=1, qos=1, group=1, message=b'', **other):
    """A transport header of version 1 with what is behind it."""
    extension = other.get('extension', b'')
    units = 6 + len(extension) // 8
    return struct.pack('>BBBBIQQQIIII', 0x10 | units, kind, qos, other.get('flags', 0), 77, 5, 6, 7,
                       group, 3, other.get('offset', 0), other.get('bytes', len(message))
                       ) + extension + message


def speaker(kind, entries, version=1, flags=0, statuses=0):
    return struct.pack('>BBBBIIHHQ', version << 4, kind, flags, 0, 77, 17, entries, statuses, 9)


def name(number):
    return bytes(10) + b'\xff\xff' + bytes([10, 77, 0, number]) + struct.pack('>II', 17, number)


def envelope(kind, want=2, status=0, number=70, floor=69):
    return struct.pack('>BBBBI', kind, want, 3, status, 5) + name(2) + struct.pack(
        '>QQQQQQII', number, floor, 1, 2, 3, 4, 1 << 20, 1000)


def made():
    """(payload, destination) of what the captures have too little of: wide views above all."""
    wide_member = struct.pack('>QQIBBHQQHHI', 4, 2, 77, 2, 1, 70, 1 << 63 | 5, 3, 66, 0, 0)
    yield speaker(4, 2, 2, 0x1f) + wide_member + struct.pack('>QQ', 8, 9) + name(3), CONTROL
    entry = name(4) + struct.pack('>QBBHI', 12, 7, 0, 1, 0)
    value = struct.pack('>QQ', 5, 2) + name(1) + struct.pack(
        '>QIBBHHHIQII', 1, 77, 2, 0, 130, 128, 0, 0, 2, 77, 0)
    yield speaker(5, 2, 2) + value + 2 * entry, CONTROL
    answer = struct.pack('>QQ', 5, 2) + name(1) + struct.pack('>BBHHHQ', 3, 1, 128, 130, 0, 1)
    yield speaker(6, 2, 2) + answer + name(2) + struct.pack('>QQ', 3, 2**64 - 1), CONTROL
    as_of = struct.pack('>QQQ', 4, 11, 6)
    yield header(4, 6, message=b'\5' + bytes(7) + as_of), DATA
    yield header(4, 6, message=b'\6' + bytes(7) + as_of + struct.pack(
        '>QQQ', 9, 5, 1) + b'abcd'), DATA
    yield header(4, 6, message=b'\7' + bytes(7) + as_of + bytes(8)), DATA
    yield header(4, 6, message=b'\x08\1' + bytes(6) + struct.pack('>II', 5, 0)), DATA
    yield header(4, 6, message=b'\x09' + bytes(7) + struct.pack('>IIQQ', 5, 0, 3, 9)
                 + name(2)), DATA
    yield header(0x11, 5, 0x80000005, envelope(2) + b'how much?'), DATA
    yield header(0x11, 1, 0xffff0007, envelope(4, 0, 1)), DATA
    shared = [envelope(2) + b'how much?', envelope(4, 0, 1, number=71)]
    yield header(0x12, 5, 0x80000005, b''.join(
        struct.pack('>H', len(each)) + each for each in shared), offset=2), DATA
    yield header(0x13, 5, 0x80000005, envelope(2) + bytes(8), extension=struct.pack(
        '>IHH', 4, 96, 0), bytes=150), DATA
    yield header(0x13, 5, 0x80000005, bytes(54), extension=struct.pack(
        '>IHH', 4, 96, 0), offset=96, bytes=150), DATA
    yield header(0x13, 5, 0x80000005, bytes(40), extension=struct.pack(
        '>IHH', 4, 40, 0), bytes=150), DATA
    yield header(1, 0, message=b'behind an extension', extension=b'8 bytes!' * 3), DATA
    yield header(2, 1, message=b'\0\0\0\2ab\0\1c', offset=3), DATA
    part = struct.pack('>IHH', 4, 8, 0)
    yield header(3, 3, message=b'the tail'[:5], extension=part, offset=16, bytes=21), DATA
    yield speaker(3, 3, statuses=1) + name(2) + struct.pack(
        '>QHHHHHH', 100, 0, 2, 5, 0, 3, 1) + name(2) + struct.pack(
            '>QQIIQBB6xQQI', 1, 2, 3, 4, 5, 1, 1, 6, 7, 8), CONTROL
    yield speaker(3, 4) + name(2) + struct.pack(
        '>QHHHHHHHH', 2**64 - 20, 0, 2, 0, 0, 9, 9, 0, 1), CONTROL
    yield speaker(8, 0) + struct.pack('>II', 78, 0), CONTROL


def patched(payload, at, text):
    return payload[:at] + text + payload[at + len(text):]


def broken():
    """(payload, destination, the expert information that tells)."""
    good = header(message=bytes(20))
    beat = speaker(1, 1) + struct.pack('>QQQQ', 5, 9, 9, 0) + name(2) + struct.pack('>QB7x', 10, 1)
    wide, value, answer = (payload for payload, _ in list(made())[:3])
    vague = speaker(2, 1) + name(2) + struct.pack('>QQIIQBB6xQ', 1, 2, 3, 4, 5, 0, 9, 6)
    lost = speaker(7, 0) + name(2) + struct.pack('>QQ', 2**64 - 1, 1)
    for payload, reason in (
            (good[:47], 'transport_too_short'), (patched(good, 0, b'\x26'), 'transport_version'),
            (patched(good, 0, b'\x15'), 'transport_header_length'),
            (patched(good, 0, b'\x1f'), 'transport_too_short'),
            (patched(good, 1, b'\5'), 'transport_kind'), (patched(good, 2, b'\7'), 'transport_qos'),
            (patched(good, 43, b'\1'), 'transport_fragment'), (good[:-4], 'transport_fragment'),
            (patched(good, 1, b'\2'), 'transport_messages'),
            (header(2, message=b'\0\5abcd', offset=1), 'transport_messages'),
            (patched(good, 1, b'\x12'), 'request_malformed'),
            (header(0x12, message=b'\0\4abcd', offset=1), 'request_malformed'),
            (header(0x12, message=b'\0\5abcd', offset=1), 'transport_messages'),
            (patched(good, 1, b'\3'), 'transport_header_length'),
            (header(3, message=b'abc', extension=struct.pack('>IHH', 1, 8, 0), offset=8, bytes=17),
             'transport_fragment'),
            (header(group=0xffffffff, message=bytes(21)), 'marks_malformed'),
            (header(group=0xffffffff, message=bytes(3)), 'marks_malformed'),
            (header(4, 6, message=b'\1' + bytes(7)), 'group_message_malformed'),
            (header(4, 6, message=b'\1' + bytes(7) + b'a\x7f'), 'group_message_malformed'),
            (header(4, 6, message=b'\x0b' + bytes(7)), 'group_message_malformed'),
            (header(4, 6, message=b'\4' + bytes(30)), 'group_message_malformed'),
            (header(4, 6, message=b'\2' + bytes(8)), 'group_message_malformed'),
            (header(4, 6, message=b'\x08' + bytes(16)), 'group_message_malformed'),
            (header(4, 6, message=b'\x09' + bytes(56)), 'group_message_malformed'),
            (header(0x11, 5, message=envelope(2)[:-4]), 'request_malformed'),
            (header(0x11, 5, message=envelope(9)), 'request_malformed'),
            (header(0x11, 5, message=envelope(0)), 'request_malformed'),
            (header(0x11, 5, message=envelope(2, want=4)), 'request_malformed'),
            (header(0x11, 5, message=envelope(4, status=8)), 'request_malformed'),
            (header(0x11, 5, message=envelope(2, number=69)), 'request_malformed'),
            (header(0x11, 5, message=envelope(2, number=134)), 'request_malformed')):
        yield payload, DATA, reason
    for payload, reason in (
            (beat[:20], 'control_malformed'), (patched(beat, 1, b'\x09'), 'control_kind'),
            (patched(beat, 0, b'\x20'), 'control_version'), (beat[:-4], 'control_malformed'),
            (patched(wide, 0, b'\x30'), 'control_version'), (beat + bytes(4), 'control_malformed'),
            (patched(beat, 8, b'\1'), 'control_malformed'),
            (patched(beat, 24, b'\1'), 'control_malformed'),
            (patched(beat, 88, b'\5'), 'control_malformed'),
            (patched(beat, 80, b'\1'), 'control_malformed'), (vague, 'control_malformed'),
            (patched(wide, 46, b'\0\x51'), 'view_too_large'),
            (patched(wide, 64, b'\0\x45'), 'control_malformed'),
            (patched(wide, 44, b'\5'), 'control_malformed'),
            (patched(value, 78, b'\0\xa1'), 'view_too_large'),
            (patched(value, 80, b'\0\x81'), 'control_malformed'),
            (patched(value, 76, b'\0'), 'control_malformed'),
            (patched(value, 24, bytes(8)), 'control_malformed'),
            (patched(answer, 64, b'\4'), 'control_malformed'),
            (patched(answer, 65, b'\2'), 'control_malformed'), (lost, 'control_malformed')):
        yield payload, CONTROL, reason


def cut(frame, count):
    """The frame with a payload of so many bytes less, whole in every other respect."""
    taken = frame_kinds.Frame(frame)
    payload = taken.payload()[0]
    if taken.family == 'IPv4' and not taken.vlan:
        return frame_of(payload[:len(payload) - count], taken.destination)
    to = CONTROL if taken.destination in frame_kinds.CONTROL_GROUPS else DATA
    return frame_of(payload[:len(payload) - count], to)


def fuzzed(examples, draw):
    for _ in range(FUZZED):
        frame = bytearray(draw.choice(examples))
        begin = frame_kinds.Frame(bytes(frame)).l4 + 28
        for _ in range(draw.choice((1, 1, 2, 8))):
            # Most damage to the beginning, where the lengths are.
            end = draw.choice((begin + 64, begin + 128, len(frame)))
            frame[draw.randrange(begin, min(end, len(frame)))] = draw.choice(
                (0, 1, 2, 0x7f, 0x80, 0xff, draw.randrange(256)))
        yield bytes(frame)
    for _ in range(FUZZED // 4):
        noise = bytearray(draw.randbytes(draw.randrange(1, 300)))
        to = draw.choice((DATA, CONTROL))
        noise[0] = draw.choice((0x10, 0x20, 0x16, 0x17, noise[0]))
        if len(noise) > 13:
            noise[1], noise[12] = draw.randrange(9), 0
        yield frame_of(bytes(noise), to)
