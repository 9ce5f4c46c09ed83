#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Small numbers: two messages a second go out one at a time, and messages too short to carry a
# number are counted as delivered.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"

for bytes in 0 7; do
  RATE_PPS=2 endpoints "$fabric" 2 0 1 |
    sed "s/^enabled.*/&\nqos = \"source\"\npayload_bytes = $bytes/" >"$work_dir/rack.toml"
  run 0 "$lambdacast" --config "$work_dir/rack.toml" --run-for 2.2
  # Each endpoint hears the other's: at 0, 0.5, 1, 1.5 and 2 s.
  heard=$(sed -nE 's/^  source ordered messages: ([0-9]+) delivered, 0 out of order$/\1/p' \
    "$work_dir/out")
  [ "${heard:-0}" -ge 2 ] && [ "$heard" -le 10 ] ||
    { cat "$work_dir/out" >&2; fail "$heard messages of $bytes bytes in 2.2 s at 2 a second"; }
  want out "verdict: every packet accounted for: "
done
no_leftovers
say "$heard messages of 7 bytes at 2 a second from each of two"
