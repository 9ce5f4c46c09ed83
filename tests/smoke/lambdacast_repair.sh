#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Two processes whose receivers lose one frame in fifty, control included: every source ordered
# message that one publishes from its start to its end is delivered by the other, once and in order;
# many were repaired, none was declared lost.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"
. "$(dirname -- "${BASH_SOURCE[0]}")/reliability.bash"

node 0 'reliability = { late_join = "retained" }' 'faults = { loss = 0.02, seed = 1 }'
node 1 'faults = { loss = 0.02, seed = 2 }'
start node1 "$lambdacast" --config "$work_dir/1.toml" --stats-period 0.2
wait_for 40 has node1.out "sent/s" || fail "the listener does not start"
start node0 "$lambdacast" --config "$work_dir/0.toml" --stats-period 0.2
wait_for 60 more_than 1 10000 || fail "node1 hears too little: $(cat "$work_dir/node1.out")"
kill -TERM "${children[1]}"
ends "${children[1]}" node0 0
kill -TERM "${children[0]}"
ends "${children[0]}" node1 0

heard_all 1
[ "$(repaired 1)" -gt 50 ] || fail "too few repaired: $(cat "$work_dir/node1.out")"
refuse node1.out "declared lost here"
refuse node0.out "cut off:"
for number in 0 1; do
  want "node$number.out" "verdict: every packet accounted for: "
done
no_leftovers
say "$(grep -F "recoverable packets" "$work_dir/node1.out"),$(grep -F "source ordered" \
  "$work_dir/node1.out")"
