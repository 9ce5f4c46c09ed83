#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# A node ends, the wall clock of its host is set back by an hour, and it comes back: its number is
# older than that of its last run, and it is heard all the same once that has been silent for
# suspect_after.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"
command -v faketime >/dev/null || skip "needs faketime (scripts/setup)"

for number in 0 1; do
  {
    RATE_PPS=2000 endpoints "$fabric" 2 "$number" | sed "s/^enabled.*/&\nqos = \"source\"/"
    echo 'reliability = { suspect_after_ms = 500, repair_deadline_ms = 1000 }'
  } >"$work_dir/$number.toml"
done
start hearing "$lambdacast" --config "$work_dir/0.toml" --stats-period 0.1
delivered() { awk '$1 == "node0" { v = $6 } END { gsub(",", "", v); print v + 0 }' \
  "$work_dir/hearing.out"; }
more_than() { [ "$(delivered)" -gt "$1" ]; }
start first "$lambdacast" --config "$work_dir/1.toml"
wait_for 30 more_than 2000 || fail "the first run is not heard"
kill -TERM "${children[1]}"
ends_as_told "${children[1]}" first
before=$(delivered)
start second faketime -m -f -1h "$lambdacast" --config "$work_dir/1.toml"
wait_for 30 more_than $((before + 4000)) || fail "the run with the clock set back is not heard"
second=$(pgrep -P "${children[2]}" || true)
kill -TERM "${second:-${children[2]}}"
ends_as_told "${children[2]}" second
kill -TERM "${children[0]}"
ends_as_told "${children[0]}" hearing
no_leftovers
say "heard again with a number an hour older: $(tail -n 1 "$work_dir/hearing.out")"
