#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# A node that is stopped under load (SIGSTOP) for more than a ring and continued loses what it could
# not hear, by ring_overrun and by nothing else; nobody else loses anything, and to them it is the
# same sender as before.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"

for number in 0 1 2; do
  RATE_PPS=5000 endpoints "$fabric" 3 "$number" >"$work_dir/$number.toml"
  start "process$number" "$lambdacast" --config "$work_dir/$number.toml" --stats-period 0.2
done
# The last table's row of a process: $6 delivered, $7 gaps, $8 lost.
column() { awk -v node="node$1" -v column="$2" '$1 == node { v = $column }
  END { gsub(",", "", v); print v + 0 }' "$work_dir/process$1.out"; }
more_than() { [ "$(column "$1" 6)" -gt "$2" ]; }

for number in 0 1 2; do
  wait_for 40 more_than "$number" 1000 || fail "process $number hears nobody"
done
kill -STOP "${children[2]}"
# Rings have 4096 slots: it is lapped more than twice.
before=$(column 0 6)
wait_for 40 more_than 0 $((before + 10000)) || fail "process 0 was disturbed by a stopped one"
before=$(column 2 6)
kill -CONT "${children[2]}"
wait_for 40 more_than 2 $((before + 10000)) || fail "the stopped process does not go on"
before=$(column 0 6)
wait_for 40 more_than 0 $((before + 10000)) || fail "process 0 was disturbed by one that goes on"

for number in 0 1 2; do kill -TERM "${children[$number]}"; done
for number in 0 1 2; do ends_as_told "${children[$number]}" "process$number"; done
for number in 0 1; do
  refuse "process$number.out" "lost at receiver"
  want "process$number.out" " delivered + 0 lost, over 1 endpoints"
  [ "$(column "$number" 7)" -eq 0 ] || fail "process $number heard gaps"
done
lost=$(sed -n 's/^  lost at receiver node2: \([0-9,]*\) by ring_overrun$/\1/p' \
  "$work_dir/process2.out" | tr -d ,)
# Two senders' frames, less the half ring each that is still there when it goes on.
[ "${lost:-0}" -gt 4000 ] || fail "the stopped node lost ${lost:-nothing} by ring_overrun"
[ "$(grep -c "lost at receiver" "$work_dir/process2.out")" -eq 1 ] ||
  fail "it lost by other reasons too: $(grep "lost at receiver" "$work_dir/process2.out")"
no_leftovers
say "process 2: $(tail -n 1 "$work_dir/process2.out")"
