#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The world around a daemon: its standard output is closed by its reader, stands unread, or is full;
# its terminal hangs up. It goes on, ends in order when it is told to, and leaves nothing behind.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"

endpoints "$fabric" 2 0 1 >"$work_dir/rack.toml"
rack=("$lambdacast" --config "$work_dir/rack.toml" --stats-period 0.05)

# SIGHUP ends it as SIGTERM does.
start hangup env --default-signal=HUP "${rack[@]}"
wait_for 30 has hangup.out "sent/s" || fail "it does not run: $(cat "$work_dir/hangup.err")"
kill -HUP "${children[-1]}"
ends "${children[-1]}" hangup 0
want hangup.out "verdict: every packet accounted for: "
no_leftovers

# A reader that goes away: what is printed is lost, the run is not.
code=0
limited "${rack[@]}" --run-for 2 2>"$work_dir/err" | head -3 >"$work_dir/out" ||
  code=${PIPESTATUS[0]}
[ "$code" -eq 0 ] || fail "exit code $code behind head: $(cat "$work_dir/err")"
[ "$(wc -l <"$work_dir/out")" -eq 3 ] || fail "not three lines: $(cat "$work_dir/out")"
no_leftovers

# A full disk.
code=0
limited "${rack[@]}" --run-for 1 >/dev/full 2>"$work_dir/err" || code=$?
[ "$code" -eq 0 ] || fail "exit code $code on a full disk: $(cat "$work_dir/err")"
no_leftovers

# A pipe that nobody reads, filled before it starts: --run-for ends it, and so does SIGTERM.
mkfifo "$work_dir/unread"
exec 5<>"$work_dir/unread"
dd if=/dev/zero of="$work_dir/unread" bs=4096 oflag=nonblock status=none 2>/dev/null || true
code=0
limited "${rack[@]}" --run-for 1 >&5 2>"$work_dir/err" || code=$?
[ "$code" -eq 0 ] || fail "exit code $code behind a full pipe: $(cat "$work_dir/err")"
no_leftovers
"${rack[@]}" >&5 2>"$work_dir/stuck.err" </dev/null &
children+=("$!")
holds_fabric() { [ -n "$(fabric_files)" ]; }
wait_for 30 holds_fabric || fail "it does not start behind a full pipe"
kill -TERM "${children[-1]}"
: >"$work_dir/stuck.out"
ends "${children[-1]}" stuck 0
exec 5>&-
no_leftovers
say "hangup, a reader gone, a full disk and an unread pipe: $(tail -n 1 "$work_dir/hangup.out")"
