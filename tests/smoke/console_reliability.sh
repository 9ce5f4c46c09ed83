#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# A rack that publishes in source order while two of its receivers lose frames: what the console's
# tables say of repair agrees, table with table, and one packet's life can be told.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"

cat >"$work_dir/rack.toml" <<TOML
[fabric]
name = "$fabric"
[traffic]
enabled = true
payload_bytes = 64
rate_pps = 5_000
qos = "source"
[[lcore]]
id = 0
idle = "sleep"
TOML
for node in 0 1 2; do
  cat >>"$work_dir/rack.toml" <<TOML
[[endpoint]]
name = "node$node"
address = "10.77.0.$((node + 1))"
wavelength = "C$((21 + node))"
TOML
done
cat >"$work_dir/commands.txt" <<TEXT
set fault loss 0.02 node1
set fault loss 0.05 node2
set fault seed 2 node2
wait 2
stop
wait 1
show reliability
show peers
show losses
show losses node1
trace repair node0
trace repair node0 1
trace repair node7
quit
TEXT
run 0 "$lambdacast" --config "$work_dir/rack.toml" --cmdline-file "$work_dir/commands.txt"
want out "verdict: every packet accounted for"

/usr/bin/python3 - "$work_dir/out" <<'PYTHON' || fail "the tables disagree: $(cat "$work_dir/out")"
import re
import sys

lines = open(sys.argv[1], encoding='utf-8').read().splitlines()


def answer(command):
    """What was shown between the command's line and the next prompt."""
    begin = lines.index('lambdacast> ' + command) + 1
    end = next(i for i in range(begin, len(lines)) if lines[i].startswith('lambdacast> '))
    return lines[begin:end]


def number(text):
    return int(text.replace(',', '')) if re.fullmatch(r'-?[0-9,]+', text) else text


def sheet(command):
    """{column's label: {figure: value}}; units stand behind."""
    rows = [line.split() for line in answer(command)]
    labels = rows[0][1:]
    return {label: {row[0]: number(row[1 + i]) for row in rows} for i, label in enumerate(labels)}


def grid(command, labels):
    """{labels: {figure: value}}, of all parts that a wide grid is shown in."""
    found = {}
    for part in '\n'.join(answer(command)).split('\n\n'):
        head, _, *rows = part.splitlines()
        names = head.split()
        for row in map(str.split, rows):
            assert len(row) == len(names), (names, row)
            found.setdefault(tuple(row[:labels]), {}).update(zip(names, map(number, row)))
    return found


def same(what, *values):
    assert len(set(values)) == 1, (what, values)


endpoints = sheet('show reliability')
peers = grid('show peers', 3)
losses = grid('show losses', 3)
names = [f'node{i}' for i in range(3)]
address = {name: f'10.77.0.{i + 1}' for i, name in enumerate(names)}
assert list(endpoints) == names, endpoints
assert len(peers) == len(losses) == 6, (peers, losses)
for name in names:
    totals = endpoints[name]
    mine = {key: row for key, row in peers.items() if key[0] == name}
    same('receivers', totals['receivers'], 2)
    same('unstable', totals['unstable'], totals['retained_packets'], totals['retained_bytes'], 0)
    for figure in ('nacks_sent', 'nacks_heard', 'nacks_suppressed', 'repairs_useful',
                   'repairs_redundant', 'nacks_taken', 'repairs_sent'):
        same((name, figure), totals[figure], sum(row[figure] for row in mine.values()))
    places = [row for key, row in losses.items() if key[0] == name]
    same((name, 'first_losses'), totals['first_losses'], sum(r['first_losses'] for r in places))
    same((name, 'repaired'), totals['repairs_useful'], sum(r['repaired'] for r in places))
    assert (totals['first_losses'] > 0) == (name != 'node0'), totals
    assert totals['repairs_sent'] > 0 and totals['rtt'] > 0, totals
for key, row in losses.items():
    same(key, row['first_losses'], row['transmitter'] + row['fabric'] + row['receiver'])
    same(key, row['first_losses'], row['repaired'])
    same(key, row['missing'], row['outside_retention'], row['sender_gone'], row['deadline'],
         row['evicted'], 0)
for key, row in peers.items():
    same(key, row['stream'], 'open')
    same(key, row['receiver'], 'admitted')
    sent = next(endpoints[name] for name in names if address[name] == key[1])
    same(key, row['contiguous'], sent['last_rel_seq'])
same('one endpoint', len(grid('show losses node1', 3)), 2)

life = answer('trace repair node0')
assert re.fullmatch(r'packet \d+ of node0', life[0]), life
steps = [re.sub(r'^ *-?[0-9,]+ +', '', line) for line in life[3:]]
assert re.match(r' *0  node0 +sent$', life[3]), life
for step in (r'node[12] +missed', r'node0 +NACK taken +node[12]', r'node0 +repaired',
             r'node[12] +delivered'):
    assert any(re.fullmatch(step, line) for line in steps), (step, life)
PYTHON
grep -qE '^(packet 1 of node0|Nothing is noted of packet 1 of node0\.)$' \
  <<<"$(grep -A1 '^lambdacast> trace repair node0 1$' "$work_dir/out")" ||
  fail "trace repair node0 1"
want out "usage: trace repair ENDPOINT [REL_SEQ]"
no_leftovers
say "$(grep -cE ' (sent|missed|asked|NACK taken.*|repaired|came|delivered)$' "$work_dir/out") steps"
