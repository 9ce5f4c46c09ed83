#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Three endpoints of a view whose receivers take 100 Mbit/s each: two flood, and what they may send
# is half of a receiver's room, with the receiver named. Configurations that contradict themselves
# are refused.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"

tool=$build_dir/app/lambdacastctl/lambdacastctl
socket=$work_dir/x.sock
chmod 755 "$work_dir"

cat >"$work_dir/rack.toml" <<TOML
[fabric]
name = "$fabric"
wavelengths = 3
[endpoint_defaults]
membership = { enabled = true, initial_nodes = 3, suspect_after_us = 4000000 }
rate = { need = 1000000000, burst_us = 5000 }
faults = { rx_rate = 100000000, rx_buffer = 2000000 }
[traffic]
payload_bytes = 1000
qos = "source"
[[endpoint]]
name = "a"
address = "10.77.0.1"
wavelength = "C21"
traffic = { enabled = true }
[[endpoint]]
name = "b"
address = "10.77.0.2"
wavelength = "C22"
traffic = { enabled = true }
[[endpoint]]
name = "c"
address = "10.77.0.3"
wavelength = "C23"
rate = { need = 1000000 }
[[lcore]]
id = 0
idle = "sleep"
TOML

start rack "$lambdacast" --config "$work_dir/rack.toml" --control-socket "$socket"
process=${children[-1]}
# asks SUBJECT EXPRESSION: of Python, about the rows r, each a map.
asks() {
  "$tool" --socket "$socket" -j show "$1" >"$work_dir/out" 2>/dev/null &&
    /usr/bin/python3 - "$work_dir/out" "$2" <<'PYTHON'
import json
import sys
with open(sys.argv[1], encoding='utf-8') as stream:
    r = {tuple(row[k] for k in ('endpoint', 'member') if k in row): row
         for row in json.load(stream)['rows']}
sys.exit(not eval(sys.argv[2]))
PYTHON
}
# c needs a megabit of what a and b hear; c itself hears both.
wait_for 30 asks rate "r['a',]['allowed'] == r['b',]['allowed'] == 48500000" ||
  fail "other shares: $(cat "$work_dir/out" "$work_dir/rack.out" "$work_dir/rack.err")"
wait_for 30 asks rate "r['a',]['limited_by'] == r['b',]['limited_by'] == 'receiver 10.77.0.3'" ||
  fail "limited by another: $(cat "$work_dir/out")"
wait_for 30 asks rate "r['c',]['limited_by'] == 'need' and r['c',]['policy'] == 'fair'" ||
  fail "c is limited otherwise: $(cat "$work_dir/out")"
wait_for 30 asks shares "len(r) == 9 and all(row['room'] == 97000000 for row in r.values())" ||
  fail "other rooms: $(cat "$work_dir/out")"
kill -TERM "$process"
ends_as_told "$process" rack

refused() {
  local text=$1
  endpoints x 1 0 | sed "s/^wavelength = .*/&\n$2/" >"$work_dir/bad.toml"
  run 2 "$lambdacast" --config "$work_dir/bad.toml" --check-config
  want err "$text"
}
refused "allowed: rate.limit = BITS" 'rate.policy = "fixed"'
refused "a need of no more than the limit" 'rate = { need = 2000000, limit = 1000000 }'
refused "is not allowed; allowed: 0..50 percent" 'rate.reserve = 60'
no_leftovers
say "two that flood share a receiver evenly, and it is named"
