#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Without window pace the fabric never pushes back: an overloaded receiver loses by the overrun of
# its ring, at itself alone, and every packet is still accounted for. A rate that all can take
# loses nothing.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"
. "$(dirname -- "${BASH_SOURCE[0]}")/bench.bash"

# A receiver that takes 5,000 messages a second of 100,000; rings deep enough for the others to ride
# out 160 ms of what a busy machine does to them.
loss --nodes 3 --one-sender --packets 150000 --pace 100000 --slow-at 1 --slow-rate 5000 \
  --slots 16384 --psn-start 0xfffff0
holds "r['lost_by_place']['transmitter'] == {}"
holds "r['lost_by_place']['receiver'] == {'node1': {'ring_overrun': r['lost'] + r['control_lost']}}"
holds "r['lost'] > 0 and r['psn_wraps'] == 1"
say "overloaded receiver: $(grep -F "ring_overrun" "$work_dir/err")"

# A flood, as fast as the senders can: all losses are receivers' overruns.
loss --nodes 4 --packets "$(packets 1000000)" --pace none --slots 64 --psn-start 0xfffff0
holds "r['pace'] == 'none' and set(r['lost_by_reason']) <= {'ring_overrun'}"
holds "r['lost_by_place']['transmitter'] == {}"
say "flood: $(grep -F "  delivered" "$work_dir/err")"

# A modest rate, until the time is over.
loss --nodes 3 --packets 0 --seconds 1 --pace 30000 --slots 16384
holds "r['lost'] == 0 and r['pace'] == '30000'"
# No more than the rate and a burst of each; no less than a tenth of it on a very busy machine.
holds "3000 <= r['sent'] <= 30000 * max(1.5, r['elapsed_s']) + 3 * 64"
no_leftovers
say "30,000 packets a second for a second: $(grep -E '^  "sent":' "$work_dir/report.json")"
