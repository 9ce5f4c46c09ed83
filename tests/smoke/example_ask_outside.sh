#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# A caller outside the view adds 1 to the counter of the guide a thousand times (or as often as
# CALLS says), while the members that bring its requests into the order, and those that answer,
# are killed and started again. Every call has an outcome, each request is executed once, and every
# member has the same sum.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"
. "$(dirname -- "${BASH_SOURCE[0]}")/example.bash"

calls=${CALLS:-1000}
caller=3
wavelengths=4
members="membership = { enabled = true, initial_nodes = 3, suspect_after_us = 1500000 }"
pids=()
serves() {
  [ -z "${inputs[$1]:-}" ] || end_input "$1"
  membership=$members take_part "$1" ask counter serve
  pids[$1]=${children[-1]}
}
lines() { wc -l <"$work_dir/$caller.out"; }
more_lines() { [ "$(lines)" -gt "$1" ]; }
# asks LINE SECONDS: the answer is in $answer.
asks() {
  local before
  before=$(lines)
  type_in "$caller" "$1"
  wait_for "$2" more_lines "$before" || fail "no word of \"$1\": $(cat "$work_dir/$caller.err")"
  answer=$(tail -n 1 "$work_dir/$caller.out")
}
gets_a_number() {
  asks get 60
  [[ $answer =~ ^[0-9]+$ ]]
}
takes_part_again() { shown_so_often "$1" waits 1 || shown_so_often "$1" answers 1; }
# Who answers now: the member that was told so and lives.
finds_the_holder() {
  for holder in 0 1 2; do
    [ -z "${pids[$holder]:-}" ] || ! shown_so_often "$holder" answers 1 || return 0
  done
  return 1
}

for number in 0 1 2; do serves "$number"; done
membership="requests = { timeout_ms = 60000 }" take_part "$caller" ask counter call
outside=${children[-1]}
wait_for 30 finds_the_holder || fail "nobody answers: $(cat "$work_dir/"[012].*)"
wait_for 30 gets_a_number || fail "the caller outside the view is not answered: $answer"
[ "$answer" = 0 ] || fail "the counter begins with $answer"

# Calls may all have ended before the first member is killed: then there are ten times as many.
kills=0
sum=0
for ((times = 1; kills == 0 && times <= 100; times *= 10)); do
  wait_for 30 finds_the_holder || fail "nobody answers"
  before=$(lines)
  counted=$((calls * times))
  type_in "$caller" "count $counted"
  while ! more_lines "$before"; do
    kill -KILL "${pids[$holder]}"
    wait "${pids[$holder]}" 2>/dev/null || true
    more_lines "$before" || kills=$((kills + 1))
    serves "$holder"
    # Of a view of two that lose one more nobody goes on.
    wait_for 30 takes_part_again "$holder" || fail "$holder does not come back behind $kills deaths"
    wait_for 30 finds_the_holder || fail "nobody answers behind $kills deaths"
  done
  answer=$(tail -n 1 "$work_dir/$caller.out")
  say "$counted calls, $kills deaths meanwhile: $answer"
  [ "$answer" = "$counted delivered, 0 perhaps" ] || fail "of $counted calls: $answer"
  sum=$((sum + counted))
done
[ "$kills" -gt 0 ] || fail "nobody was killed before the calls had ended"

# Each member in turn is the one that answers.
for last in 0 1 2; do
  wait_for 30 finds_the_holder || fail "nobody answers: $(grep . "$work_dir"/[012].*)"
  wait_for 30 gets_a_number || fail "nobody answers: $answer"
  [ "$answer" = "$sum" ] || fail "member $holder has counted $answer instead of $sum"
  end_input "$holder"
  ends "${pids[$holder]}" "$holder" 0
  pids[$holder]=
done
end_input "$caller"
ends "$outside" "$caller" 0
no_leftovers
