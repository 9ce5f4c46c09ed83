#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Debian's verbs programs over real ports: two network namespaces joined by a veth pair, a program
# in each with liblambdacast-verbs.so preloaded and a configuration file that names an af_packet
# port on its end. Ping-pong, latency, bandwidth, multicast by librdmacm, datagrams compared
# byte by byte; tshark sees that they found each other by ARP and neighbor discovery and joined by
# IGMP. Then what cannot be: a file that is wrong shows one sentence, no device, and nothing on
# standard output.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/../smoke/smoke.bash"
. "$(dirname -- "${BASH_SOURCE[0]}")/verbs.bash"

[ -e "$build_dir/drivers/verbs/bridge/liblambdacast-verbs-bridge.so" ] || skip "no bridge was built"
[ "$(id -u)" -eq 0 ] || skip "needs root for network namespaces"
spaces=("lcverbs$$-0" "lcverbs$$-1")
ip netns add "${spaces[0]}" 2>/dev/null || skip "no network namespaces to be had here"
at_end() { for space in "${spaces[@]}"; do ip netns del "$space" 2>/dev/null || true; done; }
ip netns add "${spaces[1]}"
# One pair for the ports, where the kernel keeps silent; one for the programs' own TCP.
ip link add lcp netns "${spaces[0]}" type veth peer name lcp netns "${spaces[1]}" 2>/dev/null ||
  skip "no veth devices here"
ip link add eth0 netns "${spaces[0]}" type veth peer name eth0 netns "${spaces[1]}"
unset LAMBDACAST_FABRIC LAMBDACAST_WAVELENGTHS LAMBDACAST_SLOTS
export LAMBDACAST_PACKET_RATE=10000
gids=()
for side in 0 1; do
  space=${spaces[side]}
  ip netns exec "$space" sysctl -qw net.ipv6.conf.lcp.disable_ipv6=1
  ip -n "$space" addr add "10.99.0.$((side + 1))/24" dev eth0
  ip -n "$space" link set lo up
  ip -n "$space" link set eth0 up
  ip -n "$space" link set lcp address "02:4c:43:00:00:0$((side + 1))" mtu 1500 up
  ip -n "$space" route add default dev eth0
  gids+=("::ffff:10.77.0.$((side + 1)),fe80::4c:43ff:fe00:$((side + 1))")
  cat >"$work_dir/$side.toml" <<TOML
[[endpoint]]
name = "verbs$side"
address = "10.77.0.$((side + 1))"
port = "net_af_packet0,iface=lcp"
path_mtu = 1024
TOML
done
# What runs a program there, with its port.
in_first=(ip netns exec "${spaces[0]}" "${verbs[@]}" LAMBDACAST_CONFIG="$work_dir/0.toml")
in_second=(ip netns exec "${spaces[1]}" "${verbs[@]}" LAMBDACAST_CONFIG="$work_dir/1.toml")

# --- the device is the port's ---
run 0 "${in_first[@]}" ibv_devinfo -v
for text in "active_mtu:\s+1024 \(3\)" "GID\[  0\]:\s+fe80::4c:43ff:fe00:1, RoCE v2" \
  "GID\[  1\]:\s+::ffff:10.77.0.1, RoCE v2"; do
  grep -Eq "$text" "$work_dir/out" || fail "ibv_devinfo does not say $text"
done
refuse out "EAL"

# EAL pins the thread that starts it, here to one CPU: the program's thread may run where it could.
if [ -x "$build_dir/tests/interop/kernel_peer" ]; then
  { cat "$work_dir/0.toml"; printf '[eal]\nargs = ["-l", "%s"]\n' "$(taskset -cp $$ |
    sed 's/.*: \([0-9]*\).*/\1/')"; } >"$work_dir/pinned.toml"
  # shellcheck disable=SC2016
  echo 'run grep Cpus_allowed_list /proc/$PPID/status' >"$work_dir/asked"
  limited ip netns exec "${spaces[0]}" "${verbs[@]}" LAMBDACAST_CONFIG="$work_dir/pinned.toml" \
    "$build_dir/tests/interop/kernel_peer" - <"$work_dir/asked" >"$work_dir/out"
  [ "$(grep Cpus_allowed_list "$work_dir/out")" = "$(grep Cpus_allowed_list /proc/$$/status)" ] ||
    fail "the thread was moved: $(cat "$work_dir/out")"
fi

# --- what cannot be ---
# refused CODE TEXT SETTING...: one sentence of ours, nothing on standard output.
refused() {
  local code=$1 text=$2
  shift 2
  run "$code" ip netns exec "${spaces[0]}" "${verbs[@]}" "$@" ibv_devinfo
  [ ! -s "$work_dir/out" ] || fail "on standard output: $(cat "$work_dir/out")"
  grep "^liblambdacast-verbs: " "$work_dir/err" >"$work_dir/said" || true
  one_sentence said
  want said "$text"
}
sed 's/^path_mtu.*/path_mtu = 1500/' "$work_dir/0.toml" >"$work_dir/wrong.toml"
sed 's/verbs0/other/; s/packet0/packet1/; s/0\.1"/0.9"/' "$work_dir/0.toml" |
  cat "$work_dir/0.toml" - >"$work_dir/two.toml"
sed 's/iface=lcp/iface=lcnone/' "$work_dir/0.toml" >"$work_dir/none.toml"
refused 255 "wrong.toml:5: endpoint.path_mtu: 1500 is not allowed; allowed: 256, 512," \
  LAMBDACAST_CONFIG="$work_dir/wrong.toml"
