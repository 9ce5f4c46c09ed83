#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# A rack on the 50 GHz grid whose receivers lose in bursts, delay and are too slow, each wavelength
# on a queue of its own at one of them: every packet is accounted for, under its reason. A coupler
# whose light does not arrive gets a warning, two transmitters on one wavelength an error.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"

rack() {  # WAVELENGTHS...
  cat <<TOML
[fabric]
name = "$fabric"
wavelengths = 6
grid = "50GHz"
line_rate = 100_000_000
[traffic]
enabled = true
payload_bytes = 64
rate_pps = 50_000
[[lcore]]
id = 0
idle = "sleep"
[endpoint_defaults.faults]
burst_enter = 0.001
burst_leave = 0.1
delay_ns = 20_000
jitter_ns = 5_000
TOML
  local node=0 wavelength
  for wavelength in "$@"; do
    cat <<TOML
[[endpoint]]
name = "node$node"
address = "10.77.0.$((node + 1))"
wavelength = "$wavelength"
TOML
    node=$((node + 1))
  done
  echo 'rx_queues = "wavelength"'
  echo 'faults = { rx_rate = 30_000_000, rx_buffer = 65_536 }'  # of the last one
}

rack C21 H21 C22 >"$work_dir/rack.toml"
run 0 "$lambdacast" --config "$work_dir/rack.toml" --run-for 2
want out "verdict: every packet accounted for"
for node in 0 1 2; do
  grep -qE "lost at receiver node$node: [0-9,]+ by fault_lost" "$work_dir/out" ||
    { cat "$work_dir/out" >&2; fail "node$node lost nothing"; }
done
grep -qE "lost at receiver node2: [0-9,]+ by rx_rate" "$work_dir/out" ||
  fail "node2 was fast enough"
refuse out "receiver node0: by rx_rate"
say "$(grep -E "node2: .* by rx_rate" "$work_dir/out")"

optical='optical = { coupler_ports = 512 }'
sed "s/^grid = .*/&\n$optical/" "$work_dir/rack.toml" >"$work_dir/weak.toml"
run 0 "$lambdacast" --config "$work_dir/weak.toml" --check-config
want err 'which receives -30.65 dBm from endpoint "node1", 7.65 dB below its sensitivity'

rack C21 H21 H21 >"$work_dir/twice.toml"
run 2 "$lambdacast" --config "$work_dir/twice.toml" --check-config
want err '"H21" of endpoint "node2" is that of endpoint "node1"'
sed 's/50GHz/100GHz/' "$work_dir/rack.toml" >"$work_dir/wide.toml"
run 2 "$lambdacast" --config "$work_dir/wide.toml" --check-config
want err "\"H21\" is not on the fabric's grid, 100GHz"
no_leftovers
