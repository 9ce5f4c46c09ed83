#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# A hundred thousand frames of every kind that the code can send, captured from the programs as they
# run, and nothing wrong with any by tshark and scapy (scripts/dev/check_frames.py):
#   racks on the embedded fabric, captured by the appliance: all levels of service, sizes, losses
#     and repairs, views that change because a process is killed, groups with names, and calls to
#     them; IPv4, then IPv6 in a VLAN
#   endpoints on veth pairs, captured by dumpcap on the kernel's end: ARP, neighbor discovery, IGMP
#     and MLD in all versions
#   a verbs program, captured by stock testpmd, which copies the fabric's frames into a file
#   runs of the simulator, for kinds that only rare faults bring
set -euo pipefail
if [ -z "${LAMBDACAST_IN_NAMESPACE:-}" ]; then
  if [ "$(id -u)" -ne 0 ] || ! unshare --net true 2>/dev/null; then
    echo "$0: skipped: needs root and network namespaces"
    exit 77
  fi
  LAMBDACAST_IN_NAMESPACE=1 exec unshare --net bash "$0" "$@"
fi
. "$(dirname -- "${BASH_SOURCE[0]}")/../smoke/smoke.bash"
command -v tshark dumpcap >/dev/null || skip "needs tshark (scripts/setup)"
kernel_peer=$build_dir/tests/interop/kernel_peer
[ -x "$kernel_peer" ] || skip "the verbs programs were not built: no libibverbs-dev"
. "$(dirname -- "${BASH_SOURCE[0]}")/verbs.bash"
. "$(dirname -- "${BASH_SOURCE[0]}")/../smoke/testpmd.bash"
frames_wanted=${LAMBDACAST_FRAMES:-100000}

# --- racks ---
# One endpoint for each level of service, with sizes of every remainder of 4, fragments and packets
# that messages share; node0 captures, and node8 is another process, killed halfway.
levels=("" unreliable reliable source total k majority resilient)
sizes=(0 17 62 1023 4048 10001 0 300)
rack() { # rack ADDRESS-PREFIX VLAN FIRST LAST
  local number
  cat <<TOML
[fabric]
name = "${fabric}rack"
wavelengths = 12
slots = 8192
[endpoint_defaults]
max_peers = 16
${2:+vlan = $2}
[endpoint_defaults.reliability]
status_us = 400
[endpoint_defaults.membership]
enabled = true
initial_nodes = 9
heartbeat_us = 4000
suspect_after_us = 2000000
[[lcore]]
id = 0
idle = "sleep"
TOML
  for ((number = $3; number <= $4; ++number)); do
    cat <<TOML
[[endpoint]]
name = "node$number"
address = "$1$((number + 1))"
wavelength = "C$((21 + number))"
TOML
    [ "$number" -ne 2 ] || echo 'coalesce_us = 0'  # its requests share no packets, answers do
    [ "$number" -eq 0 ] || cat <<TOML
faults = { loss = 0.01, seed = $number }
[endpoint.traffic]
enabled = true
qos = "${levels[number % 8]:-reliable}"
payload_bytes = ${sizes[number % 8]}
coalesce = $([ "$number" -eq 1 ] && echo true || echo false)
rate_pps = $([ "$number" -eq 1 ] && echo 4000 || echo 400)
TOML
  done
}
# Each command of a rack waits until all have heard what the one before it changed.
tool=$build_dir/app/lambdacastctl/lambdacastctl
chmod 755 "$work_dir"
tells() { grep -Eq -- "$2" "$work_dir/$1.out"; }
told() { # told NAME EXPRESSION...
  local name=$1 expression
  shift
  for expression in "$@"; do
    wait_for 40 tells "$name" "$expression" || fail "no \"$expression\": $(cat "$work_dir/$name."*)"
  done
}
groups_and_calls() { # groups_and_calls NAME
  local name=$1
  ctl() { run 0 "$tool" --socket "$work_dir/$name.sock" "$@"; }
  ctl join orders node0
  told "$name" "node0: group orders: members 1:"
  ctl join orders node1
  told "$name" "node0: group orders: members 2:" "node1: group orders: members 2:"
  ctl send to orders hello
  ctl acquire orders 5 node0
  told "$name" "node0: group orders: lock 5 is" "node1: group orders: lock 5 is"
  ctl call from node2 orders 5 how much
  told "$name" "node2: call to group orders: .* answers: how much"
  ctl call from node2 orders all who is here
  told "$name" "node2: call to group orders: .* answers: who is here"
  ctl call from node2 orders all "$(printf 'long%.0s' {1..1000})"
  told "$name" "node2: call to group orders: .* answers: longlong"
  ctl release orders 5 node0
  told "$name" "node1: group orders: lock 5 is free"
  ctl leave orders node0
  told "$name" "node0: group orders: out of it"
}
# A file that is being written ends anywhere.
count_of() { capinfos -T -r -m -c "$1" 2>/dev/null | sed 's/.*,//' || true; }
holds() { local count; count=$(count_of "$1"); [ "${count:-0}" -ge "$2" ]; }
fabrics+=("${fabric}rack")
captured_rack() { # captured_rack NAME ADDRESS-PREFIX VLAN FRAMES
  local file=$work_dir/$1.pcapng rack victim
  rack "$2" "$3" 0 7 >"$work_dir/$1.toml"
  rack "$2" "$3" 8 8 >"$work_dir/$1-8.toml"
  start "$1-8" "$lambdacast" --config "$work_dir/$1-8.toml"
  victim=${children[-1]}
  start "$1" "$lambdacast" --config "$work_dir/$1.toml" --capture "$file" \
    --capture-endpoint node0 --control-socket "$work_dir/$1.sock" --stats-period 1
  rack=${children[-1]}
  wait_for 40 has "$1.out" " begins, members 9" || fail "no view: $(cat "$work_dir/$1."*)"
  groups_and_calls "$1"
  kill -KILL "$victim"
  wait "$victim" 2>/dev/null || true
  wait_for 40 has "$1.out" " begins, members 8" || fail "no view: $(cat "$work_dir/$1."*)"
  wait_for 60 holds "$file" "$4" || fail "$1: too little captured"
  kill -TERM "$rack"
  ends_as_told "$rack" "$1"  # the one that was killed may have been silent first
  say "$1: $(grep -F "captured " "$work_dir/$1.out")"
}
# Of IPv4 the fewer: scapy takes a millisecond for each ICRC.
captured_rack ipv4 10.77.0. "" $((frames_wanted * 3 / 10))
captured_rack ipv6 fd77:: 77 $((frames_wanted - $(count_of "$work_dir/ipv4.pcapng")))

