#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""check_frames.py [--least N] [--sources MAC,...] [--simulated FILE]... FILE...

Judges captured frames of ours: each by scapy and by tshark, neither of which is told more than the
bytes. Fails if either finds anything wrong, if a kind of frame that the code knows
(scripts/dev/frame_kinds.py) is in none of the files, if fewer than N frames were captured, or if a
judge does not find the damage that is then done to copies of good frames.

FILE is pcap or pcapng. Frames of other sources than those that --sources names are left out of what
follows it on the command line (the kernel's own on a shared link). --simulated: frames of
lambdacast-sim; they count for the rare kinds only. Exit code 77: a judge is not installed."""
import collections
import concurrent.futures
import os
import shutil
import struct
import subprocess
import sys
import tempfile

import check_vectors
import frame_kinds

SKIP = 77
SHOWN = 20  # complaints
PCAP_HEADER = struct.pack('<IHHiIII', 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1)


# --- scapy ----------------------------------------------------------------------------------------

def scapy_ip_complaint(packet, l3):
    """About lengths and checksums of what is no RoCE: ARP, IGMP, ICMPv6."""
    import scapy.all as scapy
    if scapy.ARP in packet:
        arp = packet[scapy.ARP]
        fields = (arp.hwtype, arp.ptype, arp.hwlen, arp.plen)
        return '' if fields == (1, 0x800, 6, 4) else f'ARP {fields}'
    if scapy.IP in packet:
        body = l3[4 * packet[scapy.IP].ihl:]
        return '' if scapy.checksum(body) == 0 else 'IGMP checksum'
    ip = packet[scapy.IPv6]
    at = 40
    protocol = ip.nh
    if protocol == 0:
        protocol, at = l3[40], 48
    pseudo = scapy.IPv6(src=ip.src, dst=ip.dst, nh=protocol, plen=len(l3) - at)
    return '' if scapy.in6_chksum(protocol, pseudo, l3[at:]) == 0 else 'ICMPv6 checksum'


def scapy_complaint(scapy, roce, data):
    packet = scapy.Ether(data)
    ip = packet.getlayer(scapy.IP) or packet.getlayer(scapy.IPv6)
    if ip is None:
        return scapy_ip_complaint(packet, b'') if scapy.ARP in packet else 'neither IP nor ARP'
    l3 = data[18 if scapy.Dot1Q in packet else 14:]
    version4 = isinstance(ip, scapy.IP)
    if (ip.len if version4 else 40 + ip.plen) != len(l3):
        return f'IP length {ip.len if version4 else ip.plen} of {len(l3)} bytes'
    if version4 and scapy.checksum(l3[:4 * ip.ihl]) != 0:
        return 'IP checksum'
    if scapy.UDP not in packet:
        return scapy_ip_complaint(packet, l3)
    udp = packet[scapy.UDP]
    if udp.len != len(l3) - (20 if version4 else 40) or udp.chksum != 0:
        return f'UDP length {udp.len}, checksum {udp.chksum:#x}'
    if roce.BTH not in packet:
        return 'no BTH'
    bth = packet[roce.BTH]
    extended = 8 + (4 if bth.opcode == 0x65 else 0)
    payload = udp.len - 8 - 12 - extended - 4
    if bth.opcode not in (0x64, 0x65) or bth.version or payload % 4 or payload < bth.padcount:
        return f'BTH: opcode {bth.opcode:#x}, {payload} bytes with {bth.padcount} of pad'
    # It knows the ICRC of IPv4 only; of IPv6 zlib and the rule, as in check_vectors.py.
    wanted = bth.compute_icrc(b'') if version4 else check_vectors.icrc(data)
    return '' if wanted == data[-4:] else f'ICRC {data[-4:].hex()}, not {wanted.hex()}'


def scapy_judges(frames):
    """A complaint or '' for each frame. In a process of its own."""
    import scapy.all as scapy
    from scapy.contrib import roce
    return [scapy_complaint(scapy, roce, frame) for frame in frames]


def judge_scapy(frames):
    size = 1000
    parts = [frames[at:at + size] for at in range(0, len(frames), size)]
    with concurrent.futures.ProcessPoolExecutor(os.cpu_count()) as pool:
        return [complaint for part in pool.map(scapy_judges, parts) for complaint in part]


# --- tshark ---------------------------------------------------------------------------------------

# What it is told: to verify every checksum, and that RoCEv2 has none in UDP (A17; RFC 6935).
OPTIONS = ['ip.check_checksum:TRUE', 'udp.check_checksum:TRUE',
           'udp.ignore_ipv6_zero_checksum:TRUE']
# A payload is the program's: what tshark would guess it to be is no verdict about the frame. (The
# heuristics by their own names: to disable the protocols they belong to does not disable them.)
GUESSES = ['smcr_infiniband', 'smb_direct_infiniband', 'rpcrdma_infiniband', 'nvme_rdma', 'lnet_ib',
           'iser_infiniband', 'eth_over_ib', 'mellanox_eoib', 'sdp_infiniband', 'fc_infiniband']
FIELDS = ['_ws.malformed', '_ws.expert.severity', '_ws.expert.message', 'ip.checksum.status',
          'igmp.checksum.status', 'icmpv6.checksum.status', 'udp.length', 'udp.checksum.status',
          'infiniband.bth.opcode', 'infiniband.bth.padcnt', 'infiniband.bth.psn',
          'infiniband.bth.destqp', 'infiniband.invariant.crc', 'ip.len', 'ipv6.plen',
          'frame.len', 'arp.hw.size']
WARNING = 0x600000  # severities from here on: warnings and errors
GOOD, NOT_PRESENT = ('1', ''), ('3', '4', '')


def tshark_complaint(frame, row):
    said = dict(zip(FIELDS, row))
    # tshark 4.0 calls a datagram without payload malformed and does not reach its ICRC.
    empty = frame.is_roce and not frame.payload()[0]
    severities = [int(text) for text in said['_ws.expert.severity'].split(',') if text]
    if not empty and (said['_ws.malformed'] or any(s >= WARNING for s in severities)):
        return f"expert: {said['_ws.malformed']} {said['_ws.expert.message']}"
    for field in ('ip.checksum.status', 'igmp.checksum.status', 'icmpv6.checksum.status'):
        if said[field] not in GOOD:
            return f'{field} {said[field]}'
    at = frame.l3
    if frame.family and int(said['ip.len'] or 40 + int(said['ipv6.plen'] or 0)) != (
            len(frame.data) - at):
        return f"IP length {said['ip.len']}{said['ipv6.plen']}"
    if not frame.is_roce:
        return '' if said['arp.hw.size'] == '6' or frame.family else 'no ARP'
    data, bth = frame.data, frame.l4 + 8
    numbers = [int(said[field] or '-1', 0) for field in FIELDS[8:12]]
    wanted = [data[bth], data[bth + 1] >> 4 & 3, frame_kinds.number(data, bth + 9, 3),
              frame_kinds.number(data, bth + 5, 3)]
    if numbers != wanted or int(said['udp.length']) != len(data) - frame.l4:
        return f"BTH {numbers}, not {wanted}; UDP length {said['udp.length']}"
    if said['udp.checksum.status'] not in NOT_PRESENT:
        return f"UDP checksum {said['udp.checksum.status']}"
    # It finds the ICRC and does not verify it: compared is what it finds.
    if not empty and int(said['infiniband.invariant.crc'] or '0', 0) != int.from_bytes(
            check_vectors.icrc(data), 'big'):
        return f"ICRC {said['infiniband.invariant.crc']}"
    return ''


def judge_tshark(frames):
    with tempfile.TemporaryDirectory(prefix='lambdacast-frames-') as scratch:
        path = os.path.join(scratch, 'frames.pcap')
        write_pcap(path, frames)
        command = ['tshark', '-n', '-r', path, '-T', 'fields', '-E', 'separator=|',
                   '-E', 'occurrence=a']
        command += [word for option in OPTIONS for word in ('-o', option)]
        command += [word for guess in GUESSES for word in ('--disable-heuristic', guess)]
        command += [word for field in FIELDS for word in ('-e', field)]
        run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             check=True, encoding='utf-8', errors='replace')
    if 'No such' in run.stderr:
        sys.exit(f'tshark does not know what it was told: {run.stderr}')
    rows = run.stdout.splitlines()
    if len(rows) != len(frames):
        sys.exit(f'tshark dissects {len(rows)} frames of {len(frames)}')
    return [tshark_complaint(frame_kinds.Frame(frame), row.split('|'))
            for frame, row in zip(frames, rows)]


JUDGES = {'scapy': judge_scapy, 'tshark': judge_tshark}


# --- damage ---------------------------------------------------------------------------------------

def damaged(frame, at, mask):
    return frame[:at] + bytes([frame[at] ^ mask]) + frame[at + 1:]


def damages(data):
    """(what was done, the frame): each a single bit."""
    frame = frame_kinds.Frame(data)
    if frame.family == 'IPv4':
        yield 'IP checksum', damaged(data, frame.l3 + 10, 0x10)
        yield 'IP length', damaged(data, frame.l3 + 3, 0x04)
    elif frame.family == 'IPv6':
        yield 'IP length', damaged(data, frame.l3 + 5, 0x04)
    if frame.is_roce:
        yield 'UDP length', damaged(data, frame.l4 + 5, 0x04)
        yield 'ICRC', damaged(data, len(data) - 1, 0x80)
        yield 'payload', damaged(data, frame.l4 + 28, 0x01)
    elif frame.family is not None:
        yield 'checksum behind IP', damaged(data, frame.l4 + 2, 0x01)
    else:
        yield 'ARP length', damaged(data, frame.l3 + 4, 0x01)


def overlooked(examples):
    """Damage that a judge does not find: sentences."""
    copies = [(kind, what, copy) for kind, frame in examples.items()
              for what, copy in damages(frame)]
    missed = []
    for name, judge in JUDGES.items():
        verdicts = judge([copy for _, _, copy in copies])
        missed += [f'{name} does not find a damaged {what} ({kind})'
                   for (kind, what, _), verdict in zip(copies, verdicts) if not verdict]
    return len(copies), missed


# --- files ----------------------------------------------------------------------------------------

def write_pcap(path, frames):
    with open(path, 'wb') as stream:
        stream.write(PCAP_HEADER)
        for frame in frames:
            stream.write(struct.pack('<IIII', 0, 0, len(frame), len(frame)) + frame)


def read(path, sources):
    """The frames of a pcap or pcapng file that come from those MAC addresses, or all."""
    from scapy.utils import RawPcapReader
    frames = []
    for data, meta in RawPcapReader(path):
        if getattr(meta, 'wirelen', len(data)) != len(data):
            sys.exit(f'{path}: a frame was cut short in capture')
        if not sources or data[6:12] in sources:
            frames.append(data)
    return frames


def options(words):
    least, sources, files = 0, [], []
    words = iter(words)
    for word in words:
        if word == '--least':
            least = int(next(words))
        elif word == '--sources':
            sources = [bytes.fromhex(mac.replace(':', '')) for mac in next(words).split(',')]
        elif word == '--simulated':
            files.append((next(words), [], True))
        else:
            files.append((word, sources, False))
    return least, files


def count_kinds(frames, counts, examples):
    wrong = []
    for frame in frames:
        try:
            kinds = frame_kinds.kinds_of(frame)
        except (KeyError, IndexError) as error:
            wrong.append(f'a frame of no kind ({error!r}): {frame.hex()[:160]}')
            continue
        for kind in kinds:
            counts[kind] += 1
            # tshark does not reach the ICRC of a datagram without payload.
            if kind not in examples and 'no payload' not in kinds:
                examples[kind] = frame
    return wrong


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    least, files = options(sys.argv[1:])
    try:
        from scapy.contrib import roce  # pylint: disable=unused-import
    except ImportError as error:
        print(f'skipped: {error}')
        sys.exit(SKIP)
    if not shutil.which('tshark'):
        print('skipped: tshark is not installed')
        sys.exit(SKIP)
    live, simulated, examples = collections.Counter(), collections.Counter(), {}
    frames, captured, wrong = [], 0, []
    for path, sources, is_simulated in files:
        here = read(path, sources)
        wrong += count_kinds(here, simulated if is_simulated else live, examples)
        captured += 0 if is_simulated else len(here)
        frames += here
    for kind in frame_kinds.ALL:
        rare = kind in frame_kinds.RARE
        print(f'{kind:38} {live[kind]:8}' + (f' {simulated[kind]:8} simulated' if rare else ''))
        if live[kind] == 0 and not (rare and simulated[kind]):
            wrong.append(f'no frame of kind "{kind}" was captured')
    for kind, why in frame_kinds.EXEMPT.items():
        print(f'{kind:38} {live[kind]:8} {why}')
    if captured < least:
        wrong.append(f'{captured} frames captured, {least} wanted')
    for name, judge in JUDGES.items():
        complaints = [f'{name}: {complaint}: {frame.hex()[:200]}'
                      for frame, complaint in zip(frames, judge(frames)) if complaint]
        print(f'{name}: {len(frames)} frames judged, {len(complaints)} complaints')
        wrong += complaints
    copies, missed = overlooked(examples)
    print(f'{copies} frames damaged on purpose, {len(missed)} times not found')
    wrong += missed
    print('\n'.join(wrong[:SHOWN]))
    print(f'{captured} frames captured, {len(frames) - captured} simulated, {len(wrong)} faults')
    sys.exit(bool(wrong))


if __name__ == '__main__':
    main()
