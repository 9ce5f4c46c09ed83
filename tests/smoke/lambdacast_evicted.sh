#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# slow_receiver = "evict": of four receivers, each a process, one is stopped for more than three
# seconds. The publisher cuts it off and says so, the others go on meanwhile; on waking it is told
# how much it missed and why, and is one of the receivers again.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"
. "$(dirname -- "${BASH_SOURCE[0]}")/reliability.bash"

# More than this machine ever keeps a process that wants to run from doing so.
node 0 'reliability = { slow_receiver = "evict", evict_lag_ms = 500 }'
start_node 0
for number in 1 2 3 4; do
  node "$number"
  start_node "$number"
done
for number in 1 2 3 4; do
  wait_for 40 more_than "$number" 1000 || fail "node$number hears nobody"
done

kill -STOP "${children[4]}"
# Of 5000 a second: three seconds and more.
for number in 1 2 3; do goes_on "$number" 15000; done
want node0.out "node0: receiver 10.77.0.5 cut off: it held the window back for longer than \
evict_lag_ms, 500 ms; it has all up to packet "
kill -CONT "${children[4]}"
told() { has node4.out "node4: cut off by 10.77.0.1 behind packet "; }
wait_for 40 told || fail "node4 is not told: $(cat "$work_dir/node4.out")"
goes_on 4 5000
for number in 1 2 3; do goes_on "$number" 1000; done

end_nodes 0 1 2 3 4
for number in 1 2 3; do
  refuse "node$number.out" "declared lost here"
  [ "$(lost "$number")" = 0 ] || fail "node$number lost packets: $(cat "$work_dir/node$number.out")"
done
want node0.out "every packet accounted for, with trouble: "
want node4.out "every packet accounted for, with trouble: "
want node0.out "  receivers: 1 cut off by endpoints here, endpoints here cut off 0 times"
# By the other receivers as well, who publish nothing.
grep -Eq "^  receivers: .*, endpoints here cut off [1-4] times" "$work_dir/node4.out" ||
  fail "node4 was not cut off: $(cat "$work_dir/node4.out")"
for number in 1 2 3 4; do [ -n "$(ordered "$number")" ] || fail "node$number: out of order"; done
[ "$(lost 4)" -gt 10000 ] || fail "node4 missed too little: $(cat "$work_dir/node4.out")"
no_leftovers
say "$(grep -m 1 "cut off:" "$work_dir/node0.out")"
say "$(grep -m 1 "cut off by 10.77.0.1" "$work_dir/node4.out")"
