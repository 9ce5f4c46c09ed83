#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Messages of all lengths on one rack: a megabyte in fragments, short ones that share packets, and a
# receiver that loses a frame in a hundred. Whatever a lost fragment takes with it is accounted for.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"

long='[[lcore]]
id = 0
idle = "sleep"
[[endpoint]]
name = "long"
address = "10.77.0.1"
wavelength = "C21"'

cat >"$work_dir/rack.toml" <<TOML
[fabric]
name = "$fabric"
wavelengths = 3
slots = 16384
[endpoint_defaults]
groups = [1, 2]
mbufs = 16384
$long
traffic = { enabled = true, group = 1, payload_bytes = 1000000, rate_pps = 10 }
[[endpoint]]
name = "short"
address = "10.77.0.2"
wavelength = "C22"
traffic = { enabled = true, group = 2, payload_bytes = 100, coalesce = true, rate_pps = 200000 }
[[endpoint]]
name = "lossy"
address = "10.77.0.3"
wavelength = "C23"
reassembly_ms = 20
faults = { loss = 0.01 }
TOML

run 0 "$lambdacast" --config "$work_dir/rack.toml" --run-for 2
want out "verdict: every packet accounted for: "
want out "lost at receiver lossy: "
for reason in fault_lost message_incomplete; do
  grep -Eq "lost at receiver lossy: [1-9][0-9,]* by $reason\$" "$work_dir/out" ||
    fail "nothing lost by $reason: $(cat "$work_dir/out")"
done
refuse out "lost at receiver long"
refuse out "lost at receiver short"
# 200 messages of 100 bytes a millisecond would be as many packets if none were shared.
packets=$(sed -En 's/.*: ([0-9,]+) packets expected.*/\1/p' "$work_dir/out" | tr -d ,)
[ "$packets" -lt 500000 ] || fail "no packets were shared: $packets packets expected"
no_leftovers

# Two seconds of a single message: who is stopped in the middle of one ends it first.
cat >"$work_dir/stopped.toml" <<TOML
[fabric]
name = "$fabric"
wavelengths = 2
[endpoint_defaults]
groups = [1]
reassembly_ms = 10000
$long
rate_pps = 1000
traffic = { enabled = true, group = 1, payload_bytes = 8000000, rate_pps = 1 }
[[endpoint]]
name = "other"
address = "10.77.0.2"
wavelength = "C22"
TOML
run 0 "$lambdacast" --config "$work_dir/stopped.toml" --run-for 0.5
want out "verdict: every packet accounted for: "
want out " + 0 lost, over 2 endpoints"
whole=$(sed -En 's/.*: ([0-9,]+) packets expected.*/\1/p' "$work_dir/out" | tr -d ,)
[ "$whole" -gt 1900 ] || fail "the message was not ended: $whole packets expected"
say "$(tail -n 1 "$work_dir/out")"
