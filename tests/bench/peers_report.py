# SPDX-License-Identifier: BSD-3-Clause
"""What bench-vs-peers makes of its runs: medians, ratios, verdict, table and plot. No
process is started here, so that tests/scripts can hold it to account."""
import statistics

SIZES = [64, 1024]                       # bytes of a message
LOSSES = [0, 0.01]                       # of the packets that reach the receiver
PACES = {'flat out': 0, 'paced': 10000}  # messages a second; 0: as fast as the contender takes them

# Timers of the libraries' own examples and defaults, receivers that wait for their socket; and
# tuned: repair as fast as they sensibly go, receivers of UDP and PGM that never sleep.
UDP, TUNED_UDP = ['udp'], ['udp-tuned']
RELIABLE, TUNED = ['pgm', 'norm'], ['pgm-tuned', 'norm-tuned']
PEERS = UDP + TUNED_UDP + RELIABLE + TUNED
OFFLOADED = ['udp-gso']                  # 64 messages pass through the kernel as one packet
ALL_PEERS = PEERS + OFFLOADED
OURS = ['lambdacast', 'lambdacast-coalesced']  # over the embedded fabric; judged
BESIDE = ['lambdacast-veth']             # over af_packet, as the peers; shown only

WANTED_RATE = 10          # times the best peer's message rate, at least
WANTED_MEDIAN = 1 / 10    # of the best reliable peer's median latency, at most
WANTED_UDP_MEDIAN = 1 / 4  # of raw UDP's, at most
WANTED_P999 = 1 / 100     # of the best reliable peer's 99.9th percentile at loss, at most

# In total order: agreed is the only level that Corosync's closed process groups have.
ORDER_NODES = [2, 3]
ORDER_BYTES = 64
ORDER_PEERS, ORDER_TUNED = ['corosync'], ['corosync-tuned']
ORDER_OURS = ['lambdacast-order', 'lambdacast-order-coalesced']  # over the embedded fabric
# Over af_packet between Corosync's namespaces, a process a node; shown only.
ORDER_BESIDE = ['lambdacast-order-veth', 'lambdacast-order-veth-coalesced']
WANTED_ORDER_RATE = 20           # times Corosync's message rate, at least
WANTED_ORDER_MEDIAN = 1 / 10     # of its median latency at the other members, at most

PERCENTILES = {'p50_ns': '50 %', 'p99_ns': '99 %', 'p999_ns': '99.9 %', 'max_ns': 'longest'}
WIDTH, ORDER_WIDTH = 22, 32  # of a contender's name
OWN = 'own_'               # before a percentile's key: the sender's own deliveries


def case_name(size, pace, loss):
    return f'{size} bytes, {pace}, {100 * loss:g} % loss'


def cases():
    return [(size, pace, loss) for pace in PACES for loss in LOSSES for size in SIZES]


def order_case_name(nodes, pace):
    return f'totally ordered, {nodes} nodes, {ORDER_BYTES} bytes, {pace}'


def order_cases():
    return [(nodes, pace) for nodes in ORDER_NODES for pace in PACES]


def sample_of_peer(report):
    """From a peer's receiver: {rate, sent, lost, p50_ns ...}. What no receiver got has no time."""
    sample = {'rate': report['messages_per_second'], 'sent': report['sent'],
              'lost': report['lost'], 'ended': report['ended']}
    if report['received']:
        sample.update({key: report[key] for key in PERCENTILES})
    return sample


def sample_of_members(own, others):
    """All members receive: the rate is the slowest one's, and the others' times are the median
    of theirs, beside the sender's own."""
    accounts = [own, *others]
    sample = {'rate': min(account['messages_per_second'] for account in accounts),
              'sent': max(account['sent'] for account in accounts),
              'lost': max(account['lost'] for account in accounts),
              'ended': all(account['ended'] for account in accounts)}
    if all(account['received'] for account in accounts):
        for key in PERCENTILES:
            sample[key] = statistics.median(account[key] for account in others)
            sample[OWN + key] = own[key]
    return sample


