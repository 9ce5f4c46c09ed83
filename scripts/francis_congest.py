# SPDX-License-Identifier: BSD-3-Clause
"""What scripts/francis measures and shows beside trees of clocks: algorithms of message passing
(FRANCIS, appendix E), graphs and multicast groups."""
import math
import statistics

SIX = ('leader', 'bfs', 'boruvka', 'luby', 'cover', 'spanner')
FAT_TREES = (4, 8, 16, 32)
# Table 8: nodes, diameter and degree as printed, and the graph that is drawn without a file.
ISPS = {'US Carrier': ((158, 35, 6), 'UsCarrier.gml', 'wan:158,189,35,6'),
        'Kentucky Datalink': ((754, 58, 7), 'Kdl.gml', 'wan:754,895,58,7')}
# Tables 3, 5 and 7 of the paper, by graph.
LARGE = {'fat-tree:64': ((5120, 131072, 4), 1344, 1.002, 1.000005),
         'jupiter': ((22528, 163840, 8), 2147, 1.0, 1.0),
         'jellyfish': ((4000, 126950, 3), 1175, 3.71, 1.30)}


def isp_graph(name, folder):
    """--graph of one of Table 8's: the file if there is a folder of them, else one that is drawn"""
    _, file, drawn = ISPS[name]
    return f'gml:{folder}/{file}' if folder else drawn


def parts(seeds, topologies):
    """Name to (command of lambdacast-sim, arguments)."""
    few = max(1, seeds // 10)
    trees = [item for k in FAT_TREES for item in ('--graph', f'fat-tree:{k}')]
    isps = [item for name in ISPS for item in ('--graph', isp_graph(name, topologies))]
    six = ['--algorithm', ','.join(SIX)]
    return {
        'figure9': ('congest', ['--graph', 'fat-tree:4', '--graph', 'fat-tree:8', '--graph',
                                'fat-tree:16', '--algorithm', 'cover,cover-approximate', '--loss',
                                '0', '--each', '--seeds', seeds]),
        'figure10': ('congest', [*trees, *six, '--loss', '0', '--sync', 'beta,alpha', '--seeds',
                                 few]),
        'figure11': ('congest', ['--graph', 'fat-tree:8', *six, '--loss', '0,1e-4,1e-3,1e-2,0.1',
                                 '--seeds', seeds]),
        'figure12': ('congest', [*isps, '--graph', 'fat-tree:16', *six, '--loss', '1e-4', '--sync',
                                 'beta,alpha', '--seeds', few]),
        'waves': ('congest', ['--graph', 'fat-tree:16', *isps, '--algorithm',
                              'leader,election,flood,bitmaps', '--sync', 'beta,alpha,free',
                              '--seeds', few]),
        'iterations': ('congest', ['--graph', 'fat-tree:8', '--graph', 'fat-tree:16', *isps,
                                   '--algorithm', 'boruvka', '--sync', 'beta,by-iteration',
                                   '--loss', '0,1e-2', '--seeds', few]),
        'window': ('congest', ['--graph', 'fat-tree:8', *six, '--transport', 'window', '--loss',
                               '0,1e-4,1e-3,1e-2,0.1', '--seeds', seeds]),
        **{f'graph_{graph.split(":")[0]}': ('graph', ['--graph', graph]) for graph in LARGE},
        **{f'graph_{name.split()[0]}': ('graph', ['--graph', isp_graph(name, topologies)])
           for name in ISPS},
        **{f'trees_{graph.split(":")[0]}': ('trees', ['--graph', graph, '--groups', 1_000_000])
           for graph in LARGE},
    }


def number(value, digits=1):
    return '' if value is None else f'{value:.{digits}f}'


def table(head, rows):
    lines = ['| ' + ' | '.join(head) + ' |', '|' + '---|' * len(head)]
    return '\n'.join(lines + ['| ' + ' | '.join(row) + ' |' for row in rows]) + '\n'


def short(graph):
    """A graph without the folder of its file."""
    return graph.rsplit('/', 1)[-1]


def find(rows, **wanted):
    found = [row for row in rows if all(row[key] == value for key, value in wanted.items())]
    return found[0] if found else {}


def student(values):
    """Half of the 95 % interval of the mean by Student's t; by expansion around the normal one."""
    if len(values) < 2:
        return float('nan')
    freedom = len(values) - 1
    z = statistics.NormalDist().inv_cdf(0.975)
    t = (z + (z**3 + z) / (4 * freedom) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2) +
         (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * freedom**3))
    return t * statistics.stdev(values) / math.sqrt(len(values))


