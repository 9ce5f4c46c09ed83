#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""check_vectors.py JUDGE EMIT_FRAMES   judge the frames that lib/wire builds.

JUDGE is one of
  zlib    recomputes every ICRC from the rule in doc/protocol.md
  scapy   rebuilds the ICRC of the IPv4 frames (contrib.roce knows no IPv6)
  tshark  dissects every frame and must find the fields that it was told to carry
EMIT_FRAMES is the program of tests/vectors/emit_frames.cc. Exit code 77: no such judge here."""
import json
import logging
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

SKIP = 77
FRAMES = 160  # what emit_frames writes: 8 shapes of 20 sizes


def read_pcap(path):
    with open(path, 'rb') as stream:
        data = stream.read()
    at = 24
    while at < len(data):
        length = struct.unpack_from('<I', data, at + 8)[0]
        yield data[at + 16:at + 16 + length]
        at += 16 + length


def icrc(frame):
    """The ICRC of a frame with at most one VLAN tag, as the four bytes to be found at its end."""
    l3 = 18 if frame[12:14] == b'\x81\x00' else 14
    packet = bytearray(frame[l3:-4])
    if packet[0] >> 4 == 4:
        udp = 20
        variant = [1, 8, 10, 11]         # TOS, TTL, header checksum
    else:
        udp = 40
        packet[0] |= 0x0f                # traffic class and flow label from here on
        variant = [1, 2, 3, 7]           # ..., hop limit
    variant += [udp + 6, udp + 7]        # checksum
    variant += [udp + 8 + 4]             # BTH: FECN, BECN, reserved
    for at in variant:
        packet[at] = 0xff
    return struct.pack('<I', zlib.crc32(b'\xff' * 8 + packet))


def judge_zlib(pcap, expected):
    frames = list(read_pcap(pcap))
    wrong = [f'frame {i}: ICRC {frame[-4:].hex()}, by the rule {icrc(frame).hex()}'
             for i, frame in enumerate(frames) if icrc(frame) != frame[-4:]]
    return len(frames), wrong


def judge_scapy(pcap, expected):
    logging.getLogger('scapy').setLevel(logging.ERROR)
    try:
        from scapy.all import raw, rdpcap
        from scapy.contrib.roce import BTH
    except ImportError as error:
        print(f'skipped: {error}')
        sys.exit(SKIP)
    judged, wrong = 0, []
    for i, packet in enumerate(rdpcap(pcap)):
        if expected[i]['ipv6']:
            continue
        judged += 1
        if BTH not in packet:
            wrong.append(f'frame {i}: not taken for RoCE')
            continue
        rebuilt = packet.copy()
        rebuilt[BTH].icrc = None
        if raw(rebuilt) != raw(packet):
            ours, scapys = raw(packet)[-4:].hex(), raw(rebuilt)[-4:].hex()
            wrong.append(f'frame {i}: ICRC {ours}, scapy {scapys}')
    return judged, wrong


# tshark's field, and what it must be for a frame as described.
FIELDS = {
    'eth.dst': lambda d: d['destination_mac'],
    'vlan.id': lambda d: '' if d['vlan_tci'] is None else d['vlan_tci'] & 0xfff,
    'vlan.priority': lambda d: '' if d['vlan_tci'] is None else d['vlan_tci'] >> 13,
    'ip.src': lambda d: '' if d['ipv6'] else d['source'],
    'ip.dst': lambda d: '' if d['ipv6'] else d['destination'],
    'ip.id': lambda d: '' if d['ipv6'] else d['ip_id'],
    'ip.ttl': lambda d: '' if d['ipv6'] else d['hop_limit'],
    'ip.dsfield': lambda d: '' if d['ipv6'] else d['traffic_class'],
    'ip.checksum.status': lambda d: '' if d['ipv6'] else 1,
    'ipv6.src': lambda d: d['source'] if d['ipv6'] else '',
    'ipv6.dst': lambda d: d['destination'] if d['ipv6'] else '',
    'ipv6.tclass': lambda d: d['traffic_class'] if d['ipv6'] else '',
    'ipv6.flow': lambda d: d['flow_label'] if d['ipv6'] else '',
    'ipv6.hlim': lambda d: d['hop_limit'] if d['ipv6'] else '',
    'udp.srcport': lambda d: d['source_port'],
    'udp.dstport': lambda d: 4791,
    'infiniband.bth.opcode': lambda d: d['opcode'],
    'infiniband.bth.se': lambda d: int(d['solicited']),
    'infiniband.bth.m': lambda d: 0,
    'infiniband.bth.padcnt': lambda d: -d['payload_bytes'] % 4,
    'infiniband.bth.tver': lambda d: 0,
    'infiniband.bth.p_key': lambda d: d['pkey'],
    'infiniband.bth.destqp': lambda d: d['destination_qpn'],
    'infiniband.bth.a': lambda d: int(d['ack_request']),
    'infiniband.bth.psn': lambda d: d['psn'],
    'infiniband.deth.q_key': lambda d: d['qkey'],
    'infiniband.deth.srcqp': lambda d: d['source_qpn'],
    'infiniband.immdt': lambda d: '' if d['immediate'] is None else f"{d['immediate']:08x}",
}


def same(found, wanted):
    if isinstance(wanted, str):
        return found == wanted
    if found in ('True', 'False'):
        return (found == 'True') == wanted
    return found != '' and int(found, 0) == wanted


def judge_tshark(pcap, expected):
    tshark = shutil.which('tshark')
    if not tshark:
        print('skipped: tshark is not installed')
        sys.exit(SKIP)
    command = [tshark, '-r', pcap, '-o', 'ip.check_checksum:TRUE', '-T', 'fields',
               '-E', 'separator=|', '-E', 'occurrence=f']
    for field in [*FIELDS, '_ws.malformed', 'infiniband.invariant.crc']:
        command += ['-e', field]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    frames, wrong = list(read_pcap(pcap)), []
    lines = run.stdout.splitlines()
    for i, line in enumerate(lines):
        *found, malformed, crc = line.split('|')
        for (field, wanted), text in zip(FIELDS.items(), found):
            if not same(text, wanted(expected[i])):
                wrong.append(f'frame {i}: {field} is {text!r}, not {wanted(expected[i])!r}')
        # tshark 4.0 calls a datagram without payload malformed and then does not reach its ICRC.
        if expected[i]['payload_bytes'] == 0:
            continue
        if malformed or int(crc or '0', 0) != int.from_bytes(frames[i][-4:], 'big'):
            wrong.append(f'frame {i}: malformed {malformed!r}, ICRC {crc!r}')
    return len(lines), wrong


JUDGES = {'zlib': (judge_zlib, FRAMES), 'scapy': (judge_scapy, FRAMES // 2),
          'tshark': (judge_tshark, FRAMES)}


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in JUDGES:
        sys.exit(__doc__)
    judge, wanted = JUDGES[sys.argv[1]]
    with tempfile.TemporaryDirectory(prefix='lambdacast-vectors-') as scratch:
        pcap, description = os.path.join(scratch, 'f.pcap'), os.path.join(scratch, 'f.json')
        subprocess.run([sys.argv[2], pcap, description], check=True)
        with open(description, encoding='utf-8') as stream:
            expected = json.load(stream)
        judged, wrong = judge(pcap, expected)
    print('\n'.join(wrong[:20]))
    print(f'{sys.argv[1]}: {judged} frames judged, {wanted} expected of each ICRC method, '
          f'{len(wrong)} disagreements')
    sys.exit(bool(wrong) or judged == 0 or judged % wanted != 0)


if __name__ == '__main__':
    main()
