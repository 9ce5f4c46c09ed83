#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The main job: four endpoints all send, across a wrap of the 24-bit PSN, at the pace of the slowest
# receiver: nothing is lost, and every packet is accounted for at every receiver.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"
. "$(dirname -- "${BASH_SOURCE[0]}")/bench.bash"

count=$(packets 2000000)
loss --nodes 4 --packets "$count" --payload 64 --psn-start 0xfffff0
for key in sent delivered lost lost_by_reason duplicates corrupted psn_wraps loss_ratio \
  loss_ratio_upper95 packets_per_second goodput_bps pace; do
  holds "'$key' in r"
done
holds "r['sent'] == $count and r['delivered'] == 3 * $count"
holds "r['lost'] == 0 and r['lost_by_reason'] == {} and r['loss_ratio'] == 0"
holds "r['duplicates'] == 0 and r['corrupted'] == 0 and r['pace'] == 'window'"
holds "r['psn_wraps'] == 4"  # one of each sender
holds "r['psn_wraps_seen_by_receivers'] == 12 and r['psn_mismatches'] == 0"
holds "2.9 / (3 * $count) < r['loss_ratio_upper95'] < 3.1 / (3 * $count)"  # the rule of three
holds "r['application_bytes'] == 16 and r['elapsed_s'] > 0"
holds "abs(r['packets_per_second'] * r['elapsed_s'] - $count) < 1"
holds "abs(r['goodput_bps'] * r['elapsed_s'] / (3 * $count * 16 * 8) - 1) < 1e-6"

# One sender, a report in a file, and standard output for people.
run 0 "$bench" loss --nodes 3 --one-sender --packets "$(packets 300000)" --payload 4096 \
  --json "$work_dir/report.json"
want out "identity holds"
holds "r['lost'] == 0 and r['receivers_per_packet'] == 2 and r['application_bytes'] == 4048"
no_leftovers
say "$count packets of each of 4 senders' share: nothing lost, identity exact, 4 PSN wraps"
