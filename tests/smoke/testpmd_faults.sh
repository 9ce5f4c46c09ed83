#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Every frame is accounted for under bursts of loss, delay and a receive rate; a line rate bounds
# what a stock txonly sends.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"
. "$(dirname -- "${BASH_SOURCE[0]}")/testpmd.bash"

rate=1000000000  # bits/s
faults=loss=0.001,burst_enter=0.001,burst_leave=0.1,delay_ns=2000,jitter_ns=500,seed=3
faults+=,rx_rate=$((rate / 2)),rx_buffer=65536
geometry=fabric=$fabric,wavelengths=2,slots=1024,grid=50GHz
testpmd reader rxonly "net_odbss0,$geometry,wavelength=none,$faults"
tell reader start
testpmd writer txonly "net_odbss0,fabric=$fabric,wavelength=H21,line_rate=$rate"
begin=$(date +%s%N)
tell writer start
wait_for 30 at_least reader rx_good_packets 50000 || fail "the reader hears too little"
# A reader that is seldom scheduled is lapped: it may take so little that all of it fits its rate.
wait_for 30 at_least reader rx_rate_dropped 1 || fail "half the rate was enough"
tell writer stop
end=$(date +%s%N)
identity reader 1 writer

# 64 bytes and 24 more on the wire, each; the queue in front of the line holds 20 us.
sent=$(count writer tx_good_packets)
[ $((sent * 88 * 8)) -le $(((end - begin) * (rate / 1000000) / 1000 + rate / 10000)) ] ||
  fail "$sent frames are more than the line carries in $(((end - begin) / 1000)) us"
[ "$(count writer line_rate_held_back)" -gt 0 ] || fail "nothing was held back"
lost=$(count reader fault_lost) dropped=$(count reader rx_rate_dropped)
[ "$lost" -gt 0 ] || fail "no loss was injected"
[ "$(count reader rx_missed_errors)" -ge "$dropped" ] || fail "what did not fit is not in imissed"
say "$lost lost in bursts, $dropped did not fit"
tell writer "show port info 0"
want writer.out "Link speed: 1 Gbps"
for process in writer reader; do quit "$process"; done
no_leftovers
