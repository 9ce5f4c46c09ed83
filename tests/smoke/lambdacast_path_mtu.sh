#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# A receiver whose path_mtu is shorter than a sender's packets: it is refused, both sides say so
# with both values, nobody is slowed down by it, and every account adds up.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"
. "$(dirname -- "${BASH_SOURCE[0]}")/reliability.bash"

node 0 "path_mtu = 1024"
node 1 "path_mtu = 512"
node 2 "path_mtu = 1024"
sed -i 's/^payload_bytes = .*/payload_bytes = 700/' "$work_dir/0.toml"
for number in 0 1 2; do start_node "$number"; done
wait_for 40 has node0.out "node0: receiver 10.77.0.2 is refused: packets of this stream are longer \
than its path_mtu; here it is 1024 bytes" || fail "not refused: $(cat "$work_dir/node0.out")"
wait_for 40 has node1.out "node1: refused by 10.77.0.1: its packets are longer than path_mtu here, \
512 bytes; there it is 1024" || fail "not told: $(cat "$work_dir/node1.out")"
wait_for 40 more_than 2 10000 || fail "node2 hears nobody"
end_nodes 0 1 2
heard=$(ordered 2)
[ "${heard:-0}" -ge 10000 ] || fail "node2 heard $heard"
[ "$(lost 2)" = 0 ] || fail "node2 lost packets: $(cat "$work_dir/node2.out")"
repairs=$(report 0 'recoverable packets: [0-9,]+ published, ([0-9,]+) sent again; .*')
[ "$repairs" -lt 1000 ] || fail "$repairs repairs"
for number in 0 1; do
  want "node$number.out" "  trouble: 1 times refused for the path MTU, here or there"
done
want node1.out "by too_long"
no_leftovers
say "$repairs repairs for $(published 0) packets"
