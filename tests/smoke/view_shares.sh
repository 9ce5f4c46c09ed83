#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Three nodes, each a process, flood receivers of 100 Mbit/s and have half of a receiver's room. One
# is killed (-9): the other two have all of each other's room once the dead one's share is given
# back. Started again it has its share. Then one is stopped (SIGSTOP) for longer than suspect_after
# and goes on at its old share: it finds itself outside and sends at the rate of those. Receivers
# drop nothing, and nobody is named for sending more than its share.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"
. "$(dirname -- "${BASH_SOURCE[0]}")/view.bash"

tool=$build_dir/app/lambdacastctl/lambdacastctl
chmod 755 "$work_dir"
QOS=source
for number in 0 1 2; do
  RATE_PPS=0 node "$number"
  sed -i 's/^payload_bytes = .*/payload_bytes = 1000/; s/^rate_pps = .*/rate_pps = 0/' \
    "$work_dir/$number.toml"
  cat >>"$work_dir/$number.toml" <<TOML
rate = { need = 1000000000, burst_us = 5000 }
faults = { rx_rate = 100000000, rx_buffer = 4000000 }
TOML
done
# start_flood NUMBER [LIFE]
start_flood() {
  options[$1]="--control-socket=$work_dir/$1.sock"
  start_node "$@"
}
# asks NUMBER SUBJECT EXPRESSION: of Python, about the rows r.
asks() {
  "$tool" --socket "$work_dir/$1.sock" -j show "$2" >"$work_dir/answer" 2>/dev/null &&
    /usr/bin/python3 -c '
import json, sys
with open(sys.argv[1], encoding="utf-8") as stream:
    r = json.load(stream)["rows"]
sys.exit(not eval(sys.argv[2]))' "$work_dir/answer" "$3"
}
# has_share NUMBER BITS_PER_SECOND
has_share() {
  wait_for 60 asks "$1" rate \
    "r[0]['allowed'] == $2 and r[0]['limited_by'].startswith('receiver')" ||
    fail "node$1 has another share than $2: $(cat "$work_dir/answer")"
}
half=48500000
all=97000000

for number in 0 1 2; do start_flood "$number"; done
for number in 0 1 2; do has_share "$number" "$half"; done

kill -KILL "${process[2]}"
wait "${process[2]}" 2>/dev/null || true
for number in 0 1; do in_view "$number" 0 1; done
for number in 0 1; do has_share "$number" "$all"; done
start_flood 2 -again
for number in 0 1 2; do has_share "$number" "$half"; done

kill -STOP "${process[1]}"
for number in 0 2; do has_share "$number" "$all"; done
kill -CONT "${process[1]}"
says 1 "node1: excluded from view "
wait_for 60 asks 1 rate "r[0]['limited_by'] == 'no view' and r[0]['allowed'] < 1000000" ||
  fail "node1 has a share: $(cat "$work_dir/answer")"
for number in 0 2; do
  has_share "$number" "$all"
  asks "$number" "port stats all" "sum(row['rx_missed'] for row in r) == 0" ||
    fail "node$number dropped frames: $(cat "$work_dir/answer")"
  refuse "$(out_of "$number")" "more than its share"
done

for number in 1 0 2; do
  kill -TERM "${process[$number]}"
  ends_as_told "${process[$number]}" "node$number${life[$number]}"
done
no_leftovers
say "$(grep "excluded from" "$work_dir/node1.out")"
