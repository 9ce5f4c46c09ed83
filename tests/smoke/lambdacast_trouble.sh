#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# A receiver that is deaf for a while: what it declared lost, that it was cut off and that its peer
# was silent are in its verdict and in its exit code, and so is whom the sender has cut off. A table
# of --stats-period that a command kept waiting is left out.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"

for number in 0 1; do
  {
    RATE_PPS=1000 endpoints "$fabric" 2 "$number" | sed 's/^enabled.*/&\nqos = "source"/'
    echo 'reliability = { suspect_after_ms = 300, repair_deadline_ms = 600, retain_ms = 500,'\
      'evict_lag_ms = 200, slow_receiver = "evict" }'
  } >"$work_dir/$number.toml"
done
cat >"$work_dir/deaf.commands" <<'COMMANDS'
wait 0.5
set fault loss 1
wait 1.5
set fault loss 0
wait 1
quit
COMMANDS
start sender "$lambdacast" --config "$work_dir/0.toml"
start deaf "$lambdacast" --config "$work_dir/1.toml" --cmdline-file "$work_dir/deaf.commands" \
  --stats-period 0.1
ends "${children[1]}" deaf 4
want deaf.out "verdict: every packet accounted for, with trouble: "
trouble=$(grep '^  trouble: ' "$work_dir/deaf.out") ||
  fail "no trouble: $(cat "$work_dir/deaf.out")"
for what in 'packets declared lost' 'times a peer was silent for suspect_after_ms'; do
  [[ "$trouble" == *"$what"* ]] || fail "not \"$what\": $trouble"
done
kill -TERM "${children[0]}"
ends "${children[0]}" sender 4
want sender.out "verdict: every packet accounted for, with trouble: "
grep -qE '^  trouble: .*[0-9]+ receivers cut off' "$work_dir/sender.out" ||
  fail "the sender cut off nobody: $(cat "$work_dir/sender.out")"
# 3 s of commands have at most 30 tables, however long each took.
tables=$(grep -c 'sent/s' "$work_dir/deaf.out")
[ "$tables" -ge 5 ] && [ "$tables" -le 31 ] || fail "$tables tables in three seconds"
no_leftovers
say "$trouble"
