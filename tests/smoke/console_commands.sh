#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Every command of the console once, from a file: its answer, in this order, and the account of the
# run at the end.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"

endpoints "$fabric" 2 0 1 | sed 's/^wavelength = .*/&\nmembership = { enabled = true }/' \
  >"$work_dir/rack.toml"
cat >"$work_dir/more.txt" <<'TEXT'
show peers node0
TEXT
cat >"$work_dir/commands.txt" <<TEXT
help
help set fault
# a comment, and an empty line

wait 0.5
show port stats all
show port stats node0
show port xstats node0
show port info all
show fabric
show wavelengths
show endpoint
show stages
show drops
show lcores
show peers
show group all
show view
show members
show members node1
show config
load $work_dir/more.txt
load $work_dir/nothing.txt
listen 7
send 7 hello, world
send from node1 7 from the other
wait 0.5
listen off
send 7 nobody listens
set traffic 1k node1
set traffic fast
set fault loss 0.5 node1
set fault loss 2
wait 0.3
show fabric node1
set fault loss 0
set log lib.eal error
set log error
clear stats
stop
wait 0.2
show port stats node0
start node0
capture start $work_dir/capture.pcapng
wait 0.2
capture stop
capture stop
show pears
shw peers
frobnicate
quit
show stages
TEXT
run 0 "$lambdacast" --config "$work_dir/rack.toml" --cmdline-file "$work_dir/commands.txt"

# answer COMMAND: what was shown between its line and the next prompt.
answer() {
  awk -v "line=lambdacast> $1" '$0 == line { on = 1; next } /^lambdacast> / { on = 0 } on' \
    "$work_dir/out"
}
# shows COMMAND REGEX
shows() {
  grep -Eq -- "$2" <<<"$(answer "$1")" || fail "\"$1\" does not show $2: $(answer "$1")"
}
for words in "show port stats" "show group" "set traffic PPS" "listen GROUP" "capture start FILE" \
  quit; do
  shows help "^$words"
done
shows "help set fault" '^set fault KIND VALUE \[ENDPOINT\] '
shows "show port stats all" '^rx_packets +[0-9,]+ +[0-9,]+  packets$'
shows "show port stats all" '^tx_pps +[1-9][0-9,]* +[1-9][0-9,]*  packets/s$'
shows "show port stats node0" '^tx_bytes +[1-9][0-9]*,[0-9,]+  bytes$'
shows "show port xstats node0" 'wl1_frames +[1-9]'
shows "show port info all" '^driver +net_odbss +net_odbss$'
shows "show fabric" "^fabric +$fabric +$fabric\$"
shows "show wavelengths" '^node0 +C22 +node1 +192\.200 +1,559\.794 +[1-9]'
shows "show endpoint" '^address +10\.77\.0\.1 +10\.77\.0\.2$'
shows "show endpoint" '^delivered_messages +[1-9][0-9,]* +[1-9][0-9,]*  messages$'
for stage in receive reliability ordering rate_control; do
  shows "show stages" "^node1 +$stage +0 +[1-9][0-9,]* +[1-9][0-9,]* +0 "
done
shows "show drops" '^endpoint +stage +reason'
shows "show lcores" '^0 +sleep +[0-9.]+ '
shows "show peers" '^node1 +10\.77\.0\.1 +17 +[1-9][0-9,]* +0 +0 +0 +0 +0 +0 +0 +[1-9]'
shows "show group all" '^node0 +1 +- +subscribed +0 +0 +[1-9]'
shows "show view" '^state +[a-z]+ +[a-z]+$'
shows "show view" '^member_frames +[1-9][0-9,]* +[1-9][0-9,]*  frames$'
shows "show members" '^endpoint +member +rank +member_state +silent +ack_lag$'
shows "show config" '^name = "node1"$'
shows "show peers node0" '^node0 +10\.77\.0\.2'
shows "load $work_dir/nothing.txt" "nothing.txt cannot be read"
shows "load $work_dir/nothing.txt" "^usage: load FILE"
want out "node1: group 7 from 10.77.0.1: hello, world"
want out "node0: group 7 from 10.77.0.2: from the other"
refuse out "10.77.0.1: nobody listens"
shows "set traffic fast" "^PPS: fast is not a number"
shows "set fault loss 2" "is not allowed; allowed: "
shows "show fabric node1" '^fault_lost +[1-9]'
# Cleared and stopped: what came since is less than before.
[ -n "$(answer "show port stats node0")" ] || fail "nothing shown after clear stats"
shows "capture stop" '^captured [1-9][0-9,]* frames, '
shows "capture stop" '^No capture runs'
shows "show pears" '^usage: show peers \[ENDPOINT\]$'
shows "shw peers" '^usage: show peers \[ENDPOINT\]$'
shows frobnicate "help lists all commands"
[ "$(grep -c '^lambdacast> show stages$' "$work_dir/out")" -eq 1 ] ||
  fail "quit did not end the file"
[ -s "$work_dir/capture.pcapng" ] || fail "no capture"
want out "verdict: every packet accounted for: "
no_leftovers

run 2 "$lambdacast" --config "$work_dir/rack.toml" --cmdline-file "$work_dir/nothing.txt"
say "$(wc -l <"$work_dir/commands.txt") lines of commands"
