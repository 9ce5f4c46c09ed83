#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# slow_receiver = "pace": a receiver that is stopped for less than suspect_after holds the publisher
# back. Nobody loses a message, and nobody is cut off.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"
. "$(dirname -- "${BASH_SOURCE[0]}")/reliability.bash"

patience='suspect_after_ms = 60000, repair_deadline_ms = 90000'
node 0 "reliability = { slow_receiver = \"pace\", late_join = \"retained\", $patience, \
retain_ms = 120000 }"
for number in 1 2; do
  node "$number" "reliability = { $patience }"
  start "node$number" "$lambdacast" --config "$work_dir/$number.toml" --stats-period 0.2
  wait_for 40 has "node$number.out" "sent/s" || fail "node$number does not start"
done
start node0 "$lambdacast" --config "$work_dir/0.toml" --stats-period 0.2
publisher=${children[2]}
for number in 1 2; do
  wait_for 40 more_than "$number" 1000 || fail "node$number hears nobody"
done

kill -STOP "${children[1]}"
# Ten tables, two seconds, without anything new: the window is closed.
stands_still() { [ "$(delivered 1)" = "$(delivered 1 10)" ]; }
wait_for 60 stands_still || fail "the publisher waits for nobody"
kill -CONT "${children[1]}"
for number in 1 2; do goes_on "$number" 5000; done

kill -TERM "$publisher"
ends "$publisher" node0 0
for number in 1 2; do
  kill -TERM "${children[$((number - 1))]}"
  ends "${children[$((number - 1))]}" "node$number" 0
  heard_all "$number"
  refuse "node$number.out" "declared lost here"
done
want node0.out "  receivers: 0 cut off by endpoints here, endpoints here cut off 0 times"
for number in 0 1 2; do want "node$number.out" "verdict: every packet accounted for: "; done
no_leftovers
say "$(published 0) published, all heard by both"
