#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Groups next to each other: fabrics on 239.255.77.1 and 239.255.77.2 share the group that is
# control to one and data to the other. On the two ends of a veth pair each counts the other's
# frames as those of another fabric, and none as lost. A file says so before anything starts, and
# names groups that have none behind them or are those of hosts and routers.
set -euo pipefail
if [ -z "${LAMBDACAST_IN_NAMESPACE:-}" ]; then
  if [ "$(id -u)" -ne 0 ] || ! unshare --net true 2>/dev/null; then
    echo "$0: skipped: needs root and network namespaces"
    exit 77
  fi
  LAMBDACAST_IN_NAMESPACE=1 exec unshare --net bash "$0" "$@"
fi
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"

# fabric NAME NUMBER GROUP: an endpoint by itself, in $work_dir/NAME.toml
fabric() {
  cat >"$work_dir/$1.toml" <<TOML
[traffic]
enabled = true
rate_pps = 1000
payload_bytes = 8
qos = "source"
[[lcore]]
id = 0
idle = "sleep"
[[endpoint]]
name = "$1"
address = "10.77.0.$2"
port = "net_af_packet_$1,iface=lco$2"
path_mtu = 1024
multicast = "$3"
TOML
}

# said GROUP KEY-ADDRESS REASON: --check-config says so of line 14.
said() {
  fabric alone 1 "$1"
  [ -z "$2" ] || sed -i "s/^address = .*/address = \"$2\"/" "$work_dir/alone.toml"
  run 2 "$lambdacast" --config "$work_dir/alone.toml" --check-config
  want err "$work_dir/alone.toml:14: endpoint.multicast: \"$1\" $3; allowed: such as "
}
said 239.255.255.255 "" "leaves no group for control, which is the address behind it"
said ff15::ffff:ffff fd77::1 "leaves no group for control, which is the address behind it"
said 224.0.0.1 "" "is in 224.0.0.0/24, the groups of hosts and routers"

fabric a 1 239.255.77.1
fabric b 2 239.255.77.2
{ cat "$work_dir/a.toml"; sed -n '/endpoint/,$p' "$work_dir/b.toml"; } >"$work_dir/both.toml"
run 2 "$lambdacast" --config "$work_dir/both.toml" --check-config
want err "both.toml:20: endpoint.multicast: \"239.255.77.2\" of endpoint \"b\" is the group of \
control of endpoint \"a\", 239.255.77.1; allowed: "

ip link add lco1 type veth peer name lco2 2>/dev/null || skip "no veth devices here"
echo 1 >/proc/sys/net/ipv6/conf/lco1/disable_ipv6
echo 1 >/proc/sys/net/ipv6/conf/lco2/disable_ipv6
ip link set lco1 mtu 1500 up
ip link set lco2 mtu 1500 up
for name in a b; do
  start "$name" "$lambdacast" --config "$work_dir/$name.toml" --run-for 2
done
for name in a b; do
  ends "${children[$([ "$name" = a ] && echo 0 || echo 1)]}" "$name" 0
  grep -Eq "^  of other fabrics .*: [1-9][0-9,]{2,}$" "$work_dir/$name.out" ||
    fail "$name has counted nothing as foreign: $(cat "$work_dir/$name.out")"
  refuse "$name.out" "lost at receiver"
  want "$name.out" "verdict: every packet accounted for: 0 packets expected = 0 delivered + 0 lost"
  say "$name: $(grep -F "of other fabrics" "$work_dir/$name.out")"
done
no_leftovers
