#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Losses injected at one receiver are told of that receiver alone and counted as the port counts
# them; equal seeds lose equal frames: as many, but for those of the few control frames that one run
# has and the other has not. A receiver that loses everything ends the run neither.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"
. "$(dirname -- "${BASH_SOURCE[0]}")/bench.bash"

count=$(packets 1000000)
# Control frames are lost as data is, and are no data: the places count both.
only_there="r['lost_by_place']['transmitter'] == {} and \
  [*r['lost_by_place']['receiver']] == ['node2'] and \
  [*r['lost_by_place']['receiver']['node2']] == ['fault_lost'] and \
  r['lost'] + r['control_lost'] == r['lost_by_place']['receiver']['node2']['fault_lost']"
loss --nodes 4 --packets "$count" --drop 1e-3 --drop-at 2
holds "$only_there"
holds "[*r['lost_by_reason']] == ['fault_lost']"
# 750 of 750,000 expected there: seven standard deviations to both sides.
holds "abs(r['lost'] - 0.75e-3 * $count) < 7 * (0.75e-3 * $count) ** 0.5"
lost=$(/usr/bin/python3 -c 'import json, sys
r = json.load(open(sys.argv[1])); print(r["lost"] + r["control_lost"])' "$work_dir/report.json")
loss --nodes 4 --packets "$count" --drop 1e-3 --drop-at 2
holds "$only_there"
holds "abs(r['lost'] + r['control_lost'] - $lost) <= 3"
loss --nodes 4 --packets "$count" --drop 1e-3 --drop-at 2 --drop-seed 2
holds "$only_there"
holds "abs(r['lost'] + r['control_lost'] - $lost) > 3"
say "one in a thousand at node2: $lost"

loss --nodes 3 --packets 20000 --drop 1 --drop-at 1
holds "r['lost_by_place']['receiver'] == {'node1': {'fault_lost': r['lost'] + r['control_lost']}}"
# What its two peers sent: a third of the packets is its own.
holds "13333 <= r['lost'] <= 13334 and r['window_timeouts'] > 0"
no_leftovers
say "everything lost at node1: the run ends after window timeouts"
