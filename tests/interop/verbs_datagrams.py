#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""verbs_datagrams.py PROGRAM FIRST SECOND   two of the verbs programs of tests/interop/rxe-vm
(PROGRAM, kernel_peer) send each other datagrams by whatever verbs library the environment preloads:
unicast and to groups, from either family's address, with and without immediate, solicited or not,
of many sizes; what arrives is compared. FIRST and SECOND: what is run in front of each, as words of
a line ("env A=B"). Their devices have the GIDs that $FIRST_GIDS and $SECOND_GIDS name, IPv4 and
IPv6. $SIZES: the longest datagram, 4096 by default."""
import os
import sys
import tempfile

from rxe_machine import Failed, Talker

QKEY = '0x11111111'
MULTICAST_QPN = str(0xffffff)
GROUPS = ['::ffff:239.255.9.9', 'ff0e::9:9']
SIZES = [*range(18), 63, 64, 65, 66, 255, 511, 1001, 1021, 1022, 1023, 1024, 2047, 2048, 4093, 4094,
         4095, 4096]
PATIENCE_MS = '20000'


class Peer(Talker):
    def __init__(self, program, prefix, gids, errors):
        super().__init__(prefix, [*prefix.split(), program, '-'], errors)
        self.gids = gids
        if self.line(30) != 'ready':
            raise Failed(f'{prefix}: no device')
        self.qpns = [self.want('qp', gid, QKEY, '0')[2] for gid in gids]


def exchange(peers, family, group, size, count):
    """Both ways, and to the group that the second is attached to."""
    for sender, to, qpn in ((0, peers[1].gids[family], peers[1].qpns[family]),
                            (1, peers[0].gids[family], peers[0].qpns[family]),
                            (0, group, MULTICAST_QPN)):
        payload = os.urandom(size).hex() or '-'
        immediate = '-' if count % 2 == 0 else str(count)
        peers[sender].want('send', family, to, qpn, QKEY, count // 2 % 2, immediate, payload)
        said = peers[1 - sender].want('take', family, PATIENCE_MS)
        if [*said[:2], *said[3:]] != ['received', payload, peers[sender].qpns[family], immediate]:
            raise Failed(f'{size} bytes from {peers[sender].name} to {to}: {said[:1]} {said[3:]}')
        count += 1
    return count


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    gids = [os.environ[name].split(',') for name in ('FIRST_GIDS', 'SECOND_GIDS')]
    most = int(os.environ.get('SIZES', '4096'))
    with tempfile.TemporaryDirectory(prefix='lambdacast-datagrams-') as scratch:
        errors = [os.path.join(scratch, str(i)) for i in range(2)]
        peers, count = [], 0
        try:
            for prefix, own, file in zip(sys.argv[2:], gids, errors):
                peers.append(Peer(sys.argv[1], prefix, own, file))
            for family, group in enumerate(GROUPS):
                peers[1].want('attach', family, group)
                for size in (size for size in SIZES if size <= most):
                    count = exchange(peers, family, group, size, count)
        except Failed as failure:
            for file in filter(os.path.exists, errors):
                with open(file, encoding='utf-8') as stream:
                    sys.stderr.write(stream.read())
            sys.exit(f'{failure}')
        finally:
            for peer in peers:
                peer.close()
    print(f'{count} datagrams sent, all received as they were')


if __name__ == '__main__':
    main()
