#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Groups by name from the console: joined, published to and called from inside and outside, shown,
# left; and what cannot be is said.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"

endpoints "$fabric" 3 0 1 2 | sed '/^\[traffic\]/,/^rate_pps/d' >"$work_dir/rack.toml"
cat >>"$work_dir/rack.toml" <<TOML
[endpoint_defaults.membership]
enabled = true
initial_nodes = 3
TOML
cat >"$work_dir/commands.txt" <<TEXT
wait 1
join orders node0
wait 0.5
join orders node1
wait 0.5
join orders node1
listen orders node0
listen orders node1
listen orders node2
send to orders one
wait 0.3
send from node2 orders from outside
wait 0.3
send to nobody hello
acquire orders 5 node0
wait 0.3
call from node2 orders 5 how much,  now
call from node2 orders 6 nobody holds this
call orders all everybody
call nobody 5 hello
wait 0.5
show requests
show requests node2
show group all
show group node2
leave orders node0
wait 0.5
leave orders node0
quit
TEXT
run 0 "$lambdacast" --config "$work_dir/rack.toml" --cmdline-file "$work_dir/commands.txt"
want out "node0: group orders: members 1: 10.77.0.1"
for node in node0 node1; do
  want out "$node: group orders: members 2: 10.77.0.1, 10.77.0.2"
  want out "$node: group orders from 10.77.0.1: one"
  want out "$node: group orders from 10.77.0.3: from outside"
done
want out "node1: group orders: the group is joined already"
want out "node2 is not in group orders; join orders lets it"
want out "node0: no group nobody is known; join nobody makes it so"
want out "node0: group nobody: nobody has joined a group of that name so far"
want out "node2: call to group orders: 10.77.0.1 answers: how much,  now"
want out "node2: call to group orders: answered; delivered at 1."
want out "node2: call to group orders: nobody was there to answer; delivered at 1."
for member in 10.77.0.1 10.77.0.2; do
  want out "node0: call to group orders: $member answers: everybody"
done
want out "node0: call to group orders: answered; delivered at 1."
for row in "under_way +0 +0 +0" "calls +1 +0 +2" "answers +2 +0 +1" "answered +1 +0 +1" \
  "nobody +0 +0 +1" "asked +2 +1 +0" "answers_given +2 +1 +0" "calls +2"; do
  grep -Eq "^ *$row *$" "$work_dir/out" || fail "show requests, $row: $(cat "$work_dir/out")"
done
want out "node0: group orders: out of it: left"
want out "node1: group orders: members 1: 10.77.0.2"
want out "node0: group orders: the group is not joined"
refuse out "node2: group orders from"
for node in "node0 .* member" "node1 .* member" "node2 .* known"; do
  row="^${node%% *} +[0-9]{10} +orders +ff15::4d:[0-9a-f:]+ ${node#* } +2 +0 "
  grep -Eq "$row" "$work_dir/out" || fail "show group all: $(cat "$work_dir/out")"
done
want out "verdict: every packet accounted for: "

sed '/membership/,$d' "$work_dir/rack.toml" >"$work_dir/plain.toml"
printf 'join orders\nquit\n' >"$work_dir/commands.txt"
run 0 "$lambdacast" --config "$work_dir/plain.toml" --cmdline-file "$work_dir/commands.txt"
want out "node0 takes part in no groups with names: enabled = true in its [endpoint.membership]"
no_leftovers