def sample_of_throughput(report):
    return {'rate': report['messages_per_second'], 'sent': report['total_sent_messages'],
            'lost': report['lost_messages'], 'ended': True}


def sample_of_latency(report):
    return {'rate': report['rate'], 'sent': report['sent'], 'lost': report['lost'], 'ended': True,
            **{key: report[key] for key in PERCENTILES}}


def sample_of_order(report):
    """The rate is the mean of the members, who all received the same; the times are those of one
    that is neither sender nor sequencer (of two: the sequencer). What is not sound never ended."""
    return {'rate': report['messages_per_second_per_node'], 'sent': report['published'],
            'lost': (report['expected'] - report['delivered']) // report['nodes'],
            'ended': report['sound'], **{key: report[key] for key in PERCENTILES}}


def summary(samples):
    """Medians of every figure, losses added up; nothing of no samples."""
    if not samples:
        return None
    result = {'runs': len(samples), 'rates': [sample['rate'] for sample in samples],
              'sent': sum(sample['sent'] for sample in samples),
              'lost': sum(sample['lost'] for sample in samples),
              'collapsed': sum(not sample['ended'] for sample in samples)}
    for key in ['rate', *PERCENTILES, *(OWN + key for key in PERCENTILES)]:
        values = [sample[key] for sample in samples if key in sample]
        if values:
            result[key] = statistics.median(values)
    return result


def best(results, case, names, key, choose):
    """(contender, figure) of the one that is best in a case, or None if none has the figure."""
    have = [(name, results[case][name][key]) for name in names
            if key in (results[case].get(name) or {})]
    return choose(have, key=lambda pair: pair[1]) if have else None


def criterion(what, ours, theirs, wanted, at_least, judged=True):
    """One line of the verdict. `ours` and `theirs` are (contender, figure) or None."""
    result = {'what': what, 'wanted': wanted, 'at_least': at_least, 'judged': judged,
              'ours': ours, 'theirs': theirs, 'ratio': None, 'reached': False}
    if ours and theirs and theirs[1] > 0:
        ratio = ours[1] / theirs[1]
        result['ratio'] = ratio
        result['reached'] = ratio >= wanted if at_least else ratio <= wanted
    return result


def criteria(results):
    """What the comparison wants, from {case name: {contender: summary}}; cases that were left out
    are left out here as well."""
    lines = []

    def add(text, case, ours, peers, key, wanted, choose, **more):
        if case in results:
            lines.append(criterion(f'{text}: {case}', best(results, case, ours, key, choose),
                                   best(results, case, peers, key, choose), wanted, **more))
    for size, pace, loss in cases():
        case = case_name(size, pace, loss)
        if pace == 'flat out':
            for peers, judged in ((PEERS, True), (OFFLOADED, False)):
                add('message rate, of the best peer', case, OURS, peers, 'rate', WANTED_RATE, max,
                    at_least=True, judged=judged)
        elif loss == 0:
            for udp, judged in ((UDP, True), (TUNED_UDP, False)):
                add('median latency, of raw UDP', case, OURS, udp, 'p50_ns', WANTED_UDP_MEDIAN,
                    min, at_least=False, judged=judged)
            for peers, judged in ((RELIABLE, True), (TUNED, False)):
                add('median latency, of the best reliable peer', case, OURS, peers, 'p50_ns',
                    WANTED_MEDIAN, min, at_least=False, judged=judged)
        else:
            for peers, judged in ((RELIABLE, True), (TUNED, False)):
                add('99.9 %, of the best reliable peer', case, OURS, peers, 'p999_ns',
                    WANTED_P999, min, at_least=False, judged=judged)
    return lines