refused 255 "two.toml has several endpoints; set LAMBDACAST_ENDPOINT to one of verbs0, other" \
  LAMBDACAST_CONFIG="$work_dir/two.toml"
refused 255 "LAMBDACAST_ENDPOINT=third is none of $work_dir/two.toml: verbs0, other" \
  LAMBDACAST_CONFIG="$work_dir/two.toml" LAMBDACAST_ENDPOINT=third
refused 255 "and LAMBDACAST_FABRIC=rack name two networks for one device" \
  LAMBDACAST_CONFIG="$work_dir/0.toml" LAMBDACAST_FABRIC=rack
refused 255 "is on the embedded fabric; for that set LAMBDACAST_FABRIC=rack4" \
  LAMBDACAST_CONFIG="$source_dir/config/rack4.toml" LAMBDACAST_ENDPOINT=node0
refused 1 "port net_af_packet0 cannot be attached" LAMBDACAST_CONFIG="$work_dir/none.toml"

# --- between two ports ---
# Each end hears the other's only: what an af_packet port sends passes its own kernel by.
capturers=()
if command -v tshark >/dev/null; then
  for side in 0 1; do
    : >"$work_dir/tshark$side.err"
    start "tshark$side" ip netns exec "${spaces[side]}" tshark -q -i lcp -w "$work_dir/$side.pcapng"
    capturers+=("${children[-1]}")
    wait_for 20 has "tshark$side.err" "Capturing on" ||
      fail "tshark: $(cat "$work_dir/tshark$side.err")"
  done
fi
if [ -x "$build_dir/tests/interop/kernel_peer" ]; then
  FIRST_GIDS=${gids[0]} SECOND_GIDS=${gids[1]} SIZES=1024 \
    run 0 /usr/bin/python3 "$source_dir/tests/interop/verbs_datagrams.py" \
    "$build_dir/tests/interop/kernel_peer" "${in_first[*]}" "${in_second[*]}"
  want out "all received as they were"
  say "$(cat "$work_dir/out")"
fi

listening() {
  grep -qi ":$(printf '%04X' "$port") 00000000:0000 0A" \
    <<<"$(ip netns exec "${spaces[0]}" cat /proc/net/tcp /proc/net/tcp6)"
}
# between PROGRAM ARGUMENTS...: a server and a client of it, outputs in server.out and client.out.
between() {
  port=$((port + 1))
  start server timeout -k 5 90 "${in_first[@]}" "$@" -p "$port"
  local server=${children[-1]}
  wait_for 30 listening || fail "no server listens: $* $(cat "$work_dir/server.err")"
  run 0 "${in_second[@]}" "$@" -p "$port" 10.99.0.1
  cp "$work_dir/out" "$work_dir/client.out"
  ends "$server" server 0
}
result() { grep -Eq "^ $2 +[0-9]+ +[0-9.]+ +[0-9.]+" "$work_dir/$1" || fail "no $2 bytes in $1"; }
between ibv_ud_pingpong -g 1 -s 1000 -n 500
for side in client.out server.out; do want "$side" "500 iters in"; done
between ib_send_lat -c UD -x 1 -s 64 -n 500
result client.out 64
between ib_send_lat -c UD -x 0 -s 1024 -n 200 -e
result client.out 1024
between ib_send_bw -c UD -x 1 -s 1024 -n 2000
result client.out 1024
result server.out 1024

# The event thread and the bridge's keeper pause for 4 ms each.
first=("${in_first[@]}")
second=("${in_second[@]}")
quiet_while_the_other_is_stopped 700 10.99.0.1

start receiver "${in_first[@]}" mckey -m 239.255.77.9 -C 5 -S 512
receiver=${children[-1]}
received() {
  run 0 "${in_second[@]}" mckey -m 239.255.77.9 -s -C 5 -S 512
  ! kill -0 "$receiver" 2>/dev/null
}
wait_for 30 received || fail "mckey does not receive: $(cat "$work_dir/receiver.out")"
ends "$receiver" receiver 0
want receiver.out "receiving data transfers"
want receiver.out "return status 0"

# --- and on the wire ---
if [ ${#capturers[@]} -gt 0 ]; then
  seen() {
    local side
    for side in 0 1; do
      [ -z "$(tshark -n -r "$work_dir/$side.pcapng" -Y "$1" 2>/dev/null)" ] || return 0
    done
    return 1
  }
  filter="igmp.record_type == 3 && igmp.maddr == 239.255.77.9"
  wait_for 10 seen "$filter" || fail "no frame: $filter"
  kill -INT "${capturers[@]}"
  for side in 0 1; do ends "${capturers[side]}" "tshark$side" 0; done
  for filter in "arp.opcode == 1 && arp.dst.proto_ipv4 == 10.77.0.2" "arp.opcode == 2" \
    "icmpv6.type == 135 && ipv6.src == fe80::4c:43ff:fe00:1" "icmpv6.type == 136" \
    "igmp.record_type == 4 && igmp.maddr == 239.255.77.9" \
    "infiniband.bth.destqp == 0xffffff && eth.dst == 01:00:5e:7f:4d:09"; do
    seen "$filter" || fail "no frame: $filter"
  done
  ! seen "_ws.malformed && !infiniband" || fail "malformed frames"
fi
no_leftovers
say "programs spoke over af_packet ports"
