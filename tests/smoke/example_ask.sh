#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The counter of the guide: two servers and a caller, each a process. The holder of the lock
# answers. It is killed, and the next holder answers with the right sum. What became of the call
# that the death met is told, and the sum is what that allows.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"
. "$(dirname -- "${BASH_SOURCE[0]}")/example.bash"

caller=2
# calls LINE [COMMAND]: the caller's next line is in $answer. The command runs meanwhile.
calls() {
  local before
  before=$(wc -l <"$work_dir/$caller.out")
  type_in "$caller" "$1"
  ${2:-:}
  wait_for 20 more_lines "$before" || fail "no word of \"$1\": $(cat "$work_dir/$caller.err")"
  answer=$(tail -n 1 "$work_dir/$caller.out")
}
more_lines() { [ "$(wc -l <"$work_dir/$caller.out")" -gt "$1" ]; }
answers() { # answers LINE ANSWER: once
  calls "$1"
  [ "$answer" = "$2" ] || fail "\"$1\" is answered with \"$answer\" instead of \"$2\""
}
gets_a_number() {
  calls get
  [[ $answer =~ ^[0-9]+$ ]]
}

one_holds() {
  for holder in 0 1; do
    next=$((1 - holder))
    ! shown_so_often "$holder" answers 1 || ! shown_so_often "$next" waits 1 || return 0
  done
  return 1
}

take_part 0 ask counter serve
take_part 1 ask counter serve
take_part "$caller" ask counter call
wait_for 20 one_holds || fail "no holder: $(cat "$work_dir/"[01].*)"
wait_for 20 gets_a_number || fail "nobody answers: $answer"
[ "$answer" = 0 ] || fail "the counter begins with $answer"
answers "add 1" 1
answers "add 2" 3
answers "subtract 1" "add N, or get"

# Each addend is a power of two, so that a sum tells which of them are in it.
bury() { wait "${children[$holder]}" 2>/dev/null || true; }
kill -KILL "${children[$holder]}"
calls "add 4" bury
said=$answer
say "the call that the death met: $said"
shown "$next" answers
wait_for 20 gets_a_number || fail "nobody answers for the dead: $answer"
case $said in
  7 | *"; delivered") possible=7 ;;
  *"; not delivered") possible=3 ;;
  *"; perhaps delivered") possible="3 7" ;;
  *) fail "the call that the death met: $said" ;;
esac
[[ " $possible " == *" $answer "* ]] || fail "\"$said\", and then the sum is $answer"
answers "add 8" $((answer + 8))
for number in "$next" "$caller"; do
  end_input "$number"
  ends "${children[$number]}" "$number" 0
done
no_leftovers
