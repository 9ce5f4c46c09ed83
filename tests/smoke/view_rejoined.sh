#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# One of three nodes, with --rejoin, is stopped for longer than suspect_after, twice. Continued it
# is told that it is excluded, starts over in its process as another incarnation, and the others
# take it in.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"
. "$(dirname -- "${BASH_SOURCE[0]}")/view.bash"

says_so_often() { [ "$(grep -c -- "$2" "$work_dir/$(out_of "$1")")" -ge "$3" ]; }
# What node1 has delivered in its life with that number, the first being 0.
delivered_in_life() {
  awk -v life="$1" '/starts over/ { ++lives; now = 0 }
    $1 == "node1" && $3 ~ /^[0-9,]+$/ { gsub(",", "", $6); now = $6 }
    END { print lives + 0 == life ? now : 0 }' "$work_dir/node1.out"
}
delivers_in_life() { [ "$(delivered_in_life "$1")" -gt 2000 ]; }

options[1]=--rejoin
start_three
for again in 1 2; do
  kill -STOP "${process[1]}"
  # By rank: the one that comes back is the last.
  wait_for 60 says_so_often 0 " begins, members 2: $(members 0 2)" "$again" ||
    fail "node0 is not rid of node1: $(grep view "$work_dir/node0.out")"
  kill -CONT "${process[1]}"
  wait_for 60 says_so_often 1 "lambdacast: starts over, as another incarnation" "$again" ||
    fail "node1 does not start over: $(grep -E 'view|excluded' "$work_dir/node1.out")"
  for number in 0 1 2; do
    wait_for 60 says_so_often "$number" " begins, members 3: $(members 0 2 1)" "$again" ||
      fail "node$number is not in a view of three: $(grep view "$work_dir/$(out_of "$number")")"
  done
  wait_for 60 delivers_in_life "$again" ||
    fail "node1 delivers nothing in life $again: $(tail -n 20 "$work_dir/node1.out")"
  for number in 0 2; do goes_on "$number" 1000; done
done
for number in 0 2; do refuse "$(out_of "$number")" "excluded"; done

for number in 1 0 2; do end_node "$number"; done
accounts=$(grep -c "^verdict: every packet accounted for" "$work_dir/node1.out")
[ "$accounts" -eq 3 ] || fail "node1's three lives have $accounts right accounts"
no_leftovers
say "$(grep -c "excluded from" "$work_dir/node1.out") lives excluded, the third one ended in order"
