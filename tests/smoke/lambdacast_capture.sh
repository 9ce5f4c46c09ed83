#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# A capture of a running rack as tshark and capinfos read it: every frame dissects as RoCEv2, as
# many as the rack says, in time order, under the endpoints' names, each sent once and heard after
# that. Then one endpoint with a length, and files that cannot be.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"

command -v tshark capinfos >/dev/null || skip "needs tshark (scripts/setup)"
RATE_PPS=3000 endpoints "$fabric" 3 0 1 2 >"$work_dir/rack.toml"
file=$work_dir/rack.pcapng
run 0 "$lambdacast" --config "$work_dir/rack.toml" --run-for 2 --capture "$file"
want out "verdict: every packet accounted for: "
frames=$(sed -n 's/^captured \([0-9,]*\) frames, 0 dropped, .*/\1/p' "$work_dir/out" | tr -d ,)
[ "${frames:-0}" -gt 1000 ] || fail "captured too little: $(cat "$work_dir/out")"
# Three endpoints: each packet is sent once and heard twice.
told() { sed -En "s/^$1\$/\\1/p" "$work_dir/out" | tr -d ,; }
heard=$(told 'verdict: .* = ([0-9,]*) delivered \+ 0 lost.*')
control=$(told '  control frames heard: ([0-9,]*)')
[ $((2 * frames)) -eq $((3 * (heard + control))) ] ||
  fail "$frames frames captured, $heard packets and $control control frames heard"

capinfos "$file" >"$work_dir/info"
for number in 0 1 2; do
  want info "Name = node$number"
  want info "Description = port net_odbss_node$number, wavelength C2$((number + 1))"
done
want info "Strict time order:   True"
want info "Time precision = nanoseconds (9)"

# dissected FILE FILTER: how many frames of the file it is true of.
dissected() { tshark -r "$1" -Y "$2" 2>/dev/null | wc -l; }
roce="infiniband && udp.dstport == 4791 && infiniband.bth.destqp == 0xffffff && !_ws.malformed"
[ "$(dissected "$file" "$roce")" -eq "$frames" ] || fail "tshark finds frames that are not RoCEv2"

tshark -r "$file" -T fields -e frame.interface_name -e frame.time_epoch \
  -e frame.packet_flags_direction -e ip.src -e ip.dst -e infiniband.bth.psn \
  >"$work_dir/fields" 2>/dev/null
/usr/bin/python3 - "$work_dir/fields" "$frames" <<'PYTHON'
import collections
import decimal
import sys

last = collections.defaultdict(decimal.Decimal)
sent, heard = set(), collections.Counter()
lines = open(sys.argv[1], encoding='utf-8').read().splitlines()
for line in lines:
    interface, time, direction, source, group, psn = line.split('\t')
    time = decimal.Decimal(time)
    assert time >= last[interface], f'{interface} goes back in time: {line}'
    last[interface] = time
    # Data and control count apart.
    packet, own = (source, group, psn), f'10.77.0.{int(interface[4:]) + 1}' == source
    if int(direction, 0) == 2:
        assert own and packet not in sent, f'sent twice, or by somebody else: {line}'
        sent.add(packet)
    else:
        assert not own and packet in sent, f'heard before it was sent: {line}'
        heard[packet, interface] += 1
assert len(lines) == int(sys.argv[2]) and len(heard) == 2 * len(sent), 'not everybody heard all'
assert set(heard.values()) == {1}, 'heard twice'
PYTHON
say "$frames frames: $(grep -F "captured " "$work_dir/out")"

run 0 "$lambdacast" --config "$work_dir/rack.toml" --run-for 0.5 --capture "$work_dir/one.pcapng" \
  --capture-endpoint node1 --capture-snap 70
frames=$(sed -n 's/^captured \([0-9,]*\) frames, .*/\1/p' "$work_dir/out" | tr -d ,)
[ "$(dissected "$work_dir/one.pcapng" \
  'frame.cap_len == 70 && frame.len > 70 && frame.interface_name == "node1"')" -eq "$frames" ] ||
  fail "not $frames frames of node1, cut at 70 bytes"

for wrong in "$work_dir/none/a.pcapng" "$work_dir"; do
  run 3 "$lambdacast" --config "$work_dir/rack.toml" --run-for 1 --capture "$wrong"
  one_sentence err
  want err "lambdacast: cannot capture into $wrong: "
done
run 3 "$lambdacast" --config "$work_dir/rack.toml" --capture "$work_dir/a" --capture-endpoint nobody
want err 'no endpoint "nobody" to capture; there are: node0, node1, node2'
run 2 "$lambdacast" --config "$work_dir/rack.toml" --capture-endpoint node1
no_leftovers
