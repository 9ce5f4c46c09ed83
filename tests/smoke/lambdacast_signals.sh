#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# SIGTERM and SIGINT end a running rack cleanly: exit code 0, a verdict, nothing left behind.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"

for signal in TERM INT; do
  endpoints "$fabric$signal" 2 0 1 >"$work_dir/rack.toml"
  # A shell's background jobs ignore SIGINT: env gives it back.
  start "$signal" env --default-signal=INT "$lambdacast" --config "$work_dir/rack.toml" \
    --stats-period 0.2
  program=${children[-1]}
  wait_for 30 has "$signal.out" "sent/s" || fail "it does not run: $(cat "$work_dir/$signal.err")"
  [ -n "$(leftovers)" ] || fail "its files are not where this script looks for them"
  kill -"$signal" "$program"
  ends "$program" "$signal" 0
  want "$signal.out" "verdict: every packet accounted for: "
  [ ! -s "$work_dir/$signal.err" ] || grep -q "hugepages:" "$work_dir/$signal.err" ||
    fail "it complains: $(cat "$work_dir/$signal.err")"
  no_leftovers
  say "SIG$signal: $(tail -n 1 "$work_dir/$signal.out")"
done