def figure9(results):
    lines = []
    rows = results['figure9']
    for graph in dict.fromkeys(row['graph'] for row in rows):
        exact = find(rows, graph=graph, algorithm='cover')
        rough = find(rows, graph=graph, algorithm='cover-approximate')
        if not exact or not rough:
            continue
        cells = [graph]
        for key, column in (('rtts_mean', 0), ('messages_per_node', 1), ('cost_mean', 2)):
            ratios = [b[column] / a[column] for a, b in zip(exact['each'], rough['each'])]
            cells += [number(exact[key]), number(rough[key]),
                      f'{statistics.mean(ratios):.4f} +- {student(ratios):.4f}']
        rounds = [b[3] - a[3] for a, b in zip(exact['each'], rough['each'])]
        lines.append(cells + [f'{min(rounds):+d} ... {max(rounds):+d}', str(exact['seeds'])])
    return table(['graph', 'RTTs, exact', 'approximate', 'ratio', 'messages, exact', 'approximate',
                  'ratio', 'cost, exact', 'approximate', 'ratio', 'rounds more', 'draws'], lines)


def by_columns(rows, columns, key_of, sent='messages'):
    """A line a graph and algorithm, with RTTs and messages or frames a switch in each column."""
    lines = []
    for graph in dict.fromkeys(row['graph'] for row in rows):
        for algorithm in dict.fromkeys(row['algorithm'] for row in rows):
            line = [short(graph), algorithm]
            found = [find(rows, graph=graph, algorithm=algorithm, **key_of(column))
                     for column in columns]
            if not any(found):
                continue
            for key in ('rtts_mean', f'{sent}_per_node'):
                line += [number(row.get(key)) for row in found]
            lines.append(line + [str(next(row for row in found if row)['seeds'])])
    head = [f'RTTs, {columns[0]}', *map(str, columns[1:]), f'{sent}, {columns[0]}',
            *map(str, columns[1:])]
    return table(['graph', 'algorithm', *head, 'seeds'], lines)


def figure10(results):
    return by_columns(results['figure10'], ('beta', 'alpha'), lambda sync: {'sync': sync})


def figure11(results):
    rows = results['figure11']
    losses = list(dict.fromkeys(row['loss'] for row in rows))
    text = by_columns(rows, losses, lambda loss: {'loss': loss}, 'frames')
    if 'window' in results:
        text += '\nThe same with our window:\n\n' + by_columns(
            results['window'], losses, lambda loss: {'loss': loss}, 'frames')
    return text


def figure12(results):
    lines = []
    for row in results['figure12']:
        height = row['tree_height']
        per_round = row['rtts_mean'] / height / row['rounds_mean']
        lines.append([short(row['graph']), row['algorithm'], row['sync'], str(height),
                      number(row['rounds_mean']), number(row['rtts_mean']),
                      number(row['rtts_mean'] / height), number(per_round, 2),
                      number(row['messages_per_node'])])
    return table(['graph', 'algorithm', 'synchroniser', 'height', 'rounds', 'RTTs', 'RTTs / height',
                  'and round', 'messages'], lines)


def iterations(results):
    lines = []
    for row in results['iterations']:
        lines.append([short(row['graph']), str(row['loss']), row['sync'], str(row['tree_height']),
                      number(row['rtts_mean']), number(row['rtts_p99']),
                      number(row['messages_per_node']), number(row['frames_per_node']),
                      str(row['seeds'])])
    return table(['graph', 'loss', 'synchroniser', 'height', 'RTTs', 'p99', 'messages', 'frames',
                  'seeds'], lines)


def waves(results):
    return by_columns(results['waves'], ('beta', 'alpha', 'free'), lambda sync: {'sync': sync})


def graphs(results):
    lines = []
    for name, ((nodes, links, diameter), *_) in LARGE.items():
        row = results.get(f'graph_{name.split(":")[0]}', {})
        lines.append([name, str(nodes), str(row.get('nodes', '')), str(links),
                      str(row.get('links', '')), str(diameter), str(row.get('diameter', '')), '',
                      str(row.get('degree', ''))])
    for name, ((nodes, diameter, degree), *_) in ISPS.items():
        row = results.get(f'graph_{name.split()[0]}', {})
        drawn = ', drawn' if str(row.get('graph', '')).startswith('wan') else ''
        lines.append([name + drawn, str(nodes), str(row.get('nodes', '')), '',
                      str(row.get('links', '')), str(diameter), str(row.get('diameter', '')),
                      str(degree), str(row.get('degree', ''))])
    return table(['graph', 'nodes, printed', 'here', 'links, printed', 'here', 'diameter, printed',
                  'here', 'degree, printed', 'here'], lines)


