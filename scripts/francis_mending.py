# SPDX-License-Identifier: BSD-3-Clause
"""What scripts/francis measures and shows of multicast trees that mend themselves (FRANCIS,
sections 4.2 and 5.2)."""
from francis_congest import number, table

# Table 6 of the paper, in microseconds: failures to (fast, full), and what it has of others.
PRINTED = {1: (411.5, 2067.0), 2: (563.8, 2951.0)}
PRINTED_OF_OTHERS = {1: ('3.4 ms', '25 to 100 ms'), 2: ('', '50 to 100 ms')}
TARGETS = {1: (329, 1654), 2: (451, 2361)}
ALL_GROUPS = ['--groups', 1_000_000]


def parts(seeds):
    """Name to (command of lambdacast-sim, arguments). The greatest graphs get fewer seeds."""
    few = max(1, seeds // 40)
    small = ['--graph', 'fat-tree:16', '--groups', 100_000, '--seeds', max(1, seeds // 5)]
    return {
        'table6': ('trees', ['--graph', 'fat-tree:64', *ALL_GROUPS, '--failures', '1,2', '--seeds',
                             max(1, seeds // 5)]),
        **{f'table6_{graph}': ('trees', ['--graph', graph, *ALL_GROUPS, '--failures', '1,2',
                                         '--seeds', few])
           for graph in ('jupiter', 'jellyfish')},
        'mending_failures': ('trees', [*small, '--failures', '1,2,3,4,5']),
        'mending_ablation': ('trees', [*small, '--failures', 1, '--ablation']),
        'mending_links': ('trees', [*small, '--failures', 1, '--failing', 'link']),
        'mending_course': ('trees', ['--graph', 'fat-tree:16', '--groups', 100_000, '--failures', 1,
                                     '--seeds', 1, '--bin-us', 51.2]),
    }


def one(rows, scheme, failures):
    found = [row for row in rows if row['scheme'] == scheme and row['failures'] == failures]
    return found[0] if found else {}


def table6(results):
    lines = []
    for failures, printed in PRINTED.items():
        published, ours = (one(results['table6'], scheme, failures)
                           for scheme in ('published', 'ours'))
        for i, what in enumerate(('fast', 'full')):
            name = f'{what}_us_mean'
            target = TARGETS[failures][i]
            value = ours.get(name)
            reached = '' if value is None else 'reached' if value <= target else 'short'
            lines.append([str(failures), what, number(printed[i]), PRINTED_OF_OTHERS[failures][i],
                          number(published.get(name)), number(value),
                          number(ours.get(f'{what}_us_p99')), str(target), reached,
                          number(ours.get('groups'), 0), str(ours.get('seeds', ''))])
    return table(['failures', 'phase', 'printed', 'Elmo, printed', 'published', 'ours', 'p99',
                  'target', 'ours is', 'groups', 'seeds'], lines)


def plain(rows):
    lines = []
    for row in rows:
        lines.append([row['graph'], row['scheme'], str(row['failures']), number(row['groups'], 0),
                      number(row['fast_us_mean']), number(row['fast_us_p99']),
                      number(row['full_us_mean']), number(row['full_us_p99']),
                      number(row['frames'], 0), number(row['links']), str(row['seeds'])])
    return table(['graph', 'scheme', 'failures', 'groups', 'fast', 'p99', 'full', 'p99', 'frames',
                  'links a packet', 'seeds'], lines)


def graphs(results):
    rows = [row for part in ('table6', 'table6_jupiter', 'table6_jellyfish')
            for row in results.get(part, [])]
    return plain(rows)


def course(results):
    lines = []
    for row in results['mending_course']:
        rates = [bits / row['bin_us'] for bits in row['busiest_bits']]
        busy = [rate for rate in rates if rate > rates[1]]
        lines.append([row['scheme'], str(row['budget_bps'] // 1_000_000), number(rates[1]),
                      number(max(rates)), number(sum(busy) / max(1, len(busy))),
                      number(len(busy) * row['bin_us'])])
    return table(['scheme', 'Mb/s', 'busiest direction before, Mb/s', 'peak',
                  'mean while above that', 'above that, us'], lines)


PARTS_OF_PAGE = (
    ('table6', 'Table 6: multicast trees', table6,
     'A fat-tree of 64 ports, of which core switches fail, and a million groups. *Fast* ends when '
     'the last bitmaps have come, and *full* when the last switch has its places in all trees. '
     '*Groups* are those whose trees pass through what has failed. IP multicast takes 3 minutes, '
     'as printed. Published waits for the acknowledgement of each frame and searches from each '
     'group\'s source by itself, which the paper does not say in so many words.'),
    ('table6', 'Figure 6: multicast trees on other graphs', graphs,
     'The paper gives these figures as curves alone. Jellyfish\'s switches all have racks; groups '
     'of the rack that fails are lost, and are not among those that are mended.'),
    ('mending_failures', 'Figure 6: more failures at a time',
     lambda results: plain(results['mending_failures']),
     'A fat-tree of 16 ports with 100 000 groups.'),
    ('mending_ablation', 'The worth of each improvement for multicast trees',
     lambda results: plain(results['mending_ablation']),
     '`ours-NAME` lacks an improvement, `published+NAME` has one. *Links a packet* are those that '
     'it crosses by the bitmaps of fast recovery, which `above` spares. `suspects` is worth '
     'nothing here: a switch probes all its neighbours at one time, so that all miss it at one '
     'time. '
     '`published+piggyback` acknowledges behind half a timeout what nothing else goes to '
     'acknowledge, and so holds up a port that waits for each acknowledgement.'),
    ('mending_links', 'Links of multicast trees that fail',
     lambda results: plain(results['mending_links']),
     'A flood names one end of the link, so that all groups through that switch are mended.'),
    ('mending_course', 'Figure 7: the bandwidth of a repair', course,
     'One seed, in bins of 51.2 us, a fat-tree of 16 ports. Before the failure neighbours probe '
     'each other every 100 us.'),
)
