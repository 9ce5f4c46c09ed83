# SPDX-License-Identifier: BSD-3-Clause
"""The benchmarks that have results on file: the runs of each, and the columns of its table."""
from dataclasses import dataclass, field


@dataclass
class Column:
    """One figure of a table: its key in the program's JSON, its heading with the unit, what one
    unit is in the program's, and the decimals shown."""
    key: str
    heading: str
    scale: float = 1
    decimals: int = 0


@dataclass
class Plan:
    """Runs that take turns within each round. cases: {name: arguments of lambdacast-bench}."""
    cases: dict
    columns: list
    also: list = field(default_factory=list)  # keys on file beside those of the table


US = 1e3
MS = 1e6
GIGA = 1e9

# Levels of total order by either engine: the level, a name's end and an option.
ENGINES = [(level, f', {engine}', f' --order {engine}')
           for level in ('total', 'majority', 'resilient') for engine in ('sequencer', 'ring')]

PLANS = {
    'latency': Plan(
        {'one way': 'latency --count 20000',
         'round trip': 'latency --count 20000 --mode round-trip',
         'one way, source ordered': 'latency --count 20000 --qos source'},
        [Column('min_ns', 'least, ns'), Column('p50_ns', '50 %, ns'), Column('p99_ns', '99 %, ns'),
         Column('bare_p50_ns', 'bare ports, 50 %, ns'),
         Column('bare_p99_ns', 'bare ports, 99 %, ns')],
        ['p90_ns', 'p999_ns', 'max_ns', 'intended_p50_ns', 'intended_p99_ns', 'lost']),
    'throughput': Plan(
        {'64 bytes, a packet each': 'throughput --seconds 1 --payload 64',
         '64 bytes, coalesced': 'throughput --seconds 1 --payload 64 --coalesce on',
         '4048 bytes': 'throughput --seconds 1 --payload 4048',
         '1 MiB': 'throughput --seconds 1 --payload 1048576'},
        [Column('messages_per_second', 'messages/s'), Column('packets_per_second', 'packets/s'),
         Column('goodput_bps', 'goodput, Gb/s', GIGA, 2), Column('lost_messages', 'lost')],
        ['messages_per_packet', 'elapsed_s']),
    'order': Plan(
        {f'{nodes} nodes, {level}':
         f'order --nodes {nodes} --level {level} --seconds 1 --one-sender --rate 10000'
         for nodes in (3, 4) for level in ('source', 'total', 'resilient')},
        [Column('p50_ns', '50 %, us', US, 2), Column('p99_ns', '99 %, us', US, 1),
         Column('messages_per_second_per_node', 'messages/s at a node'), Column('lost', 'lost')],
        ['p999_ns', 'max_ns', 'duty', 'marks', 'control_frames']),
    'loss': Plan(
        {'4 nodes, 64 bytes': 'loss --packets 3000000',
         '4 nodes, 4096 bytes': 'loss --packets 500000 --payload 4096',
         '4 nodes, 64 bytes, source ordered': 'loss --packets 3000000 --pace none --qos source'},
        [Column('sent', 'packets'), Column('lost', 'lost'),
         Column('loss_ratio_upper95', 'ratio below, 95 %', 1, 9),
         Column('packets_per_second', 'sent, packets/s'),
         Column('goodput_bps', 'goodput, Gb/s', GIGA, 2)],
        ['delivered', 'control_lost', 'messages_declared_lost', 'elapsed_s']),
    'failover': Plan(
        {f'{stop}, {nodes} nodes': f'failover --runs 5 --nodes {nodes} --stop {stop} '
                                   '--suspect-us 200000 --heartbeat-us 5000'
         for stop in ('sequencer', 'member', 'two') for nodes in (4, 8)},
        [Column('p50_ns', 'median, ms', MS, 2),
         Column('suspect_plus_ns', 'beyond the suspicion, ms', MS, 2),
         Column('max_ns', 'longest, ms', MS, 2), Column('disturbed', 'disturbed runs')],
        ['measured', 'view_p50_ns', 'missing', 'lost']),
    'levels': Plan(
        {f'{nodes} nodes, {level}{by}':
         f'order --nodes {nodes} --level {level}{option} --payload 4048 --seconds 1 '
         '--rx-rate 1000000000 --ack-us 2000'
         for nodes in (2, 4, 8)
         for level, by, option in [('source', '', ''), *ENGINES]},
        [Column('reached', 'of the optimum', 1, 3),
         Column('messages_per_second_per_node', 'messages/s at a node'), Column('lost', 'lost'),
         Column('repairs', 'repairs'), Column('duty', 'busiest lcore', 1, 2)],
        ['optimum_messages_per_second', 'dropped', 'marks']),
    'engines': Plan(
        {**{f'{nodes} nodes, {level}{by}':
            f'order --nodes {nodes} --level {level}{option} --seconds 1 --one-sender --rate 10000 '
            '--pause-ms 5'
            for nodes in (3, 4, 8) for level, by, option in ENGINES if level != 'majority'},
         **{f'4 nodes, {level}{by}, flat out':
            f'order --nodes 4 --level {level}{option} --seconds 1'
            for level, by, option in ENGINES if level != 'majority'}},
        [Column('p50_ns', '50 %, us', US, 2), Column('p99_ns', '99 %, us', US, 1),
         Column('silence_ns', 'silence while one stops, ms', MS, 2),
         Column('messages_per_second_per_node', 'messages/s at a node'), Column('lost', 'lost')],
        ['max_ns', 'duty', 'marks', 'control_frames']),
    'token': Plan(
        {f'{stop}, {nodes} nodes': f'failover --runs 8 --nodes {nodes} --stop {stop} --order ring '
                                   '--lock'
         for stop in ('member', 'two') for nodes in (4, 8)} |
        {'kill -9, 4 nodes, sequencer': 'failover --runs 8 --nodes 4 --kill --lock'},
        [Column('p50_ns', 'median, ms', MS, 2),
         Column('suspect_plus_ns', 'beyond the suspicion, ms', MS, 2),
         Column('lock_p50_ns', 'the next holder, ms', MS, 2),
         Column('lock_max_ns', 'at the latest, ms', MS, 2), Column('disturbed', 'disturbed runs')],
        ['measured', 'max_ns', 'missing', 'lost', 'untold_p50_ns']),
    'groups': Plan(
        {'1024 groups, source': 'groups --groups 1024 --rounds 1 --seconds 0.5',
         '1024 groups, total': 'groups --groups 1024 --rounds 1 --seconds 0.5 --level total'},
        [Column('joins_per_s', 'joins/s'), Column('one_mps', 'to one, messages/s'),
         Column('many_mps', 'to all, messages/s'), Column('ratio', 'ratio', 1, 2),
         Column('table_bytes_per_group', "bytes of a node's tables a group")],
        ['rss_bytes_per_group', 'join_s']),
}
