#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Endpoints whose port is a verbs device: two processes, each on the device of the preloaded
# liblambdacast-verbs.so, and one on the same embedded fabric that loses one frame in fifty. Every
# source ordered message that the first publishes is delivered by both others, once and in order;
# the losses were repaired over the queue pairs. Then what is refused, each in one sentence.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"
. "$(dirname -- "${BASH_SOURCE[0]}")/reliability.bash"

library=$build_dir/drivers/verbs/preload/liblambdacast-verbs.so
[ -e "$library" ] || skip "liblambdacast-verbs.so was not built: no libibverbs-dev"
# The geometry that endpoints() gives the fabric; whoever is first makes it.
preload() { # preload NUMBER: the words in front of a program, in $verbs
  verbs=(env LD_PRELOAD="$library" LAMBDACAST_FABRIC="$fabric" LAMBDACAST_WAVELENGTHS=8
    LAMBDACAST_SLOTS=4096 LAMBDACAST_WAVELENGTH="C$((21 + $1))"
    LAMBDACAST_ADDRESS="10.77.0.$(($1 + 1))")
}
verbs_node() { # verbs_node NUMBER KEYS...: as node, on the device
  local number=$1
  node "$@"
  sed -i -e '/^\[fabric\]/,/^slots/d' -e 's/^wavelength = .*/port = "verbs:lambdacast0"/' \
    "$work_dir/$number.toml"
}

verbs_node 0 'reliability = { late_join = "retained" }'
verbs_node 1
node 2 'faults = { loss = 0.02, seed = 2 }'
for number in 1 2; do
  if [ "$number" -eq 1 ]; then preload 1; else verbs=(env); fi
  start "node$number" "${verbs[@]}" "$lambdacast" --config "$work_dir/$number.toml" \
    --stats-period 0.2
  wait_for 40 has "node$number.out" "sent/s" || fail "node$number does not start: $(
    cat "$work_dir/node$number.err")"
done
want node1.out "node1: port net_verbs_node1, multicast by queue pairs"
preload 0
start node0 "${verbs[@]}" "$lambdacast" --config "$work_dir/0.toml" --stats-period 0.2
for number in 1 2; do
  wait_for 60 more_than "$number" 10000 ||
    fail "node$number hears too little: $(cat "$work_dir/node$number.out" "$work_dir/node0.err")"
done
kill -TERM "${children[2]}"
ends "${children[2]}" node0 0
for number in 1 2; do
  kill -TERM "${children[$((number - 1))]}"
  ends "${children[$((number - 1))]}" "node$number" 0
  heard_all "$number"
done
for number in 0 1 2; do want "node$number.out" "verdict: every packet accounted for: "; done
[ "$(repaired 2)" -gt 50 ] || fail "too few repaired: $(cat "$work_dir/node2.out")"
refuse node0.out "cut off:"
say "$(grep -F "recoverable packets" "$work_dir/node2.out"),$(grep -F "source ordered" \
  "$work_dir/node2.out")"

# refused SED_EXPRESSION TEXT...: of node0's configuration, changed.
refused() {
  local text
  sed "$1" "$work_dir/0.toml" >"$work_dir/refused.toml"
  shift
  run 3 "${verbs[@]}" "$lambdacast" --config "$work_dir/refused.toml" --run-for 1
  for text in "$@"; do want err "$text"; done
}
refused 's/verbs:lambdacast0/verbs:mlx5_9/' \
  "there is no verbs device mlx5_9; there are: lambdacast0"
refused 's|verbs:lambdacast0|verbs:lambdacast0/2|' \
  "port 2 of verbs device lambdacast0 is not there; allowed: 1 to 1"
refused 's/^address = .*/address = "10.77.9.9"/' \
  "address 10.77.9.9 is none of verbs device lambdacast0, which has " \
  "ip addr add 10.77.9.9/24 dev "
refused '/^port = /a pkey = 0x1234' \
  "pkey 0x1234 is not in the table of verbs device lambdacast0; allowed: 0xffff"
no_leftovers