def order_criteria(results):
    """Likewise in total order. Not judged while Lambdacast has no figure."""
    lines = []
    for nodes, pace in order_cases():
        case = order_case_name(nodes, pace)
        if case not in results:
            continue
        flat = pace == 'flat out'
        key, choose = ('rate', max) if flat else ('p50_ns', min)
        what = 'message rate, of Corosync' if flat else 'median latency, of Corosync'
        wanted = WANTED_ORDER_RATE if flat else WANTED_ORDER_MEDIAN
        ours = best(results, case, ORDER_OURS, key, choose)
        compared = [(ORDER_PEERS + ORDER_TUNED, bool(ours))] if flat else \
            [(ORDER_PEERS, bool(ours)), (ORDER_TUNED, False)]
        for peers, judged in compared:
            theirs = best(results, case, peers, key, choose)
            if judged or theirs:
                lines.append(criterion(f'{what}: {case}', ours, theirs, wanted, at_least=flat,
                                       judged=judged))
        beside = best(results, case, ORDER_BESIDE, key, choose)
        theirs = best(results, case, compared[0][0], key, choose)
        if beside and theirs:
            lines.append(criterion(f'{what}, over af_packet: {case}', beside, theirs, wanted,
                                   at_least=flat, judged=False))
    return lines


def passed(lines):
    judged = [line for line in lines if line['judged']]
    return bool(judged) and all(line['reached'] for line in judged)


def verdict(line):
    if line['ratio'] is None:
        lacking = [who for who, figure in (('Lambdacast', line['ours']), ('peers', line['theirs']))
                   if not figure]
        return f'NOT MEASURED  {line["what"]} (no figure of {" and ".join(lacking)})'
    word = ('reached' if line['reached'] else 'MISSED') if line['judged'] else 'beside'
    bound = 'at least' if line['at_least'] else 'at most'
    return (f'{word:>12}  {line["what"]}: {line["ratio"]:.3g}, wanted {bound} '
            f'{line["wanted"]:g} ({line["ours"][0]} against {line["theirs"][0]})')


def row(name, result, paced, width=WIDTH):
    """A line of the table."""
    if result is None:
        return f'  {name:<{width}} no figures'
    lost = f'{result["lost"]:>9} of {result["sent"]}' + (
        f', {result["collapsed"]} of {result["runs"]} runs never ended'
        if result['collapsed'] else '')
    if not paced:
        return f'  {name:<{width}}{result["rate"] / 1e6:>9.3f}{lost}'
    times = ''.join(f'{result[key] / 1e3:>12.1f}' if key in result else f'{"-":>12}'
                    for key in PERCENTILES)
    return f'  {name:<{width}}{times}{lost}'


def table(results):
    lines = []
    for size, pace, loss in cases():
        case = case_name(size, pace, loss)
        if case not in results:
            continue
        paced = PACES[pace] != 0
        heads = ''.join(f'{text:>12}' for text in PERCENTILES.values()) if paced else ' ' * 9
        unit = 'us' if paced else 'million messages/s received'
        lines.append(f'{case} ({unit})')
        lines.append(f'  {"":<{WIDTH}}{heads}{"lost":>9}')
        lines += [row(name, result, paced) for name, result in results[case].items()]
    return '\n'.join(lines)


def order_table(results):
    lines = []
    for nodes, pace in order_cases():
        case = order_case_name(nodes, pace)
        if case not in results:
            continue
        paced = PACES[pace] != 0
        heads = ''.join(f'{text:>12}' for text in PERCENTILES.values()) if paced else ' ' * 9
        unit = 'us at the other members' if paced else 'million messages/s at the slowest member'
        lines.append(f'{case} ({unit})')
        lines.append(f'  {"":<{ORDER_WIDTH}}{heads}{"lost":>9}')
        for name, result in results[case].items():
            lines.append(row(name, result, paced, ORDER_WIDTH))
            if paced and result and OWN + 'p50_ns' in result:
                own = ''.join(f'{result[OWN + key] / 1e3:>12.1f}' for key in PERCENTILES)
                lines.append(f'  {"  its sender":<{ORDER_WIDTH}}{own}')
    return '\n'.join(lines)


