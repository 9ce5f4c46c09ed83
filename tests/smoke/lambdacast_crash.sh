#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# What a process leaves behind: at SIGUSR1 it writes its figures and what it said last, and goes on;
# when it is aborted it leaves the same, and dies of that signal. Without a place it says so.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"

box=$work_dir/rack.blackbox
RATE_PPS=1000 endpoints "$fabric" 2 0 1 >"$work_dir/rack.toml"
start rack "$lambdacast" --config "$work_dir/rack.toml" --stats-period 0.2 \
  --control-socket "$work_dir/rack.sock"
wait_for 40 has rack.out "sent/s" || fail "no start: $(cat "$work_dir/rack.err")"
[ ! -e "$box" ] || fail "a black box without a crash"
kill -USR1 "${children[-1]}"
wait_for 40 has rack.out "black box $box written" || fail "not written: $(cat "$work_dir/rack.err")"
grep -q "^lambdacast [0-9.]*, process ${children[-1]}: asked for by SIGUSR1$" "$box" ||
  fail "$(head -1 "$box")"
for subject in endpoint drops stages lcores reliability; do
  grep -q "^{\"subject\":\"$subject\"," "$box" || fail "no figures of $subject: $(cat "$box")"
done
sed -n '/^{/p' "$box" | while read -r line; do
  /usr/bin/python3 -m json.tool <<<"$line" >/dev/null || fail "no JSON: $line"
done
kill -USR1 "${children[-1]}"   # and it goes on
wait_for 40 grep -q "black box .* written" "$box" || fail "the first note is missing: $(cat "$box")"

kill -ABRT "${children[-1]}"
ends "${children[-1]}" rack 134
grep -q ": SIGABRT$" "$box" || fail "$(head -1 "$box")"
[ "$(stat -c %a "$box")" = 640 ] || fail "its mode is $(stat -c %a "$box")"
rm -f -- "$work_dir/rack.sock"
run 0 "$lambdacast" --remove-stale
no_leftovers

start none "$lambdacast" --config "$work_dir/rack.toml" --black-box none --run-for 30
wait_for 40 has none.out "node0: port" || fail "no start: $(cat "$work_dir/none.err")"
wait_for 40 has none.out "control socket"
kill -USR1 "${children[-1]}"
wait_for 40 has none.err "there is no black box: --black-box FILE makes one" ||
  fail "$(cat "$work_dir/none.err")"
kill -TERM "${children[-1]}"
ends "${children[-1]}" none 0
no_leftovers
