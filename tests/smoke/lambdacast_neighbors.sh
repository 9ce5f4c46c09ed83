#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Real networks, with the kernel as the judge: an endpoint on one end of a veth pair (and once on a
# tap), the kernel with an address of its own on the other. It finds the endpoint by ARP and by
# neighbor solicitation, is found by it, and reads its IGMP and MLD reports; a claim to the
# endpoint's address, one of the kernel's, and an MTU too small are told in one sentence each.
set -euo pipefail
if [ -z "${LAMBDACAST_IN_NAMESPACE:-}" ]; then
  if [ "$(id -u)" -ne 0 ] || ! unshare --net true 2>/dev/null; then
    echo "$0: skipped: needs root and network namespaces"
    exit 77
  fi
  LAMBDACAST_IN_NAMESPACE=1 exec unshare --net bash "$0" "$@"
fi
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"

ip link add lcn0 type veth peer name lcn1 2>/dev/null || skip "no veth devices here"
# The endpoint's end is its own alone: no kernel address, not even a link-local one.
echo 1 >/proc/sys/net/ipv6/conf/lcn0/disable_ipv6
ip link set lcn0 mtu 1500 up
ip link set lcn1 mtu 1500 up
ip addr add 10.77.0.9/24 dev lcn1
ip addr add fd77::9/64 dev lcn1 nodad

# endpoint ADDRESS PORT KEYS: a configuration, in $work_dir/one.toml
endpoint() {
  cat >"$work_dir/one.toml" <<TOML
[[endpoint]]
name = "node"
address = "$1"
port = "$2"
path_mtu = 1024
$3
[[lcore]]
id = 0
idle = "sleep"
TOML
}
# The MAC address that the endpoint says it answers with.
own_mac() { sed -n 's/^node: answers .* with \([0-9a-f:]*\),.*/\1/p' "$work_dir/node.out"; }
# Does the kernel find ADDRESS on DEVICE at MAC? It asks when something is sent there.
kernel_finds() {
  (echo >"/dev/udp/$1/9") 2>/dev/null || true
  grep -q "lladdr $3" <<<"$(ip neigh show "$1" dev "$2")"
}
# found ADDRESS DEVICE KERNEL-ADDRESS DEVICE-MAC PORT KEYS: each finds the other.
found() {
  endpoint "$1" "$5" "$6"
  start node "$lambdacast" --config "$work_dir/one.toml" --resolve "$3"
  local node=${children[-1]}
  wait_for 20 has node.out "node: answers" || fail "no start: $(cat "$work_dir/node.err")"
  local mac
  mac=$(own_mac)
  wait_for 10 has node.out "node: $3 is at $4, reachable" ||
    fail "$3 was not found: $(cat "$work_dir/node.out")"
  # The endpoint's question has told the kernel where it is: it forgets that, and has to ask.
  ip neigh flush dev "$2"
  wait_for 10 kernel_finds "$1" "$2" "$mac" || fail "the kernel does not find $1: $(ip neigh)"
  wait_for 10 joined "$1" || fail "$1 joins no group"
  kill -INT "$node"
  ends "$node" node 0
  want node.out "verdict: every packet accounted for"
  say "$1 is at $mac, says the kernel, which is at $4"
}
mac_of() { ip -o link show "$1" | sed 's/.*link\/ether \([0-9a-f:]*\).*/\1/'; }

capture() { # capture DEVICE: into $work_dir/DEVICE.pcap
  start tshark tshark -q -i "$1" -w "$work_dir/$1.pcap"
  capturer=${children[-1]}
  wait_for 20 has tshark.err "Capturing on" || fail "tshark: $(cat "$work_dir/tshark.err")"
}
# seen FILTER: how many captured frames it matches
seen() {
  tshark -r "$work_dir/lcn1.pcap" -o ip.check_checksum:TRUE -Y "$1" 2>/dev/null | wc -l
}
sees() { # sees LEAST FILTER
  local count
  count=$(seen "$2")
  [ "$count" -ge "$1" ] || fail "$count frames instead of $1: $2"
}

# Hosts wait for a random time before they report: an endpoint that ends before has joined nothing.
joined() { # joined ADDRESS
  [ -n "$capturer" ] || return 0
  case $1 in
    *:*) [ "$(seen "icmpv6.mldr.mar.record_type==4")" -ge 1 ] ;;
    *) [ "$(seen "igmp.record_type==4")" -ge 1 ] ;;
  esac
}

