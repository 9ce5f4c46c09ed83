#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Any ethdev port: two endpoints on the two ends of a veth pair, by af_packet, in a network
# namespace of this script's own. Messages arrive both ways, every packet is accounted for, and the
# fallback from the multicast list that af_packet lacks is said aloud.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"

[ "$(id -u)" -eq 0 ] || skip "needs root for a network namespace"
unshare --net true 2>/dev/null || skip "no network namespace to be had here"
unshare --net ip link add lcv0 type veth peer name lcv1 2>/dev/null || skip "no veth devices here"

for number in 0 1; do
  cat <<TOML
[[endpoint]]
name = "node$number"
address = "10.77.0.$((number + 1))"
port = "net_af_packet$number,iface=lcv$number"
path_mtu = 1024
TOML
done >"$work_dir/veth.toml"
cp -- "$work_dir/veth.toml" "$work_dir/bench.toml"
cat >>"$work_dir/veth.toml" <<TOML
[traffic]
enabled = true
rate_pps = 2000
[[lcore]]
id = 0
idle = "sleep"
TOML
# The kernel keeps silent on both ends: no addresses, no IPv6.
# shellcheck disable=SC2016
on_veth=(unshare --net bash -c '
  echo 1 >/proc/sys/net/ipv6/conf/default/disable_ipv6 2>/dev/null
  ip link add lcv0 type veth peer name lcv1 &&
    ip link set lcv0 mtu 1500 up && ip link set lcv1 mtu 1500 up || exit 99
  exec "$@"' on_veth)

run 0 "${on_veth[@]}" "$lambdacast" --config "$work_dir/veth.toml" --run-for 2 --stats-period 0.5
want out "node0: port net_af_packet0, multicast by promiscuous"
want out "node1: port net_af_packet1, multicast by promiscuous"
for number in 0 1; do
  grep -Eq "^node$number +net_af_packet$number +[1-9][0-9,]* +[1-9][0-9,]* " "$work_dir/out" ||
    fail "node$number hears nothing: $(cat "$work_dir/out")"
done
want out "verdict: every packet accounted for: "
say "$(tail -n 1 "$work_dir/out")"

# IPv6, and a VLAN: they hear and find each other there as well. Then not, in two VLANs.
sed 's/"10\.77\.0\./"fd77::/' "$work_dir/veth.toml" >"$work_dir/ipv6.toml"
run 0 "${on_veth[@]}" "$lambdacast" --config "$work_dir/ipv6.toml" --run-for 2 --resolve fd77::2
want out "joins ff15::4d:1 and ff15::4d:2 by MLD"
want out "node0: fd77::2 is at "
grep -Eq "packets expected = [1-9][0-9,]* delivered \+ 0 lost" "$work_dir/out" ||
  fail "nothing heard over IPv6: $(cat "$work_dir/out")"
sed '/^path_mtu/a vlan = 77' "$work_dir/veth.toml" >"$work_dir/vlan.toml"
run 0 "${on_veth[@]}" "$lambdacast" --config "$work_dir/vlan.toml" --run-for 2 --resolve 10.77.0.2
want out "node0: 10.77.0.2 is at "
grep -Eq "packets expected = [1-9][0-9,]* delivered \+ 0 lost" "$work_dir/out" ||
  fail "nothing heard in the VLAN: $(cat "$work_dir/out")"
sed '0,/^vlan/s/^vlan = 77/vlan = 78/' "$work_dir/vlan.toml" >"$work_dir/vlans.toml"
run 0 "${on_veth[@]}" "$lambdacast" --config "$work_dir/vlans.toml" --run-for 1 --resolve 10.77.0.2
refuse out "node0: 10.77.0.2 is at "
grep -Eq "= 0 delivered \+ [1-9]" "$work_dir/out" || fail "VLANs mixed: $(cat "$work_dir/out")"

# And the benchmark, on the same ports.
sed '/^path_mtu/a groups = [1, 2]' "$work_dir/bench.toml" >"$work_dir/both.toml"
run 0 "${on_veth[@]}" "$bench" loss --config "$work_dir/both.toml" --packets 20000 --lcores 0 \
  --pace 10000
want out "identity holds"
want out "  sent 20000 packets, to 1 receivers"
grep -Eq "  delivered [1-9][0-9]{3,}," "$work_dir/out" || fail "$(cat "$work_dir/out")"
no_leftovers
say "$(grep -F "  delivered" "$work_dir/out")"