# Told apart by those who see few colours, too (Okabe and Ito, 2008).
PANEL_HEIGHT = 330  # pixels
COLOURS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7']
STYLE = '''set terminal svg size 1100,{height} dynamic font 'sans-serif,14' \\
  background rgb 'white' noenhanced
set border 3 linecolor rgb '#666666'
set tics nomirror textcolor rgb '#333333'
set grid ytics linecolor rgb '#dddddd' linetype 1 linewidth 1
set logscale y
set style data histogram
set style histogram clustered gap 1
set style fill solid
set boxwidth 0.9
set xtics rotate by 20 right
set key outside right top
set lmargin 14
set bmargin 5
set format y '%.0s %c'
'''


def panel(title, unit, least, columns, names, block):
    """(data block, plot command) of one chart: `columns` is {legend: {contender: value}}. gnuplot
    refuses a column without a value. A bar begins at `least`, or could not be seen."""
    columns = {legend: values for legend, values in columns.items() if values}
    names = [name for name in names if any(name in values for values in columns.values())]
    data = [f'${block} << END']
    for name in names:
        values = [columns[legend].get(name) for legend in columns]
        data.append(f'"{name}" ' + ' '.join('NaN' if v is None else f'{v:.6g}' for v in values))
    data.append('END')
    curves = [f"${block} using {i + 2}:xtic(1) linecolor rgb '{COLOURS[i]}' title '{legend}'"
              for i, legend in enumerate(columns)]
    if not curves:
        return '', ''
    head = [f"set title '{title}'", f"set ylabel '{unit}'", f'set yrange [{least}:*]']
    return '\n'.join(data), '\n'.join([*head, 'plot ' + ', '.join(curves)])


def order_panels(results):
    """Rates and latencies in total order."""
    names = ORDER_PEERS + ORDER_TUNED + ORDER_OURS + ORDER_BESIDE

    def column(case, key, scale):
        found = results.get(case, {})
        return {name: found[name][key] / scale for name in found
                if found[name] and key in found[name]}
    rates = {f'{nodes} nodes': column(order_case_name(nodes, 'flat out'), 'rate', 1)
             for nodes in ORDER_NODES}
    panels = [panel(f'Totally ordered, {ORDER_BYTES} bytes, as fast as they can',
                    'messages a second', 1e3, rates, names, 'order_rates')]
    times = {f'{nodes} nodes, {PERCENTILES[key]}':
             column(order_case_name(nodes, 'paced'), key, 1e9)
             for nodes in ORDER_NODES for key in ('p50_ns', 'p99_ns')}
    panels.append(panel(f'Totally ordered, {PACES["paced"]} messages a second: other members',
                        'latency, s', 1e-7, times, names, 'order_latency'))
    return panels


def gnuplot_script(results, path, order=None):
    """Rates above, latencies of 64-byte messages without and with loss below; then the same in
    total order."""
    names = [n for n in ALL_PEERS + OURS + BESIDE if any(n in found for found in results.values())]

    def column(case, key, scale):
        found = results.get(case, {})
        return {name: found[name][key] / scale for name in found
                if found[name] and key in found[name]}
    flat = [case_name(size, 'flat out', loss) for loss in LOSSES for size in SIZES]
    rates = {case.replace(' flat out,', ''): column(case, 'rate', 1) for case in flat}
    panels = [panel('As fast as they can', 'messages a second', 1e3, rates, names, 'rates')]
    for loss in LOSSES:
        case = case_name(64, 'paced', loss)
        columns = {PERCENTILES[key]: column(case, key, 1e9)
                   for key in ('p50_ns', 'p99_ns', 'p999_ns')}
        panels.append(panel(f'{PACES["paced"]} messages a second: {case}', 'latency, s', 1e-7,
                            columns, names, f'latency{int(loss * 100)}'))
    panels = [found for found in panels + order_panels(order or {}) if found[1]]
    quoted = path.replace("'", "''")
    style = STYLE.replace('{height}', str(PANEL_HEIGHT * max(1, len(panels))))
    return '\n'.join([style + f"set output '{quoted}'", *(data for data, _ in panels),
                      f'set multiplot layout {len(panels)},1', *(plot for _, plot in panels),
                      'unset multiplot', ''])