# --- real ports ---
# A veth pair for each version of IGMP and MLD that a querier may speak, and one with a VLAN.
links=(igmp3 igmp2 igmp1 mld2 mld1 vlan)
{
  echo '[endpoint_defaults]'
  echo 'path_mtu = 1024'
  for number in "${!links[@]}"; do
    address=10.77.$number.1
    case ${links[number]} in mld*) address=fd77:$number::1 ;; esac
    cat <<TOML
[[endpoint]]
name = "${links[number]}"
address = "$address"
port = "net_af_packet$number,iface=${links[number]}"
$([ "${links[number]}" != vlan ] || echo "vlan = 77")
TOML
  done
  printf '[traffic]\nenabled = true\nrate_pps = 100\n[[lcore]]\nid = 0\nidle = "sleep"\n'
} >"$work_dir/ports.toml"
sources=()
captured_on=()
for number in "${!links[@]}"; do
  link=${links[number]}
  ip link add "$link" type veth peer name "k$link" 2>/dev/null || skip "no veth devices here"
  echo 1 >"/proc/sys/net/ipv6/conf/$link/disable_ipv6"
  ip link set "$link" mtu 1500 up
  ip link set "k$link" mtu 1500 up
  ip addr add "10.77.$number.9/24" dev "k$link"
  ip addr add "fd77:$number::9/64" dev "k$link" nodad
  sources+=("$(ip -o link show "$link" | sed 's/.*link\/ether \([0-9a-f:]*\).*/\1/')")
  captured_on+=(-i "k$link")
