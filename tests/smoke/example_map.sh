#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The replicated map of the guide: what one process puts all have, who comes later or comes back has
# it too, and it outlives whoever put it.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"
. "$(dirname -- "${BASH_SOURCE[0]}")/example.bash"

# asks NUMBER COMMAND ANSWER: until it answers so.
asks() {
  wait_for 60 answers "$@" || fail "$1 answers \"$2\" with $(tail -n 1 "$work_dir/$1.out")"
}
answers() {
  local number=$1 before
  before=$(wc -l <"$work_dir/$number.out")
  type_in "$number" "$2"
  wait_for 20 more_lines "$number" "$before" || fail "$number does not answer \"$2\""
  [ "$(tail -n 1 "$work_dir/$number.out")" = "$3" ]
}
more_lines() { [ "$(wc -l <"$work_dir/$1.out")" -gt "$2" ]; }

take_part 0 replicated_map prices
take_part 1 replicated_map prices
asks 0 members "2 members"
for i in $(seq 50); do type_in 0 "put key$i value $i"; done
wait_for 30 more_lines 0 50 || fail "not stored: $(cat "$work_dir/0.out")"
[ "$(grep -c '^stored$' "$work_dir/0.out")" -eq 50 ] || fail "$(cat "$work_dir/0.out")"
asks 1 "get key50" "key50 = value 50"
asks 1 "del key50" "stored"
take_part 2 replicated_map prices
asks 2 "get key49" "key49 = value 49"
asks 2 "get key50" "nothing"
# Who is stopped for too long comes back with what happened since.
kill -STOP "${children[2]}"
asks 1 members "2 members"
asks 1 "put key51 meanwhile" "stored"
kill -CONT "${children[2]}"
asks 2 "get key51" "key51 = meanwhile"
asks 1 members "3 members"
kill -KILL "${children[0]}"
wait "${children[0]}" 2>/dev/null || true
asks 1 members "2 members"
asks 2 "put key50 again" "stored"
asks 1 "get key50" "key50 = again"
asks 1 "put" "commands: put KEY VALUE, del KEY, get KEY, list, members"
for number in 1 2; do
  end_input "$number"
  ends "${children[$number]}" "$number" 0
done
no_leftovers