def groups(results):
    lines = []
    for name, (_, affected, most, mean) in LARGE.items():
        row = results.get(f'trees_{name.split(":")[0]}')
        if not row:
            continue
        for where, of in row['affected'].items():
            layers = of['switches_by_layer']
            stretch = [number(most, 3), number(row['most_stretch'], 3), number(mean, 6),
                       number(row['mean_stretch'], 6)] if where == 'spanner' else [''] * 4
            lines.append([name, where, str(affected),
                          ', '.join(f'{layer["mean"]:.0f}' for layer in layers),
                          ', '.join(str(layer['most']) for layer in layers),
                          f'{of["links"]["mean"]:.0f}', str(of['links']['most']), *stretch])
    return table(['graph', 'trees on the', 'affected, printed', 'a switch, mean by layer', 'most',
                  'a link, mean', 'most', 'most stretch, printed', 'here', 'mean, printed',
                  'here'], lines)


def headers(results):
    lines = []
    for name in LARGE:
        row = results.get(f'trees_{name.split(":")[0]}')
        if not row:
            continue
        for scheme, sizes in row['schemes'].items():
            lines.append([name, scheme, number(sizes['mean_bytes']), str(sizes['p50_bytes']),
                          str(sizes['p99_bytes']), str(sizes['most_bytes'])])
    return table(['graph', 'scheme', 'mean, bytes', 'p50', 'p99', 'most'], lines)


PARTS_OF_PAGE = (
    ('graph_jupiter', 'Tables 3 and 8: graphs', graphs,
     'Links that the paper does not give stay empty.'),
    ('trees_jellyfish', 'Tables 5 and 7: a million groups', groups,
     'Groups whose trees pass through a switch or a link, and are lost with it; the paper gives '
     'the worst case of one failure. A rack\'s own switch is the first layer: with it go the '
     'groups of its members. On the spanner all groups break ties alike, so that one switch '
     'above carries nearly all of them. Stretch is hops on the spanner, of k = 3, by hops on the '
     'graph, a receiver; with this k the fat-tree\'s is greater than printed. '
     'Groups have a mean of N / 100 machines, twelve of a tenant in a rack, which rests on '
     'Elmo\'s set-up.'),
    ('trees_jellyfish', 'Figure 7: headers', headers,
     'The same groups. `ours` takes the shorter one of its two headers, `francis` is the paper\'s '
     'on the spanner, and all have the servers\' help.'),
    ('figure9', 'Figure 9: approximate arithmetic', figure9,
     'The cover by tables of 2^10 logarithms beside exact quotients, each draw on the same '
     'weights of 1 to 2^10; the ratio\'s mean with the 95 % interval by Student\'s t. An RTT is '
     'a frame there and one back: 11.24 us at 100 Mb/s. The first bids alone are quotients.'),
    ('figure10', 'Figure 10: fat-trees without loss', figure10,
     'Round trips until the last switch has ended, and messages of the algorithm a switch. Alpha '
     'is told how many rounds there are. With alpha a switch says something to each neighbour in '
     'each round, which is not among these messages. The paper has all algorithms converge within '
     'tens of RTTs. Boruvka does not here, as beta says when each of its rounds begins: see below '
     'for one word of beta a phase.'),
    ('figure11', 'Figure 11: loss', figure11,
     'Beta with stored frames, as published, on a fat-tree of 8 ports. A frame that is lost waits '
     'for a timeout of three round trips. An algorithm\'s messages do not depend on loss; the '
     'frames here have acknowledgements and repetitions among them. Our window acknowledges by '
     'what goes the other way, and so saves frames; under beta it saves no time, for a switch is '
     'safe only when all that it has sent is acknowledged.'),
    ('figure12', 'Figure 12: networks of providers', figure12,
     'Round trips by the height of beta\'s tree, and by the number of rounds besides: about one '
     'with a high tree, as the paper says, since SYNC goes down in half a round trip a hop and '
     'COMPLETE comes up in the other half. The paper\'s trees were always optimal. Ours, breadth '
     'first from the least switch and centred, has the least height that is possible, 18, on '
     'US Carrier, and 42 on Kentucky Datalink, where 31 is possible.'),
    ('iterations', 'Boruvka by iteration', iterations,
     'Beta\'s word for each round, and, as in the paper\'s appendix D, for each of the two phases '
     'of an iteration alone. Within a phase a switch goes on as soon as it has heard what it waits '
     'for, and has done its part when it knows its component\'s choice, or its new root. For that '
     'the choice goes to the whole component. Messages are of the algorithm, frames all.'),
    ('waves', 'Waves without rounds', waves,
     'With `free` nobody says when a round begins. The leader and the elected root then know that '
     'they have won, and that all know it; in rounds beta\'s root says so. `flood` is the tree of '
     'fast recovery with its echo, `bitmaps` are 1 024 groups.'),
)
