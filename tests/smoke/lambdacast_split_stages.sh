#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Two endpoints whose stages are spread over four sleeping lcores, whatever the machine's number of
# cores: every packet comes through the links and is accounted for.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"

cat >"$work_dir/rack.toml" <<TOML
[fabric]
name = "$fabric"
wavelengths = 2
slots = 16384
[traffic]
enabled = true
rate_pps = 20000
[[endpoint]]
name = "node0"
address = "10.77.0.1"
wavelength = "C21"
stages = { receive = 0, reliability = 1, ordering = 2, rate_control = 3 }
[[endpoint]]
name = "node1"
address = "10.77.0.2"
wavelength = "C22"
stages = { receive = 3, reliability = 2, ordering = 1, rate_control = 0 }
TOML
for lcore in 0 1 2 3; do
  printf '[[lcore]]\nid = %s\nidle = "sleep"\nsleep_us = 100\n' "$lcore" >>"$work_dir/rack.toml"
done

run 0 "$lambdacast" --config "$work_dir/rack.toml" --run-for 2
for stage in 0.*node0.receive 1.*node1.ordering 2.*node0.ordering 3.*node1.receive; do
  grep -Eq "^$stage=[1-9]" "$work_dir/out" || fail "no packets at $stage: $(cat "$work_dir/out")"
done
want out "verdict: every packet accounted for: "
grep -Eq "for: [1-9][0-9,]* packets expected = [1-9][0-9,]* delivered" "$work_dir/out" ||
  fail "nothing was delivered: $(tail -n 1 "$work_dir/out")"
no_leftovers
say "$(tail -n 1 "$work_dir/out")"
