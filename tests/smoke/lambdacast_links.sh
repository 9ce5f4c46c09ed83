#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The network changes under a port: two endpoints on a bridge that snoops and has a querier which
# asks every 125 s. A link that goes down and comes up, at the bridge's side or at the endpoint's,
# is told and shown, and the bridge knows the endpoint's groups again at once. An interface that is
# taken away ends the process with a reason, or is waited for, as the file says.
set -euo pipefail
if [ -z "${LAMBDACAST_IN_NAMESPACE:-}" ]; then
  if [ "$(id -u)" -ne 0 ] || ! unshare --net true 2>/dev/null; then
    echo "$0: skipped: needs root and network namespaces"
    exit 77
  fi
  LAMBDACAST_IN_NAMESPACE=1 exec unshare --net bash "$0" "$@"
fi
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"

# No kernel address in this namespace: nobody but the endpoints reports groups.
echo 1 >/proc/sys/net/ipv6/conf/default/disable_ipv6
ip link add lcbr type bridge mcast_snooping 1 mcast_querier 1 2>/dev/null ||
  skip "no bridge devices here"
ip link set lcbr up
# plug NAME: an interface lcNAME, its other end in the bridge
plug() {
  ip link add "lc$1" type veth peer name "br$1" 2>/dev/null || skip "no veth devices here"
  ip link set "br$1" master lcbr
  ip link set "br$1" up
  ip link set "lc$1" mtu 1500 up
}
# node NAME NUMBER KEYS: a configuration, in $work_dir/NAME.toml
node() {
  cat >"$work_dir/$1.toml" <<TOML
[traffic]
enabled = true
rate_pps = 500
qos = "source"
[[lcore]]
id = 0
idle = "sleep"
[[endpoint]]
name = "$1"
address = "10.77.0.$2"
port = "net_af_packet_$1,iface=lc$1"
path_mtu = 1024
$3
TOML
}
# The bridge sends the group of data (or of control) to NAME's port.
member() { grep -q "port br$1 grp $2 " <<<"$(bridge mdb show dev lcbr)"; }
joined() { member "$1" 239.255.77.1 && member "$1" 239.255.77.2; }
not_joined() { ! member "$1" 239.255.77.1 && ! member "$1" 239.255.77.2; }
lines() { grep -cF -- "$2" "$work_dir/$1.out" || true; }
more_lines() { [ "$(lines "$1" "$2")" -gt "$3" ]; }
# The port's table, by the console: value NAME FIGURE is what it says last.
ask() { echo "show port info all" >"$work_dir/$1.in"; }
value() { sed -n "s/^ *$2  *\([^ ]*\).*/\1/p" "$work_dir/$1.out" | tail -n 1; }
shows() {
  ask "$1"
  [ "$(value "$1" "$2")" = "$3" ]
}

plug a
plug b
node a 1 ""
node b 2 ""
for name in a b; do
  mkfifo "$work_dir/$name.in"
  # shellcheck disable=SC2016
  start "$name" bash -c 'exec "${@:2}" <"$1"' "$name" "$work_dir/$name.in" \
    "$lambdacast" --config "$work_dir/$name.toml" --interactive
done
a=${children[0]}
b=${children[1]}
exec 7>"$work_dir/a.in" 8>"$work_dir/b.in"  # open to their ends
for name in a b; do
  wait_for 20 joined "$name" || fail "$name joins nothing: $(bridge mdb show dev lcbr)"
done
wait_for 10 shows b link up || fail "no link shown: $(cat "$work_dir/b.out")"

# flap DEVICE: b's link, by that end of it
flap() {
  local downs ups
  downs=$(lines b "b: port net_af_packet_b (lcb): its link is down")
  ups=$(lines b "b: port net_af_packet_b (lcb): its link is up again")
  ip link set "$1" down
  wait_for 10 more_lines b "its link is down" "$downs" || fail "$1 down, and nothing told"
  wait_for 10 shows b link down || fail "$1 down, and not shown: $(cat "$work_dir/b.out")"
  wait_for 10 not_joined b || fail "the bridge has forgotten nothing"
  ip link set "$1" up
  wait_for 10 more_lines b "its link is up again" "$ups" || fail "$1 up, and nothing told"
  want b.out "; it reports its groups and announces its address again"
  # The querier's next question comes after two minutes.
  wait_for 3 joined b || fail "$1 up, and no report: $(bridge mdb show dev lcbr)"
  wait_for 10 shows b link up || fail "$1 up, and not shown: $(cat "$work_dir/b.out")"
}
flap brb
flap lcb
[ "$(value b link_changes)" = 4 ] || fail "not 4 changes: $(value b link_changes)"
refuse a.out "its link is"
say "$(grep -F "its link is up again" "$work_dir/b.out" | tail -n 1)"
# It hears a again: packets of a are delivered that were not before.
heard() {
  echo "show endpoint b" >"$work_dir/b.in"
  local now
  now=$(value b delivered_packets | tr -d ,)
  [ -n "$now" ] && [ "$now" -gt "$1" ]
}
wait_for 10 heard 0 || fail "b has delivered nothing: $(tail -n 40 "$work_dir/b.out")"
wait_for 10 heard "$(value b delivered_packets | tr -d ,)" || fail "b hears nothing any more"

# Taken away: the process ends with a reason.
ip link del lcb
ends "$b" b 3
want b.out "b: port net_af_packet_b (lcb): it has gone"
want b.err "lambdacast: b: the interface lcb has gone, and on_port_loss is \"end\""
say "$(cat "$work_dir/b.err")"

# Or waits, and begins anew when it is back.
plug b
node b 2 'on_port_loss = "wait"'
start b "$lambdacast" --config "$work_dir/b.toml"
b=${children[-1]}
wait_for 20 joined b || fail "b joins nothing: $(cat "$work_dir/b.err")"
ip link del lcb
wait_for 20 has b.out "the interface lcb has gone, and on_port_loss is \"wait\": waits for it" ||
  fail "b does not wait: $(cat "$work_dir/b.out" "$work_dir/b.err")"
plug b
wait_for 20 has b.out "lambdacast: starts over, as another incarnation" || fail "b does not return"
wait_for 20 joined b || fail "b joins nothing: $(cat "$work_dir/b.err")"
kill -INT "$a" "$b"
ends "$a" a 0
ends "$b" b 0
no_leftovers
say "an interface that comes back is used again"
