#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# A node is killed (-9) under load, while it captures, and started again. tshark reads its file; a
# neighbour's own capture shows the wavelength taken again by a new incarnation, whose numbers begin
# anew and have no gap; and the neighbour accounts for every packet.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"

command -v tshark >/dev/null || skip "needs tshark (scripts/setup)"
for number in 0 1; do
  RATE_PPS=3000 endpoints "$fabric" 2 "$number" >"$work_dir/$number.toml"
done
start survivor "$lambdacast" --config "$work_dir/0.toml" --stats-period 0.2 \
  --capture "$work_dir/survivor.pcapng"
start victim "$lambdacast" --config "$work_dir/1.toml" --stats-period 0.2 \
  --capture "$work_dir/victim.pcapng"
# The last table's row: $6 delivered, $8 lost.
column() { awk -v node="$2" -v column="$3" '$1 == node { v = $column }
  END { gsub(",", "", v); print v + 0 }' "$work_dir/$1.out"; }
more_than() { [ "$(column "$1" "$2" 6)" -gt "$3" ]; }
wait_for 40 more_than victim node1 3000 || fail "the first life hears nobody"
kill -KILL "${children[1]}"
wait "${children[1]}" 2>/dev/null || true
told=$(column victim node1 6)

heard=$(column survivor node0 6)
start heir "$lambdacast" --config "$work_dir/1.toml" --stats-period 0.2
wait_for 40 more_than survivor node0 $((heard + 3000)) || fail "the second life is not heard"
kill -TERM "${children[2]}"
ends "${children[2]}" heir 0
want heir.out "verdict: every packet accounted for: "
kill -TERM "${children[0]}"
ends "${children[0]}" survivor 0
want survivor.out "verdict: every packet accounted for: "
refuse survivor.out "lost at receiver"

# Readable to its end: at most its last block was cut by the kill, and tshark says so.
tshark -r "$work_dir/victim.pcapng" -Y infiniband >"$work_dir/read" 2>"$work_dir/complaints" ||
  grep -q "cut short in the middle of a packet" "$work_dir/complaints" ||
  fail "tshark cannot read the victim's capture: $(cat "$work_dir/complaints")"
frames=$(wc -l <"$work_dir/read")
[ "$frames" -ge "$told" ] || fail "$frames frames in the victim's capture, $told heard alone"

# Incarnation and frame_seq of what the survivor heard: 4 and 8 bytes at offsets 4 and 8 of the
# transport header, which is the start of the payload (doc/protocol.md).
tshark -r "$work_dir/survivor.pcapng" \
  -Y 'ip.src == 10.77.0.2 && ip.dst == 239.255.77.1' -T fields -e data.data \
  >"$work_dir/payloads" 2>/dev/null
/usr/bin/python3 - "$work_dir/payloads" <<'PYTHON'
import itertools
import sys

headers = [line[8:32] for line in open(sys.argv[1], encoding='utf-8').read().split()]
lives = [(int(life, 16), [int(header[8:], 16) for header in frames])
         for life, frames in itertools.groupby(headers, key=lambda header: header[:8])]
assert len(lives) == 2, f'{len(lives)} lives, one after the other, instead of two'
(first, _), (second, numbers) = lives
assert (second - first) % 2**32 < 2**31 and second != first, 'the second is not the newer one'
for life, frames in lives:
    assert frames == list(range(frames[0], frames[0] + len(frames))), f'gaps in life {life:x}'
assert numbers[0] == 0, f'the second life begins at {numbers[0]}'
print(f'lives {first:#x} and {second:#x}: {[len(frames) for _, frames in lives]} frames')
PYTHON
no_leftovers
say "$frames frames in the victim's capture; $(tail -n 1 "$work_dir/survivor.out")"
