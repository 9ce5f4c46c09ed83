# shellcheck shell=bash
# What the smoke scripts of lambdacast-bench share: sourced behind smoke.bash.

# loss OPTIONS...: runs the benchmark, which must say that its identity holds; the report is in
# $work_dir/report.json. Under a sanitizer SMOKE_PACKETS_DIVISOR makes it shorter.
loss() {
  run 0 "$bench" loss --json - "$@"
  cp -- "$work_dir/out" "$work_dir/report.json"
  want err "identity holds"
}
packets() { echo $(($1 / ${SMOKE_PACKETS_DIVISOR:-1})); }

# holds EXPRESSION: of Python, about the report r; its own arithmetic, not the program's.
holds() {
  /usr/bin/python3 - "$work_dir/report.json" "$1" <<'PYTHON' || {
import json
import sys
with open(sys.argv[1], encoding='utf-8') as stream:
    r = json.load(stream)
assert r['sent'] * r['receivers_per_packet'] == r['delivered'] + sum(r['lost_by_reason'].values())
assert r['lost'] == sum(r['lost_by_reason'].values())
assert eval(sys.argv[2]), r
PYTHON
    cat -- "$work_dir/report.json" >&2
    fail "does not hold: $1"
  }
}
