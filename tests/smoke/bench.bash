# SPDX-License-Identifier: BSD-3-Clause
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
# throughput OPTIONS...: the same; nothing may come that was not sent, and rates fit their counts.
throughput() {
  run 0 "$bench" throughput --json - "$@"
  cp -- "$work_dir/out" "$work_dir/report.json"
  holds "r['benchmark'] == 'throughput' and r['sound'] and r['wrong_content'] == 0"
  holds "r['total_sent_messages'] == r['total_messages'] + r['lost_messages']"
  holds "abs(r['messages_per_second'] * r['elapsed_s'] - r['messages']) < 1"
  holds "abs(r['packets_per_second'] * r['elapsed_s'] - r['packets']) < 1"
  holds "abs(r['goodput_bps'] / 8 - r['payload_bytes'] * r['messages_per_second']) < 1"
}
# hgrm FILE COUNT: of HdrHistogram's format: columns of numbers that rise to 100 % and that count
# (0: any), and three lines of foot.
hgrm() {
  awk -v count="$2" '
    /^#/ { foot++; next }
    NR > 2 && ($1 + 0 < value || $2 + 0 < level) { exit 1 }
    NR > 2 { value = $1 + 0; level = $2 + 0; seen = $3 + 0 }
    END { if (foot != 3 || level != 1 || seen == 0 || (count != 0 && seen != count)) exit 1 }
  ' "$1" || { cat -- "$1" >&2; fail "$1 is not as it should be"; }
}
# svg FILE TEXT...: it is XML, a picture, and has those texts.
svg() {
  /usr/bin/python3 - "$@" <<'PYTHON' || fail "$1 is not as it should be"
import sys
import xml.etree.ElementTree
root = xml.etree.ElementTree.parse(sys.argv[1]).getroot()
said = ' '.join(' '.join(root.itertext()).split())
assert root.tag == '{http://www.w3.org/2000/svg}svg'
for text in sys.argv[2:]:
    assert text in said, said
PYTHON
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
    assert r['sent'] * r['receivers_per_packet'] == r['delivered'] + r['lost']
    assert r['lost'] + r['control_lost'] == sum(r['lost_by_reason'].values())
assert eval(sys.argv[2]), r
PYTHON
    cat -- "$work_dir/report.json" >&2
    fail "does not hold: $1"
  }
}
