#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# slow_receiver = "evict" and a receiver that is always too slow: its port takes a quarter of what
# is published. The publisher cuts it off, puts it on trial when it lags again, and the other
# receiver goes on as if it were not there, while the slow one gets what its port takes.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"
. "$(dirname -- "${BASH_SOURCE[0]}")/reliability.bash"

# Messages as long as heartbeats: a full port that counts bytes would drop the longer frames first.
PAYLOAD=8
node 0 'reliability = { slow_receiver = "evict", evict_lag_ms = 200, suspect_after_ms = 2000 }'
# Statuses are few, so that they leave the slow port to the messages: 5000 a second, with
# heartbeats, are 12 Mbit/s.
node 1 'reliability = { status_us = 5000 }'
node 2 'reliability = { status_us = 5000 }' 'faults = { rx_rate = 4000000, rx_buffer = 32768 }'
start_node 0
start_node 1
wait_for 40 more_than 1 1000 || fail "node1 hears nobody"
start_node 2
cut_off="node0: receiver 10.77.0.3 cut off: it held the window back"
wait_for 40 has node0.out "$cut_off" || fail "node2 is not cut off: $(cat "$work_dir/node0.out")"
on_trial() { has node0.out "node0: receiver 10.77.0.3 is on trial: "; }
wait_for 40 on_trial || fail "node2 is not on trial: $(cat "$work_dir/node0.out")"

cut_offs() { grep -cF "$cut_off" "$work_dir/node0.out"; }
before=$(cut_offs)
slow=$(delivered 2)
goes_on 1 25000   # five seconds
[ "$(cut_offs)" -le $((before + 1)) ] ||
  fail "cut off again and again: $(cat "$work_dir/node0.out")"
got=$(($(delivered 2) - slow))
[ "$got" -gt 1000 ] || fail "node2 got $got messages of 25000 on trial"

end_nodes 0 1 2
[ "$(lost 1)" = 0 ] || fail "node1 lost packets: $(cat "$work_dir/node1.out")"
[ -n "$(ordered 1)" ] || fail "node1: out of order"
[ -n "$(ordered 2)" ] || fail "node2: out of order: $(cat "$work_dir/node2.out")"
no_leftovers
say "cut off $(cut_offs) times; the slow one got $got messages of 25000"