done
: >"$work_dir/dumpcap.err"
start dumpcap dumpcap -q "${captured_on[@]}" -w "$work_dir/ports.pcapng"
dumpcap=${children[-1]}
wait_for 20 has dumpcap.err "File: " || fail "dumpcap: $(cat "$work_dir/dumpcap.err")"
start ports "$lambdacast" --config "$work_dir/ports.toml" --resolve 10.77.0.9 --resolve fd77:3::9
ports=${children[-1]}
wait_for 40 has ports.out "vlan: answers" || fail "no start: $(cat "$work_dir/ports.err")"
seen() { # seen FILTER...: each is true of some frame
  local filter
  for filter in "$@"; do
    missing=$filter
    [ -n "$(tshark -n -r "$work_dir/ports.pcapng" -Y "$filter" 2>/dev/null)" ] || return 1
  done
}
ask() { # queries of all versions, and what makes the kernel ask for the endpoints
  /usr/bin/python3 - <<'PYTHON'
import logging
logging.getLogger('scapy').setLevel(logging.ERROR)
from scapy.all import (Ether, IP, IPOption_Router_Alert, IPv6, IPv6ExtHdrHopByHop,
                       ICMPv6MLQuery, ICMPv6MLQuery2, RouterAlert, sendp)
from scapy.contrib.igmp import IGMP
from scapy.contrib.igmpv3 import IGMPv3, IGMPv3mq
MAC = '02:4c:43:00:00:09'
def igmp(message):
    ip = IP(src='10.77.0.9', dst='224.0.0.1', ttl=1, options=[IPOption_Router_Alert()])
    return Ether(src=MAC, dst='01:00:5e:00:00:01') / ip / message
def mld(message):
    ip = IPv6(src='fe80::9', dst='ff02::1', hlim=1)
    alert = IPv6ExtHdrHopByHop(options=[RouterAlert()])
    return Ether(src=MAC, dst='33:33:00:00:00:01') / ip / alert / message
queries = {'igmp3': igmp(IGMPv3(mrcode=10) / IGMPv3mq()), 'igmp2': igmp(IGMP(mrcode=10)),
           'igmp1': igmp(IGMP(mrcode=0)), 'mld2': mld(ICMPv6MLQuery2(mrd=1000)),
           'mld1': mld(ICMPv6MLQuery(mrd=1000))}
for link, query in queries.items():
    sendp(query, iface='k' + link, verbose=False)
PYTHON
  ip neigh flush dev kigmp3
  ip neigh flush dev kmld2
  (echo >/dev/udp/10.77.0.1/9) 2>/dev/null || true
  (echo >/dev/udp/fd77:3::1/9) 2>/dev/null || true
}
said() {
  ask
  seen "igmp.record_type == 2" "igmp.type == 0x16" "igmp.type == 0x12" \
    "icmpv6.type == 131" "icmpv6.mldr.mar.record_type == 2" \
    "arp.opcode == 2 && eth.src == ${sources[0]}" "arp.opcode == 1 && eth.src == ${sources[0]}" \
    "icmpv6.type == 136 && icmpv6.nd.na.flag.s == 1 && eth.src == ${sources[3]}" \
    "icmpv6.type == 136 && icmpv6.nd.na.flag.s == 0 && eth.src == ${sources[3]}" \
    "icmpv6.type == 135 && ipv6.src == fd77:3::1" "arp.isgratuitous && eth.src == ${sources[0]}"
}
wait_for 60 said || fail "the endpoints have not said $missing: $(cat "$work_dir/ports.out")"
kill -INT "$ports"
ends "$ports" ports 0
left() { seen "igmp.record_type == 3" "igmp.type == 0x17" "icmpv6.type == 132"; }
wait_for 10 left || fail "the endpoints have not said $missing"
kill -INT "$dumpcap"
ends "$dumpcap" dumpcap 0
say "real ports: $(capinfos -T -r -m -c "$work_dir/ports.pcapng" | sed 's/.*,//') frames"

# --- verbs programs ---
# Stock testpmd hears the whole fabric and passes it on to a file.
ip link add eth0 type veth peer name keth0 && ip link set keth0 up && ip link set eth0 up
ip link set lo up
ip route add default dev eth0
testpmd tap io "net_odbss0,fabric=$fabric,wavelengths=4,slots=4096,wavelength=none" \
  "net_pcap1,tx_pcap=$work_dir/verbs.pcap"
tell tap start
FIRST_GIDS=::ffff:10.77.0.1,fe80::4f:aff:fe4d:1 SECOND_GIDS=::ffff:10.77.0.2,fe80::4f:aff:fe4d:2 \
  run 0 /usr/bin/python3 "$source_dir/tests/interop/verbs_datagrams.py" "$kernel_peer" \
  "${verbs[*]} LAMBDACAST_WAVELENGTH=C21" "${verbs[*]} LAMBDACAST_WAVELENGTH=C22"
want out "all received as they were"
say "verbs: $(cat "$work_dir/out")"
for gid in 0 1; do pair ib_send_bw -c UD -x "$gid" -s 777 -n 1000; done
tell tap stop
quit tap

# --- the simulator ---
# A receiver that is cut off for its lag; a first view that is reported; skipped positions, and
# statuses that are asked for; calls that want an acknowledgement, and members that decline; callers
# that go by sessions.
simulated=()
for seed in 17 4294969060 8589934727 34359738370 34359738406; do
  run 0 "$build_dir/app/lambdacast-sim/lambdacast-sim" replay --seed "$seed" \
    --capture "$work_dir/$seed.pcap"
  simulated+=(--simulated "$work_dir/$seed.pcap")
done

# --- the judges ---
code=0
/usr/bin/python3 "$source_dir/scripts/dev/check_frames.py" --least "$frames_wanted" \
  "${simulated[@]}" "$work_dir/ipv4.pcapng" "$work_dir/ipv6.pcapng" "$work_dir/verbs.pcap" \
  --sources "$(IFS=,; echo "${sources[*]}")" "$work_dir/ports.pcapng" || code=$?
[ "$code" -eq 0 ] || fail "check_frames.py ends with $code"
no_leftovers
