#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# share/grafana/lambdacast.json and share/prometheus/lambdacast.rules.yml name nothing that a
# running lambdacast does not serve: two members of a view on a lossy fabric, scraped by the
# exporter. The rules fire when they should (lambdacast.rules_test.yml) and not otherwise, by
# promtool.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"

promtool=$source_dir/build/promtool
socket=/var/run/dpdk/$fabric/dpdk_telemetry.v2
at_end() { rm -rf -- "/var/run/dpdk/$fabric"; }
RATE_PPS=2000 endpoints "$fabric" 2 0 1 >"$work_dir/rack.toml"
cat >>"$work_dir/rack.toml" <<TOML
[endpoint_defaults]
faults = { loss = 0.01, corrupt = 0.01 }
membership = { enabled = true, initial_nodes = 2, suspect_after_us = 5000000 }
[eal]
args = ["--no-huge", "--no-shconf", "-m", "512", "--file-prefix=$fabric"]
TOML
start rack "$lambdacast" --config "$work_dir/rack.toml"
rack=${children[-1]}

# Reasons of drops have no series before the first drop.
scraped() {
  "$source_dir/scripts/lambdacast-exporter" --once --socket "$socket" >"$work_dir/metrics" \
    2>/dev/null || return 1
  has metrics 'lambdacast_view_members{endpoint="node1"} 2' && has metrics 'reason="bad_icrc"'
}
wait_for 60 scraped || fail "no view or no drop: $(cat "$work_dir/metrics" "$work_dir/rack.err")"

if [ -x "$promtool" ]; then
  by=("$promtool")
else
  by=()
  say "skipped: the rules' tests and the syntax of expressions: no promtool (scripts/setup)"
fi
run 0 /usr/bin/python3 "$source_dir/tests/smoke/telemetry_dashboards.py" "$socket" "$work_dir" \
  "${by[@]}"
say "$(cat "$work_dir/out")"
kill -TERM "$rack"
wait "$rack" 2>/dev/null || true
want rack.out "verdict: every packet accounted for"
fabric_left=$(fabric_files)
[ -z "$fabric_left" ] || fail "left behind: $fabric_left"