capturer=
if command -v tshark >/dev/null; then capture lcn1; fi
found 10.77.0.1 lcn1 10.77.0.9 "$(mac_of lcn1)" net_af_packet0,iface=lcn0 ""
found fd77::1 lcn1 fd77::9 "$(mac_of lcn1)" net_af_packet0,iface=lcn0 ""
if [ -n "$capturer" ]; then
  left() { [ "$(seen "icmpv6.mldr.mar.record_type==3")" -ge 1 ]; }
  wait_for 10 left || fail "fd77::1 leaves no group"
  kill -INT "$capturer"
  ends "$capturer" tshark 0
  sees 1 "igmp.version==3 && igmp.record_type==4 && igmp.maddr==239.255.77.1 && ip.ttl==1 &&
    ip.opt.type==148 && igmp.checksum.status==1 && ip.checksum.status==1"
  sees 2 "igmp.version==3 && igmp.record_type==3 && igmp.maddr==239.255.77.1"
  sees 1 "arp.opcode==2 && arp.src.proto_ipv4==10.77.0.1"
  sees 1 "icmpv6.type==143 && icmpv6.mldr.mar.record_type==4 &&
    icmpv6.mldr.mar.multicast_address==ff15::4d:1 && ipv6.opt.router_alert==0 &&
    ipv6.hlim==1 && icmpv6.checksum.status==1"
  sees 1 "icmpv6.type==143 && icmpv6.mldr.mar.record_type==3"
  sees 1 "icmpv6.type==136 && icmpv6.nd.na.target_address==fd77::1 && icmpv6.nd.na.flag.s==1"
  [ "$(seen "_ws.malformed")" -eq 0 ] || fail "malformed frames"
fi

# In a VLAN, where the kernel has such devices (tests/smoke/lambdacast_veth.sh has two endpoints).
if ip link add link lcn1 name lcn77 type vlan id 77 2>/dev/null; then
  ip link set lcn77 up
  ip addr add 10.78.0.9/24 dev lcn77
  found 10.78.0.1 lcn77 10.78.0.9 "$(mac_of lcn77)" net_af_packet0,iface=lcn0 "vlan = 77"
fi

# The kernel claims the endpoint's address.
ip addr add 10.79.0.1/24 dev lcn1
endpoint 10.79.0.1 net_af_packet0,iface=lcn0 ""
run 3 "$lambdacast" --config "$work_dir/one.toml" --run-for 1
want err "address 10.79.0.1 is the kernel's, on lcn1, and both would answer for it"
one_sentence err

# A peer elsewhere claims it: it answers for the address, and the endpoint says so.
endpoint 10.79.0.2 net_af_packet0,iface=lcn0 ""
start node "$lambdacast" --config "$work_dir/one.toml"
node=${children[-1]}
wait_for 20 has node.out "node: answers" || fail "no start: $(cat "$work_dir/node.err")"
ip addr add 10.79.0.2/24 dev lcn1
claimed() {
  /usr/bin/python3 - lcn1 "$(mac_of lcn1)" <<'PYTHON'
import socket
import sys
mac = bytes.fromhex(sys.argv[2].replace(':', ''))
address = bytes([10, 79, 0, 2])
arp = b'\0\1\x08\0\6\4\0\2' + mac + address + b'\xff' * 6 + address
with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as raw:
    raw.bind((sys.argv[1], 0))
    raw.send(b'\xff' * 6 + mac + b'\x08\x06' + arp)
PYTHON
  has node.err "node: somebody else has the address 10.79.0.2: $(mac_of lcn1) answers for it"
}
wait_for 20 claimed || fail "no complaint: $(cat "$work_dir/node.err")"
kill -INT "$node"
ends "$node" node 0
say "$(cat "$work_dir/node.err")"
ip addr flush dev lcn1 scope global

# The largest frames do not fit.
ip link set lcn0 mtu 1000
endpoint 10.77.0.1 net_af_packet0,iface=lcn0 ""
run 3 "$lambdacast" --config "$work_dir/one.toml" --run-for 1
want err "its interface lcn0 has an MTU of 1000 bytes, this path MTU needs 1100; use path_mtu = 512"
one_sentence err
say "$(cat "$work_dir/err")"

# A tap: the kernel is the peer itself.
endpoint 10.80.0.1 net_tap0,iface=lctap0 ""
start node "$lambdacast" --config "$work_dir/one.toml"
node=${children[-1]}
if wait_for 20 has node.out "node: answers"; then
  ip addr add 10.80.0.9/24 dev lctap0
  ip link set lctap0 up
  wait_for 10 kernel_finds 10.80.0.1 lctap0 "$(own_mac)" || fail "not found by tap: $(ip neigh)"
  kill -INT "$node"
  ends "$node" node 0
  say "found through a tap"
else
  grep -q "lambdacast: endpoint node: port net_tap0" "$work_dir/node.err" || fail "tap"
  say "no tap devices here"
fi
