"""What scripts/bench-vs-peers makes of its runs: medians, ratios, verdict, table and plot. No
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

PERCENTILES = {'p50_ns': '50 %', 'p99_ns': '99 %', 'p999_ns': '99.9 %', 'max_ns': 'longest'}


def case_name(size, pace, loss):
    return f'{size} bytes, {pace}, {100 * loss:g} % loss'


def cases():
    return [(size, pace, loss) for pace in PACES for loss in LOSSES for size in SIZES]


def sample_of_peer(report):
    """From a peer's receiver: {rate, sent, lost, p50_ns ...}. What no receiver got has no time."""
    sample = {'rate': report['messages_per_second'], 'sent': report['sent'],
              'lost': report['lost'], 'ended': report['ended']}
    if report['received']:
        sample.update({key: report[key] for key in PERCENTILES})
    return sample


def sample_of_throughput(report):
    return {'rate': report['messages_per_second'], 'sent': report['total_sent_messages'],
            'lost': report['lost_messages'], 'ended': True}


def sample_of_latency(report):
    return {'rate': report['rate'], 'sent': report['sent'], 'lost': report['lost'], 'ended': True,
            **{key: report[key] for key in PERCENTILES}}


def summary(samples):
    """Medians of every figure, losses added up; nothing of no samples."""
    if not samples:
        return None
    result = {'runs': len(samples), 'rates': [sample['rate'] for sample in samples],
              'sent': sum(sample['sent'] for sample in samples),
              'lost': sum(sample['lost'] for sample in samples),
              'collapsed': sum(not sample['ended'] for sample in samples)}
    for key in ['rate', *PERCENTILES]:
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


def row(name, result, paced):
    """A line of the table."""
    if result is None:
        return f'  {name:<22} no figures'
    lost = f'{result["lost"]:>9} of {result["sent"]}' + (
        f', {result["collapsed"]} of {result["runs"]} runs never ended'
        if result['collapsed'] else '')
    if not paced:
        return f'  {name:<22}{result["rate"] / 1e6:>9.3f}{lost}'
    times = ''.join(f'{result[key] / 1e3:>12.1f}' if key in result else f'{"-":>12}'
                    for key in PERCENTILES)
    return f'  {name:<22}{times}{lost}'


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
        lines.append(f'  {"":<22}{heads}{"lost":>9}')
        lines += [row(name, result, paced) for name, result in results[case].items()]
    return '\n'.join(lines)


# Told apart by those who see few colours, too (Okabe and Ito, 2008).
COLOURS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7']
STYLE = '''set terminal svg size 1100,1000 dynamic font 'sans-serif,14' background rgb 'white' \\
  noenhanced
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


def gnuplot_script(results, path):
    """Rates above, latencies of 64-byte messages without and with loss below."""
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
    panels = [found for found in panels if found[1]]
    quoted = path.replace("'", "''")
    return '\n'.join([STYLE + f"set output '{quoted}'", *(data for data, _ in panels),
                      f'set multiplot layout {len(panels)},1', *(plot for _, plot in panels),
                      'unset multiplot', ''])
