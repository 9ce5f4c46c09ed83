#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Two stock testpmd on one fabric, txonly against rxonly: the reader starts first, the writer stops
# first, the reader is drained, and every frame is accounted for, with and without injected loss.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"
. "$(dirname -- "${BASH_SOURCE[0]}")/testpmd.bash"

flood() {  # DEVARGS...: further arguments of the reader
  testpmd reader rxonly "net_odbss0,fabric=$fabric,wavelengths=2,slots=1024,wavelength=none$1"
  tell reader start
  testpmd writer txonly "net_odbss0,fabric=$fabric,wavelength=C21"
  tell writer start
  wait_for 20 at_least reader rx_good_packets 200000 || fail "the reader hears too little"
  tell writer stop
  identity reader 0 writer
}

flood ""
# The same from the ports' own counters, and from what testpmd itself has counted.
sent=$(count writer tx_good_packets)
received=$(count reader rx_good_packets)
total=$((received + $(count reader rx_missed_errors) + $(count reader rx_mbuf_allocation_errors) +
         $(count reader filtered) + $(count reader too_long) + $(count reader fault_lost)))
[ "$total" -eq "$sent" ] || fail "the ports' counters say $total of $sent"
tell reader stop
want reader.out "RX-packets: $received "
want writer.out "TX-packets: $sent "
quit writer
quit reader
no_leftovers

rm -f "$work_dir"/*.in
flood ",loss=0.01,corrupt=0.001,seed=7"
lost=$(count reader fault_lost)
wait_for 1 test "$lost" -gt 0 || fail "no loss was injected"
say "of them $lost lost by injection, $(count reader fault_corrupted) corrupted"
tell reader stop
quit writer
quit reader
no_leftovers
