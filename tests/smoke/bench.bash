# shellcheck shell=bash
# What the smoke scripts of lambdacast-bench share: sourced behind smoke.bash.

# loss OPTIONS...: runs the benchmark, which must say that its identity holds; the report is in
# $work_dir/report.json. Under a sanitizer SMOKE_PACKETS_DIVISOR makes it shorter.
loss() {
  run 0 "$bench" loss --json - "$@"
  cp -- "$work_dir/out" "$work_dir/report.json"
  want err "identity holds"
}
# latency OPTIONS...: the same; its receiver must have every message once, or tell it as lost.
latency() {
  run 0 "$bench" latency --json - "$@"
  cp -- "$work_dir/out" "$work_dir/report.json"
  holds "r['benchmark'] == 'latency' and r['sound']"
  holds "r['sent'] == r['received'] + r['lost'] and r['received'] > 0"
  local prefix
  for prefix in "" intended_; do ascending "$prefix"; done
}
# ascending PREFIX: the percentiles of the report.
ascending() {
  holds "r['$1min_ns'] <= r['$1p50_ns'] <= r['$1p90_ns'] <= r['$1p99_ns'] <= r['$1p999_ns']"
  holds "r['$1p999_ns'] <= r['$1p9999_ns'] <= r['$1max_ns']"
  holds "r['$1min_ns'] <= r['$1mean_ns'] <= r['$1max_ns']"
}
packets() { echo $(($1 / ${SMOKE_PACKETS_DIVISOR:-1})); }

# holds EXPRESSION: of Python, about the report r; its own arithmetic, not the program's.
holds() {
  /usr/bin/python3 - "$work_dir/report.json" "$1" <<'PYTHON' || {
import json
import sys
with open(sys.argv[1], encoding='utf-8') as stream:
    r = json.load(stream)
if r['benchmark'] == 'loss':
    assert r['sent'] * r['receivers_per_packet'] == \
        r['delivered'] + sum(r['lost_by_reason'].values())
    assert r['lost'] == sum(r['lost_by_reason'].values())
assert eval(sys.argv[2]), r
PYTHON
    cat -- "$work_dir/report.json" >&2
    fail "does not hold: $1"
  }
}
