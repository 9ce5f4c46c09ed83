# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# What the smoke scripts of membership share: $NODES nodes (3), each a process, that publish totally
# resilient messages, or of the level $QOS, to group 1, ordered as $ORDER says. Sourced behind
# smoke.bash.

# node NUMBER [MEMBERSHIP_KEYS]: $work_dir/NUMBER.toml.
node() {
  RATE_PPS=1000 endpoints "$fabric" "${WAVELENGTHS:-${NODES:-3}}" "$1" |
    sed "/^rate_pps/a qos = \"${QOS:-resilient}\"\npayload_bytes = 64" >"$work_dir/$1.toml"
  # More than this machine ever keeps a process that wants to run from doing so.
  local suspect=${SUSPECT_US:-1500000}
  local keys="enabled = true, initial_nodes = ${NODES:-3}, suspect_after_us = $suspect"
  echo "membership = { $keys, order = \"${ORDER:-sequencer}\" }" >>"$work_dir/$1.toml"
}
# start_node NUMBER [LIFE]: output in nodeNUMBERLIFE.out; its number in ${process[NUMBER]}. With
# ${options[NUMBER]} besides.
options=("" "" "" "")
process=()
life=("" "" "" "")
start_node() {
  life[$1]=${2:-}
  start "node$1${life[$1]}" "$lambdacast" --config "$work_dir/$1.toml" --stats-period 0.2 \
    ${options[$1]:+"${options[$1]}"}
  process[$1]=${children[-1]}
}
out_of() { echo "node$1${life[$1]}.out"; }
# says NUMBER TEXT: waits for it.
says() {
  wait_for 60 has "$(out_of "$1")" "$2" ||
    fail "node$1 does not say \"$2\": $(grep -Ev 'node|endpoint' "$work_dir/$(out_of "$1")")
$(grep -E 'view|excluded' "$work_dir/$(out_of "$1")")"
}
# The address of node NUMBER, and of several as a view lists them.
address() { echo "10.77.0.$(($1 + 1))"; }
members() {
  local list number
  list=$(address "$1")
  shift
  for number in "$@"; do list+=", $(address "$number")"; done
  echo "$list"
}
# in_view NUMBER MEMBER...: it says that a view of these has begun, by rank.
in_view() {
  local number=$1
  shift
  says "$number" " begins, members $#: $(members "$@")"
}
# Delivered to a node, its own included, as its last table has it.
delivered() {
  awk -v node="node$1" '$1 == node && $3 ~ /^[0-9,]+$/ { print $6 }' "$work_dir/$(out_of "$1")" |
    tr -d , | tail -n 1
}
more_than() { local now; now=$(delivered "$1"); [ "${now:-0}" -gt "$2" ]; }
goes_on() { # goes_on NUMBER PACKETS
  local now
  now=$(delivered "$1")
  wait_for 60 more_than "$1" $((${now:-0} + $2)) || fail "node$1 delivers nothing any more"
}
# All three, in a view, delivering.
start_three() {
  local number
  for number in 0 1 2; do
    node "$number"
    start_node "$number"
  done
  for number in 0 1 2; do in_view "$number" 0 1 2; done
  for number in 0 1 2; do goes_on "$number" 1000; done
}
# end_node NUMBER: its account is right, and nothing came to it out of order.
end_node() {
  kill -TERM "${process[$1]}"
  ends_as_told "${process[$1]}" "node$1${life[$1]}"
  grep -Eq '^  totally ordered messages: [0-9,]+ delivered, 0 out of order$' \
    "$work_dir/$(out_of "$1")" || fail "node$1: out of order: $(cat "$work_dir/$(out_of "$1")")"
}
