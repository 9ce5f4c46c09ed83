#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The shipped rack of four endpoints runs for two seconds: the table appears, everybody hears the
# others, every packet is accounted for, and nothing is left behind.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"

# Its own fabric, so that a rack that somebody else runs from the same file is no matter.
sed "s/^name = \"rack4\"/name = \"$fabric\"/" "$source_dir/config/rack4.toml" \
  >"$work_dir/rack4.toml"
grep -qF "$fabric" "$work_dir/rack4.toml" || fail "config/rack4.toml names no fabric rack4"

run 0 "$lambdacast" --config "$work_dir/rack4.toml" --run-for 2 --stats-period 1
want out "sent/s"
for node in node0 node1 node2 node3; do
  want out "$node: port net_odbss_$node, multicast by MAC list"
  grep -Eq "^$node +C2[1-4] +[1-9][0-9,]* +[1-9][0-9,]* " "$work_dir/out" ||
    fail "the table shows no rates for $node: $(cat "$work_dir/out")"
done
want out "verdict: every packet accounted for: "
grep -Eq "for: [1-9][0-9,]* packets expected = [1-9][0-9,]* delivered" "$work_dir/out" ||
  fail "nothing was delivered: $(tail -n 1 "$work_dir/out")"
refuse out "18,446,7"  # a count below nothing
no_leftovers
say "$(tail -n 1 "$work_dir/out")"
