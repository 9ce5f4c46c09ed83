#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# A testpmd that joins late, one that is stopped and continued, readers and writers that are killed
# with -9: the first two account for every frame all the same.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"
. "$(dirname -- "${BASH_SOURCE[0]}")/testpmd.bash"

testpmd reader rxonly "net_odbss0,fabric=$fabric,wavelengths=2,slots=1024,wavelength=none"
tell reader start
testpmd writer txonly "net_odbss0,fabric=$fabric,wavelength=C21"
tell writer start
wait_for 20 at_least reader wl0_frames 10000 || fail "the reader hears too little"

# goes_on: the two still send and receive, from wherever they are now.
goes_on() {
  show reader
  local frames sent
  frames=$(count reader wl0_frames)
  show writer
  sent=$(count writer tx_good_packets)
  wait_for 20 at_least reader wl0_frames $((frames + 20000)) || fail "$1 disturbed the reader"
  wait_for 20 at_least writer tx_good_packets $((sent + 20000)) || fail "$1 disturbed the writer"
}

# Joins late, reads, is stopped while it does, continued, and killed.
testpmd late rxonly "net_odbss0,fabric=$fabric,wavelength=none"
tell late start
wait_for 20 at_least late wl0_frames 10000 || fail "the late reader hears too little"
kill -STOP "${numbers[late]}"
goes_on "a stopped reader"
kill -CONT "${numbers[late]}"
wait_for 20 at_least late wl0_missed 1 || fail "a stopped reader missed nothing"
kill_now late
goes_on "a killed reader"

# A second writer is stopped and keeps its wavelength, is killed and loses it.
testpmd other txonly "net_odbss0,fabric=$fabric,wavelength=C22"
tell other start
wait_for 20 at_least reader wl1_frames 10000 || fail "the second writer is not heard"
kill -STOP "${numbers[other]}"
goes_on "a stopped writer"
run 1 dpdk-testpmd "${eal[@]}" "${memory[@]}" --vdev "net_odbss0,fabric=$fabric,wavelength=C22" \
  -- -i --nb-ports=1
cat "$work_dir/err" >>"$work_dir/out"
want out "wavelength 1 of fabric $fabric already has a transmitter"
kill_now other
goes_on "a killed writer"
show reader
before=$(count reader wl1_frames)
testpmd heir txonly "net_odbss0,fabric=$fabric,wavelength=C22"
tell heir start
wait_for 20 at_least reader wl1_frames $((before + 10000)) || fail "the next owner is not heard"
tell heir stop
quit heir

tell writer stop
identity reader 0 writer
tell reader stop
quit writer
quit reader
no_leftovers
