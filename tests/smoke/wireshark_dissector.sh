#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# share/wireshark/lambdacast.lua under tshark: every field of every frame of simulated and of
# running nodes is what the bytes say; repairs, NACKs, marks, statuses and the frames of membership
# are named; broken, cut and damaged payloads are told as such, and none is an error of Lua.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"
command -v tshark >/dev/null || skip "tshark is not installed (scripts/setup)"

# The last ones have the kinds of frames that only rare faults bring.
captures=()
for seed in 3 4294967378 4294967428 8589934724 8589934727 34359738370; do
  run 0 "$build_dir/app/lambdacast-sim/lambdacast-sim" replay --seed "$seed" \
    --capture "$work_dir/$seed.pcap"
  captures+=("$work_dir/$seed.pcap")
done

# Short messages that share packets, and long ones in fragments. Some are lost.
cat >"$work_dir/rack.toml" <<TOML
[fabric]
name = "$fabric"
wavelengths = 2
slots = 4096
[endpoint_defaults]
faults = { loss = 0.02 }
[[lcore]]
id = 0
idle = "sleep"
[[endpoint]]
name = "node0"
address = "10.77.0.1"
wavelength = "C21"
traffic = { enabled = true, qos = "reliable", coalesce = true, payload_bytes = 17, rate_pps = 4000 }
[[endpoint]]
name = "node1"
address = "10.77.0.2"
wavelength = "C22"
traffic = { enabled = true, qos = "source", payload_bytes = 10001, rate_pps = 200 }
TOML
# What was sent before its welcome may be lost to a receiver for good. The account says so.
limited "$lambdacast" --config "$work_dir/rack.toml" --run-for 1 \
  --capture "$work_dir/rack.pcapng" --capture-endpoint node0 >"$work_dir/out" 2>&1 || true
want out "verdict: every packet accounted for"

mkdir "$work_dir/wireshark"
timeout -k 5 150 /usr/bin/python3 "$source_dir/tests/smoke/wireshark_dissector.py" \
  "$work_dir/wireshark" "${captures[@]}" "$work_dir/rack.pcapng" || fail "see above"
no_leftovers
