#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The lock service of the guide: one holder at a time, in turn or as it is passed on. A holder that
# is stopped for too long loses the lock to the next and does not know: the guarded file refuses its
# write, and the other file takes it.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"
. "$(dirname -- "${BASH_SOURCE[0]}")/example.bash"

file=$work_dir/guarded
# knows NUMBER HOLDER: until it does.
knows() {
  wait_for 60 says "$1" who "$2" || fail "$1 knows no holder $2: $(tail -n 3 "$work_dir/$1.out")"
}
says() {
  local before
  before=$(wc -l <"$work_dir/$1.out")
  type_in "$1" "$2"
  wait_for 20 more_lines "$1" "$before" || fail "$1 does not answer \"$2\""
  [ "$(tail -n 1 "$work_dir/$1.out")" = "$3" ]
}
more_lines() { [ "$(wc -l <"$work_dir/$1.out")" -gt "$2" ]; }

for number in 0 1 2; do take_part "$number" lock_service printer "$file"; done
knows 2 nobody
type_in 0 lock
shown 0 locked
knows 1 10.77.0.1
type_in 0 "write first"
shown 0 written
type_in 1 lock
type_in 1 unlock
shown 1 "this endpoint does not hold the lock by that token"
type_in 2 lock
type_in 0 "pass 10.77.0.3"
shown 2 locked
type_in 2 unlock
shown 1 locked
knows 0 10.77.0.2

# Stopped past suspect_after, the holder is out, and whoever waits has the lock.
type_in 2 lock
kill -STOP "${children[1]}"
shown 2 locked 2
knows 0 10.77.0.3
type_in 2 "write of the next holder"
shown 2 written
# What it was about to do, before it hears anything.
type_in 1 "write of the stopped one"
kill -CONT "${children[1]}"
shown 1 "refused: another holder has written since"
shown 1 excluded
wait_for 20 grep -qx "of the stopped one" "$file.unfenced" || fail "$(cat "$file.unfenced")"
[ "$(tail -n +2 "$file")" = $'first\nof the next holder' ] || fail "guarded: $(cat "$file")"
for number in 0 2; do
  end_input "$number"
  ends "${children[$number]}" "$number" 0
done
end_input 1
ends "${children[1]}" 1 0
no_leftovers
