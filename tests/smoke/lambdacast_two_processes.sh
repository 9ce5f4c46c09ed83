#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Two processes share one fabric: both hear the other, a third that is killed with -9 disturbs
# nobody, its wavelength can be taken again, and each accounts for every packet.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"

for number in 0 1 2; do
  endpoints "$fabric" 3 "$number" >"$work_dir/$number.toml"
  start "process$number" "$lambdacast" --config "$work_dir/$number.toml" --stats-period 0.2
done
# Delivered to `node`, as the last table of a process has it.
delivered() { awk -v node="node$1" '$1 == node { d = $6 } END { gsub(",", "", d); print d + 0 }' \
  "$work_dir/process$1.out"; }
more_than() { [ "$(delivered "$1")" -gt "$2" ]; }

for number in 0 1 2; do
  wait_for 40 more_than "$number" 0 || fail "process $number hears nobody"
done
kill -KILL "${children[2]}"
wait "${children[2]}" 2>/dev/null || true
# The other two go on hearing one another: more than could have been on its way.
for number in 0 1; do
  before=$(delivered "$number")
  wait_for 30 more_than "$number" $((before + 10000)) || fail "process $number was disturbed"
done
run 0 "$lambdacast" --config "$work_dir/2.toml" --run-for 1
want out "verdict: every packet accounted for: "
want out "  from endpoints elsewhere: "

for number in 0 1; do kill -TERM "${children[$number]}"; done
for number in 0 1; do
  ends "${children[$number]}" "process$number" 0
  want "process$number.out" "  from endpoints elsewhere: "
  want "process$number.out" "verdict: every packet accounted for: "
  say "process $number: $(tail -n 1 "$work_dir/process$number.out")"
done
no_leftovers
