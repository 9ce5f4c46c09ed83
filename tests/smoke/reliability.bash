# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# What the smoke scripts of reliable multicast share: node0 publishes source ordered messages, the
# others listen, each in a process of its own. Sourced behind smoke.bash.

# node NUMBER KEYS...: $work_dir/NUMBER.toml, with KEYS for its [[endpoint]].
node() {
  local number=$1
  shift
  RATE_PPS=5000 endpoints "$fabric" 8 "$number" |
    sed "s/^enabled = true/enabled = $([ "$number" -eq 0 ] && echo true || echo false)/
         /^rate_pps/a qos = \"source\"\npayload_bytes = ${PAYLOAD:-64}" >"$work_dir/$number.toml"
  printf '%s\n' "$@" >>"$work_dir/$number.toml"
}
# start_node NUMBER: waits until it runs.
start_node() {
  start "node$1" "$lambdacast" --config "$work_dir/$1.toml" --stats-period 0.2
  wait_for 40 has "node$1.out" "sent/s" ||
    fail "node$1 does not start: $(cat "$work_dir/node$1.err")"
}
# Delivered to a node, as its last table has it; and in the one some tables before.
delivered() {
  awk -v node="node$1" '$1 == node && $3 ~ /^[0-9,]+$/ { print $6 }' "$work_dir/node$1.out" |
    tr -d , | tail -n "${2:-1}" | sed -n 1p
}
more_than() { local now; now=$(delivered "$1"); [ "${now:-0}" -gt "$2" ]; }
goes_on() { # goes_on NUMBER MESSAGES
  wait_for 60 more_than "$1" $(($(delivered "$1") + $2)) || fail "node$1 hears nothing any more"
}
# The numbers of a line of the final report.
report() { # report NUMBER PATTERN
  sed -En "s/^  $2\$/\1/p" "$work_dir/node$1.out" | tr -d ,
}
published() { report "$1" 'recoverable packets: ([0-9,]+) published, .*'; }
repaired() { report "$1" 'recoverable packets: .* here ([0-9,]+) repaired, .*'; }
lost() { report "$1" 'recoverable packets: .* ([0-9,]+) declared lost'; }
ordered() { report "$1" 'source ordered messages: ([0-9,]+) delivered, 0 out of order'; }
# All that node0 has published came here, once and in order.
heard_all() {
  local all
  all=$(published 0)
  [ "${all:-0}" -gt 0 ] || fail "node0 published nothing: $(cat "$work_dir/node0.out")"
  [ "$(ordered "$1")" = "$all" ] ||
    fail "node$1 heard not $all in order: $(cat "$work_dir/node$1.out")"
  [ "$(lost "$1")" = 0 ] || fail "node$1 lost packets: $(cat "$work_dir/node$1.out")"
}
# The publisher first: it ends when all have all.
end_nodes() {
  local number
  for number in "$@"; do
    kill -TERM "${children[$number]}"
    ends_as_told "${children[$number]}" "node$number"
  done
}
